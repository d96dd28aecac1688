// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication by tiles: tasks, blocks and calls of kernels. A task computes a rectangle
// of strips x panels of a matrix:
//     for chunks of strips whose rows of A are packed
//         for blocks of panels
//             for blocks of K: B's part of the block is packed to a buffer in the L2 cache
//                 for strips: tiles of the strip and the block's panels
// Tasks compute different elements of dst, or different blocks of K whose sums are added in order.

#include "cpu/x64/matmul/tiles_matmul.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/matmul/row_sums.hpp"
#include "cpu/x64/matmul/tiles_plan.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"

namespace kiln::x64::matmul {

using matrix::range_t;
using matrix::tile_args_t;

namespace {

/// A row of A for the sums of columns, as long as a block: ones of 8 bits, or of 16 bits.
template <typename element_t>
constexpr auto ones = [] {
    constexpr size_t most_depth = 8;
    std::array<element_t, most_depth * matrix::most_block_steps> row{};
    row.fill(1);
    return row;
}();
/// Sums of rows of A where nothing is to be taken back.
constexpr int32_t no_sums[matrix::rows_of_group] = {};

/// Where a task works: the addresses of the operands of one matrix, and its buffers.
struct task_place_t {
    addresses_t operands;
    std::byte *a, *b, *partial, *shift, *sums, *scales;
};

/// For strips that have a row less.
matrix::tile_spec_t lowered(matrix::tile_spec_t spec) {
    --spec.rows;
    return spec;
}

/// For strips whose tiles pack B.
matrix::tile_spec_t copying(const tiles_plan_t &plan) {
    matrix::tile_spec_t spec = plan.spec;
    spec.is_packed = false;
    spec.copies_b = spec.fetches_b = true;
    spec.fetches_a = false;
    spec.b_type = plan.b.type;
    return spec;
}

class tiles_matmul_t : public primitive_impl_t {
public:
    explicit tiles_matmul_t(const tiles_plan_t &plan)
        : plan_(plan)
        , blocking_(plan.blocking)
        , width_(plan.spec.width())
        , a_pitch_(plan.packs_a ? matrix::a_packer_t::pitch(plan.spec.step, plan.k)
                                : plan.a.row * plan.a.size())
        , tall_(matrix::tile_kernel_t(plan.spec).finish()) {
        const bool has_low = blocking_.tall != blocking_.strips;
        if (has_low) low_ = matrix::tile_kernel_t(lowered(plan.spec)).finish();
        if (plan.copies_b()) {
            const matrix::tile_spec_t spec = copying(plan);
            copying_tall_ = matrix::tile_kernel_t(spec).finish();
            if (plan.begins_low()) copying_low_ = matrix::tile_kernel_t(lowered(spec)).finish();
        }
        const isa_t isa = plan.spec.isa;
        if (plan.packs_a) pack_a_.emplace(isa, plan.spec.step, plan.a, plan.m, plan.k);
        if (plan.packs_b() && !plan.copies_b())
            pack_b_.emplace(isa, plan.spec.step, plan.b, plan.k, plan.n, blocking_);
        if (plan.spec.subtracts) {
            matrix::tile_spec_t spec = plan.spec;
            spec.rows = 1;
            spec.subtracts = false;
            spec.has_blocks = true;
            spec.dst_type = dnnl_s32;
            spec.groups = {};
            spec.epilogue.clear();
            shifts_ = matrix::tile_kernel_t(spec).finish();
        }
        if (plan.has_dots()) dots_ = matrix::dot_kernel_t(dot_spec()).finish();
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const addresses_t bases = plan_.operands.bind(ctx);
        if (plan_.is_cut_along_k) {
            execute_blocks(bases, ctx.scratchpad());
            return dnnl_success;
        }
        const dim_t parts = plan_.parts.count(), items = plan_.batch->rows() * parts;
        const dim_t grain = divide_up(items, plan_.tasks);
        cpu::parallel_chunks(items, grain, [&](dim_t begin, dim_t end) {
            task_place_t place = place_of(ctx.scratchpad(), begin / grain);
            for (dim_t item = begin; item < end; ++item) {
                locate(place, bases, item / parts);
                const dim_t part = item % parts;
                const range_t strips = matrix::part_of(
                        blocking_.strips, plan_.parts.strips, part / plan_.parts.panels);
                const range_t panels = matrix::part_of(
                        blocking_.panels, plan_.parts.panels, part % plan_.parts.panels);
                multiply(place, strips, panels);
            }
        });
        return dnnl_success;
    }

private:
    /// Sums of one block of K, or of the blocks up to it, or results.
    struct block_t {
        dim_t index;
        bool adds, finishes;
        std::byte *partial; // of the first row and column of the call
        dim_t partial_pitch;
    };

