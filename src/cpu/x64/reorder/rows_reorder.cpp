// SPDX-License-Identifier: Apache-2.0
// Reorders that compute: rows of
//     dst = post_ops((src - src_zero_point) * src_scale) / dst_scale + dst_zero_point.

#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/reorder/accept.hpp"

namespace kiln::x64 {
namespace {

/// Takes s32 where f32 loses nothing that dst keeps.
refusal_t check_types(const reorder_pd_t &pd) {
    const data_type_t src = pd.src().data_type, dst = pd.dst().data_type;
    if (src == dnnl_s32 && dst == dnnl_s32) return refused("s32 values would be rounded to f32");
    if (src == dnnl_s32 && pd.attr().zero_points.contains(DNNL_ARG_FROM))
        return refused("s32 values would be rounded before zero points are subtracted");
    if (pd.moves_bits()) return refused("bits are moved, and f32 would not keep those of NaN");
    if (pd.dst().extra.flags != 0) return refused("dst has compensation");
    return accepted();
}

} // namespace

refusal_t describe_elementwise(
        const reorder_pd_t &pd, operand_layouts_t &layouts, elementwise_spec_t &spec) {
    spec.operation = "reorder_row";
    if (const refusal_t refusal = check_types(pd)) return refusal;
    spec.subnormals = jit::subnormals_t::kept;
    layouts.add(DNNL_ARG_TO, pd.dst());
    layouts.add(DNNL_ARG_FROM, pd.src());
    const auto add = [&](alg_kind_t alg, const quantization_map_t &map, int kind, int arg) {
        const auto found = map.find(arg);
        if (found == map.end()) return;
        layouts.add_attribute(kind | arg);
        spec.chain.push_back({.alg = alg, .operands = {{found->second.data_type, false}}});
    };
    const quantization_map_t &scales = pd.attr().scales, &zero_points = pd.attr().zero_points;
    add(dnnl_binary_sub, zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_FROM);
    add(dnnl_binary_mul, scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_FROM);
    if (const refusal_t refusal = add_post_ops(pd, layouts, spec.chain)) return refusal;
    add_division_by_scale(pd, DNNL_ARG_TO, layouts, spec.chain);
    add(dnnl_binary_add, zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_TO);
    return accepted();
}

} // namespace kiln::x64
