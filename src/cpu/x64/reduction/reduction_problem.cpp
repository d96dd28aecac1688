// SPDX-License-Identifier: Apache-2.0
// A reduction as rows.

#include "cpu/x64/reduction/reduction_problem.hpp"

#include <algorithm>

#include "common/attributes/alg_kind.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"
#include "cpu/x64/rows/row_execution.hpp"

namespace kiln::x64::reduction {
namespace {

/// What a row's elements become, and what becomes of that.
refusal_t choose_arithmetic(const reduction_pd_t &pd, row_reduction_spec_t &spec) {
    const reduction_desc_t &desc = pd.desc();
    spec.fold = fold_t::sum;
    switch (desc.alg) {
    case dnnl_reduction_max: spec.fold = fold_t::max; return accepted();
    case dnnl_reduction_min: spec.fold = fold_t::min; return accepted();
    case dnnl_reduction_sum: return accepted();
    case dnnl_reduction_mean: spec.divisor = static_cast<float>(pd.terms()); return accepted();
    default: break;
    }
    if (!is_norm_alg(desc.alg)) return refused("an algorithm without generated code");
    if (desc.p != 1 && desc.p != 2) return refused("a norm with another p than 1 and 2");
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
        if (!one_of(type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8}))
            return refused("a data type without generated code");
    return accepted();
}

/// The loops along which dst does not move, as one dense line taken out of the loops.
refusal_t take_line(std::vector<row_mode_t> &loops, size_t tensors, row_mode_t &line) {
    line = {1, {}};
    const auto is_reduced = [](const row_mode_t &loop) { return loop.strides[dst_operand] == 0; };
    if (std::none_of(loops.begin(), loops.end(), is_reduced)) return accepted();
    const auto innermost = std::find_if(loops.begin(), loops.end(), [&](const row_mode_t &loop) {
        return is_reduced(loop) && loop.strides[src_operand] == 1;
    });
    if (innermost == loops.end()) return refused("no reduced axis lies innermost in src");
    line = *innermost;
    loops.erase(innermost);
    const auto next = [&] {
        return std::find_if(loops.begin(), loops.end(), [&](const row_mode_t &loop) {
            return is_reduced(loop) && continues(loop, line, tensors);
        });
    };
    for (auto loop = next(); loop != loops.end(); loop = next()) {
        line.extent *= loop->extent;
        loops.erase(loop);
    }
    if (std::any_of(loops.begin(), loops.end(), is_reduced))
        return refused("reduced axes are not one piece of memory");
    return accepted();
}

} // namespace

refusal_t find_rows(const reduction_pd_t &pd, reduction_problem_t &problem) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    row_reduction_spec_t &spec = problem.spec;
    spec = {best_isa(), 1, pd.src().data_type, pd.dst().data_type, fold_t::sum};
    if (const refusal_t refusal = choose_arithmetic(pd, spec)) return refusal;
    post_op_operands_t post_ops;
    if (const refusal_t refusal = find_post_op_chain(pd, post_ops)) return refusal;
    spec.post_ops = std::move(post_ops.chain);

    std::vector<const memory_desc_t *> mds{&pd.src(), &pd.dst()};
    mds.insert(mds.end(), post_ops.mds.begin(), post_ops.mds.end());
    std::vector<int> slots{pd.slot_of(DNNL_ARG_SRC), pd.slot_of(DNNL_ARG_DST)};
    slots.insert(slots.end(), post_ops.slots.begin(), post_ops.slots.end());
    auto loops = make_loops(mds);
    if (!loops) return refused("padding, or blocks that do not go into each other");
    row_mode_t line;
    if (const refusal_t refusal = take_line(*loops, mds.size(), line)) return refusal;
    spec.line = line.extent;
    row_offsets_t origin{};
    for (size_t i = 0; i < mds.size(); ++i) {
        origin[i] = mds[i]->offset0;
        problem.tensors.push_back({slots[i], size_of(*mds[i])});
    }
    problem.plan.emplace(mds.size(), std::move(*loops), origin);
    return accepted();
}

} // namespace kiln::x64::reduction
