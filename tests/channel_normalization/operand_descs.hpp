// SPDX-License-Identifier: Apache-2.0
// The memory descriptors of a problem's operands: what the problem says, and where it leaves the
// layout to the library, what the primitive descriptor answers.
#pragma once

#include "channel_normalization/problem.hpp"

namespace kiln::test::channel_normalization {

class operand_descs_t {
public:
    operand_descs_t(const problem_t &problem, const_dnnl_primitive_desc_t primitive_desc)
        : problem_(problem)
        , primitive_desc_(primitive_desc) {}

    memory_desc_handle_t src() const;
    memory_desc_handle_t dst() const;
    memory_desc_handle_t diff_src() const;
    memory_desc_handle_t diff_dst() const;
    /// f32 and row-major, as the interface has them.
    memory_desc_handle_t stat() const { return make_desc(problem_.stat_dims(), dnnl_f32); }
    memory_desc_handle_t scale_shift() const { return make_desc({problem_.channels()}, dnnl_f32); }
    /// What the library says: its size and layout are its own.
    memory_desc_handle_t workspace() const { return clone_desc(chosen(DNNL_ARG_WORKSPACE)); }

private:
    const_dnnl_memory_desc_t chosen(int arg) const;
    memory_desc_handle_t data(int arg, dnnl_data_type_t type, const std::string &format) const;

    const problem_t &problem_;
    const_dnnl_primitive_desc_t primitive_desc_;
};

} // namespace kiln::test::channel_normalization
