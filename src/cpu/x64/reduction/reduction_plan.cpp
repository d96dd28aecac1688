// SPDX-License-Identifier: Apache-2.0
// A reduction as passes of kernels.

#include "cpu/x64/reduction/reduction_plan.hpp"

#include <algorithm>

#include "common/attributes/alg_kind.hpp"
#include "common/memory/type_set.hpp"
#include "cpu/x64/layout/tensor_loops.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::reduction {
namespace {

/// Terms of a row that each lane of a chunk adds: a few hundred for each of its sums.
constexpr dim_t terms_of_lane = 2048;
/// Rows that are combined with each other.
constexpr dim_t column_chunk = 512;

/// The terms of a row, how they are combined, and what is done to the result.
refusal_t choose_arithmetic(const reduction_pd_t &pd, row_reduction_spec_t &spec) {
    const reduction_desc_t &desc = pd.desc();
    switch (desc.alg) {
    case dnnl_reduction_max: spec.combine = combine_t::max; return accepted();
    case dnnl_reduction_min: spec.combine = combine_t::min; return accepted();
    case dnnl_reduction_mul: spec.combine = combine_t::product; return accepted();
    case dnnl_reduction_sum: return accepted();
    case dnnl_reduction_mean: spec.divisor = static_cast<float>(pd.terms()); return accepted();
    default: break;
    }
    if (!is_norm_alg(desc.alg)) return refused("the algorithm is not a reduction");
    const bool is_greatest = desc.alg == dnnl_reduction_norm_lp_max
                             || desc.alg == dnnl_reduction_norm_lp_power_p_max;
    const bool is_power = desc.alg == dnnl_reduction_norm_lp_power_p_max
                          || desc.alg == dnnl_reduction_norm_lp_power_p_sum;
    spec.p = desc.p;
    spec.term = desc.p == 1 ? term_t::magnitude : desc.p == 2 ? term_t::square : term_t::power;
    spec.epsilon_use = is_greatest ? epsilon_use_t::least : epsilon_use_t::added;
    spec.epsilon = desc.epsilon;
    spec.takes_root = desc.p != 1 && !is_power;
    return accepted();
}

/// Whether results of s32 may be computed in f32, from bytes: maxima, minima and means are as small
/// as these, products are those of f32, and f32 holds all sums of so many terms.
bool may_compute_in_f32(const reduction_pd_t &pd) {
    constexpr dim_t exact = dim_t(1) << 24, greatest = 255;
    if (!contains(int8_types, pd.src().data_type)) return false;
    return pd.desc().alg != dnnl_reduction_sum || pd.terms() <= exact / greatest;
}

refusal_t check_types(const reduction_pd_t &pd) {
    constexpr type_set_t types = float_types | int8_types;
    const data_type_t src = pd.src().data_type, dst = pd.dst().data_type;
    if (!contains(types, src)) return refused("src is not f32, bf16, f16, s8 or u8");
    if (!contains(types | type_set({dnnl_s32}), dst))
        return refused("dst is not f32, bf16, f16, s32, s8 or u8");
    if (dst == dnnl_s32 && !may_compute_in_f32(pd))
        return refused("f32 may not hold results of s32");
    return accepted();
}

/// Whether the results do not differ along the loop.
bool is_reduced(const row_mode_t &loop) { return loop.strides[dst_operand] == 0; }

/// A box of src as a pass walks it.
struct walk_t {
    row_offsets_t origin;
    row_mode_t line{1, {}};  // along a row of src
    bool makes_row = false;  // the line is kept
    row_mode_t steps{1, {}}; // then: the loop over the rows that are combined
    std::vector<row_mode_t> outer = {};
};

/// Joins loops that continue each other.
std::vector<row_mode_t> joined(std::vector<row_mode_t> loops, size_t operands) {
    std::vector<row_mode_t> result;
    while (!loops.empty()) result.push_back(take_nearest(loops, operands, src_operand));
    return result;
}

/// Rows go along the elements that are nearest to each other in src. If these belong to different
/// results, rows along the longest reduced loop are combined.
walk_t walk_of(const tensor_box_t &box, size_t operands) {
    walk_t walk{box.origin};
    walk.outer = joined(box.loops, operands);
    if (walk.outer.empty()) return walk;
    walk.line = walk.outer.front();
    walk.outer.erase(walk.outer.begin());
    walk.makes_row = !is_reduced(walk.line);
    if (!walk.makes_row) return walk;
    const auto reduced_extent = [](const row_mode_t &l) { return is_reduced(l) ? l.extent : 0; };
    const auto longest = std::ranges::max_element(walk.outer,
            [&](const auto &a, const auto &b) { return reduced_extent(a) < reduced_extent(b); });
    if (longest == walk.outer.end() || !is_reduced(*longest)) return walk;
    walk.steps = *longest;
    walk.outer.erase(longest);
    return walk;
}

/// Appends the walk, cut into chunks where its terms are many.
void add_chunks(std::vector<walk_t> &walks, const walk_t &walk, isa_t isa) {
    const dim_t chunk = walk.makes_row ? column_chunk : terms_of_lane * jit::lanes_of(isa);
    row_mode_t walk_t::*const terms = walk.makes_row ? &walk_t::steps : &walk_t::line;
    const dim_t count = (walk.*terms).extent, rest = count % chunk;
    if (count < 2 * chunk) return walks.push_back(walk);
    row_mode_t chunks{count / chunk, (walk.*terms).strides};
    chunks.strides[src_operand] *= chunk;
    walk_t &whole = walks.emplace_back(walk);
    (whole.*terms).extent = chunk;
    whole.outer.push_back(chunks);
    if (rest == 0) return;
    walk_t last = walk;
    (last.*terms).extent = rest;
    last.origin[src_operand] += chunks.extent * chunks.strides[src_operand];
    walks.push_back(last);
}

class planner_t {
public:
    planner_t(const row_reduction_spec_t &spec, const operands_t &operands, reduction_plan_t &plan)
        : spec_(spec)
        , operands_(operands)
        , plan_(plan) {}

