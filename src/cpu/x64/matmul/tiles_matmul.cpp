// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication by tiles: tasks, blocks and calls of kernels. A task computes a rectangle
// of strips x panels of a matrix:
//     for chunks of strips whose rows of A are packed
//         for blocks of panels
//             for blocks of K: B's part of the block is packed to a buffer in the L2 cache
//                 for strips: tiles of the strip and the block's panels
// Matrices of a batch whose calls of kernels differ in addresses alone are multiplied by the calls
// of the first one.
// Tasks compute different elements of dst, or different blocks of K whose sums are added in order.

#include "cpu/x64/matmul/tiles_matmul.hpp"

#include <cstddef>
#include <cstring>

#include "common/integers.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matmul/amx_plan.hpp"
#include "cpu/x64/matmul/tiles_execution.hpp"
#include "cpu/x64/matrix/amx_rest.hpp"
#include "cpu/x64/parallel_stores.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::matmul {
namespace {

/// For strips that have a row less.
matrix::tile_spec_t lowered(matrix::tile_spec_t spec) {
    --spec.rows;
    return spec;
}

/// For strips whose tiles pack B, or convert it.
matrix::tile_spec_t copying(const tiles_plan_t &plan) {
    matrix::tile_spec_t spec = plan.spec;
    spec.is_packed = matrix::converts_b(spec.step);
    spec.copies_b = spec.fetches_b = true;
    spec.fetches_a = false;
    spec.b_type = plan.b.type;
    return spec;
}

/// For strips that read what others have packed or converted: zero points are subtracted then.
matrix::tile_spec_t reading(const tiles_plan_t &plan) {
    matrix::tile_spec_t spec = plan.spec;
    if (!plan.copies_b()) return spec;
    spec.step = matrix::base_of(spec.step);
    spec.b_type = dnnl_f32;
    spec.groups.are_summed_apart = spec.groups.exist(); // as by the strips that convert
    spec.groups.b_zero = {};
    return spec;
}

/// Bytes of a step of a packed panel; of weights that are converted, those before the conversion.
dim_t bytes_of_step(const tiles_plan_t &plan) {
    const int width = plan.spec.stream_width();
    return plan.converts_weights && !matrix::converts_b(plan.spec.step) ? plan.b.bytes(width)
                                                                        : plan.spec.b_bytes(width);
}

} // namespace

