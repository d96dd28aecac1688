// SPDX-License-Identifier: Apache-2.0
// Batch normalization of channels with few elements, which are columns: each vector of channels is
// finished before the next one begins.
#pragma once

#include <string>

#include "cpu/x64/channel_normalization/bounded_results.hpp"
#include "cpu/x64/columns/column_kernel.hpp"

namespace kiln::x64::channel_normalization {

/// The length is that of a channel.
struct channel_column_spec_t : kernel_spec_t {
    float epsilon = 0;
    bool reads_stats = false, writes_stats = false; // forward
    bool has_relu = false;                          // forward
    bool has_constant_stats = false; // backward: no gradient flows through mean and variance
};

struct channel_column_forward_spec_t : channel_column_spec_t {
    /// From `stepped` on there is one element for each channel.
    enum operand : size_t {
        src,
        dst,
        relu_mask, // training
        stepped,
        mean = stepped,
        variance,
        scale,
        shift,
        held,
    };
    static constexpr size_t output = dst;

    std::string name() const;
    bool needs_many_registers() const { return !post_ops.empty(); }
    /// Whether s8 is written that coefficients may bound.
    bool may_be_bounded() const {
        return type(src) == dnnl_s8 && type(dst) == dnnl_s8 && !has(relu_mask) && post_ops.empty();
    }
};

struct channel_column_backward_spec_t : channel_column_spec_t {
    enum operand : size_t {
        src,
        diff_dst,
        diff_src, // a call may pass null for this, diff_scale and diff_shift
        relu_mask,
        stepped,
        mean = stepped,
        variance,
        scale,
        diff_scale,
        diff_shift,
        held,
    };
    static constexpr size_t output = diff_src;

    std::string name() const;
    bool needs_many_registers() const { return true; }
};

/// dst = (src - mean) * (r * scale) + shift with r = 1 / sqrt(variance + epsilon); of a ReLU
/// max(dst, 0), and its mask. s8 has another form where coefficients bound the results.
class channel_column_forward_kernel_t : public column_kernel_t {
public:
    using spec_t = channel_column_forward_spec_t;
    explicit channel_column_forward_kernel_t(const spec_t &spec);

private:
    enum coefficient_t : int { center, factor, offset, coefficients };

    void write_tile(const tile_t &tile) override;
    /// Writes both forms of what coefficients may bound; a tile chooses.
    void write_either_form(const tile_t &tile);
    tile_statistics_t coefficients_of(const tile_t &tile);
    /// Moves the means to the shifts: (x - mean) * r - t = x * r - (mean * r + t).
    void fold_means(tile_statistics_t &v);
    void jump_if_bounded(const tile_statistics_t &v, const Xbyak::Label &bounded);
    /// Sets r = r * scale and the shift of xhat to itself * scale - shift.
    void apply_weights(const tile_statistics_t &v);
    /// `normalize(y, i)` loads vector i of the tile, normalized.
    using normalize_t = function_ref_t<void(const Xmm &y, int i)>;
    void write_dst(
            const tile_t &tile, const normalize_t &normalize, results_t results = results_t::any);
    void write_dst(
            const tile_t &tile, store_t how, const normalize_t &normalize, results_t results);
    void store_dst(const Xmm &y, int i, const tile_t &tile, store_t how, results_t results);

    const spec_t spec_;
};

/// With d = src - mean, over the N elements of a channel:
///     diff_shift = sum(dy),   diff_scale = r * sum(dy * d)
///     diff_src = scale * r * (dy - diff_shift / N - d * r * diff_scale / N)
class channel_column_backward_kernel_t : public column_kernel_t {
public:
    using spec_t = channel_column_backward_spec_t;
    explicit channel_column_backward_kernel_t(const spec_t &spec);

private:
    struct tile_vecs_t;
    enum coefficient_t : int { center, factor, offset, slope, coefficients };

    void write_tile(const tile_t &tile) override;
    /// Leaves sums in registers, and stores gradients of scale and shift.
    void find_sums(const tile_vecs_t &v);
    void write_parts(const tile_t &tile);
    void write_sums(const tile_vecs_t &v);
    void write_coefficients(const tile_vecs_t &v);
    /// Makes dy of vector i of the tile diff_src, without x if statistics are constant.
    using combine_t = function_ref_t<void(const Xmm &dy, const Xmm &x, int i)>;
    void write_diff_src(const tile_t &tile, const combine_t &combine);
    void write_diff_src(const tile_t &tile, store_t how, const combine_t &combine);
    /// Loads diff_dst, 0 where the ReLU did not pass.
    void load_gradient(const Xmm &dy, int i, const tile_t &tile);
    /// Stores one of the gradients of scale and shift, if it is wanted.
    void store_gradient(const vecs_t &from, size_t operand, const tile_t &tile);

    const spec_t spec_;
};

} // namespace kiln::x64::channel_normalization