    /// Adds the passes for boxes of the same results.
    void add(const std::vector<tensor_box_t> &boxes) {
        std::vector<walk_t> walks;
        for (const tensor_box_t &box : boxes)
            add_chunks(walks, walk_of(box, operands_.count()), spec_.isa);
        add(walks, {spec_, operands_});
    }

private:
    /// What the passes of walks read.
    struct terms_t {
        row_reduction_spec_t spec; // of the pass that stores results
        operands_t operands;
        dim_t partial_end = 0; // of the partial results that are read; 0: src is read
    };

    void add(const std::vector<walk_t> &walks, terms_t terms) {
        dim_t chunks = 0;
        for (const walk_t &walk : walks) chunks += chunks_of(walk);
        if (chunks == 1) return add_pass(walks.front(), terms.spec, terms.operands, terms);

        std::vector<row_mode_t> kept = kept_loops(walks.front());
        const dim_t results = product_of_extents(kept), first = terms.partial_end;
        // Chunks of a result are adjacent, or results of a chunk if they fill vectors.
        const bool results_adjoin = results >= jit::lanes_of(spec_.isa);
        const dim_t result_stride = results_adjoin ? 1 : chunks;
        const dim_t chunk_stride = results_adjoin ? results : 1;
        dim_t chunk = 0;
        for (const walk_t &walk : walks) {
            add_partial(walk, first + chunk * chunk_stride, result_stride, chunk_stride, terms);
            chunk += chunks_of(walk);
        }
        // The partial results, which may be many, are reduced likewise.
        terms.operands.set_type(src_operand, dnnl_f32);
        terms.spec.src_type = dnnl_f32;
        terms.spec.term = term_t::value;
        terms.partial_end = first + results * chunks;
        plan_.partial_results = std::max(plan_.partial_results, terms.partial_end);
        const tensor_box_t partial = partial_box(walks.front().origin, std::move(kept), first,
                {chunks, {}}, result_stride, chunk_stride);
        std::vector<walk_t> next;
        add_chunks(next, walk_of(partial, terms.operands.count()), spec_.isa);
        add(next, std::move(terms));
    }

    static dim_t chunks_of(const walk_t &walk) {
        dim_t chunks = 1;
        for (const row_mode_t &loop : walk.outer)
            if (is_reduced(loop)) chunks *= loop.extent;
        return chunks;
    }

    /// The loops over results, innermost in dst first.
    static std::vector<row_mode_t> kept_loops(const walk_t &walk) {
        std::vector<row_mode_t> kept;
        if (walk.makes_row) kept.push_back(walk.line);
        for (const row_mode_t &loop : walk.outer)
            if (!is_reduced(loop)) kept.push_back(loop);
        std::ranges::sort(kept, {}, stride_in(dst_operand));
        return kept;
    }

    /// Those of src, and one in partial results.
    static row_offsets_t of_src(const row_offsets_t &offsets, dim_t in_partial) {
        row_offsets_t result{};
        result[src_operand] = offsets[src_operand];
        result[dst_operand] = in_partial;
        return result;
    }