tiles_matmul_t::tiles_matmul_t(const tiles_plan_t &plan)
    : plan_(plan)
    , blocking_(plan.blocking)
    , width_(plan.spec.width())
    , a_pitch_(plan.packs_a ? matrix::a_packer_t::pitch(plan.spec.step, plan.k)
                            : plan.a.row * plan.a.size())
    , b_pitch_(plan.b.bytes(plan.b.row))
    , c_pitch_(plan.c.row * plan.c.size())
    , a_step_(plan.spec.a_is_transposed ? plan.a.bytes(plan.a.column)
                                        : matrix::a_bytes(plan.spec.step))
    , c_size_(plan.c.size())
    , step_bytes_(bytes_of_step(plan))
    , has_row_values_(plan.has_row_values()) {
    if (plan.is_by_amx) {
        const auto kernel = [&](amx_result_t result) {
            return matrix::amx_kernel_t(amx_spec(plan, result)).finish();
        };
        amx_ = kernel(amx_result_t::ordinary);
        if (plan.may_be_non_temporal) non_temporal_amx_ = kernel(amx_result_t::non_temporal);
        if (plan.has_amx_groups()) totals_amx_ = kernel(amx_result_t::totals);
    } else {
        tall_ = matrix::tile_kernel_t(reading(plan)).finish();
        if (blocking_.tall != blocking_.strips)
            low_ = matrix::tile_kernel_t(lowered(reading(plan))).finish();
    }
    if (plan.copies_b()) {
        const matrix::tile_spec_t spec = copying(plan);
        copying_tall_ = matrix::tile_kernel_t(spec).finish();
        if (plan.begins_low()) copying_low_ = matrix::tile_kernel_t(lowered(spec)).finish();
    }
    const isa_t isa = plan.spec.isa;
    if (plan.has_digits())
        make_digits_ = matrix::digit_kernel_t(
                {.isa = isa,
                        .src_type = plan.a.type,
                        .step = plan.spec.step,
                        .shift = plan.spec.b_shift(),
                        .tail = static_cast<int>(
                                (plan.groups.extent != 0 ? plan.groups.extent : plan.k)
                                % jit::lanes_of(isa))})
                               .finish();
    else if (plan.packs_a)
        pack_a_.emplace(isa, plan.spec.step, plan.a, plan.m, plan.k);
    if (plan.has_remainders())
        pack_remainders_.emplace(
                isa, plan.spec.step, plan.a, plan.m, plan.k, matrix::a_rows_t::remainders);
    if (plan.converts_for_amx() && !plan.splits_weights())
        convert_b_ = matrix::amx_conversion_kernel_t(plan.conversion).finish();
    if (plan.packs_before_conversion())
        pack_b_.emplace(isa, matrix::lane_step_of(plan.b.type), plan.b, plan.k, plan.n, blocking_);
    else if (plan.splits_weights())
        pack_b_.emplace(isa, plan.spec.step, matrix::matrix_layout_t{plan.b.type, width_, 1},
                plan.k, width_, blocking_, matrix::amx_rows);
    else if (plan.packs_b() && !plan.converts_for_amx() && !plan.copies_b())
        pack_b_.emplace(isa, plan.spec.step, plan.b, plan.k, plan.n, blocking_,
                plan.is_by_amx ? matrix::amx_rows : 1);
    if (plan.sums_columns_apart()) {
        matrix::tile_spec_t spec = plan.spec;
        spec.rows = 1;
        if (plan.is_by_amx) { // ones have any sign; B is not shifted
            spec.a_is_signed = plan.spec.b_type == dnnl_u8;
        }
        spec.subtracts = spec.takes_products = false;
        spec.lines_ahead = 0;
        spec.has_blocks = true;
        spec.dst_type = dnnl_s32;
        spec.groups = {};
        spec.epilogue.clear();
        shifts_ = matrix::tile_kernel_t(spec).finish();
    }
    if (plan.has_few_columns())
        pack_columns_.emplace(isa, plan.spec.step,
                matrix::matrix_layout_t{plan.b.type, plan.b.column, plan.b.row}, plan.n, plan.k,
                matrix::a_rows_t::alternating);
    if (plan.has_sums_of_rows_alone()) sum_rows_ = matrix::dot_kernel_t(sum_spec()).finish();
    const dim_t rest = plan.amx_rest() * matrix::element_bytes(plan.spec.step);
    if (rest != 0 && (plan.is_by_amx || plan.is_by_steps()))
        copy_rest_ = matrix::amx_rest_kernel_t(plan.spec.isa, static_cast<int>(rest)).finish();
    if (plan.is_by_steps()) {
        matrix::amx_compressed_spec_t spec = plan.by_steps;
        steps_ = matrix::amx_compressed_kernel_t(spec).finish();
        spec.row_tiles = 2;
        if (plan.rows_by_amx(plan.m) > matrix::amx_rows)
            steps_of_two_tiles_ = matrix::amx_compressed_kernel_t(spec).finish();
    }
    if (plan.has_dots()) generate_dots();
}

