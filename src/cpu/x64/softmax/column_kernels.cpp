// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax on columns.

#include "cpu/x64/softmax/column_kernels.hpp"

#include <bit>
#include <limits>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/functions.hpp"
#include "cpu/x64/jit/reduce.hpp"

namespace kiln::x64::softmax {

using jit::infinity;

Xbyak::Address padded_column_kernel_t::constant_by_padding(
        int i, uint32_t element, uint32_t padding) {
    const int elements = spec_.block - spec_.padding;
    return constant_lanes([&](uint32_t lane) {
        const int place = (i * lanes() + static_cast<int>(lane)) % spec_.block;
        return place < elements ? element : padding;
    });
}

void padded_column_kernel_t::clear_padding(const Xmm &x, int i) {
    if (is_last_step()) vandps(x, x, constant_by_padding(i, ~0u, 0));
}

void padded_column_kernel_t::lower_padding(const Xmm &x, int i) {
    clear_padding(x, i);
    if (is_last_step()) vorps(x, x, constant_by_padding(i, 0, std::bit_cast<uint32_t>(-infinity)));
}

void padded_column_kernel_t::store_result(
        const Xmm &x, size_t operand, int i, const tile_t &tile, store_t how) {
    clear_padding(x, i);
    store(x, operand, i, tile, how);
}

class column_forward_kernel_t::kept_tile_t {
public:
    kept_tile_t(column_forward_kernel_t &kernel, const tile_t &tile)
        : kernel_(kernel)
        , vector_bytes_(kernel.lanes() * size_of(dnnl_f32))
        , step_bytes_(tile.vectors * vector_bytes_)
        , at_(kernel.gpr("kept exponentials", kernel.argument(offsetof(column_args_t, memory)))) {}

