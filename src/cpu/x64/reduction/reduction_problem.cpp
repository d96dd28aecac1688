// SPDX-License-Identifier: Apache-2.0
// A reduction as rows.

#include "cpu/x64/reduction/reduction_problem.hpp"

#include <algorithm>

#include "common/attributes/alg_kind.hpp"
#include "common/memory/type_set.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::reduction {
namespace {

/// The terms of a row, how they are combined, and what is done to the result.
refusal_t choose_arithmetic(const reduction_pd_t &pd, row_reduction_spec_t &spec) {
    const reduction_desc_t &desc = pd.desc();
    switch (desc.alg) {
    case dnnl_reduction_max: spec.combine = combine_t::max; return accepted();
    case dnnl_reduction_min: spec.combine = combine_t::min; return accepted();
    case dnnl_reduction_sum: return accepted();
    case dnnl_reduction_mean: spec.divisor = static_cast<float>(pd.terms()); return accepted();
    default: break;
    }
    if (!is_norm_alg(desc.alg))
        return refused("an algorithm that is not max, min, sum, mean or a norm");
    if (desc.p != 1 && desc.p != 2) return refused("a norm whose p is not 1 or 2");
    const bool is_greatest = desc.alg == dnnl_reduction_norm_lp_max
                             || desc.alg == dnnl_reduction_norm_lp_power_p_max;
    const bool is_power = desc.alg == dnnl_reduction_norm_lp_power_p_max
                          || desc.alg == dnnl_reduction_norm_lp_power_p_sum;
    spec.term = desc.p == 1 ? term_t::magnitude : term_t::square;
    spec.epsilon_use = is_greatest ? epsilon_use_t::least : epsilon_use_t::added;
    spec.epsilon = desc.epsilon;
    spec.takes_root = desc.p == 2 && !is_power;
    return accepted();
}

refusal_t check_types(const reduction_pd_t &pd) {
    for (const data_type_t type : {pd.src().data_type, pd.dst().data_type})
        if (!contains(float_types | int8_types, type))
            return refused("src or dst is not f32, bf16, f16, s8 or u8");
    return accepted();
}

/// The loops along which dst does not move, as one line that is removed from `loops`.
refusal_t take_reduced_line(std::vector<row_mode_t> &loops, size_t tensors, row_mode_t &line) {
    const auto is_reduced = [](const row_mode_t &loop) { return loop.strides[dst_operand] == 0; };
    line = {1, {}};
    if (std::none_of(loops.begin(), loops.end(), is_reduced)) return accepted();
    const auto found = take_line(loops, tensors, [&](const row_mode_t &loop) {
        return is_reduced(loop) && loop.strides[src_operand] == 1;
    });
    if (!found) return refused("no reduced axis has stride 1 in src");
    if (std::any_of(loops.begin(), loops.end(), is_reduced))
        return refused("the elements of a reduction are not contiguous in src");
    line = *found;
    return accepted();
}

} // namespace

refusal_t find_rows(const reduction_pd_t &pd, isa_t isa, reduction_problem_t &problem) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    row_reduction_spec_t &spec = problem.spec;
    spec.isa = isa;
    spec.src_type = pd.src().data_type;
    spec.dst_type = pd.dst().data_type;
    if (const refusal_t refusal = choose_arithmetic(pd, spec)) return refusal;
    operand_layouts_t layouts(pd);
    layouts.add(DNNL_ARG_SRC);
    layouts.add(DNNL_ARG_DST);
    if (const refusal_t refusal = add_post_ops(pd, layouts, spec.post_ops)) return refusal;
    auto loops = make_loops(layouts.mds());
    if (!loops) return refused("tensors are padded, or their blocks do not divide each other");
    row_mode_t line;
    if (const refusal_t refusal = take_reduced_line(*loops, layouts.mds().size(), line))
        return refusal;
    spec.line = line.extent;
    problem.operands = layouts.operands();
    problem.rows.emplace(layouts.mds().size(), std::move(*loops), origin_of(layouts.mds()));
    return accepted();
}

} // namespace kiln::x64::reduction
