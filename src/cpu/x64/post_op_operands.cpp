// SPDX-License-Identifier: Apache-2.0
// From a primitive descriptor's post-ops to a kernel's chain and the operands it reads.

#include "cpu/x64/post_op_operands.hpp"

#include <cassert>

namespace kiln::x64 {
namespace {

/// Adds an operand to the link and to the lists.
refusal_t add_operand(const memory_desc_t &md, int slot, int axis, jit::post_op_link_t &link,
        post_op_operands_t &found) {
    if (!is_plain(md)) return refused("a post-op's operand in a blocked layout");
    const dim_t stride = md.dims[axis] == 1 ? 0 : md.format_desc.blocking.strides[axis];
    if (stride != 0 && stride != 1)
        return refused("elements of a post-op's operand do not lie side by side");
    link.operands.push_back({md.data_type, stride != 0});
    found.mds.push_back(&md);
    found.slots.push_back(slot);
    return accepted();
}

refusal_t add_binary(const primitive_desc_t &pd, size_t entry, const binary_post_op_t &binary,
        int axis, post_op_operands_t &found) {
    const int base = DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(entry));
    jit::post_op_link_t link{.alg = binary.alg};
    const auto add = [&](const memory_desc_t &md, int role) {
        return add_operand(md, pd.slot_of(base | role), axis, link, found);
    };
    if (const refusal_t refusal = add(binary.src1, DNNL_ARG_SRC_1)) return refusal;
    if (binary.has_src2())
        if (const refusal_t refusal = add(binary.src2, DNNL_ARG_SRC_2)) return refusal;
    found.chain.push_back(std::move(link));
    return jit::check_post_op(found.chain.back());
}

} // namespace

refusal_t find_post_op_operands(const primitive_desc_t &pd, int axis, post_op_operands_t &found) {
    const auto &entries = pd.attr().post_ops.entries;
    for (size_t i = 0; i < entries.size(); ++i) {
        refusal_t refusal;
        if (const auto *eltwise = std::get_if<eltwise_post_op_t>(&entries[i])) {
            found.chain.push_back({eltwise->alg, eltwise->alpha, eltwise->beta});
            refusal = jit::check_post_op(found.chain.back());
        } else if (const auto *binary = std::get_if<binary_post_op_t>(&entries[i])) {
            refusal = add_binary(pd, i, *binary, axis, found);
        } else {
            refusal = refused("a post-op that is neither eltwise nor binary");
        }
        if (refusal) return refusal;
    }
    if (found.mds.size() > max_post_op_operands)
        return refused("more post-op operands than a kernel has addresses for");
    return accepted();
}

post_op_operands_t post_op_operands_of(const primitive_desc_t &pd, int axis) {
    post_op_operands_t found;
    [[maybe_unused]] const refusal_t refusal = find_post_op_operands(pd, axis, found);
    assert(!refusal);
    return found;
}

} // namespace kiln::x64
