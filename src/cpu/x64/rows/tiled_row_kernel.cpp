// SPDX-License-Identifier: Apache-2.0
// Kernels that walk rows of operands tile by tile.

#include "cpu/x64/rows/tiled_row_kernel.hpp"

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/divisor.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

namespace kiln::x64 {

tiled_row_args_t tiled_row_args(const operands_t &operands, const row_plan_t &plan,
        const addresses_t &bases, const row_run_t &run, dim_t length) {
    tiled_row_args_t args;
    args.rows = run.count;
    args.length = length;
    operands.locate(bases, run.offsets, args.operands);
    for (size_t i = 0; i < operands.count(); ++i) args.pitches[i] = operands.pitch_of(i, plan);
    return args;
}

void call_for_each_run(const jit::executable_code_t &code, const operands_t &operands,
        const row_plan_t &plan, const addresses_t &bases, dim_t begin, dim_t end, dim_t length) {
    tiled_row_args_t args;
    for (size_t i = 0; i < operands.count(); ++i) args.pitches[i] = operands.pitch_of(i, plan);
    plan.for_each_run(begin, end, [&](const row_run_t &run) {
        args.rows = run.count;
        args.length = length;
        operands.locate(bases, run.offsets, args.operands);
        code(args);
    });
}

tiled_row_kernel_t::registers_t::registers_t(tiled_row_kernel_t &k)
    : column(k.gpr("column"))
    , left(k.gpr("elements left"))
    , rows(k.gpr("rows left"))
    , addresses(k.operands_.size()) {
    size_t held = 0;
    for (size_t i = 0; i < addresses.size(); ++i) {
        if (k.is_absent(i)) continue;
        if (k.needs_address(i) && !address) address.emplace(k.gpr("address in a row"));
        if (held++ < k.held_)
            addresses[i].emplace(k.gpr("address"));
        else if (!address)
            address.emplace(k.gpr("address from the arguments"));
    }
}

tiled_row_kernel_t::tiled_row_kernel_t(isa_t isa, const std::string &name, dim_t line,
        int tile_vectors, std::vector<jit::post_op_operand_t> operands,
        const std::vector<jit::post_op_link_t> &post_ops, size_t held, vectors_t vectors)
    : tiled_kernel_t(isa, name, line, tile_vectors, vectors)
    , first_post_op_(operands.size())
    , operands_(std::move(operands))
    , links_(post_ops)
    , post_ops_(*this, io_, post_ops)
    , held_(held) {
    const auto of_post_ops = jit::operands_of(post_ops);
    operands_.insert(operands_.end(), of_post_ops.begin(), of_post_ops.end());
}

void tiled_row_kernel_t::generate() {
    registers_t r(*this);
    registers_ = &r;
    for (size_t i = 0; i < r.addresses.size(); ++i)
        if (r.addresses[i]) mov(*r.addresses[i], element(offsetof(tiled_row_args_t, operands), i));
    prepare_tail();
    for (size_t i = 0; i < operands_.size(); ++i)
        if (is_half_byte(operands_[i].type)) {
            io_.prepare_half_bytes();
            break;
        }
    write_rows();
    release_tail();
    registers_ = nullptr;
}

void tiled_row_kernel_t::for_each_row() {
    mov(rows(), argument(offsetof(tiled_row_args_t, rows)));
    if (is_one_tile()) begin_row();
    repeat(rows(), [&] {
        if (!is_one_tile()) begin_row();
        write_row();
        advance(offsetof(tiled_row_args_t, pitches));
    });
}

void tiled_row_kernel_t::begin_row() {
    xor_(column(), column());
    mov(left(), argument(offsetof(tiled_row_args_t, length)));
}

void tiled_row_kernel_t::for_each_tile_of_row(const function_ref_t<void(const tile_t &)> &body) {
    for_each_tile(registers_->left, [&](const tile_t &tile) {
        body(tile);
        if (!is_one_tile()) add(column(), tile.vectors * elements());
    });
}

void tiled_row_kernel_t::load(const Xmm &to, size_t operand, int vector, int count) {
    jit::load_operand(io_, to, operands_[operand], at(operand, vector), count);
}

void tiled_row_kernel_t::store(const Xmm &x, size_t operand, int vector, int count,
        bool is_non_temporal, jit::subnormals_t subnormals) {
    const data_type_t type = operands_[operand].type;
    const dim_t stride = operands_[operand].stride;
    const RegExp to = at(operand, vector);
    if (stride != 1)
        return io_.store_strided(x, type, to, stride * size_of(type), count, subnormals);
    io_.store(x, type, to, count, store_of(count, is_non_temporal), subnormals);
}

void tiled_row_kernel_t::apply_post_ops(const Xmm &x, int vector, int count,
        const jit::held_post_op_operands_t &held, post_op_range_t range) {
    post_ops_.apply(
            x, count,
            [&](int index) { return at(first_post_op_ + static_cast<size_t>(index), vector); },
            held, range);
}

void tiled_row_kernel_t::apply_post_ops_to_pair(const Xmm &even, const Xmm &odd, int vector,
        int count, const jit::held_post_op_operands_t &held) {
    post_ops_.apply_to_pair(
            even, odd, count, pairs(),
            [&](int index) { return at(first_post_op_ + static_cast<size_t>(index), vector); },
            held);
}

jit::held_post_op_operands_t tiled_row_kernel_t::hold_row_operands(size_t most) {
    constexpr dim_t few_vectors = 4;
    const bool pays_to_invert = line() > few_vectors * elements();
    jit::held_post_op_operands_t held, second;
    size_t operand = first_post_op_, count = 0;
    for (const jit::post_op_link_t &link : links_)
        for (const jit::post_op_operand_t &read : link.operands) {
            held.emplace_back();
            second.emplace_back();
            const bool is_split = read.per_lane && are_paired();
            const bool is_inverted = link.is_by_scale && !link.has_reciprocal() && !is_split
                                     && pays_to_invert && count + 2 <= most;
            const size_t needed = is_split || is_inverted ? 2 : 1;
            if (read.is_of_row() && !link.is_sum && count + needed <= most) {
                if (is_split) held.back().emplace(vec("operand of even lanes"));
                std::optional<vec_t> &loaded = (is_split ? second : held).back();
                loaded.emplace(post_ops_.load(read, at(operand, 0), lanes()));
                if (is_split) pairs().repeat(**held.back(), **loaded);
                if (is_inverted) {
                    jit::divisor_t divisor(*this, **loaded);
                    loaded.emplace(std::move(divisor.high));
                    second.back().emplace(std::move(divisor.low));
                }
                count += needed;
            }
            ++operand;
        }
    std::move(second.begin(), second.end(), std::back_inserter(held));
    return held;
}

Xbyak::RegExp tiled_row_kernel_t::at(size_t operand, int vector) {
    const jit::post_op_operand_t &read = operands_[operand];
    if (read.is_strided()) return strided_at(operand, vector);
    if (is_half_byte(read.type)) return half_byte_at(operand, vector);
    const Reg64 &base = row_of(operand);
    const int size = size_of(read.type);
    return read.is_of_row() ? RegExp(base) : base + column() * size + vector * elements() * size;
}

Xbyak::RegExp tiled_row_kernel_t::strided_at(size_t operand, int vector) {
    const jit::post_op_operand_t &read = operands_[operand];
    const gpr_t offset = gpr("offset in a row");
    const Reg64 &address = **registers_->address;
    mov(address, read.stride * size_of(read.type));
    lea(*offset, ptr[column() + vector * lanes()]);
    imul(*offset, address);
    add(row_of_next(operand), *offset);
    return RegExp(address);
}

const Xbyak::Reg64 &tiled_row_kernel_t::row_of_next(size_t operand) {
    const Reg64 &address = **registers_->address;
    if (const auto &held = registers_->addresses[operand])
        mov(address, **held);
    else
        mov(address, element(offsetof(tiled_row_args_t, operands), operand));
    return address;
}

Xbyak::RegExp tiled_row_kernel_t::half_byte_at(size_t operand, int vector) {
    const gpr_t offset = gpr("bytes in a row");
    const Reg64 &address = row_of_next(operand);
    mov(*offset, column());
    shr(*offset, 1);
    add(address, *offset);
    return address + vector * elements() / 2;
}

tiled_row_kernel_t::next_rows_t::next_rows_t(
        tiled_row_kernel_t &kernel, bool pays, std::initializer_list<size_t> operands, int ahead)
    : kernel_(kernel) {
    if (!pays) return;
    for (const size_t operand : operands) {
        if (kernel.is_absent(operand)) continue;
        const auto &[of, address] = rows_.emplace_back(operand, kernel.gpr("next row"));
        kernel.mov(*address, kernel.row_of(operand));
        kernel.add(*address, kernel.element(offsetof(tiled_row_args_t, pitches), operand));
        if (ahead != 0) kernel.add(*address, ahead);
    }
}

void tiled_row_kernel_t::next_rows_t::prefetch(const tile_t &tile) const {
    for (const auto &[operand, address] : rows_) {
        const int size = kernel_.size_of(kernel_.operands_[operand].type);
        for (int at = 0; at < tile.vectors * kernel_.elements() * size; at += cache_line_bytes)
            kernel_.prefetcht0(kernel_.ptr[*address + kernel_.column() * size + at]);
    }
}

void tiled_row_kernel_t::fetch_next_page(const tile_t &tile, size_t operand) {
    constexpr int distance = 4 * cache_line_bytes;
    const jit::post_op_operand_t &read = operands_[operand];
    if (read.is_of_row() || read.is_strided() || is_half_byte(read.type)) return;
    const int size = size_of(read.type);
    for (int at = 0; at < tile.vectors * elements() * size; at += distance)
        prefetcht0(ptr[row_of(operand) + column() * size + page_bytes + at]);
}

const Xbyak::Reg64 &tiled_row_kernel_t::row_of(size_t operand) {
    if (const auto &held = registers_->addresses[operand]) return **held;
    const Reg64 &address = **registers_->address;
    mov(address, element(offsetof(tiled_row_args_t, operands), operand));
    return address;
}

void tiled_row_kernel_t::next_row(size_t operand) {
    add(**registers_->addresses[operand], element(offsetof(tiled_row_args_t, pitches), operand));
}

void tiled_row_kernel_t::back_by_rows(size_t operand) {
    imul(rows(), element(offsetof(tiled_row_args_t, pitches), operand));
    sub(**registers_->addresses[operand], rows());
}

void tiled_row_kernel_t::find_front(const Reg64 &front, const Reg64 &row, size_t operand) {
    const int size = size_of(operands_[operand].type);
    const dim_t rows_ahead = divide_up(dim_t(page_bytes), line() * size);
    imul(front, element(offsetof(tiled_row_args_t, pitches), operand),
            static_cast<int>(rows_ahead));
    prefetchw(ptr[row + front]);
    mov(front, row);
    neg(front);
    and_(front, cache_line_bytes - 1);
    shr(front, std::countr_zero(static_cast<unsigned>(size)));
}

void tiled_row_kernel_t::set_first_lanes(const Xbyak::Opmask &part, const Reg64 &count) {
    const vec_t counts = vec("count");
    vpbroadcastd(zmm(counts), count.cvt32());
    vpcmpgtd(part, zmm(counts), constant_lanes([](uint32_t lane) { return lane; }));
}

void tiled_row_kernel_t::advance(size_t distances, bool backwards) {
    const auto step = [&](const Xbyak::Operand &address, const Xbyak::Operand &distance) {
        backwards ? sub(address, distance) : add(address, distance);
    };
    for (size_t i = 0; i < operands_.size(); ++i) {
        if (is_absent(i) || operands_[i].is_fixed) continue;
        if (const auto &held = registers_->addresses[i]) {
            step(**held, element(distances, i));
        } else {
            const Reg64 &distance = **registers_->address;
            mov(distance, element(distances, i));
            step(element(offsetof(tiled_row_args_t, operands), i), distance);
        }
    }
}

void tiled_row_kernel_t::move(size_t distances, const Reg64 &factor, bool backwards) {
    const gpr_t distance = gpr("distance");
    const auto move_by_distance = [&](const Xbyak::Operand &address) {
        backwards ? sub(address, *distance) : add(address, *distance);
    };
    for (size_t i = 0; i < operands_.size(); ++i) {
        if (is_absent(i)) continue;
        mov(*distance, element(distances, i));
        imul(*distance, factor);
        if (const auto &held = registers_->addresses[i])
            move_by_distance(**held);
        else
            move_by_distance(element(offsetof(tiled_row_args_t, operands), i));
    }
}

} // namespace kiln::x64