    /// Tiles that read one block of B, at `b`: some strips of a chunk, and panels.
    struct tiles_t {
        range_t chunk, strips, panels;
        const std::byte *b = nullptr;
        dim_t a_offset = 0; // bytes, of the block's steps in rows of A
    };

    task_place_t place_of(std::byte *scratchpad, dim_t task) const {
        std::byte *const begin = scratchpad + static_cast<size_t>(task) * plan_.task_bytes();
        std::byte *const b = begin + plan_.a_bytes;
        std::byte *const partial = b + plan_.b_bytes;
        std::byte *const shift = partial + plan_.partial_bytes;
        std::byte *const sums = shift + plan_.shift_bytes;
        return {{}, begin, b, partial, shift, sums, sums + plan_.group_bytes};
    }

    void locate(task_place_t &place, const addresses_t &bases, dim_t matrix) const {
        place.operands = {};
        plan_.operands.locate(bases, plan_.batch->offsets_of(matrix), place.operands);
    }

    void multiply(const task_place_t &place, range_t strips, range_t panels) const {
        const dim_t blocks = blocking_.blocks;
        for_each_rectangle(place, strips, panels, [&](range_t chunk, range_t columns) {
            if (dots_) return multiply_by_dots(place, chunk, columns);
            for (dim_t index = 0; index < blocks; ++index) {
                block_t block{index, index != 0, index + 1 == blocks, place.partial,
                        plan_.partial_pitch()};
                if (plan_.has_partial_in_dst) {
                    block.partial = c_at(place, chunk.begin, columns.begin);
                    block.partial_pitch = plan_.c.row * plan_.c.size();
                }
                multiply_block(place, chunk, columns, block);
            }
        });
    }

    /// Calls `body(chunk, columns)` for the chunks of strips, packed, and the blocks of panels.
    template <typename body_t>
    void for_each_rectangle(
            const task_place_t &place, range_t strips, range_t panels, const body_t &body) const {
        for (dim_t first = strips.begin; first < strips.end; first += plan_.chunk_strips) {
            const range_t chunk{first, std::min(strips.end, first + plan_.chunk_strips)};
            pack_a(place, chunk);
            find_row_values(place, chunk);
            for (dim_t p = panels.begin; p < panels.end; p += blocking_.block_panels)
                body(chunk, range_t{p, std::min(panels.end, p + blocking_.block_panels)});
        }
    }

    std::byte *c_at(const task_place_t &place, dim_t strip, dim_t panel) const {
        const dim_t offset = blocking_.first_row(strip) * plan_.c.row + panel * width_;
        return static_cast<std::byte *>(
                moved(place.operands[dst_operand], offset * plan_.c.size()));
    }

    void pack_a(const task_place_t &place, range_t strips) const {
        if (!pack_a_) return;
        const auto *const a = static_cast<const std::byte *>(place.operands[plan_.a_operand()]);
        (*pack_a_)(a, packed_rows(strips), place.a);
    }

    // ---- Groups

    /// Sums and scales of the rows' groups.
    void find_row_values(const task_place_t &place, range_t strips) const {
        const auto &groups = plan_.spec.groups;
        if (!plan_.has_row_values()) return;
        const dim_t extent = plan_.groups.extent == 0 ? blocking_.block_steps * plan_.depth()
                                                      : plan_.groups.extent;
        // Octets are in another order: the zeros behind the last elements are summed, too.
        const row_groups_t row_groups{.extent = extent,
                .k = plan_.k,
                .summed_k = matrix::has_octets(plan_.spec.step) ? plan_.steps() * plan_.depth()
                                                                : plan_.k,
                .pitch = matrix::rows_of_group,
                .zero = a_zero(place),
                .is_signed = plan_.spec.a_is_signed};
        for (dim_t strip = strips.begin; strip < strips.end; ++strip)
            for (dim_t row = 0; row < blocking_.rows_of(strip); ++row) {
                const dim_t at = group_offset(strips, strip, 0) + row * 4;
                if (plan_.spec.needs_sums_of_a())
                    sum_groups(plan_.spec.step, a_at(place, strips, strip) + row * a_pitch_,
                            row_groups, place.sums + at);
                if (groups.has_a_scale)
                    load_scales(place, blocking_.first_row(strip) + row,
                            reinterpret_cast<float *>(place.scales + at));
            }
    }

