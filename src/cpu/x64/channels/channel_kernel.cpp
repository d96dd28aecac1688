// SPDX-License-Identifier: Apache-2.0
// The walk over rows of elements that belong to channels.

#include "cpu/x64/channels/channel_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64 {

using jit::gpr_t;
using jit::vec_t;

namespace {

constexpr int bits_in_byte_log2 = 3;

} // namespace

struct channel_kernel_t::registers_t {
    explicit registers_t(channel_kernel_t &k)
        : column(k.gpr("column"))
        , rows_left(k.gpr("rows left"))
        , values(k.gpr("values"))
        , left(k.gpr("elements left")) {
        k.for_each_operand([&](size_t i) {
            operands[i].emplace(k.gpr("operand"));
            if (k.operands_[i].is_mask) has_mask = true;
        });
        if (has_mask) mask_byte.emplace(k.gpr("byte of the mask"));
        if (!k.is_planes()) rows_of_block.emplace(k.gpr("rows of a block"));
    }
    const Xbyak::Reg64 &operand(size_t i) const { return **operands[i]; }

    std::array<std::optional<gpr_t>, max_channel_operands> operands;
    bool has_mask = false;
    gpr_t column, rows_left, values, left;
    std::optional<gpr_t> mask_byte, rows_of_block;
};

channel_kernel_t::channel_kernel_t(const channel_walk_t &walk, const std::string &name,
        const channel_operands_t &operands, int values, int sums, bool needs_many_registers,
        std::vector<jit::post_op_operand_t> post_op_operands)
    : tiled_kernel_t(
            walk.isa, name, walk.line, x64::tile_vectors(walk.isa, needs_many_registers, walk.line))
    , walk_(walk)
    , operands_(operands)
    , post_op_operands_(std::move(post_op_operands))
    , value_count_(values)
    , sum_count_(sums) {}

template <typename body_t> void channel_kernel_t::for_each_operand(const body_t &body) const {
    for (size_t i = 0; i < operands_.size(); ++i)
        if (has(i)) body(i);
}

void channel_kernel_t::generate() {
    registers_t r(*this);
    registers_ = &r;
    for_each_operand([&](size_t i) {
        mov(r.operand(i), argument_of(offsetof(channel_args_t, operands), i));
    });
    mov(*r.values, argument(offsetof(channel_args_t, values)));
    prepare_tail();
    if (is_planes())
        walk_planes(r);
    else
        walk_columns(r);
    io_.release();
    registers_ = nullptr;
}

int channel_kernel_t::rows_of_block() const {
    // A row of one tile keeps its sums in registers for the whole row block.
    if (line() <= tile_vectors() * lanes()) return 64;
    if (walk_.is_streamed && line() > longest_short_row) return 1;
    // Many tensors: fewer rows, so that the pages of a row block fit into the first-level TLB.
    constexpr ptrdiff_t many_tensors = 4;
    const auto tensors = std::count_if(operands_.begin(), operands_.end(),
            [](const channel_operand_t &operand) { return operand.is_tensor(); });
    return tensors >= many_tensors && sum_count_ == 0 ? 4 : 16;
}

void channel_kernel_t::walk_columns(registers_t &r) {
    Xbyak::Label block;
    mov(*r.rows_left, argument(offsetof(channel_args_t, rows)));
    L(block);
    mov(*r.rows_of_block, rows_of_block());
    cmp(*r.rows_left, *r.rows_of_block);
    cmovl(*r.rows_of_block, *r.rows_left);
    xor_(*r.column, *r.column);
    mov(*r.left, argument(offsetof(channel_args_t, length)));
    for_each_tile(r.left, [&](const tile_t &tile) {
        for (int k = 0; k < value_count_; ++k) {
            values_.push_back(vecs("value", tile));
            const dim_t offset = k * walk_.value_pitch * size_of(dnnl_f32);
            load_lanes(values_.back(),
                    *r.values + *r.column * size_of(dnnl_f32) + static_cast<int>(offset), tile);
        }
        take_sums(tile);
        const gpr_t rows = gpr("rows left in the block");
        Xbyak::Label again;
        mov(*rows, *r.rows_of_block);
        L(again);
        visit_tile(r, tile);
        next_row(r);
        dec(*rows);
        jnz(again, T_NEAR);
        move(r, *r.rows_of_block, true);
        add_up_columns(r, tile);
        values_.clear();
        add(*r.column, tile.vectors * lanes());
    });
    move(r, *r.rows_of_block, false);
    sub(*r.rows_left, *r.rows_of_block);
    jnz(block, T_NEAR);
}

