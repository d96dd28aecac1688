// SPDX-License-Identifier: Apache-2.0
// From a descriptor to the plan of a product by tiles.

#include "cpu/x64/matmul/tiles_plan.hpp"

#include <algorithm>
#include <limits>

#include "common/integers.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/matmul/tiles_checks.hpp"
#include "cpu/x64/matmul/tiles_work.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::matmul {

using matrix::matrix_layout_t;
using matrix::step_t;

namespace {

/// What an A and a B of these types are multiplied by.
step_t step_of(isa_t isa, data_type_t a, data_type_t b, dim_t m) {
    if (a == dnnl_bf16 && b == dnnl_bf16 && has(isa, feature_t::avx512_bf16)) return step_t::bf16;
    if (!one_of(a, {dnnl_s8, dnnl_u8})) return step_t::f32;
    // The sums of B's columns cost as much as a row of A.
    constexpr dim_t few_rows = 4;
    const bool is_u8s8 =
            (a == dnnl_u8 || m > few_rows) && b == dnnl_s8 && has(isa, feature_t::avx512_vnni);
    return is_u8s8 ? step_t::u8s8 : step_t::s16;
}

/// A matrix whose rows are along one axis of a tensor and whose columns are along another.
matrix_layout_t layout_of(const memory_desc_t &md, int rows, int columns) {
    return {md.data_type, stride_of(md, rows), stride_of(md, columns)};
}

/// Weights [..., K, N] in which the elements along K are adjacent.
memory_desc_t dense_columns(const memory_desc_t &weights) {
    dims_t strides;
    const int n = weights.ndims - 1, k = weights.ndims - 2;
    strides[k] = 1;
    strides[n] = weights.dims[k];
    dim_t stride = weights.dims[k] * weights.dims[n];
    for (int d = k - 1; d >= 0; --d) {
        strides[d] = stride;
        stride *= weights.dims[d];
    }
    memory_desc_t md;
    init_by_strides(md, weights.ndims, weights.dims, weights.data_type, strides);
    return md;
}

/// Whether the distance of rows is an immediate operand of an instruction.
bool has_near_rows(const matrix_layout_t &layout) {
    return layout.row <= std::numeric_limits<int>::max() / layout.size();
}

class planner_t {
public:
    planner_t(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan)
        : pd_(pd)
        , isa_(isa)
        , plan_(plan)
        , layouts_(pd)
        , m_axis_(pd.ndims() - 2)
        , n_axis_(pd.ndims() - 1) {}