    void load_scales(const task_place_t &place, dim_t row, float *scales) const {
        const matrix::matrix_layout_t &layout = plan_.groups.a_scale;
        for (dim_t group = 0; group < plan_.group_count(); ++group)
            scales[group * matrix::rows_of_group] = value_at(layout.type,
                    place.operands[a_scale_operand], row * layout.row + group * layout.column);
    }

    /// Bytes from the first value of a chunk's rows to those of a strip and group.
    dim_t group_offset(range_t chunk, dim_t strip, dim_t group) const {
        return ((strip - chunk.begin) * plan_.group_count() + group) * matrix::rows_of_group * 4;
    }

    /// What is subtracted from the integers of A.
    int32_t a_zero(const task_place_t &place) const {
        if (!plan_.has_a_zero) return 0;
        return static_cast<int32_t>(
                load_f64(plan_.operands[a_zero_operand].type, place.operands[a_zero_operand], 0));
    }

    /// The first group of a block.
    dim_t first_group(const block_t &block) const {
        if (plan_.groups.extent == 0) return block.index;
        return block.index * blocking_.block_steps * plan_.depth() / plan_.groups.extent;
    }

    /// The groups of a block of panels. `args` has the steps of the block.
    void set_groups(const task_place_t &place, range_t panels, const block_t &block,
            tile_args_t &args) const {
        const group_plan_t &groups = plan_.groups;
        const dim_t steps = groups.extent == 0 ? args.steps : groups.extent / plan_.depth();
        args.groups = args.steps / steps;
        args.steps = steps;
        args.a_group = steps * matrix::a_bytes(plan_.spec.step);
        args.b_group = steps
                       * (plan_.spec.is_packed ? plan_.spec.b_bytes(static_cast<int>(width_))
                                               : args.b_pitch);
        const dim_t row = groups.extent == 0 ? 0 : first_group(block);
        const auto at = [&](size_t operand, const matrix::matrix_layout_t &layout) {
            const dim_t column = panels.begin * width_ * layout.column;
            return moved(place.operands[operand], layout.bytes(row * layout.row + column));
        };
        args.b_scales = at(b_scale_operand, groups.b_scale);
        args.b_zeros = at(b_zero_operand, groups.b_zero);
        args.b_scale_pitch = groups.b_scale.bytes(groups.b_scale.row);
        args.b_zero_pitch = groups.b_zero.bytes(groups.b_zero.row);
        args.subtracted_pitch = shift_pitch();
    }

    dim_t shift_pitch() const { return blocking_.block_panels * width_ * 4; }

    range_t packed_rows(range_t strips) const {
        return {pack_a_->first_row(blocking_.first_row(strips.begin)),
                pack_a_->end_row(blocking_.first_row(strips.end))};
    }

    const std::byte *a_at(const task_place_t &place, range_t chunk, dim_t strip) const {
        const dim_t row = blocking_.first_row(strip);
        if (pack_a_) return place.a + (row - packed_rows(chunk).begin) * a_pitch_;
        return static_cast<const std::byte *>(place.operands[plan_.a_operand()]) + row * a_pitch_;
    }

    void multiply_block(
            const task_place_t &place, range_t strips, range_t panels, const block_t &block) const {
        const range_t steps = blocking_.steps_of(block.index, plan_.steps());
        const auto *const b = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
        const dim_t packed_panel = steps.size() * width_ * 4;
        tile_args_t args{};
        const std::byte *b_block = place.b;
        if (pack_b_) {
            (*pack_b_)(b, steps, panels, place.b);
            args.b_panel = packed_panel;
        } else if (plan_.has_packed_weights()) {
            const dim_t step_bytes = plan_.spec.b_bytes(static_cast<int>(width_));
            args.b_panel = plan_.steps() * step_bytes;
            b_block = b + panels.begin * args.b_panel + steps.begin * step_bytes;
        } else {
            args.b_pitch = plan_.b.bytes(plan_.b.row);
            args.b_panel = plan_.b.bytes(width_);
            b_block = b + panels.begin * args.b_panel + steps.begin * args.b_pitch;
        }
        args.steps = steps.size();
        constexpr dim_t bytes_ahead = 16384;
        args.b_ahead = plan_.fetches_next ? b + plan_.b.bytes(panels.end * width_ * plan_.b.column)
                                          : b_block + bytes_ahead;
        if (plan_.has_groups()) set_groups(place, panels, block, args);
        if (shifts_) sum_columns(place, panels, block, args, b_block);
        tiles_t tiles{.chunk = strips,
                .strips = strips,
                .panels = panels,
                .b = b_block,
                .a_offset = steps.begin * matrix::a_bytes(plan_.spec.step)};
        if (plan_.copies_b()) {
            args.copy = place.b;
            args.copy_panel = packed_panel;
            tiles.strips.end = strips.begin + 1;
            call_tiles(place, tiles, block, args);
            args.b_panel = packed_panel;
            tiles.b = place.b;
            tiles.strips = {strips.begin + 1, strips.end};
        }
        call_tiles(place, tiles, block, args);
    }

