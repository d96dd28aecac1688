// SPDX-License-Identifier: Apache-2.0
// From a primitive descriptor's post-ops to a kernel's chain and the operands that it reads.

#include "cpu/x64/post_op_operands.hpp"

#include <variant>

#include "common/one_of.hpp"

namespace kiln::x64 {

refusal_t add_post_ops(const primitive_desc_t &pd, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain) {
    const auto &entries = pd.attr().post_ops.entries;
    const size_t before = jit::operands_of(chain).size();
    for (size_t i = 0; i < entries.size(); ++i) {
        jit::post_op_link_t link{};
        const auto read = [&](const memory_desc_t &md, int arg) {
            link.operands.push_back({md.data_type, false});
            operands.add_broadcast(arg, md);
        };
        if (const auto *eltwise = std::get_if<eltwise_post_op_t>(&entries[i])) {
            link = {.alg = eltwise->alg,
                    .alpha = eltwise->alpha,
                    .beta = eltwise->beta,
                    .is_derivative = eltwise->is_derivative};
        } else if (one_of(kind_of(entries[i]), {dnnl_binary, dnnl_prelu})) {
            const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i));
            const auto *binary = std::get_if<binary_post_op_t>(&entries[i]);
            link.alg = binary ? binary->alg : dnnl_binary_mul;
            link.is_prelu = binary == nullptr;
            for_each_operand(
                    entries[i], [&](int role, const memory_desc_t &md) { read(md, base | role); });
        } else if (const auto *sum = std::get_if<sum_post_op_t>(&entries[i])) {
            if (sum->scale == 0) continue; // dst is not read
            link = {.alg = dnnl_binary_add,
                    .alpha = sum->scale,
                    .beta = static_cast<float>(sum->zero_point),
                    .is_sum = true};
            const memory_desc_t &dst = pd.md_of(DNNL_ARG_DST);
            const bool has_type = sum->data_type != dnnl_data_type_undef;
            const data_type_t type = has_type ? sum->data_type : dst.data_type;
            link.operands.push_back({type, false});
            operands.add_broadcast(DNNL_ARG_DST, dst, type);
        } else {
            return refused("a post-op is not eltwise, binary, prelu or sum");
        }
        chain.push_back(link);
        if (const refusal_t refusal = jit::check_post_op(link)) return refusal;
        if (jit::operands_of(chain).size() - before > max_post_op_operands)
            return refused("post-ops have more than 8 tensors");
    }
    if (!chain.empty()) chain.back().rounded_to = pd.md_of(DNNL_ARG_DST).data_type;
    return accepted();
}

void add_division_by_scale(const primitive_desc_t &pd, int arg, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain) {
    const auto found = pd.attr().scales.find(arg);
    if (found == pd.attr().scales.end()) return;
    const int scale = DNNL_ARG_ATTR_SCALES | arg;
    jit::post_op_link_t &link =
            chain.emplace_back(jit::post_op_link_t{.alg = dnnl_binary_div, .is_by_scale = true});
    if (found->second.mask == 0) {
        operands.add_reciprocal(scale);
        link.operands = {{dnnl_f32, false}, {dnnl_f32, false}};
    } else {
        operands.add_attribute(scale);
        link.operands = {{found->second.data_type, false}};
    }
}

refusal_t add_post_ops_along(const primitive_desc_t &pd, int axis, operand_layouts_t &operands,
        std::vector<jit::post_op_link_t> &chain) {
    size_t index = operands.mds().size();
    if (const refusal_t refusal = add_post_ops(pd, operands, chain)) return refusal;
    for (jit::post_op_link_t &link : chain) {
        if (link.is_sum) return refused("a post-op is a sum");
        for (jit::post_op_operand_t &read : link.operands) {
            const memory_desc_t &md = *operands.mds()[index++];
            if (!is_plain(md)) return refused("a post-op's tensor has a blocked layout");
            const dim_t stride = md.dims[axis] == 1 ? 0 : md.format_desc.blocking.strides[axis];
            if (stride != 0 && stride != 1)
                return refused("a post-op's tensor is strided along the axis of vectors");
            read.per_lane = stride != 0;
        }
    }
    return accepted();
}

} // namespace kiln::x64