    refusal_t operator()() {
        if (has_zero_dim(pd_.dst()) || has_zero_dim(pd_.src()))
            return refused("a tensor has no elements");
        if (const refusal_t refusal = check_types_and_attr(pd_)) return refusal;
        if (const refusal_t refusal = find_groups()) return refusal;
        plan_.spec.isa = isa_;
        plan_.spec.dst_type = pd_.dst().data_type;
        settle_weights();
        if (pd_.resolve_formats() != dnnl_success) return refused("formats cannot be settled");
        if (const refusal_t refusal = add_operands()) return refusal;
        if (const refusal_t refusal = place_operands()) return refusal;
        merge_batch();
        if (const refusal_t refusal = choose_step()) return refusal;
        return plan_work(pd_, isa_, plan_);
    }

private:
    /// The step for packed weights.
    step_t packed_step() const {
        if (pd_.decompresses_weights()) return converting_step();
        return step_of(isa_, pd_.src().data_type, pd_.weights().data_type, pd_.m());
    }
    /// Whether f32 may be rounded to bf16, and bf16 is multiplied.
    bool can_round() const {
        return has(isa_, feature_t::avx512_bf16)
               && one_of(pd_.attr().fpmath.mode, {dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_any});
    }
    /// The step for integer weights that are converted, whose elements of a step are adjacent.
    step_t converting_step() const {
        const int bits = is_half_byte(pd_.weights().data_type) ? 4 : 8;
        if (bits == 8)
            return plan_.groups.extent % depth_of(step_t::f32x4) == 0 ? step_t::f32x4 : step_t::f32;
        const data_type_t src = pd_.src().data_type;
        const bool is_bf16 = src == dnnl_bf16 ? has(isa_, feature_t::avx512_bf16)
                                              : src == dnnl_f32 && can_round();
        const bool has_dense_rows = !is_plain(pd_.src()) || stride_of(pd_.src(), n_axis_) <= 1;
        return is_bf16 && has_dense_rows ? step_t::bf16x8 : step_t::f32x8;
    }
    /// Elements along K that share a scale or a zero point.
    refusal_t find_groups() {
        const auto look = [&](const quantization_map_t &map, int kind, int arg, int axis) {
            if (!map.contains(arg)) return true;
            const dim_t count = pd_.md_of(kind | arg).dims[axis];
            if (count == 1) return true;
            const dim_t extent = pd_.k() / count;
            if (plan_.groups.extent == 0) plan_.groups.extent = extent;
            return plan_.groups.extent == extent;
        };
        const auto &attr = pd_.attr();
        const int scales = DNNL_ARG_ATTR_SCALES, zero_points = DNNL_ARG_ATTR_ZERO_POINTS;
        if (!look(attr.scales, scales, DNNL_ARG_WEIGHTS, m_axis_)
                || !look(attr.scales, scales, DNNL_ARG_SRC, n_axis_)
                || !look(attr.zero_points, zero_points, DNNL_ARG_WEIGHTS, m_axis_))
            return refused("groups along K of different sizes");
        return accepted();
    }
    /// Whether scales of src or weights differ along K.
    bool has_group_scale(int arg) const {
        return pd_.attr().scales.contains(arg)
               && pd_.md_of(DNNL_ARG_ATTR_SCALES | arg)
                                  .dims[arg == DNNL_ARG_SRC ? n_axis_ : m_axis_]
                          != 1;
    }
    bool has_zero_points(int arg) const { return pd_.attr().zero_points.contains(arg); }
    memory_desc_t packed(int vectors) const {
        return packed_weights(
                pd_.weights(), vectors * jit::lanes_of(isa_), matrix::depth_of(packed_step()));
    }
    /// Rows of src that are multiplied by one matrix of weights.
    dim_t rows_of_weights() const {
        return pd_.m() * pd_.batch() / (element_count(pd_.weights()) / (pd_.k() * pd_.n()));
    }
    void settle_weights() {
        // A dst whose columns are adjacent is the transposed product, in which weights are A.
        const memory_desc_t &dst = pd_.dst();
        const bool is_transposed = is_plain(dst) && stride_of(dst, n_axis_) > 1;
        if (!is_any(pd_.weights()) || is_transposed) return;
        const step_t step = packed_step();
        // Eight columns that are read at a time come from memory faster than one panel.
        constexpr dim_t few_rows = 2;
        const bool has_floats = step == step_t::f32 || step == step_t::bf16;
        if (has_floats && !pd_.decompresses_weights() && rows_of_weights() <= few_rows) {
            pd_.settle_weights(dense_columns(pd_.weights()));
            return;
        }
        if (pd_.decompresses_weights()) {
            // One layout for any number of rows.
            constexpr dim_t most_vectors = 4;
            const dim_t vectors = divide_up<dim_t>(pd_.n(), jit::lanes_of(isa_));
            pd_.settle_weights(packed(static_cast<int>(std::min(most_vectors, vectors))));
            return;
        }
        const matrix::shape_t shape{
                rows_of_weights(), pd_.n(), divide_up<dim_t>(pd_.k(), matrix::depth_of(step))};
        pd_.settle_weights(
                packed(matrix::block(isa_, step, shape, matrix::b_layout_t::packed).vectors));
    }

