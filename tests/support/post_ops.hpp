// SPDX-License-Identifier: Apache-2.0
// Chains of post-ops: how they are asked for, what operands they take, and what they compute, for
// any operation that honours them. It knows no such operation.
#pragma once

#include <string>
#include <vector>

#include "support/bindings.hpp"
#include "support/interval.hpp"

namespace kiln::test {

struct post_op_t {
    dnnl_alg_kind_t alg;

    // Elementwise.
    float alpha = 0;
    float beta = 0;

    // Binary, prelu: the operand has dst's extent along the axes whose bit is set, and 1 along the
    // others. That of prelu is f32 in the library's layout.
    int mask = 0;
    dnnl_data_type_t type = dnnl_f32;
    std::string format = "";

    bool is_prelu = false; // instead of alg

    bool is_binary() const { return alg >= dnnl_binary_add && alg <= dnnl_binary_select; }
    dims_t operand_dims(const dims_t &dst_dims) const;
};

using post_op_chain_t = std::vector<post_op_t>;

std::string to_string(const post_op_chain_t &chain);

post_ops_handle_t make_post_ops(const post_op_chain_t &chain, const dims_t &dst_dims);

/// The operands of a chain. Whole numbers from -3 to 3 without 0 among them where the operand is
/// an integer, numbers of that size elsewhere; conditions are 0, 1, 2 in turn.
class post_op_operands_t {
public:
    /// Binds them. Their layouts are those that the primitive descriptor tells, so `any` is
    /// resolved.
    post_op_operands_t(const post_op_chain_t &chain, const_dnnl_primitive_desc_t primitive_desc,
            bindings_t &bindings, uint64_t seed);

    /// The truth after the chain, for the element of dst at `index`.
    interval_t apply(interval_t value, const dims_t &index) const;

private:
    struct operand_t {
        size_t entry;
        int role; // DNNL_ARG_SRC_1 or DNNL_ARG_SRC_2
        dims_t dims;
        std::vector<double> values;
    };

    void add_operand(size_t entry, int role, const_dnnl_primitive_desc_t primitive_desc,
            bindings_t &bindings, uint64_t seed);
    double value_of(size_t entry, int role, const dims_t &index) const;

    post_op_chain_t chain_;
    dnnl_data_type_t dst_type_;
    std::vector<operand_t> operands_;
};

} // namespace kiln::test
