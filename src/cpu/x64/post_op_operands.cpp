// SPDX-License-Identifier: Apache-2.0
// From a primitive descriptor's post-ops to a kernel's chain and the operands that it reads.

#include "cpu/x64/post_op_operands.hpp"

#include <utility>
#include <variant>

namespace kiln::x64 {
namespace {

/// Appends the link of one post-op, and what it reads.
class chain_writer_t {
public:
    chain_writer_t(const primitive_desc_t &pd, operand_layouts_t &operands,
            std::vector<jit::post_op_link_t> &chain)
        : pd_(pd)
        , operands_(operands)
        , chain_(chain) {}

    refusal_t add(const eltwise_post_op_t &eltwise, size_t) {
        return append({.alg = eltwise.alg,
                .alpha = eltwise.alpha,
                .beta = eltwise.beta,
                .is_derivative = eltwise.is_derivative});
    }

    refusal_t add(const binary_post_op_t &binary, size_t entry) {
        const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(entry));
        jit::post_op_link_t link{.alg = binary.alg};
        read(binary.src1, base | DNNL_ARG_SRC_1, link);
        if (binary.has_src2()) read(binary.src2, base | DNNL_ARG_SRC_2, link);
        return append(std::move(link));
    }

    refusal_t add(const sum_post_op_t &sum, size_t) {
        if (sum.scale == 0) return accepted(); // dst is not read
        jit::post_op_link_t link{.alg = dnnl_binary_add,
                .alpha = sum.scale,
                .beta = static_cast<float>(sum.zero_point),
                .is_sum = true};
        read(pd_.md_of(DNNL_ARG_DST), DNNL_ARG_DST, link);
        return append(std::move(link));
    }

    refusal_t add(const auto &, size_t) {
        return refused("a post-op that is not eltwise, binary or sum");
    }

private:
    void read(const memory_desc_t &md, int arg, jit::post_op_link_t &link) {
        link.operands.push_back({md.data_type, false});
        operands_.add_broadcast(arg, md);
    }

    refusal_t append(jit::post_op_link_t link) {
        chain_.push_back(std::move(link));
        return jit::check_post_op(chain_.back());
    }

    const primitive_desc_t &pd_;
    operand_layouts_t &operands_;
    std::vector<jit::post_op_link_t> &chain_;
};

} // namespace

refusal_t add_post_ops(const primitive_desc_t &pd, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain) {
    chain_writer_t writer(pd, operands, chain);
    const auto &entries = pd.attr().post_ops.entries;
    for (size_t i = 0; i < entries.size(); ++i) {
        if (const refusal_t refusal = std::visit(
                    [&](const auto &entry) { return writer.add(entry, i); }, entries[i]))
            return refusal;
        if (jit::operands_of(chain).size() > max_post_op_operands)
            return refused("more than 8 tensors in post-ops");
    }
    return accepted();
}

refusal_t add_post_ops_along(const primitive_desc_t &pd, int axis, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain) {
    size_t index = operands.mds().size();
    if (const refusal_t refusal = add_post_ops(pd, operands, chain)) return refusal;
    for (jit::post_op_link_t &link : chain) {
        if (link.is_sum) return refused("a sum post-op");
        for (jit::post_op_operand_t &read : link.operands) {
            const memory_desc_t &md = *operands.mds()[index++];
            if (!is_plain(md)) return refused("a post-op's tensor in a blocked layout");
            const dim_t stride = md.dims[axis] == 1 ? 0 : md.format_desc.blocking.strides[axis];
            if (stride != 0 && stride != 1)
                return refused("a post-op's tensor that is strided along the axis of vectors");
            read.per_lane = stride != 0;
        }
    }
    return accepted();
}

} // namespace kiln::x64
