// SPDX-License-Identifier: Apache-2.0
// Dropout and a chain of post-ops on one value at a time.

#include "cpu/reference/post_op_chain.hpp"

#include <algorithm>
#include <cmath>

#include "common/one_of.hpp"
#include "cpu/binary_scalar.hpp"
#include "cpu/eltwise_scalar.hpp"

namespace kiln::cpu::reference {

post_op_chain_t::operand_t::operand_t(const memory_desc_t &md, int slot)
    : tensor(md)
    , slot(slot)
    , ndims(md.ndims) {
    for (int d = 0; d < md.ndims; ++d) broadcast.push_back(md.dims[d] == 1);
}

double post_op_chain_t::operand_t::value(const dim_t *position, const exec_ctx_t &ctx) const {
    const layout_t &layout = tensor.layout();
    dim_t offset = layout.offset0();
    for (int d = 0; d < ndims; ++d)
        offset += layout.axis(d)(broadcast[static_cast<size_t>(d)] ? 0 : position[d]);
    return tensor.load(ctx.input(slot), offset);
}

post_op_chain_t::post_op_chain_t(const primitive_desc_t &pd) {
    if (pd.attr().dropout.requested) dropout_.emplace(pd);
    const auto &entries = pd.attr().post_ops.entries;
    for (size_t i = 0; i < entries.size(); ++i) {
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
        if (const auto *eltwise = std::get_if<eltwise_post_op_t>(&entries[i])) {
            links_.push_back(
                    {eltwise->alg, eltwise->alpha, eltwise->beta, {}, eltwise->is_derivative});
        } else if (one_of(kind_of(entries[i]), {dnnl_binary, dnnl_prelu})) {
            const auto *binary = std::get_if<binary_post_op_t>(&entries[i]);
            link_t link{.alg = binary ? binary->alg : dnnl_binary_mul,
                    .alpha = 0,
                    .beta = 0,
                    .operands = {},
                    .is_prelu = binary == nullptr};
            for_each_operand(entries[i], [&](int role, const memory_desc_t &md) {
                link.operands.emplace_back(md, pd.slot_of(base | role));
            });
            links_.push_back(std::move(link));
        } else if (const auto *sum = std::get_if<sum_post_op_t>(&entries[i]);
                   sum && sum->scale != 0) {
            link_t link{.alg = dnnl_binary_add,
                    .alpha = sum->scale,
                    .beta = static_cast<float>(sum->zero_point),
                    .operands = {},
                    .is_sum = true};
            memory_desc_t dst = pd.md_of(DNNL_ARG_DST);
            if (sum->data_type != dnnl_data_type_undef) dst.data_type = sum->data_type;
            link.operands.emplace_back(dst, pd.slot_of(DNNL_ARG_DST));
            links_.push_back(std::move(link));
        }
    }
}

double post_op_chain_t::apply(
        double exact, const dim_t *position, const exec_ctx_t &ctx, post_op_range_t range) const {
    if (dropout_ && range.contains(0)) exact = dropout_->apply(exact, position, ctx);
    if (links_.empty()) return exact;
    size_t number = 0;
    for (const link_t &link : links_) {
        if (!range.contains(number++)) continue;
        const auto value = static_cast<float>(exact);
        if (link.operands.empty()) {
            const auto function = link.is_derivative ? eltwise_derivative : eltwise_fwd;
            exact = static_cast<double>(function(link.alg, value, link.alpha, link.beta));
            continue;
        }
        const double operand = link.operands[0].value(position, ctx);
        if (link.is_sum) { // exact where all terms are integers of 32 bits
            exact = std::fma(static_cast<double>(link.alpha),
                    operand - static_cast<double>(link.beta), exact);
            continue;
        }
        if (link.is_prelu && value > 0) continue;
        const auto src1 = static_cast<float>(operand);
        exact = static_cast<double>(
                link.operands.size() == 1
                        ? binary(link.alg, value, src1)
                        : binary_select(value, src1, link.operands[1].value(position, ctx) != 0));
    }
    return exact;
}

void post_op_chain_t::apply(int axis, const dim_t *position, std::span<double> values,
        const exec_ctx_t &ctx, post_op_range_t range) const {
    if (empty()) return;
    dims_t at;
    std::copy_n(position, max_ndims, at);
    for (double &value : values) {
        value = apply(value, at, ctx, range);
        ++at[axis];
    }
}

} // namespace kiln::cpu::reference
