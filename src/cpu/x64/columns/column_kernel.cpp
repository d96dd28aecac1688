// SPDX-License-Identifier: Apache-2.0
// Tiles, steps and sums of kernels on columns. Their statistics are in column_statistics.cpp.

#include "cpu/x64/columns/column_kernel.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64 {

column_tile_t::column_tile_t(const kernel_spec_t &spec, bool needs_many) {
    constexpr int vectors_of_pages = 16;
    part = tile_vectors(spec.isa, needs_many, spec.run_length);
    if (spec.column_block != 0) {
        const int of_block = static_cast<int>(spec.column_block) / jit::lanes_of(spec.isa);
        const int blocks = std::max(1, part / of_block);
        part = of_block * static_cast<int>(std::min(dim_t(blocks), spec.tile_blocks));
    }
    parts = spec.is_paged && spec.column_block == 0 ? vectors_of_pages / part : 1;
}

namespace {

/// Sums for each vector of columns at most.
constexpr int max_sums = 2;

/// Terms that are added to one register before it is added to a total: about as many as there are
/// totals to add then.
dim_t sum_block_of(dim_t steps) {
    dim_t block = 16;
    while (block * block < steps) block *= 2;
    return block;
}

} // namespace

column_kernel_t::column_kernel_t(const kernel_spec_t &spec, const std::string &name,
        bool needs_many_registers, size_t held, int coefficients)
    : tiled_kernel_t(
            spec.isa, name, spec.run_length, column_tile_t(spec, needs_many_registers).vectors())
    , spec_(spec)
    , tile_(spec, needs_many_registers)
    , coefficients_(has_parts() ? coefficients : 0)
    , sum_block_(sum_block_of(spec.length))
    , held_(held)
    , post_ops_(*this, io_, spec.post_ops)
    , post_op_operands_(jit::operands_of(spec.post_ops))
    , first_post_op_(spec.operands.size() - post_op_operands_.size()) {}

int column_kernel_t::sum_bytes() const {
    return spec_.length > sum_block_ ? max_sums * tile_.part * 2 * vector_bytes() : 0;
}

int column_kernel_t::stack_bytes() const {
    return sum_bytes() + coefficients_ * tile_.vectors() * vector_bytes();
}

void column_kernel_t::for_each_part(
        const tile_t &tile, const function_ref_t<void(const tile_t &)> &body) {
    for (first_vector_ = 0; first_vector_ < tile.vectors; first_vector_ += tile_.part) {
        const int vectors = std::min(tile_.part, tile.vectors - first_vector_);
        const bool is_last = first_vector_ + vectors == tile.vectors;
        body({vectors, is_last ? tile.last_lanes : lanes()});
    }
    first_vector_ = 0;
}

Xbyak::Address column_kernel_t::coefficient(int index, int i) {
    const int place = index * tile_.vectors() + first_vector_ + i;
    return ptr[rsp + sum_bytes() + place * vector_bytes()];
}

void column_kernel_t::generate() {
    bases_.clear();
    bases_.resize(held_);
    for (size_t i = 0; i < held_; ++i)
        if (spec_.has(i)) mov(*bases_[i].emplace(gpr("operand")), operand_argument(i));
    const gpr_t left = gpr("columns left", argument(offsetof(column_args_t, columns)));
    if (stack_bytes() != 0) sub(rsp, stack_bytes());
    prepare_tail();
    for_each_tile(left, [&](const tile_t &tile) {
        // Narrow tiles take few instructions for a step, of which the loop would be a great part.
        constexpr int narrow = 2, copies = 4;
        const bool is_near = spec_.largest_pitch() <= std::numeric_limits<int32_t>::max() / copies;
        unroll_ = tile.vectors <= narrow && is_near ? copies : 1;
        write_tile(tile);
        for (size_t i = 0; i < held_; ++i)
            if (bases_[i]) add(**bases_[i], distance(i, tile.vectors));
        next_tile_of_operands(tile);
    });
    io_.release();
    if (stack_bytes() != 0) add(rsp, stack_bytes());
    bases_.clear();
}

int column_kernel_t::distance(size_t operand, int i) const {
    const int vector = spec_.is_mask(operand) ? lanes() / bits_per_byte
                                              : lanes() * size_of(spec_.type(operand));
    const dim_t pitch = spec_.operands[operand].block_pitch;
    if (pitch == 0) return i * vector;
    const int vectors = static_cast<int>(spec_.column_block) / lanes(); // of a block
    return i / vectors * static_cast<int>(pitch) + i % vectors * vector;
}

void column_kernel_t::for_each_step(
        const std::vector<size_t> &walked, const function_ref_t<void()> &body) {
    walk_inner_loops(outer_length(), walked, body);
    rewind(walked);
}

void column_kernel_t::for_each_result(
        const std::vector<size_t> &walked, const function_ref_t<void()> &body) {
    for_each_step(walked, [&] {
        body();
        advance_operands(1);
    });
    advance_operands(-spec_.length);
}