    Xbyak::Address at(int i) const { return kernel_.ptr[*at_ + i * vector_bytes_]; }
    void next_step() const { kernel_.add(*at_, step_bytes_); }

private:
    column_forward_kernel_t &kernel_;
    const int vector_bytes_, step_bytes_;
    const jit::gpr_t at_;
};

column_forward_kernel_t::column_forward_kernel_t(const column_spec_t &spec)
    : padded_column_kernel_t(spec, operand_t::held) {}

void column_forward_kernel_t::write_tile(const tile_t &tile) {
    for_each_store(operand_t::dst, [&](store_t how) { write_tile(tile, how); });
}

void column_forward_kernel_t::write_tile(const tile_t &tile, store_t how) {
    // Non-temporal stores of exponentials would be read from memory.
    const kept_t kept =
            spec_.kept == kept_t::in_dst && how != store_t::ordinary ? kept_t::nowhere : spec_.kept;
    const vecs_t maxima = vecs("maximum", tile), sums = vecs("sum", tile);
    find_maxima(maxima, tile);
    find_sums(sums, maxima, tile, how, kept);
    finish_sums(sums, maxima, tile);
    store_results(sums, maxima, tile, how, kept);
}

void column_forward_kernel_t::find_maxima(const vecs_t &maxima, const tile_t &tile) {
    for (const vec_t &maximum : maxima) broadcast(maximum, -infinity);
    const vec_t x = vec("x");
    for_each_step({operand_t::src}, [&] {
        for (int i = 0; i < tile.vectors; ++i) {
            const Xmm &maximum = *maxima[i];
            load(x, operand_t::src, i, tile);
            lower_padding(x, i);
            vmaxps(maximum, maximum, *x);
        }
    });
    jit::reduce_maxima_of_groups(*this, maxima, spec_.block);
    if (!spec_.is_inf_zero) return;
    for (const vec_t &maximum : maxima)
        vmaxps(*maximum, *maximum, constant(-std::numeric_limits<float>::max()));
}

void column_forward_kernel_t::find_sums(
        const vecs_t &sums, const vecs_t &maxima, const tile_t &tile, store_t how, kept_t kept) {
    const jit::non_positive_exp_t exp(*this);
    const vec_t x = vec("x");
    std::vector<size_t> walked{operand_t::src};
    const bool fetches_dst =
            spec_.fetches_output && kept != kept_t::nowhere && how == store_t::ordinary;
    const int ahead = kept == kept_t::in_dst ? 1 : 0; // stores of this walk, or of the next one
    if (kept == kept_t::in_dst || fetches_dst) walked.push_back(operand_t::dst);
    std::optional<kept_tile_t> memory;
    if (kept == kept_t::in_memory) memory.emplace(*this, tile);
    sum_over_steps({&sums}, walked, [&] {
        if (spec_.fetches_next_tile) prefetch_next_tile(operand_t::src, tile);
        if (fetches_dst) prefetch_for_stores(operand_t::dst, tile, ahead);
        for (int i = 0; i < tile.vectors; ++i) {
            const Xmm &sum = *sums[i];
            load(x, operand_t::src, i, tile);
            lower_padding(x, i);
            vsubps(*x, *x, *maxima[i]);
            exp.apply(x);
            if (kept == kept_t::in_dst) store(x, operand_t::dst, i, tile, store_t::ordinary);
            if (memory) vmovups(memory->at(i), *x);
            vaddps(sum, sum, *x);
        }
        if (memory) memory->next_step();
    });
    jit::reduce_sums_of_groups(*this, sums, spec_.block);
}

void column_forward_kernel_t::finish_sums(
        const vecs_t &sums, const vecs_t &maxima, const tile_t &tile) {
    const vec_t value = vec("stat or reciprocal");
    const auto set_zero_where_zero = [&](const Xmm &sum) {
        if (spec_.is_inf_zero)
            jit::lane_condition_t(*this, sum, jit::comparison_t::ne, constant(0)).keep(value);
    };
    for (int i = 0; i < tile.vectors; ++i) {
        const Xmm &sum = *sums[i];
        if (spec_.is_log || spec_.has(operand_t::stats)) {
            const vec_t logarithm = vec("logarithm");
            vmovups(logarithm, sum);
            jit::log(*this, logarithm);
            vaddps(*value, *logarithm, *maxima[i]);
            set_zero_where_zero(sum);
            if (spec_.has(operand_t::stats))
                store(value, operand_t::stats, i, tile, store_t::ordinary);
            if (spec_.is_log) vmovups(sum, *logarithm);
        }
        if (spec_.is_log) continue;
        broadcast(value, 1);
        vdivps(*value, *value, sum);
        set_zero_where_zero(sum);
        vmovups(sum, *value);
    }
}

void column_forward_kernel_t::store_results(
        const vecs_t &sums, const vecs_t &maxima, const tile_t &tile, store_t how, kept_t kept) {
    std::optional<jit::non_positive_exp_t> exp;
    if (!spec_.is_log && kept == kept_t::nowhere) exp.emplace(*this);
    std::optional<kept_tile_t> memory;
    if (kept == kept_t::in_memory) memory.emplace(*this, tile);
    const auto src_factor = load_scalar(operand_t::src_scale);
    const auto divisor = load_divisor(operand_t::dst_scale);
    const vec_t y = vec("y");
    std::vector<size_t> walked{operand_t::dst};
    if (kept == kept_t::nowhere) walked.push_back(operand_t::src);
    const bool fetches_dst =
            spec_.fetches_output && kept == kept_t::nowhere && how == store_t::ordinary;
    for_each_result(walked, [&] {
        if (fetches_dst) prefetch_for_stores(operand_t::dst, tile, 1);
        for (int i = 0; i < tile.vectors; ++i) {
            const Xmm &sum = *sums[i];
            if (memory)
                vmovups(y, memory->at(i));
            else
                load(y, kept == kept_t::in_dst ? operand_t::dst : operand_t::src, i, tile);
            if (kept == kept_t::nowhere) vsubps(*y, *y, *maxima[i]);
            if (exp) exp->apply(y);
            spec_.is_log ? vsubps(*y, *y, sum) : vmulps(*y, *y, sum);
            if (src_factor) vmulps(*y, *y, **src_factor);
            apply_post_ops(y, i, tile);
            if (divisor) divisor->divide(y);
            store_result(y, operand_t::dst, i, tile, how);
        }
        if (memory) memory->next_step();
    });
}

column_backward_kernel_t::column_backward_kernel_t(const column_spec_t &spec)
    : padded_column_kernel_t(spec, operand_t::stepped) {}

void column_backward_kernel_t::write_tile(const tile_t &tile) {
    const vecs_t sums = vecs("sum", tile);
    find_sums(sums, tile);
    for_each_store(operand_t::diff_src, [&](store_t how) { store_results(sums, tile, how); });
}

void column_backward_kernel_t::find_sums(const vecs_t &sums, const tile_t &tile) {
    const vec_t y = vec("dst"), gradient = vec("diff_dst");
    std::vector<size_t> walked{operand_t::diff_dst};
    if (!spec_.is_log) walked.push_back(operand_t::dst);
    sum_over_steps({&sums}, walked, [&] {
        if (spec_.fetches_next_tile)
            for (const size_t operand : walked) prefetch_next_tile(operand, tile);
        for (int i = 0; i < tile.vectors; ++i) {
            const Xmm &sum = *sums[i];
            load(gradient, operand_t::diff_dst, i, tile);
            if (spec_.is_log) {
                vaddps(sum, sum, *gradient);
            } else {
                load(y, operand_t::dst, i, tile);
                vfmadd231ps(sum, *y, *gradient);
            }
        }
    });
    jit::reduce_sums_of_groups(*this, sums, spec_.block);
}

void column_backward_kernel_t::store_results(const vecs_t &sums, const tile_t &tile, store_t how) {
    const vec_t y = vec("dst"), gradient = vec("diff_dst");
    const bool fetches_output = spec_.fetches_output && how == store_t::ordinary;
    for_each_step({operand_t::dst, operand_t::diff_dst, operand_t::diff_src}, [&] {
        if (fetches_output) prefetch_for_stores(operand_t::diff_src, tile, 1);
        for (int i = 0; i < tile.vectors; ++i) {
            load(y, operand_t::dst, i, tile);
            load(gradient, operand_t::diff_dst, i, tile);
            find_gradient(*this, gradient, y, sums[i], spec_.is_log);
            store_result(gradient, operand_t::diff_src, i, tile, how);
        }
    });
}

} // namespace kiln::x64::softmax
