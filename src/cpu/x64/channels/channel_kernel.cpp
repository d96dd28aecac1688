// SPDX-License-Identifier: Apache-2.0
// The walk over rows of elements that belong to channels.

#include "cpu/x64/channels/channel_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

namespace {

constexpr int bits_in_byte_log2 = 3;

/// What tiled_row_kernel_t wants to know. The type of a mask does not matter: at() finds its bits.
std::vector<jit::post_op_operand_t> elements_of(const channel_operands_t &operands) {
    std::vector<jit::post_op_operand_t> elements;
    for (const channel_operand_t &operand : operands)
        elements.push_back({operand.is_mask ? dnnl_u8 : operand.type, true});
    return elements;
}

/// Vectors of a tile. A short enough row is one tile, so that the values and the sums of its
/// channels stay in registers for a row block.
int tile_vectors_of(
        const channel_walk_t &walk, int of_vector, bool needs_many_registers, bool has_post_ops) {
    // What visit() takes, and conversions.
    constexpr int others = 5, many = 32;
    const int all = jit::vectors_of(walk.isa);
    const dim_t vectors = divide_up(walk.line, dim_t(jit::lanes_of(walk.isa)));
    if (walk.rows == channel_rows_t::columns && !has_post_ops && all >= many
            && vectors * of_vector + others <= all)
        return static_cast<int>(vectors);
    return x64::tile_vectors(walk.isa, needs_many_registers, walk.line);
}

} // namespace

/// Beside those of the rows.
struct channel_kernel_t::registers_t {
    explicit registers_t(channel_kernel_t &k)
        : values(k.gpr("values", k.argument(offsetof(channel_args_t, values)))) {
        if (std::ranges::any_of(k.operands_, &channel_operand_t::is_mask))
            mask_byte.emplace(k.gpr("byte of the mask"));
        if (!k.is_planes()) rows_of_block.emplace(k.gpr("rows of a block"));
    }

    gpr_t values;
    std::optional<gpr_t> mask_byte, rows_of_block;
};

channel_kernel_t::channel_kernel_t(const channel_walk_t &walk, const std::string &name,
        const channel_operands_t &operands, int values, int sums, bool needs_many_registers,
        const std::vector<jit::post_op_link_t> &post_ops)
    : tiled_row_kernel_t(walk.isa, name, walk.line,
            tile_vectors_of(walk, values + sums, needs_many_registers, !post_ops.empty()),
            elements_of(operands), post_ops,
            static_cast<size_t>(std::ranges::count_if(operands, &channel_operand_t::is_present)))
    , walk_(walk)
    , operands_(operands)
    , value_count_(values)
    , sum_count_(sums) {}

void channel_kernel_t::write_rows() {
    registers_t r(*this);
    registers_ = &r;
    if (is_planes())
        walk_planes(r);
    else
        walk_columns(r);
    registers_ = nullptr;
}

int channel_kernel_t::rows_of_block() const {
    // A row of one tile keeps its sums in registers for the whole row block, and its values if
    // there are no sums, which take few terms in a block.
    if (is_one_tile()) return sum_count_ == 0 ? std::numeric_limits<int>::max() : 64;
    // Many tensors: fewer rows, so that the pages of a row block fit into the first-level TLB.
    constexpr ptrdiff_t many_tensors = 4;
    const auto tensors = std::ranges::count_if(operands_, &channel_operand_t::is_tensor);
    return tensors >= many_tensors && sum_count_ == 0 ? 4 : 16;
}

int channel_kernel_t::rows_side_by_side() const {
    const bool are_narrow = std::ranges::all_of(operands_, [&](const channel_operand_t &operand) {
        return !operand.is_tensor() || size_of(operand.type) < size_of(dnnl_f32);
    });
    if (!are_narrow) return 1;
    return sum_count_ == 0 ? 2 : 4;
}

void channel_kernel_t::walk_columns(registers_t &r) {
    constexpr size_t pitches = offsetof(tiled_row_args_t, pitches);
    Xbyak::Label block;
    mov(rows(), argument(offsetof(tiled_row_args_t, rows)));
    L(block);
    mov(*r.rows_of_block, rows_of_block());
    cmp(rows(), *r.rows_of_block);
    cmovl(*r.rows_of_block, rows());
    if (is_in_row_order()) {
        walk_block_by_rows(r);
    } else {
        walk_block_by_tiles(r);
        move(pitches, *r.rows_of_block, false);
    }
    sub(rows(), *r.rows_of_block);
    jnz(block, T_NEAR);
}