    refusal_t add_operands() {
        layouts_.add(DNNL_ARG_DST);
        layouts_.add(DNNL_ARG_SRC);
        layouts_.add(DNNL_ARG_WEIGHTS);
        add_group_operand(
                has_group_scale(DNNL_ARG_WEIGHTS), DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS);
        add_group_operand(
                has_zero_points(DNNL_ARG_WEIGHTS), DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS);
        add_group_operand(has_group_scale(DNNL_ARG_SRC), DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC);
        add_group_operand(has_zero_points(DNNL_ARG_SRC), DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC);
        auto &chain = plan_.spec.epilogue;
        const auto add = [&](alg_kind_t alg, int arg) {
            layouts_.add_broadcast(arg, pd_.md_of(arg));
            chain.push_back({.alg = alg, .operands = {{pd_.md_of(arg).data_type, false}}});
        };
        const auto &scales = pd_.attr().scales;
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS})
            if (scales.contains(arg) && !has_group_scale(arg))
                add(dnnl_binary_mul, DNNL_ARG_ATTR_SCALES | arg);
        if (pd_.has_bias()) {
            layouts_.add_broadcast(DNNL_ARG_BIAS, pd_.bias());
            chain.push_back({.alg = dnnl_binary_add, .operands = {{pd_.bias().data_type, false}}});
        }
        if (const refusal_t refusal = add_post_ops(pd_, layouts_, chain)) return refusal;
        if (scales.contains(DNNL_ARG_DST))
            add(dnnl_binary_div, DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST);
        if (has_zero_points(DNNL_ARG_DST))
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
        const auto place = [&](size_t index, matrix_layout_t &layout) {
            if (is_zero(*mds[index])) return matrix::group_operand_t{};
            layout = layout_of(*mds[index], m_axis_, n_axis_);
            return matrix::group_operand_t{layout.type, layout.column != 0};
        };
        spec.b_scale = place(b_scale_operand, plan_.groups.b_scale);
        spec.b_zero = place(b_zero_operand, plan_.groups.b_zero);
        spec.has_a_scale = place(a_scale_operand, plan_.groups.a_scale).exists();
        plan_.has_a_zero = !is_zero(*mds[a_zero_operand]);
    }

    refusal_t place_operands() {
        const auto mds = layouts_.mds();
        for (size_t i = 0; i < mds.size(); ++i)
            if (i != weights_operand && !is_zero(*mds[i]) && !is_plain(*mds[i]))
                return refused("src, dst or a tensor of the attributes in a blocked layout");
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
                    return refused("a tensor of the attributes that is strided along the axis of "
                                   "vectors");
                if (!has_near_rows(layout))
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
        if (!is_plain(weights)) {
            for (int vectors = 1; vectors <= 4; ++vectors)
                if (weights == packed(vectors)) {
                    plan_.has_packed_b = true;
                    plan_.spec.vectors = vectors;
                }
            if (!plan_.has_packed_b) return refused("weights in a blocked layout");
        }
        const dim_t along_m = stride_of(dst, m_axis_), along_n = stride_of(dst, n_axis_);
        // Weights that are converted are B: the step is for integers where A's elements are.
        const bool can_swap = along_m <= 1 && !plan_.has_packed_b && !pd_.decompresses_weights()
                              && !has_zero_points(DNNL_ARG_SRC)
                              && !has_zero_points(DNNL_ARG_WEIGHTS) && plan_.groups.extent == 0;
        constexpr dim_t few = 4;
        if (along_n > 1 && !can_swap)
            return refused("the elements of dst are adjacent along neither axis");
        plan_.is_swapped = can_swap && (along_n > 1 || (pd_.n() < few && pd_.m() > pd_.n()));
        const auto transposed = [](matrix_layout_t layout) {
            std::swap(layout.row, layout.column);
            return layout;
        };
        const matrix_layout_t src = layout_of(pd_.src(), m_axis_, n_axis_);
        const matrix_layout_t wei = plan_.has_packed_b ? matrix_layout_t{weights.data_type}
                                                       : layout_of(weights, m_axis_, n_axis_);
        plan_.a = plan_.is_swapped ? transposed(wei) : src;
        plan_.b = plan_.is_swapped ? transposed(src) : wei;
        return accepted();
    }

    /// Matrices at one distance in A and dst that are multiplied by one B are one, if that is the
    /// distance of the rows, too.
    void merge_batch() {
        const row_plan_t &batch = *plan_.batch;
        if (batch.rows() == 1 || !batch.is_one_run()) return;
        const row_offsets_t &pitches = batch.pitches();
        if (pitches[plan_.b_operand()] != 0 || pitches[plan_.a_operand()] == 0) return;
        // The only row of a matrix has no distance to a next one.
        const auto merged = [&](matrix_layout_t layout, size_t operand) {
            if (plan_.m == 1) layout.row = pitches[operand];
            return layout;
        };
        const auto continues = [&](const matrix_layout_t &layout, size_t operand) {
            return pitches[operand] == layout.row * plan_.m && has_near_rows(layout);
        };
        const matrix_layout_t a = merged(plan_.a, plan_.a_operand());
        const matrix_layout_t c = merged(plan_.c, dst_operand);
        if (!continues(a, plan_.a_operand()) || !continues(c, dst_operand)) return;
        std::vector<matrix_layout_t> epilogue = plan_.epilogue;
        for (size_t i = 0; i < epilogue.size(); ++i) {
            epilogue[i] = merged(epilogue[i], first_epilogue_operand + i);
            if (!continues(epilogue[i], first_epilogue_operand + i)) return;
        }
        const matrix_layout_t a_scale = merged(plan_.groups.a_scale, a_scale_operand);
        if (!continues(a_scale, a_scale_operand) || pitches[b_scale_operand] != 0
                || pitches[b_zero_operand] != 0)
            return;
        plan_.groups.a_scale = a_scale;
        plan_.a = a;
        plan_.c = c;
        plan_.epilogue = std::move(epilogue);
        plan_.m *= batch.rows();
        plan_.batch.emplace(
                layouts_.mds().size(), std::vector<row_mode_t>(), origin_of(layouts_.mds()));
    }

    refusal_t choose_step() {
        auto &spec = plan_.spec;
        spec.step = plan_.has_packed_b ? packed_step()
                                       : step_of(isa_, plan_.a.type, plan_.b.type, plan_.m);
        spec.b_type = plan_.b.type;
        if (pd_.decompresses_weights() && !plan_.has_packed_b) choose_converting_step();
        // Floats that may be rounded to bf16 are, where packing them is a small part of the work.
        constexpr dim_t many_rows = 32;
        if (!plan_.has_packed_b && can_round() && plan_.m >= many_rows && plan_.a.type == dnnl_f32
                && plan_.b.type == dnnl_f32 && plan_.a.has_dense_rows())
            spec.step = step_t::bf16;
        if (!plan_.has_packed_b && spec.step == step_t::bf16) {
            // Converted, B is read where it is.
            const bool is_read_once = plan_.m <= matrix::most_dot_rows;
            if (is_read_once || !can_pack_b(plan_.b)) spec.step = step_t::f32;
        }
        if (plan_.groups.extent % plan_.depth() != 0)
            return refused("groups along K that are not a multiple of what a step takes");
        if (!can_pack_a(plan_.a, spec.step) || (!plan_.has_packed_b && !can_pack_b(plan_.b)))
            return refused("the elements of src or weights are adjacent along neither axis, or "
                           "those of an integer src along M alone");
        return accepted();
    }

    /// Plain weights that are converted: columns of adjacent elements are packed as they are.
    void choose_converting_step() {
        auto &spec = plan_.spec;
        const step_t step = converting_step();
        const bool has_dots = !is_half_byte(spec.b_type) && !spec.groups.exist()
                              && plan_.m <= matrix::most_dot_rows;
        const bool is_converting = !plan_.b.has_dense_rows() && !has_dots
                                   && plan_.k % matrix::depth_of(step) == 0
                                   && plan_.groups.extent % matrix::depth_of(step) == 0;
        spec.step = is_converting ? step : step_t::f32;
    }

    matmul_pd_t &pd_;
    const isa_t isa_;
    tiles_plan_t &plan_;
    operand_layouts_t layouts_;
    const int m_axis_, n_axis_;
};

} // namespace