status_t tiles_matmul_t::execute(const exec_ctx_t &ctx) const {
    reciprocal_t of_divisor;
    const addresses_t bases = plan_.operands.bind(ctx, of_divisor);
    if (plan_.is_cut_along_k()) {
        execute_runs(bases, ctx.scratchpad());
        return dnnl_success;
    }
    const dim_t parts = plan_.parts.count(), items = plan_.batch->rows() * parts;
    const dim_t grain = divide_up(items, plan_.tasks);
    parallel_stores(items, grain, plan_.may_be_non_temporal,
            [=, this, &bases, &ctx](dim_t begin, dim_t end) {
                task_place_t place = place_of(ctx.scratchpad(), begin / grain);
                if (plan_.has_alike_matrices) {
                    plan_.batch->for_each_run(begin, end, [&](const row_run_t &run) {
                        plan_.operands.locate(bases, run.offsets, place.operands);
                        amx_ ? multiply_run_by_amx(place, run.count)
                             : multiply_run(place, run.count);
                    });
                    return;
                }
                dim_t item = begin, part = begin % parts; // of a matrix
                const auto multiply_parts = [&](const row_offsets_t &offsets) {
                    locate(place, bases, offsets);
                    for (; part < parts && item < end; ++part, ++item) {
                        const range_t strips = matrix::part_of(
                                blocking_.strips, plan_.parts.strips, part / plan_.parts.panels);
                        const range_t panels = matrix::part_of(
                                blocking_.panels, plan_.parts.panels, part % plan_.parts.panels);
                        multiply(place, strips, panels);
                    }
                    part = 0;
                };
                plan_.batch->for_each_row(begin / parts, divide_up(end, parts), multiply_parts);
                release_amx(place);
            });
    return dnnl_success;
}

task_place_t tiles_matmul_t::place_of(std::byte *scratchpad, dim_t task) const {
    std::byte *const begin = scratchpad + static_cast<size_t>(task) * plan_.task_bytes();
    std::byte *const a_rest = begin + plan_.a_bytes;
    std::byte *const b = a_rest + plan_.a_rest_bytes;
    std::byte *const lanes = b + plan_.b_bytes;
    std::byte *const partial = lanes + plan_.lane_bytes;
    std::byte *const totals = partial + plan_.partial_bytes;
    std::byte *const end = totals + plan_.totals_bytes;
    std::byte *const shift =
            plan_.has_row_of_ones() ? partial + plan_.chunk_rows() * plan_.partial_pitch() : end;
    std::byte *const sums = end + plan_.shift_bytes;
    std::byte *const scales = sums + plan_.group_bytes;
    return {{}, begin, a_rest, b, lanes, partial, totals, shift, sums, scales,
            scales + plan_.group_bytes};
}

void tiles_matmul_t::locate(
        task_place_t &place, const addresses_t &bases, const row_offsets_t &offsets) const {
    plan_.operands.locate(bases, offsets, place.operands);
    place.is_non_temporal = plan_.may_be_non_temporal
                            && are_aligned(place.operands[dst_operand], c_pitch_, cache_line_bytes);
}

void tiles_matmul_t::multiply(const task_place_t &place, range_t strips, range_t panels) const {
    const dim_t blocks = blocking_.blocks;
    using panel_t = std::optional<dim_t>;
    const auto multiply_rectangle = [&](range_t chunk, range_t columns, range_t of_k,
                                            panel_t next) {
        if (pack_columns_) return multiply_few_columns(place, chunk);
        if (steps_) return multiply_by_steps(place, chunk, columns);
        if (plan_.has_dots()) return multiply_by_dots(place, chunk, columns);
        for (dim_t index = of_k.begin; index < of_k.end; ++index) {
            block_t block{.index = index,
                    .adds = index != 0,
                    .finishes = index + 1 == blocks,
                    .partial = place.partial,
                    .partial_row = blocking_.first_row(chunk.begin),
                    .partial_pitch = plan_.partial_pitch(),
                    .has_b = chunk.begin != strips.begin && plan_.is_one_block(panels.size())};
            if (plan_.has_partial_in_dst) {
                block.partial = c_at(place, blocking_.first_row(chunk.begin), columns.begin);
                block.partial_pitch = c_pitch_;
            } else if (plan_.has_outer_blocks()) {
                block.partial += (columns.begin - panels.begin) * width_ * 4;
            }
            if (plan_.amx_fetches_b && next)
                block.next_b = b_at(place, *next, index);
            else if (plan_.amx_fetches_b && !block.finishes)
                block.next_b = b_at(place, panels.begin, index + 1);
            else if (plan_.fetch.lines != 0 && !block.finishes)
                block.next_b = b_at(place, columns.begin, index + 1);
            else if (plan_.fetch.lines != 0 && next)
                block.next_b = b_at(place, *next, 0);
            multiply_block(place, chunk, columns, block);
        }
    };
    for_each_rectangle(place, strips, panels, multiply_rectangle);
}

