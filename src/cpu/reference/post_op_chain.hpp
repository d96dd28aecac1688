// SPDX-License-Identifier: Apache-2.0
// What attributes do to one value at a time: dropout, then a chain of eltwise, binary, prelu and
// sum post-ops.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/dropout.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {

/// Made once for a primitive. It refers to the primitive's descriptor, which outlives it.
class post_op_chain_t {
public:
    explicit post_op_chain_t(const primitive_desc_t &pd);

    bool empty() const { return links_.empty() && !dropout_; }
    /// The value at logical `position` of dst after dropout and the chain. Sums are in double, so
    /// that those of integers are exact, other post-ops in float.
    double apply(double value, const dim_t *position, const exec_ctx_t &ctx,
            post_op_range_t range = {}) const;
    /// The same, or some post-ops of the chain, for values that lie one after another along `axis`,
    /// from `position` on. Dropout goes with the first post-op.
    void apply(int axis, const dim_t *position, std::span<double> values, const exec_ctx_t &ctx,
            post_op_range_t range = {}) const;

private:
    /// An operand of a binary or prelu post-op, broadcast along the axes where its extent is 1.
    struct operand_t {
        operand_t(const memory_desc_t &md, int slot);
        double value(const dim_t *position, const exec_ctx_t &ctx) const;

        tensor_t tensor;
        int slot;
        int ndims;
        std::vector<bool> broadcast;
    };
    struct link_t {
        alg_kind_t alg;
        float alpha;
        float beta;
        std::vector<operand_t> operands; // none: eltwise
        bool is_derivative = false;      // of an eltwise one
        bool is_sum = false;             // += alpha * (operand - beta)
        bool is_prelu = false;           // the operand is the slope of values that are not positive
    };

    std::optional<dropout_filter_t> dropout_;
    std::vector<link_t> links_;
};

} // namespace kiln::cpu::reference
