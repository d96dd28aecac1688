// SPDX-License-Identifier: Apache-2.0
// Which step multiplies an A and a B, and how tiles get B.

#include "cpu/x64/matmul/tiles_choice.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "common/memory/type_set.hpp"
#include "common/one_of.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/amx_conversion.hpp"
#include "cpu/x64/matrix/amx_cycles.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"

namespace kiln::x64::matmul {

using matrix::step_t;

namespace {

bool always(const product_t &) { return true; }

bool is_of_half_bytes(const product_t &p) { return is_half_byte(p.b.type); }
bool is_of_bytes(const product_t &p) { return !is_half_byte(p.b.type); }
bool is_of_integer_bytes(const product_t &p) {
    return is_of_bytes(p) && !contains(f8_types, p.b.type);
}

bool has_b_from_memory(const product_t &p) { return p.b.bytes(p.n * p.k) > most_near_bytes; }

bool has_dense_columns(const product_t &p) {
    return !p.b.has_dense_rows() && p.b.has_dense_columns();
}

/// Groups are whole vectors of columns, for fewer rows.
bool has_groups_of_dots(const product_t &p) {
    const dim_t extent = p.group == 0 ? p.k : p.group;
    return p.has_dot_groups && p.m <= matrix::most_dot_rows_of_groups
           && extent % jit::lanes_of(p.isa) == 0;
}
/// Up to so many rows by columns that lie as rows do.
bool has_few_rows_by_columns(const product_t &p) {
    return has_dense_columns(p) && p.m <= matrix::most_dot_rows
           && (!p.has_groups || has_groups_of_dots(p));
}
/// Cycles in which a step of a column is packed. Integers of 16 bits are made of bytes first, but
/// their tiles take less time than scalar products.
double cycles_of_packed_step(isa_t isa, step_t step) {
    const bool has_avx512 = has(isa, feature_t::avx512_core);
    switch (step) {
    case step_t::s16: return 0.33;
    case step_t::u8s8: return has_avx512 ? 0.22 : 1.5;
    case step_t::bf16: return 0.11;
    default: return has_avx512 ? 0.2 : 0.75;
    }
}
/// Whether columns are so short that packing them takes less than scalar products, which add up
/// lanes for each row and column: about three cycles.
bool has_short_columns(const product_t &p, step_t step) {
    constexpr double of_sum = 3;
    const auto steps = static_cast<double>(divide_up<dim_t>(p.k, matrix::depth_of(step)));
    return cycles_of_packed_step(p.isa, step) * steps < of_sum * static_cast<double>(p.m)
           && matrix::can_pack_b(p.b, step, p.k)
           && (step == step_t::s16 || !matrix::is_staged(p.b, step, p.k));
}

bool is_bf16(const product_t &p) { return p.a.type == dnnl_bf16 && p.b.type == dnnl_bf16; }
/// Whether many rows of pairs are multiplied at least as fast as floats.
bool has_fast_pairs(const product_t &p) { return !p.has_slow_pairs || has(p.isa, feature_t::amx); }
/// Whether few rows of bf16 are multiplied by columns that are packed as pairs.
bool has_short_columns_of_pairs(const product_t &p) {
    return is_bf16(p) && has_fast_pairs(p) && matrix::has_step(p.isa, step_t::bf16) && p.m > 1
           && has_few_rows_by_columns(p) && has_short_columns(p, step_t::bf16);
}
bool has_few_rows_by_columns_of_floats(const product_t &p) {
    return has_few_rows_by_columns(p) && !has_short_columns(p, step_t::f32)
           && !has_short_columns_of_pairs(p);
}
bool has_few_rows_by_columns_of_bytes(const product_t &p) {
    return is_of_bytes(p) && has_few_rows_by_columns(p);
}

/// What multiplies integers of 8 bits.
step_t step_of_bytes(const product_t &p) {
    return matrix::has_step(p.isa, step_t::u8s8) ? step_t::u8s8 : step_t::s16;
}
bool has_few_rows_by_columns_of_integers(const product_t &p) {
    const dim_t rows = p.m + p.has_a_zero; // a row of ones sums columns
    return !p.has_groups && rows <= matrix::most_dot_rows && has_few_rows_by_columns(p)
           && !has_short_columns(p, step_t::u8s8);
}
/// Rows of 16 bits multiply bytes where no instruction multiplies these. Columns would have to be
/// packed for tiles.
bool has_few_rows_by_columns_of_words(const product_t &p) {
    constexpr dim_t some_rows = 24;
    return step_of_bytes(p) == step_t::s16 && !p.has_groups && p.m <= some_rows
           && has_dense_columns(p) && !has_short_columns(p, step_t::s16);
}

/// Whether scalar products of rows of A and a few columns take fewer cycles than tiles, which
/// multiply one element of a row at a time, and than AMX. There are about two multiplications of
/// floats a cycle, others take `of_product` times as long, and each sum of lanes takes a cycle. AMX
/// gets rows of B that have to be packed, each of which takes `of_row_of_b` cycles.
bool has_few_columns(const product_t &p, step_t step) {
    constexpr dim_t few_rows = 8;
    constexpr double of_sum = 1, of_row = 2, of_product = 2.5, of_row_of_b = 3;
    const dim_t lanes = jit::lanes_of(p.isa), depth = matrix::depth_of(step);
    if (p.has_groups || p.has_a_zero || p.depth != 0 || p.n == 1 || p.n > lanes || p.m < few_rows
            || !p.a.has_dense_rows())
        return false;
    const auto rows = static_cast<double>(p.m), columns = static_cast<double>(p.n);
    const double of_dots = static_cast<double>(divide_up(p.k, lanes * depth)) * columns / 2
                           + of_sum * columns + of_row;
    const double of_packing = p.is_any ? 0 : of_row_of_b * static_cast<double>(p.k);
    if (matrix::has_amx(p.isa, step)
            && of_packing + matrix::amx_cycles(step, p.m, p.n, p.k, 1)
                       < of_product * of_dots * rows)
        return false;
    return of_dots < static_cast<double>(divide_up(p.k, depth)) / 2;
}

bool is_bf16_of_few_rows_by_columns(const product_t &p) {
    return is_bf16(p) && !p.has_groups && has_few_rows_by_columns_of_floats(p);
}
bool is_bf16_of_few_columns(const product_t &p) {
    return is_bf16(p) && has_few_columns(p, step_t::bf16);
}
bool has_few_columns_of_floats(const product_t &p) {
    const bool has_pairs = is_bf16(p) && matrix::has_step(p.isa, step_t::bf16);
    return !has_pairs && jit::lanes_io_t::can_convert(p.a.type) && has_few_columns(p, step_t::f32);
}
bool has_few_columns_of_bytes(const product_t &p) {
    const step_t step = step_of_bytes(p);
    const bool shifts = step == step_t::u8s8 && p.a.type == p.b.type;
    return p.n <= matrix::most_transposed_rows(p.isa, step, shifts) && has_few_columns(p, step);
}
bool has_few_columns_of_words(const product_t &p) {
    return step_of_bytes(p) == step_t::s16 && has_few_columns_of_bytes(p);
}
/// Slow pairs are multiplied only where weights lie in pairs.
bool is_bf16_of_pairs(const product_t &p) {
    return is_bf16(p) && (has_fast_pairs(p) || p.depth == matrix::depth_of(step_t::bf16));
}
/// Few rows are read once: converted, B is read where it is, but for short columns.
bool is_bf16_of_many_rows(const product_t &p) {
    return is_bf16(p) && has_fast_pairs(p)
           && (p.m > matrix::most_dot_rows || has_short_columns_of_pairs(p));
}
/// Packing f32 as bf16 is a small part of the work.
bool is_rounded_of_many_rows(const product_t &p) {
    constexpr dim_t many_rows = 32;
    return p.may_round && has_fast_pairs(p) && p.m >= many_rows && p.a.type == dnnl_f32
           && p.b.type == dnnl_f32 && p.a.has_dense_rows();
}
/// Whether AMX multiplies elements as sums of two terms in less time than vectors multiply floats.
/// Splitting takes about as long as so many multiplications of each element.
bool is_split(const product_t &p) {
    constexpr double of_packing = 0.5, products_of_cycle = 30;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
               k = static_cast<double>(p.k);
    return p.may_split && p.m > matrix::amx_rows && p.n > matrix::amx_columns && !p.has_groups
           && matrix::amx_cycles(step_t::split, p.m, p.n, p.k, 1) + of_packing * (n + m) * k
                      < m * n * k / products_of_cycle;
}
/// Rows that AMX multiplies in less time, after weights have become pairs of bf16.
bool is_rounded_to_pairs(const product_t &p) {
    constexpr dim_t few_rows = 12;
    return has(p.isa, feature_t::amx) && p.m > few_rows && p.may_round && p.a.type == dnnl_f32
           && p.b.type == dnnl_f32 && !p.has_groups;
}
bool may_become_pairs(const product_t &p) {
    const dim_t few_rows = p.depth != 0 ? 4 : 8;
    const bool has_exact_values =
            p.a.type == dnnl_bf16 && p.is_exact_in_bf16 && !p.has_group_scales;
    return has(p.isa, feature_t::amx) && p.m > few_rows && !contains(f8_types, p.b.type)
           && !p.has_a_scale
           && (has_exact_values || (p.may_round && one_of(p.a.type, {dnnl_bf16, dnnl_f32})));
}
/// The least rows for which AMX converts and multiplies weights in less time than vectors. It
/// multiplies each row of f16 twice; vectors convert bytes in less time than half bytes.
dim_t least_rows_by_steps(const product_t &p) {
    constexpr dim_t of_bytes = 4, of_small_f16 = 8, few_weights = 1 << 18;
    if (has_b_from_memory(p)) return 1;
    if (p.a.type == dnnl_f16 && p.n * p.k < few_weights) return of_small_f16;
    if (is_of_bytes(p)) return of_bytes;
    return p.a.type == dnnl_f16 ? 2 : 1;
}
/// The most rows that AMX multiplies so, since weights are converted again for each 32 of them. f16
/// has no limit: vectors multiply it as floats, which takes longer in any case.
dim_t most_rows_by_steps(const product_t &p) {
    constexpr dim_t tile = matrix::amx_rows, few_columns = 128;
    constexpr dim_t of_bytes_from_memory = 32, of_half_bytes_from_memory = 128;
    if (p.a.type == dnnl_f16) return p.m;
    if (has_b_from_memory(p))
        return is_of_half_bytes(p) ? of_half_bytes_from_memory : of_bytes_from_memory;
    return p.n >= few_columns ? 2 * tile : tile;
}
bool becomes_pairs_by_steps(const product_t &p) {
    constexpr dim_t depth = matrix::amx_depth(step_t::bf16), few_steps = 4;
    return has(p.isa, feature_t::amx) && p.is_exact_in_bf16 && p.has_step_groups && !p.has_a_scale
           && p.n > 2 * matrix::amx_columns && p.k >= few_steps * depth && p.group % depth == 0
           && p.m >= least_rows_by_steps(p) && p.m <= most_rows_by_steps(p)
           && (one_of(p.a.type, {dnnl_bf16, dnnl_f16}) || (p.a.type == dnnl_f32 && p.may_round));
}
bool has_half_bytes_by_steps(const product_t &p) {
    return is_of_half_bytes(p) && becomes_pairs_by_steps(p);
}
bool has_bytes_by_steps(const product_t &p) {
    return is_of_integer_bytes(p) && becomes_pairs_by_steps(p);
}
/// Zero points and scales of groups are applied as lanes are converted. Without those, rows are
/// converted as they are packed.
bool becomes_pairs(const product_t &p) {
    return may_become_pairs(p) && (p.depth != 0 || p.has_groups || !p.b.has_dense_rows());
}
bool becomes_pairs_in_packing(const product_t &p) { return may_become_pairs(p) && !p.has_groups; }
/// Rows that AMX multiplies in less time, after half bytes have become bytes.
bool becomes_bytes(const product_t &p) {
    constexpr dim_t few_rows = 10;
    return has(p.isa, feature_t::amx) && p.m > few_rows
           && has_groups_of_amx(p.group, p.has_group_scales);
}
bool becomes_bf16(const product_t &p) {
    return is_of_half_bytes(p) && !p.has_slow_pairs
           && (p.a.type == dnnl_bf16 || (p.a.type == dnnl_f32 && p.may_round));
}
/// Whether a few rows are multiplied as integers of three digits: `vpdpbusd` multiplies four
/// integers of a lane by one digit of each element, and takes less time than converting them to
/// floats. The integers of A are exact but for elements far below the greatest of their group.
bool becomes_digits(const product_t &p) {
    constexpr dim_t few_rows = 32;
    constexpr dim_t longest_group = 1 << 16; // its sums of products are integers of 32 bits
    return has(p.isa, feature_t::avx512_core) && p.m <= few_rows && !p.is_strict && !p.has_a_scale
           && p.group <= longest_group && one_of(p.a.type, {dnnl_f32, dnnl_bf16, dnnl_f16});
}
bool has_half_bytes_by_digits(const product_t &p) {
    return is_of_half_bytes(p) && becomes_digits(p);
}
bool has_bytes_by_digits(const product_t &p) { return is_of_integer_bytes(p) && becomes_digits(p); }
bool becomes_bf16_by_columns(const product_t &p) { return becomes_bf16(p) && has_dense_columns(p); }
/// Fewer rows are multiplied where B is: packing takes longer.
bool becomes_bf16_in_many_rows(const product_t &p) {
    constexpr dim_t few_rows = 5;
    return becomes_bf16(p) && p.m > few_rows;
}
bool is_of_half_bytes_by_columns(const product_t &p) {
    return is_of_half_bytes(p) && has_dense_columns(p);
}

/// Rows of B that are read once, that are near, or that are floats which few rows of A multiply:
/// packing them would take longer.
bool is_read_in_place(const product_t &p) {
    constexpr dim_t near_bytes = 256 * 1024;
    if (!p.b.has_dense_rows()) return false;
    const dim_t strips = divide_up<dim_t>(p.m, matrix::most_rows(p.isa, step_t::f32, 2));
    return strips == 1 || (p.m <= rows_in_place(p.isa) && p.b.type == dnnl_f32)
           || p.b.bytes(p.k * std::max<dim_t>(p.b.row, 1)) <= near_bytes;
}
/// So few rows of A that one tile has all of them and half a cache line of each row of B, with AVX2
/// a whole one. Then joining rows of B takes less time than packing them.
bool is_joined_in_place(const product_t &p) {
    const dim_t line = cache_line_bytes / jit::lanes_of(p.isa);
    return p.b.has_dense_rows() && !p.has_groups && p.m < matrix::rows_of_group
           && matrix::most_joined_vectors(p.isa, static_cast<int>(p.m), p.has_a_zero)
                      >= (has(p.isa, feature_t::avx512_core) ? line / 2 : line);
}
bool has_rows_to_copy(const product_t &p) { return p.b.has_dense_rows() && !p.has_groups; }

struct candidate_t {
    unsigned kinds;
    step_t step;
    b_way_t b;
    bool (*takes)(const product_t &); // beside what the step and the way need
};

/// Best first. Weights in panels, and weights whose layout is chosen, take the first candidate with
/// their depth, or the first one, so a layout does not depend on the number of rows.
constexpr candidate_t candidates[] = {
        {floats, step_t::bf16, b_way_t::dots, is_bf16_of_few_rows_by_columns},
        {floats, step_t::f32, b_way_t::dots, has_few_rows_by_columns_of_floats},
        {floats, step_t::bf16, b_way_t::rows, is_bf16_of_few_columns},
        {floats, step_t::f32, b_way_t::rows, has_few_columns_of_floats},
        {floats, step_t::bf16, b_way_t::converted, is_rounded_to_pairs},
        {floats, step_t::split, b_way_t::converted, is_split},
        {floats, step_t::bf16, b_way_t::weights, is_bf16_of_pairs},
        {floats, step_t::f32, b_way_t::weights, always},
        {floats | compressed, step_t::split, b_way_t::packed, is_split},
        {floats, step_t::bf16, b_way_t::packed, is_bf16_of_many_rows},
        {floats, step_t::bf16, b_way_t::packed, is_rounded_of_many_rows},

        {compressed, step_t::bf16x8, b_way_t::by_steps, has_half_bytes_by_steps},
        {compressed, step_t::bf16, b_way_t::by_steps, has_bytes_by_steps},
        {compressed, step_t::bf16, b_way_t::converted, becomes_pairs},
        {compressed, step_t::bf16x8, b_way_t::weights, becomes_bf16},
        {compressed, step_t::digits8, b_way_t::weights, has_half_bytes_by_digits},
        {compressed, step_t::f32x8, b_way_t::weights, is_of_half_bytes},
        {compressed, step_t::digits4, b_way_t::weights, has_bytes_by_digits},
        {compressed, step_t::f32x4, b_way_t::weights, is_of_integer_bytes},
        {compressed, step_t::f32, b_way_t::weights, is_of_bytes},
        {compressed, step_t::f32, b_way_t::dots, has_few_rows_by_columns_of_bytes},
        {compressed, step_t::bf16, b_way_t::packed, becomes_pairs_in_packing},
        {compressed, step_t::bf16x8, b_way_t::packed, becomes_bf16_by_columns},
        {compressed, step_t::f32x8, b_way_t::packed, is_of_half_bytes_by_columns},
        {compressed, step_t::f32x4, b_way_t::packed, is_of_integer_bytes},

        {compressed, step_t::bf16x8, b_way_t::packed, becomes_bf16_in_many_rows},
        {floats | compressed, step_t::f32, b_way_t::in_place, is_read_in_place},
        {compressed, step_t::f32x8, b_way_t::packed, is_of_half_bytes},
        {floats | compressed, step_t::f32, b_way_t::copied, has_rows_to_copy},
        {floats | compressed, step_t::f32, b_way_t::packed, always},

        {bytes, step_t::u8s8, b_way_t::dots, has_few_rows_by_columns_of_integers},
        {bytes, step_t::u8s8, b_way_t::rows, has_few_columns_of_bytes},
        {bytes, step_t::s16, b_way_t::dots, has_few_rows_by_columns_of_words},
        {bytes, step_t::s16, b_way_t::rows, has_few_columns_of_words},
        {bytes, step_t::u8s8, b_way_t::weights, always},
        {bytes, step_t::s16, b_way_t::weights, always},
        {bytes, step_t::u8s8, b_way_t::in_place, is_joined_in_place},
        {bytes, step_t::u8s8, b_way_t::packed, always},
        {bytes, step_t::s16, b_way_t::packed, always},

        {half_bytes, step_t::u8s8, b_way_t::converted, becomes_bytes},
        {half_bytes, step_t::u8s8x8, b_way_t::weights, always},
        {half_bytes, step_t::s16x8, b_way_t::weights, always},
        {half_bytes, step_t::u8s8x8, b_way_t::packed, always},
        {half_bytes, step_t::s16x8, b_way_t::packed, always},
};

/// Whether B has, or can be packed to, lanes that are converted, each within a group.
bool has_converted_lanes(const product_t &p) {
    const int depth = matrix::lane_depth_of(p.b.type);
    if (p.group % depth != 0) return false;
    if (p.depth != 0) return p.depth == depth;
    return p.kind != floats && matrix::can_pack_b(p.b, matrix::lane_step_of(p.b.type), p.k);
}

/// Whether the kernels of a way convert f8_e4m3 as they read it, but have no register for that, as
/// with AVX2. Where B is packed, the kernel that packs it converts.
bool lacks_register(const product_t &p, b_way_t way) {
    const data_type_t read = way == b_way_t::rows ? p.a.type : p.b.type;
    return read == dnnl_f8_e4m3 && way != b_way_t::packed && !has(p.isa, feature_t::avx512_core);
}

/// What a step and a way need of a product.
bool fits(const product_t &p, step_t step, b_way_t way) {
    const int depth = matrix::depth_of(step);
    if (!matrix::has_step(p.isa, step) || p.group % depth != 0 || !matrix::can_pack_a(p.a, step)
            || lacks_register(p, way))
        return false;
    if (p.is_any) return way == b_way_t::weights;
    if (way == b_way_t::converted)
        return step == step_t::split ? p.depth == depth : has_converted_lanes(p);
    if (way == b_way_t::by_steps) return p.depth == matrix::lane_depth_of(p.b.type);
    if (p.depth != 0) return way == b_way_t::weights && p.depth == depth;
    if (way == b_way_t::rows) return matrix::can_pack_a({p.b.type, p.b.column, p.b.row}, step);
    if (way == b_way_t::packed) return matrix::can_pack_b(p.b, step, p.k);
    return way != b_way_t::weights;
}

} // namespace

std::optional<choice_t> choose(const product_t &product) {
    for (const auto &[kinds, step, way, takes] : candidates)
        if ((kinds & product.kind) != 0 && fits(product, step, way) && takes(product))
            return choice_t{step, way};
    return {};
}

} // namespace kiln::x64::matmul
