// SPDX-License-Identifier: Apache-2.0
// Binary operations as rows: dst = post_ops(alg(src_0 * scale_0, src_1 * scale_1)).

#include "cpu/x64/binary/rows_binary.hpp"

#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64 {
namespace {

bool commutes(alg_kind_t alg) {
    return one_of(alg, {dnnl_binary_add, dnnl_binary_mul, dnnl_binary_max, dnnl_binary_min,
                               dnnl_binary_eq, dnnl_binary_ne});
}

} // namespace

refusal_t describe_elementwise(
        const binary_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec) {
    spec.operation = "binary_row";
    // The first operand of a kernel should not be the one that is broadcast.
    const bool is_swapped = commutes(pd.desc().alg) && !same_dims(pd.src_0(), pd.dst());
    const int first = is_swapped ? DNNL_ARG_SRC_1 : DNNL_ARG_SRC_0;
    const int second = is_swapped ? DNNL_ARG_SRC_0 : DNNL_ARG_SRC_1;
    const quantization_map_t &scales = pd.attr().scales;
    const auto add = [&](int arg, jit::post_op_link_t &link) {
        const memory_desc_t &md = pd.md_of(arg);
        layouts.add_broadcast(arg, md);
        link.operands.push_back({md.data_type, true});
    };
    const auto add_scale = [&](int arg, jit::post_op_link_t &link) {
        layouts.add_attribute(DNNL_ARG_ATTR_SCALES | arg);
        link.operands.push_back({scales.at(arg).data_type, false});
    };
    layouts.add(DNNL_ARG_DST, pd.dst());
    layouts.add_broadcast(first, pd.md_of(first));
    if (scales.contains(first))
        add_scale(first, spec.chain.emplace_back(jit::post_op_link_t{.alg = dnnl_binary_mul}));
    jit::post_op_link_t link{.alg = pd.desc().alg};
    link.is_of_numbers =
            !scales.contains(first) && contains(integer_types, pd.md_of(first).data_type);
    add(second, link);
    if (pd.desc().has_condition()) add(DNNL_ARG_SRC_2, link);
    link.is_scaled = scales.contains(second);
    if (link.is_scaled) add_scale(second, link);
    spec.chain.push_back(link);
    return add_post_ops(pd, layouts, spec.chain);
}

} // namespace kiln::x64