    /// a_zero() times the sums of B's columns as they are multiplied, up to this block, or group by
    /// group.
    void sum_columns(const task_place_t &place, range_t panels, const block_t &block,
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
            of_group.panels = panels.size() - has_tail;
            of_group.has_tail = has_tail;
            of_group.partial = place.shift + group * shift_pitch();
            (*shifts_)(of_group);
        }
        if (!by_groups && !block.finishes) return;
        auto *const sums = reinterpret_cast<uint32_t *>(place.shift);
        const auto factor = static_cast<uint32_t>(a_zero(place));
        // Zeros behind the last elements of columns are multiplied with the shift.
        const auto of_padding = static_cast<uint32_t>(
                (plan_.steps() * plan_.depth() - plan_.k) * plan_.spec.b_shift());
        for (dim_t i = 0; i < groups * shift_pitch() / 4; ++i)
            sums[i] = (sums[i] - of_padding) * factor;
    }

    /// `args` says how B is read and how many steps there are.
    void call_tiles(const task_place_t &place, const tiles_t &tiles, const block_t &block,
            tile_args_t args) const {
        const auto &[chunk, strips, panels, b, a_offset] = tiles;
        const bool has_tail = blocking_.tail != 0 && panels.end == blocking_.panels;
        args.a_pitch = a_pitch_;
        args.partial_pitch = block.partial_pitch;
        args.adds = block.adds;
        args.finishes = block.finishes;
        args.subtracted = reinterpret_cast<const int32_t *>(place.shift);
        args.dst_pitch = plan_.c.row * plan_.c.size();
        const dim_t first_row = blocking_.first_row(chunk.begin);
        for (dim_t strip = strips.begin; strip < strips.end; ++strip) {
            const dim_t row = blocking_.first_row(strip);
            const dim_t next = strip + 1 < chunk.end ? strip + 1 : chunk.begin;
            if (args.steps != 0) args.a = a_at(place, chunk, strip) + a_offset;
            args.a_ahead = (blocking_.first_row(next) - row) * a_pitch_;
            args.a_sums = no_sums;
            if (args.steps != 0 && plan_.has_row_values()) {
                const dim_t offset = group_offset(chunk, strip, first_group(block));
                args.a_sums = place.sums + offset;
                args.a_scales = reinterpret_cast<const float *>(place.scales + offset);
            }
            args.b = b;
            args.panels = panels.size() - has_tail;
            args.has_tail = has_tail;
            args.partial = moved(block.partial, (row - first_row) * block.partial_pitch);
            args.dst = c_at(place, strip, panels.begin);
            for (size_t i = 0; i < plan_.epilogue.size(); ++i) {
                const matrix::matrix_layout_t &layout = plan_.epilogue[i];
                args.operands[i] = moved(place.operands[first_epilogue_operand + i],
                        (row * layout.row + panels.begin * width_ * layout.column) * layout.size());
            }
            code_of(strip, args.copy != nullptr && strip == chunk.begin)(args);
        }
    }

    matrix::dot_spec_t dot_spec() const {
        return {.isa = plan_.spec.isa,
                .rows = static_cast<int>(plan_.m),
                .b_type = plan_.b.type,
                .tail = static_cast<int>(plan_.k % jit::lanes_of(plan_.spec.isa)),
                .scale = plan_.spec.groups.b_scale,
                .zero = plan_.spec.groups.b_zero};
    }