    /// The pass whose results are partial ones.
    void add_partial(walk_t walk, dim_t origin, dim_t result_stride, dim_t chunk_stride,
            const terms_t &terms) {
        const std::vector<row_mode_t> kept = kept_loops(walk);
        const auto stride_of = [&](const row_mode_t &loop) {
            dim_t stride = result_stride;
            for (const row_mode_t &other : kept) {
                if (other.strides[dst_operand] == loop.strides[dst_operand]) break;
                stride *= other.extent;
            }
            return stride;
        };
        for (row_mode_t &loop : walk.outer) {
            const bool is_chunk = is_reduced(loop);
            loop.strides = of_src(loop.strides, is_chunk ? chunk_stride : stride_of(loop));
            if (is_chunk) chunk_stride *= loop.extent;
        }
        walk.line.strides = of_src(walk.line.strides, walk.makes_row ? stride_of(walk.line) : 0);
        walk.origin = of_src(walk.origin, origin);
        operands_t operands;
        operands.add(terms.operands[src_operand]);
        operands.add(terms.operands[dst_operand]);
        operands.set_type(dst_operand, dnnl_f32);
        row_reduction_spec_t spec{.isa = spec_.isa,
                .src_type = terms.spec.src_type,
                .dst_type = dnnl_f32,
                .combine = spec_.combine,
                .term = terms.spec.term,
                .p = spec_.p};
        add_pass(walk, std::move(spec), operands, terms);
        plan_.passes.back().writes_partial = true;
    }

    /// Partial results as terms of results. `origin`: of the results in dst.
    static tensor_box_t partial_box(row_offsets_t origin, std::vector<row_mode_t> kept, dim_t first,
            row_mode_t chunks, dim_t result_stride, dim_t chunk_stride) {
        for (row_mode_t &loop : kept) {
            loop.strides[src_operand] = result_stride;
            result_stride *= loop.extent;
        }
        chunks.strides[src_operand] = chunk_stride;
        origin[src_operand] = first;
        tensor_box_t box{origin, std::move(kept)};
        if (chunks.extent > 1) box.loops.push_back(chunks);
        return box;
    }

    void add_pass(const walk_t &walk, row_reduction_spec_t spec, const operands_t &operands,
            const terms_t &terms) {
        plan_.passes.push_back(pass_of(walk, std::move(spec), operands));
        plan_.passes.back().reads_partial = terms.partial_end != 0;
    }

    static reduction_pass_t pass_of(
            const walk_t &walk, row_reduction_spec_t spec, const operands_t &operands) {
        spec.line = walk.line.extent;
        spec.makes_row = walk.makes_row;
        const bool is_single = spec.line == 1;
        spec.src_stride = is_single ? 1 : walk.line.strides[src_operand];
        if (spec.makes_row) spec.dst_stride = is_single ? 1 : walk.line.strides[dst_operand];
        size_t index = first_post_op_operand;
        for (jit::post_op_link_t &link : spec.post_ops)
            for (jit::post_op_operand_t &operand : link.operands) {
                const dim_t stride = walk.line.strides[index++];
                operand.per_lane = spec.makes_row && !is_single && stride != 0;
                operand.stride = operand.per_lane ? stride : 1;
            }
        reduction_pass_t pass{.spec = std::move(spec),
                .operands = operands,
                .rows = {},
                .strides = walk.line.strides,
                .steps = walk.steps.extent,
                .step_stride = walk.steps.strides[src_operand]};
        pass.rows.emplace(operands.count(), walk.outer, walk.origin);
        return pass;
    }

    const row_reduction_spec_t &spec_;
    const operands_t &operands_;
    reduction_plan_t &plan_;
};

} // namespace

std::string reduction_plan_t::text() const {
    std::string text;
    for (const reduction_pass_t &pass : passes) {
        text += pass.rows->text() + " of " + std::to_string(pass.spec.line) + " elements";
        if (pass.steps > 1) text += ", " + std::to_string(pass.steps) + " rows combined";
        if (pass.reads_partial) text += ", from partial results";
        if (pass.writes_partial) text += ", to partial results";
        text += "\n";
    }
    return text;
}

refusal_t plan_reduction(reduction_pd_t &pd, isa_t isa, reduction_plan_t &plan) {
    if (const refusal_t refusal = check_types(pd)) return refusal;
    row_reduction_spec_t spec{
            .isa = isa, .src_type = pd.src().data_type, .dst_type = pd.dst().data_type};
    if (const refusal_t refusal = choose_arithmetic(pd, spec)) return refusal;
    operand_layouts_t layouts(pd);
    layouts.add({DNNL_ARG_SRC, DNNL_ARG_DST});
    if (const refusal_t refusal = add_post_ops(pd, layouts, spec.post_ops)) return refusal;
    auto boxes = make_boxes(layouts.mds());
    if (!boxes)
        return refused("tensors are padded in front, their blocks do not divide each other, or "
                       "blocks cut their axes into too many pieces");
    planner_t planner(spec, layouts.operands(), plan);
    // Boxes of the same results have one place in dst.
    while (!boxes->empty()) {
        const dim_t place = boxes->front().origin[dst_operand];
        const auto others = std::stable_partition(boxes->begin(), boxes->end(),
                [&](const tensor_box_t &box) { return box.origin[dst_operand] == place; });
        planner.add({boxes->begin(), others});
        boxes->erase(boxes->begin(), others);
    }
    pd.set_scratchpad_size(static_cast<size_t>(plan.partial_results) * sizeof(float));
    return accepted();
}

} // namespace kiln::x64::reduction