void channel_kernel_t::walk_planes(registers_t &r) {
    const tile_t one{1, lanes()}, whole{tile_vectors(), lanes()};
    Xbyak::Label unit, row;
    L(unit);
    for (int k = 0; k < value_count_; ++k) {
        values_.push_back(vecs("value", one));
        const dim_t offset = k * walk_.value_pitch * size_of(dnnl_f32);
        vbroadcastss(value(k, 0), dword[*r.values + static_cast<int>(offset)]);
    }
    take_sums(whole);
    mov(*r.rows_left, argument(offsetof(channel_args_t, rows)));
    L(row);
    if (has_prefetches()) write_prefetches(r);
    xor_(*r.column, *r.column);
    mov(*r.left, argument(offsetof(channel_args_t, length)));
    for_each_tile(r.left, [&](const tile_t &tile) {
        visit_tile(r, tile);
        add(*r.column, tile.vectors * lanes());
    });
    next_row(r);
    dec(*r.rows_left);
    jnz(row, T_NEAR);
    values_.clear();
    add_up_planes();
    next_unit(r);
    dec(qword[arguments() + offsetof(channel_args_t, units)]);
    jnz(unit, T_NEAR);
}

void channel_kernel_t::write_prefetches(registers_t &r) {
    // Assumes that units are adjacent, as channels of nchw are. The processor itself prefetches
    // longer rows in time.
    constexpr dim_t short_bytes = 512, cache_line = 64, units = 2;
    for_each_operand([&](size_t i) {
        const dim_t bytes = operands_[i].is_mask ? 0 : line() * size_of(type_of(i));
        if (bytes > short_bytes) return;
        for (dim_t at = 0; at < bytes; at += cache_line)
            prefetcht0(ptr[r.operand(i) + static_cast<int>(units * bytes + at)]);
    });
}

void channel_kernel_t::visit_tile(registers_t &r, const tile_t &tile) {
    if (r.mask_byte) {
        mov(**r.mask_byte, *r.column);
        shr(**r.mask_byte, bits_in_byte_log2);
    }
    visit(tile);
}

Xbyak::RegExp channel_kernel_t::at(size_t operand, int i) const {
    const registers_t &r = *registers_;
    if (operands_[operand].is_mask)
        return r.operand(operand) + **r.mask_byte + (i * lanes() >> bits_in_byte_log2);
    const int size = size_of(type_of(operand));
    return r.operand(operand) + *r.column * size + i * lanes() * size;
}

Xbyak::RegExp channel_kernel_t::post_op_operand_at(int index, int i, const gpr_t &base) {
    const auto place = static_cast<size_t>(index);
    const auto [type, per_lane] = post_op_operands_[place];
    mov(*base, post_op_argument(offsetof(channel_args_t, operands), place));
    if (!per_lane) return *base;
    return *base + *registers_->column * size_of(type) + i * lanes() * size_of(type);
}

void channel_kernel_t::keep_passed(
        const Xbyak::Xmm &vec, size_t operand, int i, int count, const Xbyak::Xmm &scratch) {
    if (operands_[operand].is_mask)
        return jit::lane_condition_t(*this, at(operand, i), count).keep(vec);
    io_.load(scratch, type_of(operand), at(operand, i), count);
    jit::lane_condition_t(*this, scratch, jit::comparison_t::gt, constant(0.f)).keep(vec);
}

