// SPDX-License-Identifier: Apache-2.0
// Problems as internal descriptors.
#include "normalization/internal.hpp"

#include "support/internal_primitive_desc.hpp"

namespace kiln::test::normalization {

namespace {

/// What the descriptors of all normalizations have.
template <typename desc_t> desc_t common_desc(const problem_t &problem) {
    desc_t desc{};
    desc.prop_kind = problem.prop_kind;
    desc.flags = problem.flags;
    desc.epsilon = problem.epsilon;
    desc.src = *make_desc(problem.dims, problem.src_type, problem.src_format);
    (problem.is_forward() ? desc.dst : desc.diff_dst) =
            *make_desc(problem.dims, problem.dst_type, problem.dst_format);
    if (!problem.is_forward())
        desc.diff_src = *make_desc(problem.dims, problem.diff_src_type, problem.diff_src_format);
    return desc;
}

void set_extra(optional_memory_desc_t &desc, const dims_t &dims, const extra_operand_t &operand) {
    if (operand.exists()) desc = *make_desc(dims, operand.type, operand.format);
}

} // namespace

layer_normalization_desc_t layer_desc_of(const problem_t &problem) {
    auto desc = common_desc<layer_normalization_desc_t>(problem);
    desc.recomputes_stats = problem.recomputes_stats;
    if (!problem.recomputes_stats)
        desc.stat = *make_desc(problem.stat_dims(), problem.stat_type, problem.stat_format);
    desc.scale_shift_type = problem.scale_shift_type;
    desc.diff_scale_shift_type = problem.diff_scale_shift_type;
    set_extra(desc.src_1, problem.dims, problem.src_1);
    set_extra(desc.sum, problem.dims, problem.sum);
    set_extra(desc.row_scale, problem.stat_dims(), problem.row_scale);
    return desc;
}

batch_normalization_desc_t batch_desc_of(const problem_t &problem) {
    auto desc = common_desc<batch_normalization_desc_t>(problem);
    set_extra(desc.relu_operand, problem.dims, problem.relu_operand);
    return desc;
}

dnnl_status_t create_internally(primitive_desc_handle_t &primitive_desc, const problem_t &problem,
        const_dnnl_primitive_attr_t attr) {
    return problem.is_layer() ? make_internal<layer_normalization_pd_t>(
                   primitive_desc, layer_desc_of(problem), attr)
                              : make_internal<batch_normalization_pd_t>(
                                      primitive_desc, batch_desc_of(problem), attr);
}

} // namespace kiln::test::normalization