    /// Scalar products, then a block without steps that finishes them.
    void multiply_by_dots(const task_place_t &place, range_t strips, range_t panels) const {
        assert(strips.size() == blocking_.strips); // products are those of all rows
        const dim_t lanes = jit::lanes_of(plan_.spec.isa), first = panels.begin * width_;
        const dim_t column_bytes = plan_.b.column * plan_.b.size();
        const auto *const b = static_cast<const std::byte *>(place.operands[plan_.b_operand()]);
        matrix::dot_args_t args{
                .a = reinterpret_cast<const float *>(a_at(place, strips, strips.begin)),
                .a_pitch = a_pitch_,
                .b = b + first * column_bytes,
                .b_pitch = column_bytes,
                .vectors = plan_.k / lanes,
                .sums = reinterpret_cast<float *>(place.partial),
                .sums_pitch = plan_.partial_pitch()};
        args.set_columns(dot_spec(), std::min(plan_.n, panels.end * width_) - first);
        if (plan_.has_groups()) {
            const group_plan_t &groups = plan_.groups;
            args.groups = groups.extent == 0 ? 1 : plan_.group_count();
            args.group_vectors = args.vectors / args.groups;
            args.scales = moved(place.operands[b_scale_operand],
                    groups.b_scale.bytes(first * groups.b_scale.column));
            args.zeros = moved(place.operands[b_zero_operand],
                    groups.b_zero.bytes(first * groups.b_zero.column));
            args.scale_pitch = groups.b_scale.bytes(groups.b_scale.row);
            args.zero_pitch = groups.b_zero.bytes(groups.b_zero.row);
        }
        (*dots_)(args);
        call_tiles(place, {strips, strips, panels},
                {0, true, true, place.partial, plan_.partial_pitch()}, {});
    }

    const jit::executable_code_t &code_of(dim_t strip, bool copies_b) const {
        if (copies_b) return strip < blocking_.tall ? *copying_tall_ : *copying_low_;
        return strip < blocking_.tall ? tall_ : *low_;
    }

    // ---- Blocks of K in parallel

    void execute_blocks(const addresses_t &bases, std::byte *scratchpad) const {
        const dim_t blocks = blocking_.blocks, pitch = plan_.partial_pitch();
        const dim_t block_bytes = plan_.m * pitch;
        std::byte *const buffers = scratchpad + round_up<dim_t>(blocks * block_bytes, 64);
        const range_t strips{0, blocking_.strips}, panels{0, blocking_.panels};
        const dim_t grain = divide_up(blocks, plan_.tasks);
        cpu::parallel_chunks(blocks, grain, [&](dim_t begin, dim_t end) {
            task_place_t place = place_of(buffers, begin / grain);
            locate(place, bases, 0);
            for_each_rectangle(place, strips, panels, [&](range_t chunk, range_t columns) {
                for (dim_t index = begin; index < end; ++index) {
                    std::byte *const partial = scratchpad + index * block_bytes
                                               + blocking_.first_row(chunk.begin) * pitch
                                               + columns.begin * width_ * 4;
                    multiply_block(place, chunk, columns, {index, false, false, partial, pitch});
                }
            });
        });
        if (plan_.spec.has_integer_sums())
            add_blocks(reinterpret_cast<uint32_t *>(scratchpad));
        else
            add_blocks(reinterpret_cast<float *>(scratchpad));
        finish_blocks(bases, scratchpad, strips, panels);
    }

    /// The sums of the first block become those of all blocks, added in order. Blocks did not write
    /// what lies in a row behind column n.
    template <typename sum_t> void add_blocks(sum_t *sums) const {
        const dim_t pitch = plan_.partial_pitch() / 4;
        for (dim_t index = 1; index < blocking_.blocks; ++index)
            for (dim_t row = 0; row < plan_.m; ++row) {
                sum_t *const total = sums + row * pitch;
                const sum_t *const others = total + index * plan_.m * pitch;
                for (dim_t i = 0; i < plan_.n; ++i) total[i] += others[i];
            }
    }

    /// A block without steps adds nothing to the sums.
    void finish_blocks(
            const addresses_t &bases, std::byte *partial, range_t strips, range_t panels) const {
        task_place_t place{{}, nullptr, nullptr, partial, nullptr, nullptr, nullptr};
        locate(place, bases, 0);
        call_tiles(place, {strips, strips, panels}, {0, true, true, partial, plan_.partial_pitch()},
                {});
    }

    const tiles_plan_t &plan_;
    const matrix::blocking_t &blocking_;
    const dim_t width_, a_pitch_;
    const jit::executable_code_t tall_;
    std::optional<jit::executable_code_t> low_;                        // of strips with a row less
    std::optional<jit::executable_code_t> copying_tall_, copying_low_; // which pack B
    std::optional<matrix::a_packer_t> pack_a_;
    std::optional<matrix::b_packer_t> pack_b_;
    std::optional<jit::executable_code_t> dots_;
    std::optional<jit::executable_code_t> shifts_; // a tile of one row, to partial sums
};

} // namespace

refusal_t tiles_accept(matmul_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    const auto found = std::make_shared<plan_of_t<tiles_matmul_t, tiles_plan_t>>();
    if (const refusal_t refusal = plan_tiles(pd, isa, found->work)) return refusal;
    plan = found;
    return accepted();
}

} // namespace kiln::x64::matmul