void channel_kernel_t::take_sums(const tile_t &tile) {
    for (int k = 0; k < sum_count_; ++k) {
        sums_.push_back(vecs("sum", tile));
        for (const vec_t &vec : sums_.back()) set_zero(vec);
    }
}

void channel_kernel_t::add_up_columns(registers_t &r, const tile_t &tile) {
    if (sum_count_ == 0) return;
    const gpr_t to = gpr("sums");
    const vec_t total = vec("total");
    mov(*to, argument(offsetof(channel_args_t, sums)));
    for (int k = 0; k < sum_count_; ++k)
        for (int i = 0; i < tile.vectors; ++i) {
            const dim_t offset = (k * walk_.sum_pitch + i * lanes()) * size_of(dnnl_f32);
            const Xbyak::RegExp place =
                    *to + *r.column * size_of(dnnl_f32) + static_cast<int>(offset);
            io_.load(total, dnnl_f32, place, lanes_of(tile, i));
            vaddps(*total, *total, sum(k, i));
            io_.store(total, dnnl_f32, place, lanes_of(tile, i));
        }
    sums_.clear();
}

void channel_kernel_t::add_up_planes() {
    if (sum_count_ == 0) return;
    const gpr_t to = gpr("sums");
    mov(*to, argument(offsetof(channel_args_t, sums)));
    for (int k = 0; k < sum_count_; ++k) {
        const vecs_t &sums = sums_[static_cast<size_t>(k)];
        for (size_t i = 1; i < sums.size(); ++i) vaddps(*sums[0], *sums[0], *sums[i]);
        jit::reduce_sum(*this, sums[0]);
        const Xbyak::Address place =
                dword[*to + static_cast<int>(k * walk_.sum_pitch * size_of(dnnl_f32))];
        vaddss(xmm(sums[0]), xmm(sums[0]), place);
        vmovss(place, xmm(sums[0]));
    }
    sums_.clear();
}

void channel_kernel_t::next_row(registers_t &r) { advance(r, offsetof(channel_args_t, pitches)); }

void channel_kernel_t::next_unit(registers_t &r) {
    advance(r, offsetof(channel_args_t, pitches_of_units));
    add(*r.values, size_of(dnnl_f32));
    const auto bytes = static_cast<uint32_t>(walk_.unit_sums * size_of(dnnl_f32));
    if (sum_count_ != 0) add(qword[arguments() + offsetof(channel_args_t, sums)], bytes);
}

void channel_kernel_t::advance(registers_t &r, size_t pitches) {
    for_each_operand([&](size_t i) { add(r.operand(i), argument_of(pitches, i)); });
    for (size_t i = 0; i < post_op_operands_.size(); ++i) {
        const gpr_t distance = gpr("distance");
        mov(*distance, post_op_argument(pitches, i));
        add(post_op_argument(offsetof(channel_args_t, operands), i), *distance);
    }
}

void channel_kernel_t::move(registers_t &r, const Xbyak::Reg64 &rows, bool backwards) {
    const gpr_t distance = gpr("distance");
    const auto move_by = [&](const Xbyak::Operand &address, const Xbyak::Address &pitch) {
        mov(*distance, pitch);
        imul(*distance, rows);
        if (backwards)
            sub(address, *distance);
        else
            add(address, *distance);
    };
    constexpr size_t pitches = offsetof(channel_args_t, pitches);
    for_each_operand([&](size_t i) { move_by(r.operand(i), argument_of(pitches, i)); });
    for (size_t i = 0; i < post_op_operands_.size(); ++i)
        move_by(post_op_argument(offsetof(channel_args_t, operands), i),
                post_op_argument(pitches, i));
}

Xbyak::Address channel_kernel_t::argument_of(size_t array, size_t operand) {
    return argument(array + operand * sizeof(void *));
}

} // namespace kiln::x64
