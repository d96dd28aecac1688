// SPDX-License-Identifier: Apache-2.0
// From a descriptor to the plan of a product by tiles.

#include "cpu/x64/matmul/tiles_plan.hpp"

#include "common/integers.hpp"
#include "common/memory/compensation.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matmul/amx_plan.hpp"
#include "cpu/x64/matmul/tiles_checks.hpp"
#include "cpu/x64/matmul/tiles_weights.hpp"
#include "cpu/x64/matmul/weights_layout.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::matmul {

using matrix::matrix_layout_t;
using matrix::step_t;

namespace {

class planner_t {
public:
    planner_t(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan)
        : pd_(pd)
        , isa_(isa)
        , plan_(plan)
        , layouts_(pd)
        , m_axis_(m_axis_of(pd))
        , n_axis_(n_axis_of(pd)) {}

    refusal_t operator()() {
        if (has_zero_dim(pd_.dst()) || has_zero_dim(pd_.src()))
            return refused("a tensor has no elements");
        if (const refusal_t refusal = check_types_and_attr(pd_)) return refusal;
        if (const refusal_t refusal = find_groups(pd_, plan_.groups)) return refusal;
        plan_.spec.dst_type = pd_.dst().data_type;
        isa_ = level_of_kernels(pd_, isa_, plan_.groups);
        plan_.spec.isa = isa_;
        settle_weights(pd_, isa_, plan_.groups);
        if (pd_.resolve_formats() != dnnl_success) return refused("a format `any` has no default");
        if (const refusal_t refusal = add_operands()) return refusal;
        if (const refusal_t refusal = place_operands()) return refusal;
        merge_batch(plan_, layouts_);
        if (const refusal_t refusal = choose_step()) return refusal;
        return plan_work(pd_, isa_, plan_);
    }

private:
    /// Bytes from packed weights to the sums of their columns, or 0.
    size_t place_of_sums() const {
        const memory_desc_t &weights = pd_.weights();
        const bool has_sums = weights.extra.flags == has_zero_point_compensation
                              && weights.extra.asymm_compensation_mask == 1 << n_axis_;
        return has_sums && plan_.b_way == b_way_t::weights && plan_.has_a_zero
                               && plan_.groups.extent == 0
                       ? compensation_offset(weights)
                       : 0;
    }

