// SPDX-License-Identifier: Apache-2.0
// From a descriptor to the plan of a product by tiles.

#include "cpu/x64/matmul/tiles_plan.hpp"

#include <algorithm>
#include <limits>

#include "common/integers.hpp"
#include "common/one_of.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"
#include "cpu/x64/post_op_operands.hpp"

namespace kiln::x64::matmul {

using matrix::matrix_layout_t;
using matrix::step_t;

namespace {

constexpr dim_t page_bytes = 4096, line_bytes = 64;

bool is_float(data_type_t type) { return one_of(type, {dnnl_f32, dnnl_bf16, dnnl_f16}); }

refusal_t check_types(const matmul_pd_t &pd) {
    const data_type_t src = pd.src().data_type, weights = pd.weights().data_type;
    const auto is_byte = [](data_type_t type) { return one_of(type, {dnnl_s8, dnnl_u8}); };
    const bool are_alike =
            (is_float(src) && is_float(weights)) || (is_byte(src) && is_byte(weights));
    const bool are_converted = is_float(src) && pd.decompresses_weights();
    if (!are_alike && !are_converted)
        return refused("src and weights are not both f32, bf16 or f16, nor both s8 or u8, nor are "
                       "integer weights converted");
    if (!one_of(pd.dst().data_type, {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8}))
        return refused("dst is not f32, bf16, f16, s32, s8 or u8");
    if (pd.has_bias() && !jit::lanes_io_t::can_load(pd.bias().data_type))
        return refused("bias is not f32, bf16, f16, s32, s8 or u8");
    return accepted();
}

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

/// The extents of scales or zero points: 1 or that of the tensor, but for groups along K.
refusal_t check_extents(const memory_desc_t &values, const memory_desc_t &tensor, int k_axis) {
    for (int d = 0; d < tensor.ndims; ++d)
        if (d != k_axis && values.dims[d] != 1 && values.dims[d] != tensor.dims[d])
            return refused("scales or zero points of groups along another axis than K");
    return accepted();
}

refusal_t check_attr(const matmul_pd_t &pd) {
    const primitive_attr_t &attr = pd.attr();
    if (!attr.precomputed_reductions.empty()) return refused("precomputed reductions");
    if (!attr.rounding.empty()) return refused("stochastic rounding");
    const int k_of_src = pd.ndims() - 1, k_of_weights = pd.ndims() - 2;
    for (const auto &[arg, scales] : attr.scales) {
        const memory_desc_t &values = pd.md_of(DNNL_ARG_ATTR_SCALES | arg);
        if (scales.mode != dnnl_quantization_mode_static_sazp) return refused("dynamic scales");
        if (!jit::lanes_io_t::can_load(scales.data_type))
            return refused("scales are not f32, bf16 or f16");
        const int k_axis = arg == DNNL_ARG_SRC       ? k_of_src
                           : arg == DNNL_ARG_WEIGHTS ? k_of_weights
                                                     : -1;
        if (const refusal_t refusal = check_extents(values, pd.md_of(arg), k_axis)) return refusal;
    }
    for (const auto &[arg, zero_points] : attr.zero_points) {
        const memory_desc_t &values = pd.md_of(DNNL_ARG_ATTR_ZERO_POINTS | arg);
        const bool is_half = is_half_byte(zero_points.data_type);
        if (!one_of(zero_points.data_type, {dnnl_s32, dnnl_s8, dnnl_u8, dnnl_s4, dnnl_u4}))
            return refused("zero points are not s32, s8, u8, s4 or u4");
        if (arg == DNNL_ARG_SRC && (element_count(values) != 1 || is_half))
            return refused("zero points of DNNL_ARG_SRC that are not one integer of s32, s8 or u8");
        if (arg == DNNL_ARG_DST && is_half) return refused("zero points of DNNL_ARG_DST of 4 bits");
        const int k_axis = arg == DNNL_ARG_WEIGHTS ? k_of_weights : -1;
        if (is_half && (values.dims[pd.ndims() - 1] % 2 != 0))
            return refused("zero points of 4 bits for an odd number of columns, or for all");
        if (const refusal_t refusal = check_extents(values, pd.md_of(arg), k_axis)) return refusal;
    }
    return accepted();
}

dim_t stride_of(const memory_desc_t &md, int axis) {
    return md.dims[axis] == 1 ? 0 : md.format_desc.blocking.strides[axis];
}

/// Whether elements of several rows or columns lie at one place. Where distances of 0 stand for an
/// axis of one element, such a matrix would be read as a dense one.
bool has_repeated_lines(const memory_desc_t &md) {
    for (const int axis : {md.ndims - 2, md.ndims - 1})
        if (is_plain(md) && md.dims[axis] > 1 && stride_of(md, axis) == 0) return true;
    return false;
}

/// Whether a matrix of the batch, a row or a column of elements of 4 bits begins within a byte. The
/// elements of a single column are rows of one element.
bool has_split_bytes(const memory_desc_t &md) {
    if (!is_plain(md)) return false;
    const int n = md.ndims - 1, k = md.ndims - 2;
    for (int d = 0; d < md.ndims; ++d) {
        const bool may_be_dense = d >= k || md.dims[d] == 1;
        if (stride_of(md, d) % 2 != 0 && !(may_be_dense && stride_of(md, d) == 1)) return true;
    }
    return md.offset0 % 2 != 0 || (md.dims[n] == 1 && stride_of(md, k) == 1);
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
        if (const refusal_t refusal = check_types(pd_)) return refusal;
        if (const refusal_t refusal = check_attr(pd_)) return refusal;
        if (const refusal_t refusal = find_groups()) return refusal;
        plan_.spec.isa = isa_;
        plan_.spec.dst_type = pd_.dst().data_type;
        settle_weights();
        if (pd_.resolve_formats() != dnnl_success) return refused("formats cannot be settled");
        if (const refusal_t refusal = add_operands()) return refusal;
        if (const refusal_t refusal = place_operands()) return refusal;
        merge_batch();
        if (const refusal_t refusal = choose_step()) return refusal;
        return cut();
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
        const bool is_rounded =
                src == dnnl_f32
                && one_of(pd_.attr().fpmath.mode, {dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_any});
        const bool has_dense_rows = is_plain(pd_.src()) ? stride_of(pd_.src(), n_axis_) <= 1 : true;
        return (src == dnnl_bf16 || is_rounded) && has_dense_rows
                               && has(isa_, feature_t::avx512_bf16)
                       ? step_t::bf16x8
                       : step_t::f32x8;
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
        if (is_half_byte(pd_.weights().data_type) && has_split_bytes(pd_.weights()))
            return refused("rows or columns of weights that begin within a byte");
        if (has_repeated_lines(pd_.src()) || has_repeated_lines(pd_.weights()))
            return refused("rows or columns of src or weights with a stride of 0");
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

    /// Vectors of a panel where all rows are one strip: scalar products are those of all rows.
    int vectors_of_dots() const {
        constexpr dim_t most = 4;
        const int rows = static_cast<int>(plan_.m);
        return static_cast<int>(
                std::min<dim_t>({most, matrix::most_vectors(isa_, plan_.spec.step, rows),
                        divide_up<dim_t>(plan_.n, jit::lanes_of(isa_))}));
    }

    refusal_t cut() {
        auto &spec = plan_.spec;
        const matrix::shape_t shape{plan_.m, plan_.n, plan_.steps()};
        // B is read where it is if it is read once, or is small enough to stay near.
        constexpr dim_t near_bytes = 256 * 1024;
        const bool can_read_b = spec.step == step_t::f32 && plan_.b.has_dense_rows();
        const dim_t span = plan_.b.bytes(plan_.k * std::max<dim_t>(plan_.b.row, 1));
        const dim_t strips = divide_up<dim_t>(plan_.m, matrix::most_rows(isa_, spec.step, 2));
        const bool reads_b = can_read_b && (strips == 1 || span <= near_bytes);
        plan_.has_dots = spec.step == step_t::f32 && !plan_.has_packed_b && !plan_.has_groups()
                         && !is_half_byte(plan_.b.type) && !plan_.b.has_dense_rows()
                         && plan_.m <= matrix::most_dot_rows;
        plan_.packs_b = !plan_.has_packed_b && !reads_b && !plan_.has_dots;
        spec.is_packed = !reads_b || plan_.has_packed_b;
        plan_.copies_b = plan_.packs_b && can_read_b && !plan_.has_groups();
        if (plan_.packs_b && !matrix::converts_b(spec.step)) spec.b_type = dnnl_f32;
        plan_.blocking = matrix::block(isa_, spec.step, shape,
                spec.is_packed ? matrix::b_layout_t::packed : matrix::b_layout_t::plain,
                plan_.has_packed_b ? spec.vectors
                : plan_.has_dots   ? vectors_of_dots()
                                   : 0,
                plan_.groups.extent / plan_.depth());
        if (plan_.has_dots) {
            plan_.blocking.blocks = 1;
            plan_.blocking.block_steps = shape.steps;
            constexpr dim_t columns = 4096; // whose sums stay near
            plan_.blocking.block_panels =
                    std::clamp<dim_t>(columns / (plan_.blocking.vectors * jit::lanes_of(isa_)), 1,
                            plan_.blocking.panels);
        }
        const auto &blocking = plan_.blocking;
        spec.rows = blocking.rows;
        spec.vectors = blocking.vectors;
        spec.tail = blocking.tail;
        constexpr dim_t cached_bytes = 1 << 20;
        spec.fetches_b = !plan_.packs_b && !plan_.has_dots
                         && plan_.b.bytes(plan_.n * plan_.k) > cached_bytes;
        // Columns of adjacent elements are packed panel by panel; the next panel is fetched
        // meanwhile.
        plan_.fetches_next = plan_.packs_b && matrix::converts_b(spec.step) && blocking.strips == 1
                             && blocking.blocks == 1 && plan_.b.column == plan_.k
                             && plan_.b.bytes(plan_.n * plan_.k) > cached_bytes;
        if (plan_.fetches_next) {
            spec.fetches_b = true;
            plan_.blocking.block_panels = 1;
        }
        spec.fetches_a = blocking.strips > 1 && plan_.m * plan_.k * plan_.a.size() > near_bytes;
        spec.has_blocks = blocking.blocks > 1 || plan_.has_dots;
        for (const matrix_layout_t &layout : plan_.epilogue)
            spec.pitches.push_back(layout.row * layout.size());
        spec.subtracts = matrix::is_shifted(plan_.a, spec.step) || plan_.has_a_zero;
        if (spec.subtracts && blocking.block_steps > matrix::most_block_steps)
            return refused("groups along K that are longer than a block, with a zero point of src");
        plan_.packs_a = must_pack_a();
        plan_.is_cut_along_k =
                matrix::is_cut_along_k(blocking) && plan_.batch->rows() == 1 && !spec.subtracts;
        const bool reads_dst = std::any_of(spec.epilogue.begin(), spec.epilogue.end(),
                [](const jit::post_op_link_t &link) { return link.is_sum; });
        plan_.has_partial_in_dst = plan_.c.size() == 4 && !reads_dst;
        share_work();
        set_buffers();
        return accepted();
    }

    bool must_pack_a() const {
        const auto &a = plan_.a;
        if (!a.has_dense_rows()) return true;
        const step_t step = plan_.spec.step;
        if (matrix::base_of(step) == step_t::f32 && a.type != dnnl_f32) return true;
        if (step == step_t::s16 || step == step_t::bf16x8 || matrix::is_shifted(a, step))
            return true;
        if (plan_.k % plan_.depth() != 0 || (step == step_t::bf16 && a.type != dnnl_bf16))
            return true;
        if (step != step_t::f32) return false;
        // Rows at multiples of a page share few sets of the cache.
        constexpr dim_t few_rows = 6, few_panels = 4;
        return a.row * a.size() % page_bytes == 0 && plan_.blocking.rows > few_rows
               && plan_.blocking.panels > few_panels;
    }

    dim_t groups_of_block() const {
        if (plan_.groups.extent == 0) return 1;
        return plan_.blocking.block_steps * plan_.depth() / plan_.groups.extent;
    }

    /// How many tasks are worth their start, and how a matrix is divided among them.
    void share_work() {
        constexpr double least_products = 5e5, least_bytes = 65536;
        const auto count = [](dim_t value) { return static_cast<double>(value); };
        const double matrices = count(plan_.batch->rows());
        const double products = count(plan_.m) * count(plan_.n) * count(plan_.k) * matrices;
        const double bytes = count(plan_.b.bytes(plan_.n * plan_.k)) * matrices;
        const double worth = std::max(products / least_products, bytes / least_bytes);
        plan_.tasks = worth < 2 ? 1
                                : std::min<dim_t>(cpu::thread_count(),
                                        static_cast<dim_t>(std::min(worth, 1e6)));
        const dim_t batch = plan_.batch->rows();
        if (plan_.is_cut_along_k) {
            plan_.tasks = std::min(plan_.tasks, plan_.blocking.blocks);
        } else if (batch < plan_.tasks || (batch < 4 * plan_.tasks && batch % plan_.tasks != 0)) {
            const bool keeps_a = plan_.packs_a && !plan_.packs_b;
            plan_.parts = matrix::share(plan_.blocking, plan_.tasks,
                    keeps_a ? matrix::first_axis_t::strips : matrix::first_axis_t::panels);
        }
        if (!plan_.is_cut_along_k) plan_.tasks = std::min(plan_.tasks, batch * plan_.parts.count());
    }

    void set_buffers() {
        const auto &blocking = plan_.blocking;
        const dim_t strips = divide_up(blocking.strips, plan_.parts.strips);
        plan_.chunk_strips = strips;
        const auto bytes = [](dim_t count) {
            return static_cast<size_t>(round_up(count, line_bytes));
        };
        if (plan_.packs_a) {
            constexpr dim_t most_bytes = 4 << 20;
            const dim_t pitch = matrix::a_packer_t::pitch(plan_.spec.step, plan_.k);
            plan_.chunk_strips = std::clamp<dim_t>(most_bytes / (pitch * blocking.rows), 1, strips);
            const dim_t rows = plan_.chunk_strips * blocking.rows + 2 * jit::lanes_of(isa_);
            plan_.a_bytes = bytes(rows * pitch);
        }
        if (plan_.has_groups()) {
            constexpr dim_t most_bytes = 1 << 20;
            const dim_t strip_bytes = plan_.group_count() * matrix::rows_of_group * 4;
            plan_.chunk_strips = std::clamp<dim_t>(most_bytes / strip_bytes, 1, plan_.chunk_strips);
            plan_.group_bytes = bytes(plan_.chunk_strips * strip_bytes);
        }
        const dim_t width = blocking.vectors * jit::lanes_of(isa_);
        if (plan_.packs_b)
            plan_.b_bytes =
                    bytes(blocking.block_panels * blocking.block_steps * width * 4
                            + (matrix::is_staged(plan_.b, plan_.spec.step, plan_.k)
                                            ? matrix::stage_bytes(isa_, plan_.spec.step, blocking)
                                            : 0));
        if (plan_.spec.subtracts) {
            const dim_t groups = plan_.spec.groups.have_scales() ? groups_of_block() : 1;
            plan_.shift_bytes = bytes(groups * blocking.block_panels * width * 4);
        }
        size_t common = 0;
        if (plan_.is_cut_along_k) {
            common = bytes(blocking.blocks * plan_.m * plan_.partial_pitch());
        } else if (plan_.has_dots || (blocking.blocks > 1 && !plan_.has_partial_in_dst)) {
            constexpr dim_t most_rows_of_chunk = 256;
            plan_.chunk_strips =
                    std::clamp<dim_t>(most_rows_of_chunk / blocking.rows, 1, plan_.chunk_strips);
            plan_.partial_bytes = bytes(plan_.chunk_strips * blocking.rows * plan_.partial_pitch());
        }
        pd_.set_scratchpad_size(common + static_cast<size_t>(plan_.tasks) * plan_.task_bytes());
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