void channel_kernel_t::walk_block_by_tiles(registers_t &r) {
    constexpr size_t pitches = offsetof(tiled_row_args_t, pitches);
    begin_row();
    for_each_tile_of_row([&](const tile_t &tile) {
        take_values(r, tile);
        take_sums(tile);
        choose_form(tile, [&] {
            const gpr_t rows_of_tile = gpr("rows left in the block", *r.rows_of_block);
            repeat(*rows_of_tile, [&] {
                visit_tile(tile);
                advance(pitches);
            });
        });
        move(pitches, *r.rows_of_block, true);
        add_up_columns(tile);
        values_.clear();
    });
}

void channel_kernel_t::walk_block_by_rows(registers_t &r) {
    constexpr size_t pitches = offsetof(tiled_row_args_t, pitches);
    const gpr_t rows_left = gpr("rows left in the block", *r.rows_of_block);
    const auto walk_rows = [&](int count, bool are_last) {
        begin_row();
        for_each_tile_of_row([&](const tile_t &tile) {
            take_values(r, tile);
            take_block_sums(tile);
            for (int row = 0; row < count; ++row) {
                if (row != 0) advance(pitches);
                visit_tile(tile);
            }
            if (are_last) {
                add_up_columns(tile);
                take_sums(tile);
            }
            keep_block_sums(tile);
            values_.clear();
            for (int row = 1; row < count; ++row) advance(pitches, true);
        });
        for (int row = 0; row < count; ++row) advance(pitches);
    };
    Xbyak::Label end;
    // The rows left, `count` at a time; fewer rows go on behind.
    const auto walk_rest = [&](int count) {
        Xbyak::Label again, last, fewer;
        L(again);
        cmp(*rows_left, count);
        if (count > 1) jl(fewer, T_NEAR);
        je(last, T_NEAR);
        walk_rows(count, false);
        sub(*rows_left, count);
        jmp(again, T_NEAR);
        L(last);
        walk_rows(count, true);
        if (count > 1) jmp(end, T_NEAR);
        L(fewer);
    };
    if (const int count = rows_side_by_side(); count > 1) walk_rest(count);
    walk_rest(1);
    L(end);
}

void channel_kernel_t::walk_planes(registers_t &r) {
    const tile_t one{1, lanes()}, whole{tile_vectors(), lanes()};
    repeat(argument(offsetof(channel_args_t, units)), [&] {
        for (int k = 0; k < value_count_; ++k) {
            values_.push_back(vecs("value", one));
            const dim_t offset = k * walk_.value_pitch * size_of(dnnl_f32);
            vbroadcastss(value(k, 0), dword[*r.values + static_cast<int>(offset)]);
        }
        take_sums(whole);
        choose_form(one, [&] { for_each_row(); });
        values_.clear();
        add_up_planes();
        next_unit(r);
    });
}

/// A row of planes.
void channel_kernel_t::write_row() {
    for_each_tile_of_row([&](const tile_t &tile) { visit_tile(tile); });
}

void channel_kernel_t::visit_tile(const tile_t &tile) {
    if (const auto &mask_byte = registers_->mask_byte) {
        mov(**mask_byte, column());
        shr(**mask_byte, bits_in_byte_log2);
    }
    visit(tile);
}

void channel_kernel_t::load_from_memory(const Xmm &to, size_t operand, int i, int count) {
    if (walk_.fetches_ahead) fetch_ahead(operand, i);
    load(to, operand, i, count);
}

void channel_kernel_t::fetch_ahead(size_t operand, int i) {
    const int size = size_of(type_of(operand));
    if (i * lanes() * size % cache_line_bytes != 0) return;
    const dim_t row = line() * size;
    if (!is_planes()) {
        // Values and sums of a long row come from the second-level cache. Meanwhile the processor
        // prefetches the row within a page by itself, but does not go on to the next page.
        if (row >= page_bytes / 2 || gains_from_prefetches_in_order())
            prefetcht1(ptr[at(operand, i) + page_bytes]);
        return;
    }
    // The processor prefetches longer rows in time. Narrow elements take more instructions a byte,
    // so that fewer loads wait for memory at once.
    const auto tensors = std::ranges::count_if(operands_, &channel_operand_t::is_tensor);
    const dim_t most_bytes = size == size_of(dnnl_f32) ? page_bytes / 4 : page_bytes;
    if (row * tensors <= most_bytes) prefetcht0(ptr[at(operand, i) + static_cast<int>(row)]);
}

