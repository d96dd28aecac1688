// SPDX-License-Identifier: Apache-2.0
// The memory descriptors of a problem's operands: what the problem says, and where it leaves the
// layout to the library, what the primitive descriptor answers.
#pragma once

#include "layer_normalization/problem.hpp"

namespace kiln::test::layer_normalization {

class operand_descs_t {
public:
    operand_descs_t(const problem_t &problem, const_dnnl_primitive_desc_t primitive_desc);

    memory_desc_handle_t src() const;
    memory_desc_handle_t dst() const;
    memory_desc_handle_t diff_src() const;
    memory_desc_handle_t diff_dst() const;
    memory_desc_handle_t stat() const;
    memory_desc_handle_t scale_shift() const;
    memory_desc_handle_t diff_scale_shift() const;

private:
    memory_desc_handle_t data(int arg, dnnl_data_type_t type, const std::string &format) const;
    memory_desc_handle_t chosen(int arg, const dims_t &dims, dnnl_data_type_t type) const;

    const problem_t &problem_;
    const_dnnl_primitive_desc_t primitive_desc_;
};

} // namespace kiln::test::layer_normalization