row_offsets_t tiles_matmul_t::pitches_of_batch() const {
    row_offsets_t pitches{};
    for (size_t i = 0; i < plan_.operands.count(); ++i)
        pitches[i] = plan_.operands.pitch_of(i, *plan_.batch);
    return pitches;
}

void tiles_matmul_t::go_to_next_matrix(task_place_t &place, const row_offsets_t &pitches) const {
    const range_t strips{0, blocking_.strips}, panels{0, blocking_.panels};
    for (size_t i = 0; i < plan_.operands.count(); ++i)
        place.operands[i] = moved(place.operands[i], pitches[i]);
    pack_a(place, strips);
    if (pack_b_)
        (*pack_b_)(static_cast<const std::byte *>(place.operands[plan_.b_operand()]),
                {0, plan_.steps()}, panels, place.b);
}

void tiles_matmul_t::multiply_run(task_place_t place, dim_t count) const {
    const range_t strips{0, blocking_.strips}, panels{0, blocking_.panels};
    calls_t calls;
    place.calls = &calls;
    std::optional<calls_of_sums_t> sums;
    if (has_row_values_ || shifts_) place.calls_of_sums = &sums.emplace();
    multiply(place, strips, panels);
    const row_offsets_t pitches = pitches_of_batch();
    const dim_t a_pitch = plan_.packs_a ? 0 : pitches[plan_.a_operand()];
    const dim_t b_pitch = pack_b_ ? 0 : pitches[plan_.b_operand()];
    for (dim_t matrix = 1; matrix < count; ++matrix) {
        go_to_next_matrix(place, pitches);
        if (sums) repeat_sums(place, a_pitch, b_pitch);
        for (size_t i = 0; i < calls.count; ++i) {
            const tile_args_t &first = calls.list[i].args;
            // Copies of bytes that were stored just now would wait for these stores.
            tile_args_t args;
            std::memcpy(&args, &first, offsetof(tile_args_t, operands));
            args.a = moved(first.a, matrix * a_pitch);
            args.b = moved(first.b, matrix * b_pitch);
            args.dst = moved(first.dst, matrix * pitches[dst_operand]);
            for (size_t e = 0; e < plan_.epilogue.size(); ++e)
                args.operands[e] =
                        moved(first.operands[e], matrix * pitches[first_epilogue_operand + e]);
            (*calls.list[i].code)(args);
        }
    }
}

template <typename body_t>
void tiles_matmul_t::for_each_rectangle(
        const task_place_t &place, range_t strips, range_t panels, const body_t &body) const {
    const dim_t of_call = plan_.has_outer_blocks() ? 1 : blocking_.blocks;
    for (dim_t first = strips.begin; first < strips.end; first += plan_.chunk_strips) {
        const range_t chunk{first, std::min(strips.end, first + plan_.chunk_strips)};
        pack_a(place, chunk);
        if (has_row_values_) find_row_values(place, chunk);
        const std::optional<dim_t> next_chunk =
                chunk.end < strips.end && of_call == blocking_.blocks ? std::optional(panels.begin)
                                                                      : std::nullopt;
        for (dim_t block = 0; block < blocking_.blocks; block += of_call)
            for (dim_t p = panels.begin; p < panels.end; p += blocking_.block_panels) {
                const dim_t end = std::min(panels.end, p + blocking_.block_panels);
                body(chunk, range_t{p, end}, range_t{block, block + of_call},
                        end < panels.end ? std::optional(end) : next_chunk);
            }
    }
}