Xbyak::RegExp channel_kernel_t::at(size_t operand, int i) {
    if (!operands_[operand].is_mask) return tiled_row_kernel_t::at(operand, i);
    return row_of(operand) + **registers_->mask_byte + (i * lanes() >> bits_in_byte_log2);
}

void channel_kernel_t::keep_passed(
        const Xmm &vec, size_t operand, int i, int count, const Xmm &scratch) {
    if (operands_[operand].is_mask)
        return jit::lane_condition_t(*this, at(operand, i), count).keep(vec);
    load_from_memory(scratch, operand, i, count);
    jit::lane_condition_t(*this, scratch, jit::comparison_t::gt, constant(0.f)).keep(vec);
}

void channel_kernel_t::take_values(registers_t &r, const tile_t &tile) {
    for (int k = 0; k < value_count_; ++k) {
        values_.push_back(vecs("value", tile));
        const dim_t offset = k * walk_.value_pitch * size_of(dnnl_f32);
        load_lanes(values_.back(),
                *r.values + column() * size_of(dnnl_f32) + static_cast<int>(offset), tile);
    }
}

void channel_kernel_t::take_sums(const tile_t &tile) {
    for (int k = 0; k < sum_count_; ++k) {
        sums_.push_back(vecs("sum", tile));
        for (const vec_t &vec : sums_.back()) set_zero(vec);
    }
}

Xbyak::RegExp channel_kernel_t::sum_place(const Reg64 &sums, int index, int i) {
    const dim_t offset = (index * walk_.sum_pitch + i * lanes()) * size_of(dnnl_f32);
    return sums + column() * size_of(dnnl_f32) + static_cast<int>(offset);
}

void channel_kernel_t::take_block_sums(const tile_t &tile) {
    if (sum_count_ == 0) return;
    const gpr_t from = gpr("sums", argument(offsetof(channel_args_t, sums)));
    for (int k = 0; k < sum_count_; ++k) {
        sums_.push_back(vecs("sum", tile));
        load_lanes(sums_.back(), sum_place(*from, sum_count_ + k, 0), tile);
    }
}

void channel_kernel_t::keep_block_sums(const tile_t &tile) {
    if (sum_count_ == 0) return;
    const gpr_t to = gpr("sums", argument(offsetof(channel_args_t, sums)));
    for (int k = 0; k < sum_count_; ++k)
        for (int i = 0; i < tile.vectors; ++i)
            io_.store(sum(k, i), dnnl_f32, sum_place(*to, sum_count_ + k, i), lanes_of(tile, i));
    sums_.clear();
}

void channel_kernel_t::add_up_columns(const tile_t &tile) {
    if (sum_count_ == 0) return;
    const gpr_t to = gpr("sums", argument(offsetof(channel_args_t, sums)));
    const vec_t total = vec("total");
    for (int k = 0; k < sum_count_; ++k)
        for (int i = 0; i < tile.vectors; ++i) {
            const RegExp place = sum_place(*to, k, i);
            io_.load(total, dnnl_f32, place, lanes_of(tile, i));
            vaddps(*total, *total, sum(k, i));
            io_.store(total, dnnl_f32, place, lanes_of(tile, i));
        }
    sums_.clear();
}

void channel_kernel_t::add_up_planes() {
    if (sum_count_ == 0) return;
    const gpr_t to = gpr("sums", argument(offsetof(channel_args_t, sums)));
    for (int k = 0; k < sum_count_; ++k) {
        const vecs_t &sums = sums_[k];
        for (size_t i = 1; i < sums.size(); ++i) vaddps(*sums[0], *sums[0], *sums[i]);
        jit::reduce_sum(*this, sums[0]);
        const Xbyak::Address place =
                dword[*to + static_cast<int>(k * walk_.sum_pitch * size_of(dnnl_f32))];
        vaddss(xmm(sums[0]), xmm(sums[0]), place);
        vmovss(place, xmm(sums[0]));
    }
    sums_.clear();
}

void channel_kernel_t::next_unit(registers_t &r) {
    advance(offsetof(channel_args_t, pitches_of_units));
    add(*r.values, size_of(dnnl_f32));
    const auto bytes = static_cast<uint32_t>(walk_.unit_sums * size_of(dnnl_f32));
    if (sum_count_ != 0) add(argument(offsetof(channel_args_t, sums)), bytes);
}

} // namespace kiln::x64
