// SPDX-License-Identifier: Apache-2.0
// What kernels of products by tiles are given: addresses and distances.

#include <algorithm>
#include <cassert>
#include <utility>

#include "cpu/x64/matmul/tiles_execution.hpp"

namespace kiln::x64::matmul {

std::byte *tiles_matmul_t::c_at(const task_place_t &place, dim_t row, dim_t panel) const {
    const dim_t offset = row * plan_.c.row + panel * width_;
    return static_cast<std::byte *>(moved(place.operands[dst_operand], offset * c_size_));
}

const void *tiles_matmul_t::operand_at(
        const task_place_t &place, size_t index, dim_t row, dim_t panel) const {
    const matrix::matrix_layout_t &layout = plan_.epilogue[index];
    return moved(place.operands[first_epilogue_operand + index],
            (row * layout.row + panel * width_ * layout.column) * layout.size());
}

const int32_t *tiles_matmul_t::sums_of_columns(
        const task_place_t &place, range_t panels, dim_t panel) const {
    if (!plan_.has_sums_behind_b() || plan_.has_common_a_zero())
        return reinterpret_cast<const int32_t *>(place.shift) + (panel - panels.begin) * width_;
    return static_cast<const int32_t *>(
                   moved(place.operands[weights_operand], static_cast<dim_t>(plan_.sums_behind_b)))
           + panel * width_;
}

void tiles_matmul_t::pack_a(const task_place_t &place, range_t strips) const {
    if (plan_.has_digits()) return pack_digits(place, strips);
    if (!pack_a_) return;
    const auto *const a = static_cast<const std::byte *>(place.operands[plan_.a_operand()]);
    const range_t rows = packed_rows(strips);
    (*pack_a_)(a, rows, place.a);
    if (pack_remainders_) (*pack_remainders_)(a, rows, place.a + rows.size() * a_pitch_);
    if (!plan_.has_row_of_ones()) return;
    std::byte *const behind = place.a + plan_.chunk_rows() * a_pitch_;
    std::fill_n(behind, a_pitch_, std::byte{0});
    if (plan_.spec.step == matrix::step_t::s16)
        std::fill_n(reinterpret_cast<int16_t *>(behind), plan_.k, int16_t{1});
    else
        std::fill_n(behind, plan_.k, std::byte{1});
}

void tiles_matmul_t::pack_digits(const task_place_t &place, range_t strips) const {
    const auto *const a = static_cast<const std::byte *>(place.operands[plan_.a_operand()]);
    const dim_t extent = plan_.group_elements(), lanes = jit::lanes_of(plan_.spec.isa);
    for (dim_t strip = strips.begin; strip < strips.end; ++strip)
        for (dim_t row = 0; row < blocking_.rows_of(strip); ++row) {
            const dim_t index = blocking_.first_row(strip) + row;
            const std::byte *const src = a + plan_.a.bytes(index * plan_.a.row);
            std::byte *const dst = place.a + (index - packed_rows(strips).begin) * a_pitch_;
            for (dim_t group = 0; group < plan_.group_count(); ++group) {
                const dim_t first = group * extent, count = std::min(extent, plan_.k - first);
                const dim_t at = group_offset(strips, strip, group);
                matrix::digit_args_t args{.src = src + plan_.a.bytes(first),
                        .dst = dst + first * matrix::digit_places,
                        .vectors = count / lanes,
                        .has_tail = count % lanes != 0,
                        .scale = reinterpret_cast<float *>(place.scales + at) + row,
                        .sum = reinterpret_cast<float *>(place.sums + at) + row,
                        .of_shift = reinterpret_cast<int32_t *>(place.zeros + at)
                                    + row * matrix::digit_places};
                (*make_digits_)(args);
            }
        }
}

range_t tiles_matmul_t::packed_rows(range_t strips) const {
    const range_t rows{blocking_.first_row(strips.begin), blocking_.first_row(strips.end)};
    if (!pack_a_) return rows;
    return {pack_a_->first_row(rows.begin), pack_a_->end_row(rows.end)};
}

const std::byte *tiles_matmul_t::a_at(const task_place_t &place, range_t chunk, dim_t row) const {
    if (plan_.packs_a) return place.a + (row - packed_rows(chunk).begin) * a_pitch_;
    return static_cast<const std::byte *>(place.operands[plan_.a_operand()]) + row * a_pitch_;
}

const std::byte *tiles_matmul_t::b_at(const task_place_t &place, dim_t panel, dim_t block) const {
    const auto *const b = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
    const dim_t step = block * blocking_.block_steps;
    if (plan_.has_packed_weights())
        return b + (panel * plan_.spec.streams * plan_.padded_steps + step) * step_bytes_;
    return b + plan_.b.bytes(panel * width_ * plan_.b.column + step * plan_.depth() * plan_.b.row);
}

void tiles_matmul_t::set_fetch(
        const tiles_t &tiles, const block_t &block, dim_t strip, tile_args_t &args) const {
    const matrix::next_block_fetch_t &fetch = plan_.fetch;
    if (fetch.lines == 0) return;
    const dim_t steps = blocking_.steps_of(block.index, plan_.steps()).size();
    const std::optional<dim_t> offset = fetch.offset(strip - tiles.chunk.begin, tiles.chunk.size(),
            plan_.has_packed_weights() ? steps * step_bytes_ : fetch.panel);
    if (!offset || block.next_b == nullptr) {
        args.b_next = tiles.b; // a line that is near, again and again
        args.next_line = args.next_period = args.next_panel = 0;
    } else {
        args.b_next = block.next_b + *offset;
        args.next_line = fetch.line;
        args.next_period = fetch.advance;
        args.next_panel = fetch.panel;
    }
}

void tiles_matmul_t::multiply_block(
        const task_place_t &place, range_t strips, range_t panels, const block_t &block) const {
    const range_t steps = blocking_.steps_of(block.index, plan_.steps());
    const auto *const b = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
    const dim_t packed_panel = matrix::packed_panel_bytes(
            plan_.packed_steps(steps.size()) * plan_.lane_floats(), width_);
    tile_args_t args{};
    const std::byte *b_block = place.b;
    if (convert_b_) {
        if (!block.has_b) convert_for_amx(place, steps, panels);
        args.b_panel = packed_panel;
    } else if (plan_.splits_weights()) {
        if (!block.has_b) split_weights(place, steps, panels, packed_panel);
        args.b_panel = packed_panel;
    } else if (pack_b_) {
        if (!block.has_b) (*pack_b_)(b, steps, panels, place.b);
        args.b_panel = packed_panel;
    } else if (plan_.has_packed_weights()) {
        const dim_t stream = plan_.padded_steps * step_bytes_;
        args.b_pitch = plan_.converts_weights ? step_bytes_ : stream;
        args.b_panel = plan_.spec.streams * stream;
        b_block = b_at(place, panels.begin, block.index);
    } else {
        args.b_pitch = b_pitch_;
        args.b_panel = plan_.b.bytes(width_);
        b_block = b + panels.begin * args.b_panel + steps.begin * plan_.depth() * args.b_pitch;
    }
    args.steps = steps.size();
    args.has_rest = plan_.spec.rest != 0 && steps.end == plan_.steps();
    args.b_ahead = plan_.fetches_next ? b + plan_.b.bytes(panels.end * width_ * plan_.b.column)
                                      : b_block + matrix::panel_bytes_ahead;
    if (plan_.has_groups()) set_groups(place, panels, block, args);
    if (shifts_ && !block.has_b) sum_columns(place, panels, block, args, b_block);
    tiles_t tiles{.chunk = strips,
            .strips = strips,
            .panels = panels,
            .b = b_block,
            .a_offset = steps.begin * a_step_};
    if (plan_.has_common_a_zero() && block.finishes && !block.has_b)
        multiply_sums_of_columns(place, panels);
    if (amx_) return multiply_by_amx(place, tiles, block, steps, args.b_panel);
    if (plan_.copies_b()) {
        args.copy = place.b;
        args.copy_panel = packed_panel;
        tiles.strips.end = strips.begin + 1;
        tile_args_t of_first = args;
        call_tiles(place, tiles, block, std::move(of_first));
        args.b_panel = packed_panel;
        args.steps *= plan_.lane_floats();
        args.b_group = args.steps * width_ * 4;
        tiles.b = place.b;
        tiles.strips = {strips.begin + 1, strips.end};
    }
    call_tiles(place, tiles, block, std::move(args));
}

/// A panel is a matrix of adjacent rows.
void tiles_matmul_t::split_weights(
        const task_place_t &place, range_t steps, range_t panels, dim_t packed_panel) const {
    const auto *const weights = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
    const dim_t panel_bytes = plan_.b.bytes(plan_.padded_steps * width_);
    for (dim_t panel = panels.begin; panel < panels.end; ++panel)
        (*pack_b_)(weights + panel * panel_bytes, steps, {0, 1},
                place.b + (panel - panels.begin) * packed_panel);
}

void tiles_matmul_t::call_tiles(const task_place_t &place, const tiles_t &tiles,
        const block_t &block, tile_args_t &&args) const {
    const auto &[chunk, strips, panels, b, a_offset] = tiles;
    const bool has_tail = blocking_.tail != 0 && panels.end == blocking_.panels;
    args.a_pitch = plan_.spec.a_is_transposed ? a_step_ : a_pitch_;
    args.partial_pitch = block.partial_pitch;
    args.adds = block.adds;
    args.finishes = block.finishes;
    args.b_sums = sums_of_columns(place, panels, panels.begin);
    args.dst_pitch = c_pitch_;
    const void *const b_ahead = args.b_ahead;
    const bool has_sums = args.steps != 0;
    const bool has_values = has_row_values_ && (has_sums || plan_.has_row_of_ones());
    for (dim_t strip = strips.begin, end = 0; strip < strips.end; strip = end) {
        const dim_t row = blocking_.first_row(strip);
        end = end_of_call(chunk, strip, strips.end);
        const dim_t next = strip + 1 < chunk.end ? strip + 1 : chunk.begin;
        if (args.steps != 0) args.a = a_at(place, chunk, row) + a_offset;
        args.strips = end - strip;
        args.a_ahead = (blocking_.first_row(next) - row) * a_pitch_;
        args.a_sums = args.a_zeros = no_sums;
        if (has_values) {
            const dim_t offset = values_offset(chunk, strip, first_group(block));
            args.strip_values = values_offset(chunk, strip + 1, first_group(block)) - offset;
            if (has_sums) args.a_sums = place.sums + offset;
            args.a_scales = reinterpret_cast<const float *>(place.scales + offset);
            args.a_zeros = reinterpret_cast<const int32_t *>(place.zeros + offset);
        }
        args.b = b;
        args.b_ahead = b_ahead;
        set_fetch(tiles, block, strip, args);
        args.panels = panels.size() - has_tail;
        args.has_tail = has_tail;
        args.partial = block.partial_at(row);
        args.dst = c_at(place, row, panels.begin);
        for (size_t i = 0; i < plan_.epilogue.size(); ++i)
            args.operands[i] = operand_at(place, i, row, panels.begin);
        const auto &code = code_of(strip, args.copy != nullptr && strip == chunk.begin);
        if (place.calls != nullptr) place.calls->add(code, args);
        code(args);
    }
}

/// Whether a row of ones is multiplied along with the only strip.
bool tiles_matmul_t::joins_ones() const {
    return plan_.has_row_of_ones() && blocking_.strips == 1
           && blocking_.rows < matrix::most_dot_rows;
}

/// For strips of rows, which have two sizes, and a row of ones; or for few columns, which are rows
/// here.
void tiles_matmul_t::generate_dots() {
    const auto generate = [&](size_t index, dim_t rows) {
        if (!dots_[index])
            dots_[index] = matrix::dot_kernel_t(dot_spec(static_cast<int>(rows))).finish();
    };
    if (plan_.has_few_columns()) return generate(0, plan_.n);
    for (const dim_t strip : {dim_t{0}, blocking_.strips - 1}) {
        const int rows = blocking_.rows_of(strip) + joins_ones();
        generate(static_cast<size_t>(rows), rows);
    }
    if (plan_.has_row_of_ones() && !joins_ones()) generate(1, 1);
}

matrix::dot_spec_t tiles_matmul_t::dot_spec(int rows) const {
    matrix::dot_spec_t spec{.isa = plan_.spec.isa,
            .rows = rows,
            .b_type = plan_.b.type,
            .scale = plan_.spec.groups.b_scale,
            .zero = plan_.spec.groups.b_zero,
            .step = plan_.spec.step,
            .a_is_signed = plan_.spec.a_is_signed};
    if (plan_.has_few_columns()) {
        spec.b_type = plan_.a.type;
        spec.a_is_signed = plan_.b.type == dnnl_s8;
        spec.is_transposed = true;
    } else if (!plan_.has_groups()) {
        spec.has_gaps = plan_.b.bytes(plan_.b.column) > plan_.b.bytes(plan_.k);
    }
    spec.set_length(plan_.k);
    return spec;
}

void tiles_matmul_t::multiply_by_dots(
        const task_place_t &place, range_t strips, range_t panels) const {
    const dim_t first = panels.begin * width_, begin = blocking_.first_row(strips.begin);
    const dim_t column_bytes = plan_.b.column * plan_.b.size();
    const auto *const b = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
    const auto multiply = [&](const std::byte *a, int rows, std::byte *sums) {
        matrix::dot_spec_t spec = dot_spec(rows);
        matrix::dot_args_t args{.a = a,
                .a_pitch = a_pitch_,
                .b = b + first * column_bytes,
                .b_pitch = column_bytes,
                .b_ahead = divide_up<dim_t>(matrix::dot_bytes_ahead,
                                   std::max<dim_t>(1, plan_.b.bytes(plan_.k)))
                           * column_bytes,
                .vectors = spec.set_length(plan_.k),
                .sums = reinterpret_cast<float *>(sums),
                .sums_pitch = plan_.partial_pitch()};
        args.set_columns(spec, std::min(plan_.n, panels.end * width_) - first);
        if (plan_.has_groups()) set_groups_of_dots(args, place, first);
        (*dots_[static_cast<size_t>(rows)])(args);
    };
    for (dim_t strip = strips.begin; strip < strips.end; ++strip) {
        const dim_t row = blocking_.first_row(strip);
        multiply(a_at(place, strips, row), blocking_.rows_of(strip) + joins_ones(),
                place.partial + (row - begin) * plan_.partial_pitch());
    }
    if (plan_.has_row_of_ones() && !joins_ones())
        multiply(place.a + plan_.chunk_rows() * a_pitch_, 1, place.shift);
    call_tiles(place, {strips, strips, panels},
            {0, true, true, place.partial, begin, plan_.partial_pitch()}, {});
}

void tiles_matmul_t::set_groups_of_dots(
        matrix::dot_args_t &args, const task_place_t &place, dim_t column) const {
    const group_plan_t &groups = plan_.groups;
    args.groups = groups.extent == 0 ? 1 : plan_.group_count();
    args.group_vectors = args.vectors / args.groups;
    const auto set = [&](size_t operand, const matrix::matrix_layout_t &layout, const void *&at,
                             dim_t &pitch) {
        at = moved(place.operands[operand], layout.bytes(column * layout.column));
        pitch = layout.bytes(layout.row);
    };
    set(b_scale_operand, groups.b_scale.layout, args.scales, args.scale_pitch);
    set(b_zero_operand, groups.b_zero.layout, args.zeros, args.zero_pitch);
}

void tiles_matmul_t::multiply_few_columns(const task_place_t &place, range_t strips) const {
    const auto *const b = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
    (*pack_columns_)(b, {0, plan_.n}, place.b);
    const bool are_results = plan_.has_results_of_dots();
    matrix::dot_spec_t spec = dot_spec(static_cast<int>(plan_.n));
    const dim_t vectors = spec.set_length(plan_.k), lanes = jit::lanes_of(plan_.spec.isa);
    const dim_t row = blocking_.first_row(strips.begin);
    matrix::dot_args_t block{.a = place.b,
            .a_pitch = 0,
            .b = a_at(place, strips, row),
            .b_pitch = a_pitch_,
            .vectors = vectors,
            .sums = reinterpret_cast<float *>(are_results ? c_at(place, row, 0) : place.partial),
            .sums_pitch = are_results ? c_pitch_ : plan_.partial_pitch()};
    block.set_columns(spec, blocking_.first_row(strips.end) - row);
    for (dim_t first = 0; first == 0 || first < vectors; first += plan_.dot_vectors) {
        matrix::dot_args_t args = block;
        args.vectors = std::min(vectors - first, plan_.dot_vectors);
        args.adds = first != 0;
        args.omits_tail = first + args.vectors < vectors;
        args.a = place.b + first * plan_.n * lanes * 4;
        const dim_t offset = first * lanes * spec.lane_bytes();
        args.b = moved(block.b, offset);
        args.b_rest = moved(block.b_rest, offset);
        (*dots_.front())(args);
    }
    if (are_results) return;
    call_tiles(place, {strips, strips, {0, 1}},
            {0, true, true, place.partial, blocking_.first_row(strips.begin),
                    plan_.partial_pitch()},
            {});
}

/// The end of the strips from `strip` to `end` that a kernel computes in one call: those of as many
/// rows, unless each of them fetches other lines of B. The last one of a chunk fetches the first
/// rows of A, others those that follow.
dim_t tiles_matmul_t::end_of_call(range_t chunk, dim_t strip, dim_t end) const {
    if (plan_.fetch.lines != 0) return strip + 1;
    if (plan_.spec.fetches_a && end == chunk.end && strip + 1 < end) --end;
    return strip < blocking_.tall ? std::min(end, blocking_.tall) : end;
}

const jit::executable_code_t &tiles_matmul_t::code_of(dim_t strip, bool copies_b) const {
    if (copies_b) return strip < blocking_.tall ? *copying_tall_ : *copying_low_;
    return strip < blocking_.tall ? *tall_ : *low_;
}

} // namespace kiln::x64::matmul
