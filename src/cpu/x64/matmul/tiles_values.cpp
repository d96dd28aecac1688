// SPDX-License-Identifier: Apache-2.0
// Sums, scales and zero points of rows, columns and groups, which kernels of products by tiles are
// given.

#include <algorithm>
#include <array>
#include <cassert>

#include "common/memory/data_type.hpp"
#include "cpu/x64/matmul/row_sums.hpp"
#include "cpu/x64/matmul/tiles_execution.hpp"

namespace kiln::x64::matmul {
namespace {

/// A row of A for the sums of columns, as long as a block: ones of 8 bits, or of 16 bits.
template <typename element_t>
constexpr auto ones = [] {
    constexpr size_t most_depth = 8;
    std::array<element_t, most_depth * matrix::most_block_steps> row{};
    row.fill(1);
    return row;
}();

} // namespace

void tiles_matmul_t::find_row_values(const task_place_t &place, range_t strips) const {
    const auto &groups = plan_.spec.groups;
    const group_plan_t &groups_of_plan = plan_.groups;
    if (plan_.has_digits()) return; // pack_digits() has found them
    if (sum_rows_) {
        sum_rows(place, strips);
        if (plan_.has_one_a_zero() && !amx_)
            std::fill_n(reinterpret_cast<int32_t *>(place.zeros),
                    values_pitch(strips) * plan_.group_count(),
                    zero_point(place, a_zero_operand) * (plan_.has_sums_behind_b() ? -1 : 1));
        return multiply_sums_of_rows(place, strips);
    }
    const dim_t pitch = values_pitch(strips);
    // Octets are in another order: the zeros behind the last elements are summed, too.
    row_groups_t row_groups{.extent = plan_.group_elements(),
            .k = plan_.k,
            .summed_k =
                    matrix::has_octets(plan_.spec.step) ? plan_.steps() * plan_.depth() : plan_.k,
            .pitch = pitch,
            .zeros = nullptr,
            .is_signed = plan_.spec.a_is_signed};
    for (dim_t strip = strips.begin; strip < strips.end; ++strip) {
        const dim_t at = values_offset(strips, strip, 0), first = blocking_.first_row(strip);
        const range_t rows{first, first + blocking_.rows_of(strip)};
        auto *const zeros = reinterpret_cast<int32_t *>(place.zeros + at);
        if (plan_.has_a_zero)
            load_values(place, a_zero_operand, groups_of_plan.a_zero, rows, pitch, zeros);
        if (groups.has_a_scale)
            load_values(place, a_scale_operand, groups_of_plan.a_scale, rows, pitch,
                    reinterpret_cast<float *>(place.scales + at));
        for (dim_t row = 0; plan_.needs_sums_of_a() && row < rows.size(); ++row) {
            if (plan_.has_a_zero) row_groups.zeros = zeros + row;
            sum_groups(plan_.spec.step, a_at(place, strips, first + row), row_groups,
                    place.sums + at + row * 4);
        }
        // Sums of columns that lie behind B are negative ones.
        if (plan_.has_sums_behind_b())
            for (dim_t group = 0; group < plan_.group_count(); ++group)
                for (dim_t row = 0; row < rows.size(); ++row) zeros[group * pitch + row] *= -1;
    }
    multiply_sums_of_rows(place, strips);
}

matrix::dot_spec_t tiles_matmul_t::sum_spec() const {
    matrix::dot_spec_t spec{.isa = plan_.spec.isa,
            .b_type = plan_.a.type,
            .step = matrix::step_t::u8s8,
            .a_is_signed = plan_.a.type == dnnl_u8,
            .is_transposed = true};
    spec.set_length(plan_.k);
    return spec;
}

void tiles_matmul_t::sum_rows(const task_place_t &place, range_t strips) const {
    matrix::dot_spec_t spec = sum_spec();
    const dim_t all = spec.set_length(plan_.k), lanes = jit::lanes_of(spec.isa);
    const dim_t vector_bytes = lanes * matrix::depth_of(spec.step);
    // Vectors of a call, which the last elements follow.
    const dim_t most = static_cast<dim_t>(ones<uint8_t>.size()) / vector_bytes - 1;
    const dim_t blocks = plan_.group_count();
    const auto sum = [&](dim_t block, range_t vectors, bool adds) {
        matrix::dot_args_t args{.a = ones<uint8_t>.data(),
                .a_pitch = 0,
                .b = a_at(place, strips, blocking_.first_row(strips.begin))
                     + vectors.begin * vector_bytes,
                .b_pitch = a_pitch_,
                .vectors = vectors.size(),
                .sums = reinterpret_cast<float *>(
                        place.sums + values_offset(strips, strips.begin, block)),
                .sums_pitch = 4};
        args.adds = adds;
        args.omits_tail = vectors.end != all || block + 1 != blocks;
        args.set_columns(spec, blocking_.first_row(strips.end) - blocking_.first_row(strips.begin));
        if (place.calls_of_sums != nullptr) place.calls_of_sums->of_rows = args;
        (*sum_rows_)(args);
    };
    for (dim_t block = 0; block < blocks; ++block) {
        const range_t steps =
                blocks == 1 ? range_t{0, plan_.steps()} : blocking_.steps_of(block, plan_.steps());
        const dim_t begin = steps.begin / lanes,
                    end = block + 1 == blocks ? all : steps.end / lanes;
        assert(block + 1 == blocks || steps.size() % lanes == 0);
        dim_t first = begin;
        do { // fewer elements than a vector are a call, too
            const dim_t next = std::min(end, first + most);
            sum(block, {first, next}, first != begin);
            first = next;
        } while (first < end);
    }
}

void tiles_matmul_t::multiply_sums_of_rows(const task_place_t &place, range_t strips) const {
    const matrix::group_operand_t &b_zero = plan_.spec.groups.b_zero;
    if (amx_ ? !b_zero.exists() : !plan_.spec.takes_products) return;
    const bool are_less = sum_rows_ && plan_.has_a_zero;
    const int32_t a_zero = are_less ? zero_point(place, a_zero_operand) : 0;
    auto *sums = reinterpret_cast<uint32_t *>(place.sums);
    const dim_t rows = values_pitch(strips), groups = plan_.group_count();
    for (dim_t group = 0; group < groups; ++group, sums += rows) {
        const dim_t elements = groups == 1 || amx_ ? plan_.k : elements_of_block(group);
        const auto of_zeros = static_cast<uint32_t>(elements * a_zero);
        const auto factor = static_cast<uint32_t>(
                (b_zero.per_lane ? 1 : zero_point(place, b_zero_operand, group)) + plan_.b_shift());
        for (dim_t row = 0; row < rows; ++row) sums[row] = (sums[row] - of_zeros) * factor;
    }
}

void tiles_matmul_t::repeat_sums(const task_place_t &place, dim_t a_pitch, dim_t b_pitch) const {
    const range_t strips{0, blocking_.strips}, panels{0, blocking_.panels};
    auto &[of_rows, of_columns] = *place.calls_of_sums;
    if (sum_rows_) {
        of_rows.b = moved(of_rows.b, a_pitch);
        of_rows.b_rest = moved(of_rows.b_rest, a_pitch);
        matrix::dot_args_t args = of_rows;
        (*sum_rows_)(args);
        multiply_sums_of_rows(place, strips);
    } else if (has_row_values_) {
        find_row_values(place, strips);
    }
    if (shifts_) {
        of_columns.b = moved(of_columns.b, b_pitch);
        tile_args_t args = of_columns;
        (*shifts_)(args);
    }
    if (plan_.has_common_a_zero()) multiply_sums_of_columns(place, panels);
}

dim_t tiles_matmul_t::elements_of_block(dim_t block) const {
    const range_t steps = blocking_.steps_of(block, plan_.steps());
    return std::min(plan_.k, steps.end * plan_.depth()) - steps.begin * plan_.depth();
}

void tiles_matmul_t::multiply_sums_of_columns(const task_place_t &place, range_t panels) const {
    const dim_t first = panels.begin * width_;
    const dim_t count = std::min(plan_.n, panels.end * width_) - first;
    auto *const products = reinterpret_cast<uint32_t *>(place.shift);
    const bool are_behind_b = plan_.has_sums_behind_b(); // negative ones
    const auto *const sums =
            are_behind_b ? static_cast<const uint32_t *>(moved(place.operands[weights_operand],
                                   static_cast<dim_t>(plan_.sums_behind_b)))
                                   + first
                         : products;
    const dim_t pitch = shift_pitch() / 4;
    for (dim_t group = 0; group < plan_.group_count(); ++group) {
        const int32_t zero = zero_point(place, a_zero_operand, group);
        const auto factor = static_cast<uint32_t>(are_behind_b ? -zero : zero);
        for (dim_t i = group * pitch; i < group * pitch + count; ++i)
            products[i] = sums[i] * factor;
    }
}

int32_t tiles_matmul_t::zero_point(const task_place_t &place, size_t operand, dim_t group) const {
    const group_plan_t &groups = plan_.groups;
    const group_values_t &values = operand == a_zero_operand ? groups.a_zero : groups.b_zero;
    const dim_t from_group = operand == a_zero_operand ? values.layout.column : values.layout.row;
    const dim_t index = group / values.run * from_group;
    return static_cast<int32_t>(load_f64(values.layout.type, place.operands[operand], index));
}

template <typename value_t>
void tiles_matmul_t::load_values(const task_place_t &place, size_t operand,
        const group_values_t &of_groups, range_t rows, dim_t pitch, value_t *values) const {
    const void *const from = place.operands[operand];
    const matrix::matrix_layout_t &layout = of_groups.layout;
    for (dim_t group = 0; group < plan_.group_count(); ++group, values += pitch) {
        const auto value = [&](dim_t row) {
            const dim_t column = group / of_groups.run * layout.column;
            return static_cast<value_t>(load_f64(layout.type, from, row * layout.row + column));
        };
        if (layout.row == 0)
            std::fill_n(values, rows.size(), value(rows.begin));
        else
            for (dim_t row = 0; row < rows.size(); ++row) values[row] = value(rows.begin + row);
    }
}

dim_t tiles_matmul_t::group_offset(range_t chunk, dim_t strip, dim_t group) const {
    return ((strip - chunk.begin) * plan_.group_count() + group) * matrix::rows_of_group * 4;
}

dim_t tiles_matmul_t::values_offset(range_t chunk, dim_t strip, dim_t group) const {
    if (!sum_rows_ && !amx_) return group_offset(chunk, strip, group);
    const dim_t row = blocking_.first_row(strip) - blocking_.first_row(chunk.begin);
    return (group * values_pitch(chunk) + row) * 4;
}

dim_t tiles_matmul_t::values_pitch(range_t chunk) const {
    if (!sum_rows_ && !amx_) return matrix::rows_of_group;
    return blocking_.first_row(chunk.end) - blocking_.first_row(chunk.begin);
}

dim_t tiles_matmul_t::first_group(const block_t &block) const {
    if (plan_.groups.extent == 0) return block.index;
    return block.index * blocking_.block_steps * plan_.depth() / plan_.groups.extent;
}

void tiles_matmul_t::set_groups(
        const task_place_t &place, range_t panels, const block_t &block, tile_args_t &args) const {
    const group_plan_t &groups = plan_.groups;
    const dim_t steps = groups.extent == 0 ? args.steps : groups.extent / plan_.depth();
    args.groups = args.steps / steps;
    args.steps = steps;
    args.a_group = steps * matrix::a_bytes(plan_.spec.step);
    args.b_group = steps * (plan_.spec.is_packed ? step_bytes_ : plan_.depth() * args.b_pitch);
    const dim_t row = groups.extent == 0 ? 0 : first_group(block);
    const auto set = [&](size_t operand, const group_values_t &values, const void *&at,
                             dim_t &pitch, dim_t &left) {
        const matrix::matrix_layout_t &layout = values.layout;
        const dim_t column = panels.begin * width_ * layout.column;
        at = moved(place.operands[operand], layout.bytes(row / values.run * layout.row + column));
        pitch = layout.bytes(layout.row);
        left = values.run - row % values.run;
    };
    set(b_scale_operand, groups.b_scale, args.b_scales, args.b_scale_pitch, args.b_scale_left);
    set(b_zero_operand, groups.b_zero, args.b_zeros, args.b_zero_pitch, args.b_zero_left);
    args.b_sums_pitch = shift_pitch();
}

void tiles_matmul_t::sum_columns(const task_place_t &place, range_t panels, const block_t &block,
        tile_args_t args, const std::byte *b) const {
    const bool has_tail = blocking_.tail != 0 && panels.end == blocking_.panels;
    const bool by_groups = !plan_.spec.has_integer_sums();
    const dim_t groups = by_groups ? args.groups : 1;
    if (!by_groups) args.steps = blocking_.steps_of(block.index, plan_.steps()).size();
    args.a = matrix::base_of(plan_.spec.step) == matrix::step_t::s16
                     ? static_cast<const void *>(ones<int16_t>.data())
                     : ones<uint8_t>.data();
    args.a_sums = no_sums;
    args.adds = !by_groups && block.adds;
    for (dim_t group = 0; group < groups; ++group) {
        tile_args_t of_group = args;
        of_group.b = b + group * args.b_group;
        of_group.strips = 1;
        of_group.panels = panels.size() - has_tail;
        of_group.has_tail = has_tail;
        of_group.partial = place.shift + group * shift_pitch();
        if (place.calls_of_sums != nullptr) place.calls_of_sums->of_columns = of_group;
        (*shifts_)(of_group);
    }
    const auto of_padding = static_cast<uint32_t>(plan_.sum_of_padding());
    if (of_padding == 0 || !block.finishes) return;
    auto *const sums = reinterpret_cast<uint32_t *>(place.shift);
    for (dim_t i = 0; i < shift_pitch() / 4; ++i) sums[i] -= of_padding;
}

} // namespace kiln::x64::matmul