memory_desc_t packed_weights(const memory_desc_t &weights, int width, int depth) {
    memory_desc_t md = weights;
    const int n = md.ndims - 1, k = md.ndims - 2;
    md.format_kind = dnnl_blocked;
    md.format_desc = {};
    std::copy_n(md.dims, md.ndims, md.padded_dims);
    md.padded_dims[n] = round_up<dim_t>(md.dims[n], width);
    md.padded_dims[k] = round_up<dim_t>(md.dims[k], depth);
    auto &blocking = md.format_desc.blocking;
    blocking.inner_nblks = depth > 1 ? 2 : 1;
    blocking.inner_blks[0] = width;
    blocking.inner_idxs[0] = n;
    blocking.inner_blks[1] = depth > 1 ? depth : 0;
    blocking.inner_idxs[1] = depth > 1 ? k : 0;
    blocking.strides[k] = width * depth;
    blocking.strides[n] = md.padded_dims[k] * width;
    dim_t stride = md.padded_dims[k] * md.padded_dims[n];
    for (int d = k - 1; d >= 0; --d) {
        blocking.strides[d] = stride;
        stride *= md.dims[d];
    }
    return md;
}

dim_t tiles_plan_t::partial_pitch() const {
    const dim_t width = spec.width();
    return (is_cut_along_k ? blocking.panels : blocking.block_panels) * width * 4;
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
    std::string text = spec.name() + ": " + blocking.text(jit::lanes_of(spec.isa));
    if (batch->rows() > 1) text += ", " + std::to_string(batch->rows()) + " matrices";
    if (groups.extent != 0) text += ", groups of " + std::to_string(groups.extent);
    if (is_swapped) text += ", transposed";
    if (packs_a) text += ", A packed";
    text += has_packed_b ? ", weights packed"
            : has_dots   ? ", scalar products of rows of A and columns of B"
            : copies_b   ? ", B packed while it is read"
            : packs_b    ? ", B packed"
                         : ", B in place";
    if (is_cut_along_k) text += ", blocks of K in parallel";
    return text + "\n";
}

refusal_t plan_tiles(matmul_pd_t &pd, isa_t isa, tiles_plan_t &plan) {
    return planner_t(pd, isa, plan)();
}

} // namespace kiln::x64::matmul