    refusal_t add_operands() {
        layouts_.add({DNNL_ARG_DST, DNNL_ARG_SRC, DNNL_ARG_WEIGHTS});
        add_group_operand(
                has_group_scale(pd_, DNNL_ARG_WEIGHTS), DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS);
        add_group_operand(has_zero_points(pd_, DNNL_ARG_WEIGHTS),
                DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS);
        add_group_operand(has_group_scale(pd_, DNNL_ARG_SRC), DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC);
        add_group_operand(
                has_zero_points(pd_, DNNL_ARG_SRC), DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC);
        auto &chain = plan_.spec.epilogue;
        const auto add = [&](alg_kind_t alg, int arg) {
            layouts_.add_broadcast(arg, pd_.md_of(arg));
            chain.push_back({.alg = alg, .operands = {{pd_.md_of(arg).data_type, false}}});
        };
        const auto &scales = pd_.attr().scales;
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS})
            if (scales.contains(arg) && !has_group_scale(pd_, arg))
                add(dnnl_binary_mul, DNNL_ARG_ATTR_SCALES | arg);
        if (pd_.has_bias()) {
            layouts_.add_broadcast(DNNL_ARG_BIAS, pd_.bias());
            chain.push_back({.alg = dnnl_binary_add, .operands = {{pd_.bias().data_type, false}}});
        }
        if (const refusal_t refusal = add_post_ops(pd_, layouts_, chain)) return refusal;
        add_division_by_scale(pd_, DNNL_ARG_DST, layouts_, chain);
        if (has_zero_points(pd_, DNNL_ARG_DST))
            add(dnnl_binary_add, DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST);
        return accepted();
    }

    void add_group_operand(bool is_given, int arg) {
        is_given ? layouts_.add_broadcast(arg, pd_.md_of(arg)) : layouts_.add(DNNL_ARG_UNDEF);
    }

    /// The layouts of what belongs to groups, whose axis along K is in the place of M or N.
    void place_groups() {
        const auto mds = layouts_.mds();
        auto &spec = plan_.spec.groups;
        const auto place = [&](size_t index, group_values_t &values) {
            if (is_zero(*mds[index])) return matrix::group_operand_t{};
            values.layout = layout_of(*mds[index], m_axis_, n_axis_);
            return matrix::group_operand_t{
                    values.layout.type, values.layout.column != 0, static_cast<int>(values.run)};
        };
        spec.b_scale = place(b_scale_operand, plan_.groups.b_scale);
        spec.b_zero = place(b_zero_operand, plan_.groups.b_zero);
        spec.has_a_scale = place(a_scale_operand, plan_.groups.a_scale).exists();
        place(a_zero_operand, plan_.groups.a_zero);
        plan_.has_a_zero = !is_zero(*mds[a_zero_operand]);
    }

    refusal_t place_operands() {
        const auto mds = layouts_.mds();
        for (size_t i = 0; i < mds.size(); ++i)
            if (i != weights_operand && !is_zero(*mds[i]) && !is_plain(*mds[i]))
                return refused("src, dst or a tensor of the attributes has a blocked layout");
        if (const refusal_t refusal = check_layouts(pd_)) return refusal;
        if (const refusal_t refusal = choose_roles()) return refusal;
        const int rows = plan_.is_swapped ? n_axis_ : m_axis_;
        const int columns = plan_.is_swapped ? m_axis_ : n_axis_;
        plan_.m = pd_.dst().dims[rows];
        plan_.n = pd_.dst().dims[columns];
        plan_.k = pd_.k();
        plan_.c = layout_of(pd_.dst(), rows, columns);
        size_t index = first_epilogue_operand;
        for (jit::post_op_link_t &link : plan_.spec.epilogue)
            for (jit::post_op_operand_t &operand : link.operands) {
                const memory_desc_t &md = *mds[index++];
                const matrix_layout_t layout =
                        is_zero(md) ? matrix_layout_t{} : layout_of(md, rows, columns);
                if (layout.column > 1)
                    return refused(
                            "a tensor of the attributes is strided along the axis of vectors");
                if (!layout.has_near_rows())
                    return refused("rows of a tensor of the attributes are too far apart");
                operand.per_lane = layout.column != 0;
                plan_.epilogue.push_back(layout);
            }
        place_groups();
        plan_.operands = layouts_.operands();
        plan_.batch.emplace(pd_.batch_ndims(), mds);
        return accepted();
    }

    /// Vectors lie along the axis along which dst's elements are adjacent.
    refusal_t choose_roles() {
        const memory_desc_t &dst = pd_.dst(), &weights = pd_.weights();
        const bool is_packed = !is_plain(weights);
        if (is_packed) {
            const std::optional<packing_t> packing = packing_of(weights, isa_);
            if (!packing) return refused("weights have a blocked layout that is not a packed one");
            plan_.spec.vectors = packing->vectors;
            packed_depth_ = packing->depth;
            plan_.padded_steps = weights.padded_dims[m_axis_] / packing->depth;
        }
        const dim_t along_m = stride_of(dst, m_axis_), along_n = stride_of(dst, n_axis_);
        const bool can_swap =
                along_m <= 1 && !is_packed && can_be_transposed(pd_) && plan_.groups.extent == 0;
        if (along_n > 1 && !can_swap)
            return refused("the elements of dst are adjacent along neither axis");
        constexpr dim_t few = 4;
        const bool has_few_columns = pd_.n() < few && pd_.m() > pd_.n();
        plan_.is_swapped =
                can_swap
                && (along_n > 1
                        || (has_few_columns
                                && choose(product_of(pd_, isa_, plan_.groups, true)).has_value()));
        const product_t chosen = product_of(pd_, isa_, plan_.groups, plan_.is_swapped);
        plan_.a = chosen.a;
        plan_.b = chosen.b;
        return accepted();
    }

    refusal_t choose_step() {
        product_t chosen = product_of(pd_, isa_, plan_.groups, plan_.is_swapped);
        chosen.m = plan_.m;
        chosen.a = plan_.a;
        chosen.depth = packed_depth_;
        const std::optional<choice_t> choice = choose(chosen);
        if (!choice)
            return refused("src or weights have a layout that is not packed, or groups along K are "
                           "not a multiple of what a step takes");
        auto &spec = plan_.spec;
        plan_.b_way = choice->b;
        spec.step = choice->step;
        if (plan_.b_way == b_way_t::converted && spec.step != step_t::split) {
            plan_.conversion = {.isa = isa_, .src_type = plan_.b.type, .step = spec.step};
            if (spec.step == step_t::bf16) {
                plan_.conversion.scale = spec.groups.b_scale;
                plan_.conversion.zero = spec.groups.b_zero;
                spec.groups = {};
            }
        }
        if (plan_.is_by_steps()) {
            plan_.by_steps = {.isa = isa_,
                    .b_type = plan_.b.type,
                    .scale = spec.groups.b_scale,
                    .zero = spec.groups.b_zero};
            spec.groups = {};
        }
        plan_.sums_behind_b = place_of_sums();
        spec.b_type =
                plan_.b_way == b_way_t::converted ? plan_.conversion.dst_type() : plan_.b.type;
        spec.a_is_signed =
                plan_.has_digits()
                || (matrix::base_of(spec.step) == step_t::u8s8 && plan_.a.type == dnnl_s8);
        if (plan_.has_digits()) spec.groups.has_a_scale = true;
        return accepted();
    }

    matmul_pd_t &pd_;
    isa_t isa_; // of the kernels
    tiles_plan_t &plan_;
    operand_layouts_t layouts_;
    const int m_axis_, n_axis_;
    int packed_depth_ = 0; // of weights in panels
};

} // namespace