void column_kernel_t::walk_steps(
        dim_t steps, const std::vector<size_t> &walked, const function_ref_t<void()> &body) {
    repeat(
            steps, unroll_,
            [&](int copy) {
                copy_ = copy;
                body();
            },
            [&](int copies) {
                copy_ = 0;
                advance_steps(copies, walked);
            });
}

void column_kernel_t::walk_own_last_step(
        const std::vector<size_t> &walked, const function_ref_t<void()> &body) {
    if (!has_own_last_step()) return;
    is_last_step_ = true;
    body();
    is_last_step_ = false;
    advance_steps(1, walked);
}

void column_kernel_t::advance_steps(int steps, const std::vector<size_t> &walked) {
    for (const size_t operand : walked)
        if (bases_[operand]) advance(**bases_[operand], steps * spec_.pitch(operand));
}

void column_kernel_t::walk_inner_loops(
        dim_t loops, const std::vector<size_t> &walked, const function_ref_t<void()> &body) {
    if (outer_length() == 1) {
        walk_steps(like_steps(), walked, body);
        return walk_own_last_step(walked, body);
    }
    repeat(
            loops, 1, [&](int) { walk_steps(inner_length(), walked, body); },
            [&](int) { jump(walked); });
}

void column_kernel_t::in_blocks(dim_t count, dim_t block, const function_ref_t<void(dim_t)> &walk,
        const function_ref_t<void()> &between) {
    repeat(
            count / block, 1,
            [&](int) {
                walk(block);
                between();
            },
            [](int) {});
    if (count % block != 0) walk(count % block);
}

void column_kernel_t::sum_over_steps(const std::vector<const vecs_t *> &sums,
        const std::vector<size_t> &walked, const function_ref_t<void()> &body) {
    const auto for_each_sum = [&](const auto &visit) {
        int offset = 0;
        for (const vecs_t *group : sums)
            for (const vec_t &sum : *group) {
                visit(*sum, total_t{ptr[rsp + offset], ptr[rsp + offset + vector_bytes()]});
                offset += 2 * vector_bytes();
            }
    };
    const auto clear = [&](const Xmm &sum, const total_t &) { set_zero(sum); };
    for_each_sum(clear);
    if (spec_.length <= sum_block_) return for_each_step(walked, body);
    for_each_sum([&](const Xmm &zero, const total_t &total) {
        vmovups(total.sum, zero);
        vmovups(total.error, zero);
    });
    const auto add_to_totals = [&] {
        for_each_sum([&](const Xmm &sum, const total_t &total) { add_to_total(total, sum); });
        for_each_sum(clear);
    };
    const auto steps = [&](dim_t count) { walk_steps(count, walked, body); };
    const auto loops = [&](dim_t count) { walk_inner_loops(count, walked, body); };
    if (outer_length() == 1) {
        in_blocks(like_steps(), sum_block_, steps, add_to_totals);
        walk_own_last_step(walked, body);
    } else if (inner_length() <= sum_block_) {
        in_blocks(outer_length(), sum_block_ / inner_length(), loops, add_to_totals);
    } else {
        repeat(
                outer_length(), 1,
                [&](int) {
                    in_blocks(inner_length(), sum_block_, steps, add_to_totals);
                    add_to_totals();
                },
                [&](int) { jump(walked); });
    }
    for_each_sum([&](const Xmm &sum, const total_t &total) {
        add_to_total(total, sum);
        vmovups(sum, total.error);
        jit::keep_finite(*this, sum); // that of an infinite total is NaN
        vaddps(sum, sum, total.sum);
    });
    rewind(walked);
}

/// error += sum - ((sum + total) - total), total += sum. The difference is exact where the sum does
/// not exceed the total.
void column_kernel_t::add_to_total(const total_t &total, const Xmm &sum) {
    const vec_t error = vec("error of a total");
    vaddps(error, sum, total.sum);
    vsubps(error, error, total.sum);
    vsubps(error, sum, error);
    vaddps(error, error, total.error);
    vmovups(total.error, error);
    vaddps(sum, sum, total.sum);
    vmovups(total.sum, sum);
}

void column_kernel_t::divide_by_steps(const Xmm &vec) {
    jit::divide_by(*this, vec, vec, spec_.length);
}

void column_kernel_t::load(const Xmm &x, size_t operand, int i, const tile_t &tile) {
    io_.load(x, spec_.type(operand), at(operand, i), lanes_of(tile, i));
}

void column_kernel_t::store(const Xmm &x, size_t operand, int i, const tile_t &tile, store_t how) {
    io_.store(x, spec_.type(operand), at(operand, i), lanes_of(tile, i), how);
}

void column_kernel_t::store_padded(
        const Xmm &x, size_t operand, int i, const tile_t &tile, store_t how) {
    io_.store(x, spec_.type(operand), at(operand, i), padded_lanes_of(tile, i), how);
}

void column_kernel_t::load_all(const vecs_t &to, size_t operand, const tile_t &tile) {
    for (size_t i = 0; i < to.size(); ++i) load(to[i], operand, static_cast<int>(i), tile);
}

