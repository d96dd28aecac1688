// SPDX-License-Identifier: Apache-2.0
// Products by AMX: what it gets of A and B, and the calls of its kernel.

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/x64/matmul/tiles_execution.hpp"
#include "cpu/x64/matrix/amx_rest.hpp"

namespace kiln::x64::matmul {
namespace {

/// Rows of each call but the last one, which may have fewer. A second tile of a few rows takes as
/// long as one of eight.
dim_t rows_of_call(dim_t rows) {
    constexpr dim_t least_of_two_tiles = matrix::amx_rows + 4, good = matrix::amx_rows + 8;
    const dim_t calls = divide_up<dim_t>(rows, matrix::most_amx_rows);
    const dim_t even = divide_up(rows, calls);
    return even > matrix::amx_rows && even < least_of_two_tiles && calls > 1 ? good : even;
}

/// Steps that are multiplied in all panels before the next ones, as many in each run: about `near`,
/// whose rows of A stay in the first-level cache. Sums of a few are stored once, of some twice,
/// though rows of A leave that cache meanwhile.
dim_t steps_of_run(dim_t steps, dim_t near) {
    const dim_t few = 2 * near, some = 2 * few;
    if (steps <= few) return steps;
    return divide_up(steps, steps <= some ? 2 : steps / near);
}

} // namespace

const std::byte *tiles_matmul_t::rest_of_a(const void *rows) const {
    return static_cast<const std::byte *>(rows)
           + plan_.amx_whole() * matrix::element_bytes(plan_.spec.step);
}

void tiles_matmul_t::copy_rest_of_a(
        const task_place_t &place, const void *rows, dim_t count) const {
    matrix::amx_rest_args_t args{
            .src = rest_of_a(rows), .pitch = a_pitch_, .dst = place.a_rest, .rows = count};
    (*copy_rest_)(args);
}

void tiles_matmul_t::convert_for_amx(
        const task_place_t &place, range_t steps, range_t panels) const {
    const matrix::amx_conversion_spec_t &spec = plan_.conversion;
    const group_plan_t &groups = plan_.groups;
    const dim_t depth = plan_.depth(), lane = spec.lane_depth(), step_bytes = width_ * 4;
    const range_t elements{steps.begin * depth, std::min(plan_.k, steps.end * depth)};
    const dim_t extent = groups.extent == 0 ? plan_.k : groups.extent;
    const auto *const weights = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
    const std::byte *from =
            weights + (panels.begin * plan_.padded_steps + elements.begin / lane) * step_bytes;
    dim_t from_panel = plan_.padded_steps * step_bytes;
    if (plan_.packs_before_conversion()) {
        const dim_t first = elements.begin / lane;
        const range_t lane_steps{first, first + plan_.lane_steps(steps.size())};
        (*pack_b_)(weights, lane_steps, panels, place.lanes);
        from = place.lanes;
        from_panel = matrix::packed_panel_bytes(lane_steps.size(), width_);
    }
    std::byte *to = place.b;
    const dim_t panel_bytes = matrix::packed_panel_bytes(plan_.packed_steps(steps.size()), width_);
    for (dim_t panel = panels.begin; panel < panels.end; ++panel, to += panel_bytes) {
        const auto values = [&](size_t operand, const group_values_t &of_groups, dim_t k) {
            const matrix::matrix_layout_t &layout = of_groups.layout;
            const dim_t row = k / extent / of_groups.run;
            return moved(place.operands[operand],
                    layout.bytes(row * layout.row + panel * width_ * layout.column));
        };
        std::byte *end = to;
        for (dim_t k = elements.begin, next = k; k < elements.end; k = next) {
            next = std::min(elements.end, (k / extent + 1) * extent);
            const dim_t run = std::max<dim_t>(lane, 2);
            matrix::amx_conversion_args_t args{.src = from + (panel - panels.begin) * from_panel
                                                      + (k - elements.begin) / lane * step_bytes,
                    .dst = end,
                    .runs = lane == 1 ? (next - k) / run : divide_up(next - k, run),
                    .has_half = lane == 1 && (next - k) % run != 0,
                    .is_tail = panel + 1 == blocking_.panels,
                    .scales = values(b_scale_operand, groups.b_scale, k),
                    .zeros = values(b_zero_operand, groups.b_zero, k)};
            end += (args.runs * run / depth + args.has_half) * step_bytes;
            (*convert_b_)(args);
        }
        std::byte *const padded = to + plan_.packed_steps(steps.size()) * step_bytes;
        if (end < padded) std::fill(end, padded, std::byte{0});
    }
}

void tiles_matmul_t::set_results(matrix::amx_results_place_t &results, const task_place_t &place,
        const tiles_t &tiles, dim_t row, dim_t panel, dim_t group) const {
    if (plan_.has_amx_results()) return;
    const dim_t values = values_offset(tiles.chunk, tiles.chunk.begin, group)
                         + (row - blocking_.first_row(tiles.chunk.begin)) * 4;
    const auto of_columns = [&](size_t operand, const group_values_t &of_groups) {
        const matrix::matrix_layout_t &layout = of_groups.layout;
        return moved(place.operands[operand],
                layout.bytes(group / of_groups.run * layout.row + panel * width_ * layout.column));
    };
    const matrix::group_spec_t &groups = plan_.spec.groups;
    results.dst = c_at(place, row, panel);
    const void **operands = results.operands;
    if (plan_.has_amx_groups()) {
        if (groups.has_a_scale) *operands++ = place.scales + values;
        if (groups.b_scale.exists())
            *operands++ = of_columns(b_scale_operand, plan_.groups.b_scale);
        *operands++ = place.totals;
        if (!is_last_group(group)) results.dst = place.totals;
    }
    for (size_t i = 0; is_last_group(group) && i < plan_.epilogue.size(); ++i)
        operands[i] = operand_at(place, i, row, panel);
    if (groups.b_zero.exists())
        results.offsets[matrix::b_zero_offset] = {of_columns(b_zero_operand, plan_.groups.b_zero),
                reinterpret_cast<const int32_t *>(place.sums + values)};
    if (!plan_.spec.subtracts) return;
    const dim_t group_columns = group * shift_pitch() / 4;
    results.offsets[matrix::a_zero_offset] = {
            sums_of_columns(place, tiles.panels, panel) + group_columns,
            reinterpret_cast<const int32_t *>(place.zeros + values)};
}

void tiles_matmul_t::multiply_by_amx(const task_place_t &place, const tiles_t &tiles,
        const block_t &block, range_t steps, dim_t b_panel) const {
    const range_t chunk = tiles.chunk, strips = tiles.strips, panels = tiles.panels;
    const std::byte *const b = tiles.b;
    const dim_t depth = matrix::amx_depth(plan_.spec.step);
    const dim_t end_of_steps =
            steps.end == plan_.steps() ? plan_.amx_elements() : steps.end * plan_.depth();
    const dim_t elements = end_of_steps - steps.begin * plan_.depth();
    const dim_t groups = plan_.group_count();
    assert(groups == 1 || blocking_.blocks == 1);
    const dim_t whole_steps = elements / groups / depth;
    const bool has_rest = elements % depth != 0;
    const dim_t near_steps =
            steps_of_run(whole_steps, matrix::near_amx_steps / matrix::a_copies(plan_.spec.step));
    const bool keeps_sums = !block.finishes || block.adds || plan_.has_partial_in_dst;
    const bool fetches_dst = plan_.amx_fetches_dst && !place.is_non_temporal
                             && (plan_.has_partial_in_dst ? !block.adds : block.finishes);
    const auto &last_code = place.is_non_temporal ? *non_temporal_amx_ : *amx_;
    // Sums that nothing is added to stay in the first-level cache if all panels store them to the
    // same place.
    const bool share_place = !keeps_sums && near_steps == whole_steps;
    const dim_t panel_pitch = width_ * 4;
    // Sums that are stored once need not stay near.
    const dim_t call_panels = near_steps == whole_steps && !plan_.has_amx_groups()
                                      ? panels.size()
                                      : matrix::near_amx_panels;
    matrix::amx_args_t args{.a_pitch = a_pitch_,
            .b_panel = b_panel,
            .near_steps = near_steps,
            .has_rest = has_rest,
            .sums_pitch = share_place ? panel_pitch : block.partial_pitch,
            .sums_panel = share_place ? 0 : panel_pitch,
            .results = {.finishes = block.finishes,
                    .rows_of_step = divide_up<dim_t>(
                            matrix::most_amx_rows, std::max<dim_t>(1, near_steps + has_rest))}};
    const dim_t begin = blocking_.first_row(strips.begin), end = blocking_.first_row(strips.end);
    const dim_t end_of_a = plan_.packs_a ? end : plan_.m;
    const auto multiply = [&](dim_t row, range_t columns, dim_t group) {
        const bool is_last = is_last_group(group);
        args.a = a_at(place, chunk, row) + tiles.a_offset
                 + group * whole_steps * matrix::amx_row_bytes;
        args.b = b + (columns.begin - panels.begin) * b_panel
                 + group * whole_steps * matrix::amx_rows * step_bytes_;
        args.steps = whole_steps;
        args.has_last = blocking_.tail != 0 && columns.end == blocking_.panels;
        args.panels = columns.size() - args.has_last;
        args.sums = keeps_sums ? block.partial_at(row) + (columns.begin - panels.begin) * width_ * 4
                               : block.partial;
        args.adds = block.adds;
        set_results(args.results.next, place, tiles, row, columns.begin, group);
        args.results.dst_pitch = is_last ? c_pitch_ : plan_.partial_pitch();
        args.fetched_dst = fetches_dst && is_last ? c_at(place, row, columns.begin) : nullptr;
        // Other code makes results of the last group.
        args.results.ends = groups > 1 ? group + 2 >= groups
                                       : row + args.rows == end && columns.end == panels.end;
        args.configures = place.amx_rows != args.rows;
        place.amx_rows = args.rows;
        if (place.amx_calls != nullptr) place.amx_calls->add(args);
        is_last ? last_code(args) : (*totals_amx_)(args);
    };
    // All calls have as many rows, so that tile registers keep their sizes: the last one repeats
    // some of the rows before, if they are few and results do not depend on what dst holds.
    const dim_t rows = rows_of_call(end - begin);
    args.set_rows(rows);
    for (dim_t row = begin, next = row; row < end; row = next) {
        next = std::min(end, row + rows);
        const dim_t missing = row + rows - next;
        if (plan_.may_repeat_rows && !block.adds && row - missing >= begin && missing <= rows / 4)
            row -= missing;
        else if (missing != 0)
            args.set_rows(next - row);
        if (row == begin && plan_.amx_fetches_b)
            args.ahead = block.next_b != nullptr ? block.next_b : b;
        else if (!plan_.amx_fetches_b)
            args.ahead = a_at(place, chunk, next < end_of_a ? next : row) + tiles.a_offset;
        if (args.has_rest) {
            const std::byte *const rows_of_a = a_at(place, chunk, row);
            const bool reads_rest = plan_.reads_beyond_rows() && row + args.rows < plan_.m;
            if (!reads_rest) copy_rest_of_a(place, rows_of_a, args.rows);
            args.a_rest = reads_rest ? rest_of_a(rows_of_a) : place.a_rest;
            args.rest_pitch = reads_rest ? a_pitch_ : matrix::amx_row_bytes;
        }
        for (dim_t panel = panels.begin; panel < panels.end; panel += call_panels) {
            std::fill_n(place.totals, plan_.totals_bytes, std::byte{0});
            for (dim_t group = 0; group < groups; ++group)
                multiply(row, {panel, std::min(panels.end, panel + call_panels)}, group);
        }
    }
}

void tiles_matmul_t::multiply_run_by_amx(task_place_t place, dim_t count) const {
    amx_calls_t calls;
    place.amx_calls = &calls;
    std::optional<calls_of_sums_t> sums;
    if (plan_.has_groups() || plan_.has_a_zero) place.calls_of_sums = &sums.emplace();
    multiply(place, {0, blocking_.strips}, {0, blocking_.panels});
    const row_offsets_t pitches = pitches_of_batch();
    const dim_t a_pitch = pack_a_ ? 0 : pitches[plan_.a_operand()];
    const dim_t b_pitch = pack_b_ ? 0 : pitches[plan_.b_operand()];
    const dim_t dst_pitch = pitches[dst_operand];
    const bool has_scaling = !plan_.spec.epilogue.empty() || plan_.has_amx_groups();
    const auto move = [](auto &address, dim_t bytes) { return address = moved(address, bytes); };
    for (dim_t matrix = 1; matrix < count; ++matrix) {
        go_to_next_matrix(place, pitches);
        if (sums) repeat_sums(place, a_pitch, b_pitch);
        for (size_t i = 0; i < calls.count; ++i) {
            amx_calls_t::call_t &call = *calls.list[i];
            matrix::amx_args_t &args = call.args;
            args.a = move(call.a, a_pitch);
            args.ahead = move(call.ahead, a_pitch);
            args.b = move(call.b, b_pitch);
            args.steps = call.steps;
            args.adds = 0;
            if (plan_.has_partial_in_dst) move(args.sums, dst_pitch);
            args.fetched_dst = move(call.fetched_dst, dst_pitch);
            matrix::amx_results_place_t &next = args.results.next;
            next.dst = move(call.next.dst, dst_pitch);
            for (size_t e = 0; e < plan_.epilogue.size(); ++e)
                next.operands[e] = move(call.next.operands[e], pitches[first_epilogue_operand + e]);
            if (sums) std::ranges::copy(call.next.offsets, next.offsets);
            if (args.has_rest && (i == 0 || calls.list[i - 1]->a != call.a))
                copy_rest_of_a(place, args.a, args.rows);
            args.configures = place.amx_rows != args.rows;
            place.amx_rows = args.rows;
            if (i == 0)
                args.results.pending_rows = 0;
            else
                args.results.take_pending(calls.list[i - 1]->args.results, has_scaling);
            (*amx_)(args);
        }
    }
    release_amx(place);
}

void tiles_matmul_t::multiply_by_steps(
        const task_place_t &place, range_t strips, range_t panels) const {
    matrix::amx_compressed_spec_t spec = plan_.by_steps;
    const group_plan_t &groups = plan_.groups;
    const dim_t begin = blocking_.first_row(strips.begin);
    const dim_t results = blocking_.first_row(strips.end) - begin;
    const dim_t rows = plan_.rows_by_amx(results), rows_at_a_time = rows_of_call(rows);
    const dim_t pitch = plan_.partial_pitch();
    const dim_t steps = plan_.amx_whole() / plan_.amx_depth();
    const dim_t rest = std::max<dim_t>(0, plan_.k - plan_.amx_whole());
    const auto values = [&](size_t operand, const group_values_t &of_groups) {
        const matrix::matrix_layout_t &layout = of_groups.layout;
        return moved(place.operands[operand], layout.bytes(panels.begin * width_ * layout.column));
    };
    matrix::amx_compressed_args_t args{.a_pitch = a_pitch_,
            .a_rest = place.a_rest,
            .b_panel = plan_.padded_steps * width_ * 4,
            .has_tail = blocking_.tail != 0 && panels.end == blocking_.panels,
            .steps = steps,
            .rest_lanes = divide_up<dim_t>(rest, spec.lane_depth()),
            .sums_pitch = pitch,
            .group_steps = groups.extent == 0 ? steps : groups.extent / plan_.amx_depth(),
            .scale_pitch = groups.b_scale.layout.bytes(groups.b_scale.layout.row),
            .zero_pitch = groups.b_zero.layout.bytes(groups.b_zero.layout.row)};
    args.set_buffer(place.b);
    if (spec.scale.exists()) std::fill_n(place.partial, rows * pitch, std::byte{0});
    for (dim_t row = 0; row < rows; row += rows_at_a_time) {
        const dim_t count = std::min(rows_at_a_time, rows - row);
        spec.row_tiles = count > matrix::amx_rows ? 2 : 1;
        args.set_rows(spec, count);
        args.a = place.a + row * a_pitch_;
        if (copy_rest_) copy_rest_of_a(place, args.a, count);
        args.b = moved(place.operands[plan_.b_operand()], panels.begin * args.b_panel);
        args.panels = panels.size();
        args.sums = place.partial + row * pitch;
        args.scales = values(b_scale_operand, groups.b_scale);
        args.zeros = values(b_zero_operand, groups.b_zero);
        spec.row_tiles == 1 ? (*steps_)(args) : (*steps_of_two_tiles_)(args);
    }
    if (plan_.has_remainders()) add_sums_of_remainders(place, results, panels.size() * width_);
    call_tiles(place, {strips, strips, panels}, {0, true, true, place.partial, begin, pitch}, {});
}

void tiles_matmul_t::add_sums_of_remainders(
        const task_place_t &place, dim_t rows, dim_t columns) const {
    const dim_t pitch = plan_.partial_pitch() / 4;
    auto *const sums = reinterpret_cast<float *>(place.partial);
    for (dim_t row = 0; row < rows; ++row)
        for (dim_t i = 0; i < columns; ++i) sums[row * pitch + i] += sums[(rows + row) * pitch + i];
}

void tiles_matmul_t::release_amx(const task_place_t &place) const {
    if (place.amx_rows == 0) return;
    matrix::amx_args_t args{.releases = true};
    (*amx_)(args);
}

} // namespace kiln::x64::matmul