void tiles_matmul_t::execute_runs(const addresses_t &bases, std::byte *scratchpad) const {
    const dim_t runs = plan_.k_runs, pitch = plan_.partial_pitch();
    const dim_t run_bytes = plan_.m * pitch;
    std::byte *const buffers = scratchpad + round_up<dim_t>(runs * run_bytes, 64);
    const range_t strips{0, blocking_.strips}, panels{0, blocking_.panels};
    const dim_t parts = plan_.parts.panels, grain = divide_up(runs * parts, plan_.tasks);
    cpu::parallel_chunks(runs * parts, grain, [&](dim_t begin, dim_t end) {
        task_place_t place = place_of(buffers, begin / grain);
        locate(place, bases, plan_.batch->offsets_of(0));
        while (begin < end) { // the runs of a part, as far as the task goes
            const range_t part = matrix::part_of(panels.size(), parts, begin / runs);
            const dim_t first = begin % runs, last = std::min(runs, first + end - begin);
            const auto multiply_runs = [&](range_t chunk, range_t columns, auto, auto) {
                for (dim_t run = first; run < last; ++run) {
                    std::byte *const partial = scratchpad + run * run_bytes
                                               + blocking_.first_row(chunk.begin) * pitch
                                               + columns.begin * width_ * 4;
                    const range_t blocks = matrix::part_of(blocking_.blocks, runs, run);
                    for (dim_t index = blocks.begin; index < blocks.end; ++index)
                        multiply_block(place, chunk, columns,
                                {.index = index,
                                        .adds = index != blocks.begin,
                                        .finishes = false,
                                        .partial = partial,
                                        .partial_row = blocking_.first_row(chunk.begin),
                                        .partial_pitch = pitch});
                }
            };
            for_each_rectangle(place, strips, part, multiply_runs);
            begin += last - first;
        }
        release_amx(place);
    });
    if (plan_.spec.has_integer_sums())
        add_runs(reinterpret_cast<uint32_t *>(scratchpad));
    else
        add_runs(reinterpret_cast<float *>(scratchpad));
    finish_runs(bases, scratchpad, strips, panels);
}

template <typename sum_t> void tiles_matmul_t::add_runs(sum_t *sums) const {
    constexpr dim_t lanes = 16; // a constant, of which compilers make vectors
    const dim_t pitch = plan_.partial_pitch() / 4, run_pitch = plan_.m * pitch;
    const auto add = [=, this](sum_t *total, auto count) {
        std::array<sum_t, lanes> values;
        for (dim_t i = 0; i < count; ++i) values[i] = total[i];
        for (dim_t run = 1; run < plan_.k_runs; ++run)
            for (dim_t i = 0; i < count; ++i) values[i] += total[run * run_pitch + i];
        for (dim_t i = 0; i < count; ++i) total[i] = values[i];
    };
    for (dim_t row = 0; row < plan_.m; ++row) {
        sum_t *const of_row = sums + row * pitch;
        const dim_t whole = plan_.n / lanes * lanes;
        for (dim_t i = 0; i < whole; i += lanes)
            add(of_row + i, std::integral_constant<dim_t, lanes>());
        add(of_row + whole, plan_.n - whole);
    }
}

void tiles_matmul_t::finish_runs(
        const addresses_t &bases, std::byte *partial, range_t strips, range_t panels) const {
    task_place_t place;
    place.partial = partial;
    locate(place, bases, plan_.batch->offsets_of(0));
    const tiles_t tiles{strips, strips, panels};
    const block_t block{0, true, true, partial, 0, plan_.partial_pitch()};
    if (!amx_) return call_tiles(place, tiles, block, {});
    multiply_by_amx(place, tiles, block, {0, 0}, 0);
    release_amx(place);
}

refusal_t tiles_accept(matmul_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    return accept_plan_of<tiles_matmul_t, tiles_plan_t>(
            plan, [&](tiles_plan_t &work) { return plan_tiles(pd, isa, work); });
}

} // namespace kiln::x64::matmul