void column_kernel_t::store_all(const vecs_t &from, size_t operand, const tile_t &tile) {
    for (size_t i = 0; i < from.size(); ++i)
        store(from[i], operand, static_cast<int>(i), tile, store_t::ordinary);
}

void column_kernel_t::prefetch_next_tile(size_t operand, const tile_t &tile) {
    // The last tile of a line has no neighbour. The target is the second-level cache: the current
    // tile fills the first one.
    if (tile.vectors < tile_vectors() || tile.last_lanes < lanes()) return;
    for_each_line(operand, tile_vectors(), tile_vectors(),
            [&](const RegExp &line) { prefetcht1(ptr[line]); });
}

void column_kernel_t::prefetch_for_stores(size_t operand, const tile_t &tile, int ahead) {
    for_each_line(operand, ahead * tile_vectors(), tile.vectors,
            [&](const RegExp &line) { prefetchw(ptr[line]); });
}

void column_kernel_t::for_each_line(
        size_t operand, int first, int vectors, const function_ref_t<void(const RegExp &)> &visit) {
    std::optional<int> last;
    for (int i = first; i < first + vectors; ++i) {
        const int next = distance(operand, i) + of_copy(operand);
        if (last && next < *last + cache_line_bytes) continue;
        visit(**bases_[operand] + next);
        last = next;
    }
}

void column_kernel_t::jump(const std::vector<size_t> &walked) {
    for (const size_t operand : walked)
        if (bases_[operand])
            add(**bases_[operand],
                    argument(offsetof(column_args_t, jumps) + operand * sizeof(int64_t)));
}

void column_kernel_t::rewind(const std::vector<size_t> &walked) {
    for (const size_t operand : walked)
        if (bases_[operand])
            sub(**bases_[operand],
                    argument(offsetof(column_args_t, spans) + operand * sizeof(int64_t)));
}

std::optional<column_kernel_t::weight_t> column_kernel_t::weight(size_t operand) {
    if (!spec_.has(operand)) return std::nullopt;
    return weight_t{operand, gpr("weights", operand_argument(operand)), vec("weight")};
}

void column_kernel_t::load_next(const std::optional<weight_t> &weight) {
    if (!weight) return;
    io_.load_broadcast(weight->value, spec_.type(weight->operand), *weight->at);
    add(*weight->at, size_of(spec_.type(weight->operand)));
}

std::optional<jit::vec_t> column_kernel_t::load_scalar(size_t scalar) {
    if (!spec_.has(scalar)) return std::nullopt;
    std::optional<vec_t> value(vec("scale of quantization"));
    const gpr_t at = gpr("address of a scale", operand_argument(scalar));
    io_.load_broadcast(*value, spec_.type(scalar), *at);
    return value;
}

std::optional<jit::divisor_t> column_kernel_t::load_divisor(size_t scalar) {
    const std::optional<vec_t> value = load_scalar(scalar);
    if (!value) return std::nullopt;
    return jit::divisor_t(*this, **value);
}

void column_kernel_t::apply_post_ops(const Xmm &y, int i, const tile_t &tile) {
    if (post_ops_.empty()) return;
    const gpr_t base = gpr("operand of a post-op");
    post_ops_.apply(y, lanes_of(tile, i), [&](int index) {
        const jit::post_op_operand_t &read = post_op_operands_[static_cast<size_t>(index)];
        mov(*base, operand_argument(first_post_op_ + static_cast<size_t>(index)));
        return *base + (read.per_lane ? i * lanes() * size_of(read.type) : 0);
    });
}

void column_kernel_t::advance_operands(dim_t steps) {
    for (size_t i = first_post_op_; i < spec_.operands.size(); ++i)
        if (spec_.pitch(i) != 0) advance(operand_argument(i), steps * spec_.pitch(i));
}

void column_kernel_t::next_tile_of_operands(const tile_t &tile) {
    for (size_t i = 0; i < post_op_operands_.size(); ++i)
        if (const jit::post_op_operand_t &read = post_op_operands_[i]; read.per_lane)
            advance(operand_argument(first_post_op_ + i),
                    tile.vectors * lanes() * size_of(read.type));
}

void column_kernel_t::for_each_store(size_t output, const function_ref_t<void(store_t)> &write) {
    if (!spec_.is_streamed || !spec_.has_non_temporal_stores(output))
        return write(store_t::ordinary);
    Xbyak::Label ordinary, end;
    cmp(argument(offsetof(column_args_t, non_temporal)), 0);
    je(ordinary, T_NEAR);
    write(store_t::non_temporal);
    jmp(end, T_NEAR);
    L(ordinary);
    write(store_t::ordinary);
    L(end);
}

Xbyak::Address column_kernel_t::operand_argument(size_t operand) {
    return argument(offsetof(column_args_t, operands) + operand * sizeof(void *));
}

void column_kernel_t::advance(const Xbyak::Operand &address, dim_t bytes) {
    if (bytes == static_cast<int32_t>(bytes)) return add(address, static_cast<uint32_t>(bytes));
    const gpr_t distance = gpr("distance");
    mov(*distance, bytes);
    add(address, *distance);
}

} // namespace kiln::x64