dim_t tiles_plan_t::partial_pitch() const {
    const dim_t width = spec.width();
    if (is_cut_along_k()) return blocking.panels * width * 4 + cache_line_bytes; // as below
    if (!is_by_amx) return blocking.block_panels * width * 4;
    const dim_t panels = has_outer_blocks()    ? divide_up(blocking.panels, parts.panels)
                         : blocking.blocks > 1 ? blocking.block_panels
                                               : matrix::near_amx_panels;
    return panels * width * 4 + cache_line_bytes; // Rows do not share sets of a cache.
}

bool tiles_plan_t::has_large_b() const {
    return b.bytes(n * k) > static_cast<dim_t>(second_level_cache_size());
}

bool tiles_plan_t::has_panels_within_lines() const {
    return m > 1 && blocking.panels > 1
           && (c.bytes(c.row) % cache_line_bytes != 0
                   || c.bytes(spec.width()) % cache_line_bytes != 0);
}

bool tiles_plan_t::begins_low() const {
    for (dim_t part = 0; part < parts.strips; ++part) {
        const matrix::range_t strips = matrix::part_of(blocking.strips, parts.strips, part);
        const dim_t last = strips.begin + (strips.size() - 1) / chunk_strips * chunk_strips;
        if (last >= blocking.tall) return true;
    }
    return false;
}

std::string tiles_plan_t::text() const {
    std::string text = (is_by_amx ? amx_spec(*this, amx_result_t::ordinary).name() : spec.name())
                       + ": " + blocking.text(jit::lanes_of(spec.isa));
    if (batch->rows() > 1) text += ", " + std::to_string(batch->rows()) + " matrices";
    if (groups.extent != 0) text += ", groups of " + std::to_string(groups.extent);
    if (is_swapped) text += ", transposed";
    if (packs_a) text += ", A packed";
    if (is_by_amx) text += ", AMX";
    switch (b_way) {
    case b_way_t::weights:
        text += converts_weights ? ", weights packed, converted while they are read"
                                 : ", weights packed";
        break;
    case b_way_t::converted:
        text += packs_before_conversion() ? ", B packed, converted for AMX"
                                          : ", weights packed, converted for AMX";
        break;
    case b_way_t::by_steps: text += ", weights packed, converted step by step for AMX"; break;
    case b_way_t::rows:
    case b_way_t::dots: text += ", scalar products of rows of A and columns of B"; break;
    case b_way_t::in_place: text += ", B in place"; break;
    case b_way_t::copied: text += ", B packed while it is read"; break;
    case b_way_t::packed: text += ", B packed"; break;
    }
    if (has_sums_behind_b()) text += ", with sums of their columns";
    if (is_cut_along_k()) text += ", " + std::to_string(k_runs) + " runs of blocks in parallel";
    return text + "\n";
}

refusal_t plan_tiles(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan) {
    return planner_t(pd, isa, plan)();
}

} // namespace kiln::x64::matmul
