// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization backward on rows against arithmetic in double.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/row_backward_run.hpp"
#include "kernels/row_forward_run.hpp"
#include "kernels/row_model.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::layer_normalization::test {

using kiln::test::random_values_t;
using kiln::test::rounded;

constexpr dim_t row_lengths[]{
        1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 128, 129, 255, 768, 1031};
constexpr dim_t row_counts[]{1, 2, 3, 4, 5, 7, 9};
constexpr data_type_t data_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t weight_types[]{dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr placement_t placements[]{placement_t::ends_at_guard, placement_t::begins_at_guard};

constexpr uint64_t seed = 1;

/// Operands of a case with their values, and what should come of them.
class checked_run_t {
public:
    explicit checked_run_t(const backward_case_t &tested)
        : run_(tested)
        , t_(tested) {
        random_values_t random(seed);
        const dim_t count = t_.rows * t_.cols;
        src_ = fill(run_.src, t_.src_type, random.many(count, -2, 4));
        diff_dst_ = fill(run_.diff_dst, t_.diff_dst_type, random.many(count, -3, 2));
        if (t_.nan_col >= 0) {
            constexpr double nan = kiln::test::full_nan;
            run_.diff_dst.set(t_.rows / 2, t_.nan_col, nan);
            diff_dst_[at(t_.rows / 2, t_.nan_col)] = nan;
        }
        // A kernel takes the statistics as they are given: they need not be those of src.
        if (!t_.is_rms) mean_ = fill(run_.mean, t_.stat_type, random.many(t_.rows, 0, 2));
        mean_.resize(static_cast<size_t>(t_.rows), 0);
        variance_ = fill(run_.variance, t_.stat_type, random.many(t_.rows, 1, 4));
        for (dim_t row = 0; t_.recomputes_statistics && row < t_.rows; ++row) recompute(row);
        scale_.assign(static_cast<size_t>(t_.cols), 1);
        if (t_.scale_type != dnnl_data_type_undef)
            scale_ = fill(run_.scale, t_.scale_type, random.many(t_.cols, -2, 2));
        diff_scale_ = fill(run_.diff_scale, dnnl_f32, random.many(t_.cols, -1, 1));
        diff_shift_ = fill(run_.diff_shift, dnnl_f32, random.many(t_.cols, -1, 1));
        for (const backward_post_op_t &post_op : t_.post_ops) {
            if (post_op.operand_type == dnnl_data_type_undef) continue;
            const dim_t size =
                    (post_op.is_same_of_rows ? 1 : t_.rows) * (post_op.per_lane ? t_.cols : 1);
            operands_.push_back(fill(run_.operands[operands_.size()], post_op.operand_type,
                    random.many(size, -2, 2)));
        }
    }

    backward_run_t &run() { return run_; }

    ::testing::AssertionResult is_right() {
        if (!run_.has_intact_gaps()) return run_.failure(seed, "wrote beside its results");
        for (dim_t row = 0; t_.has_diff_src && row < t_.rows; ++row)
            if (const auto right = has_right_diff_src(row); !right) return right;
        for (dim_t col = 0; col < t_.cols; ++col)
            if (const auto right = has_right_weight_gradients(col); !right) return right;
        return ::testing::AssertionSuccess();
    }

private:
    void recompute(dim_t row) {
        double sum = 0, squares = 0;
        for (dim_t col = 0; col < t_.cols; ++col) sum += src_[at(row, col)];
        const double mean = t_.is_rms ? 0 : sum / static_cast<double>(t_.cols);
        for (dim_t col = 0; col < t_.cols; ++col) squares += std::pow(src_[at(row, col)] - mean, 2);
        mean_[static_cast<size_t>(row)] = mean;
        variance_[static_cast<size_t>(row)] = squares / static_cast<double>(t_.cols);
    }
    /// How far off the mean and, relatively, the variance of a row may be that are computed: each
    /// of the sums has up to C / 4 roundings in a lane and a few after, of deviations within a
    /// range of 6, or of squares four times as large as those about the mean.
    double roundings_of_sums() const {
        return t_.recomputes_statistics ? unit * (static_cast<double>(t_.cols) / 4 + 20) : 0;
    }
    double mean_error() const { return t_.is_rms ? 0 : 6 * roundings_of_sums(); }
    double variance_error() const { return 4 * roundings_of_sums(); }

    size_t at(dim_t row, dim_t col) const { return static_cast<size_t>(row * t_.cols + col); }

    double r(dim_t row) const {
        return 1 / std::sqrt(variance_[static_cast<size_t>(row)] + static_cast<double>(t_.epsilon));
    }
    double xhat(dim_t row, dim_t col) const {
        return (src_[at(row, col)] - mean_[static_cast<size_t>(row)]) * r(row);
    }
    double g(dim_t row, dim_t col) const {
        return diff_dst_[at(row, col)] * scale_[static_cast<size_t>(col)];
    }

    /// diff_src = r * (g - mean(g) - xhat * mean(g * xhat)). To first order in `unit`: a lane adds
    /// at most C / 8 terms, folding makes less than 6 roundings, and each term has 5 of its own (d,
    /// dy * d, the scale's) or of what it is multiplied with (r to three powers, 3 roundings each,
    /// two products): less than 26 in all. The sum in brackets is rounded three times, no
    /// intermediate result being larger than its terms together; r once more.
    ::testing::AssertionResult has_right_diff_src(dim_t row) {
        double sum_g = 0, sum_gx = 0, abs_g = 0, abs_gx = 0;
        for (dim_t col = 0; !t_.has_constant_statistics && col < t_.cols; ++col) {
            const double gx = g(row, col) * xhat(row, col);
            if (!t_.is_rms) sum_g += g(row, col), abs_g += std::abs(g(row, col));
            sum_gx += gx, abs_gx += std::abs(gx);
        }
        const auto count = static_cast<double>(t_.cols);
        const double roundings = count / 8 + 26;
        for (dim_t col = 0; col < t_.cols; ++col) {
            const double x = xhat(row, col);
            const double terms = (abs_g + std::abs(x) * abs_gx) / count;
            const double error = roundings * terms + 8 * (std::abs(g(row, col)) + terms);
            // What statistics that are off do to first order.
            const double off = r(row) * mean_error() * (abs_gx + std::abs(x) * abs_g) / count
                               + 2 * variance_error() * (std::abs(g(row, col)) + terms);
            const double value = r(row) * (g(row, col) - (sum_g + x * sum_gx) / count);
            const estimate_t wanted = stored(t_.diff_src_type,
                    after_post_ops({value, r(row) * (error * unit + off)}, row, col));
            const double got = run_.diff_src().get(row, col);
            if (!is_near(got, wanted))
                return run_.failure(seed, wrong("diff_src", row, col, wanted, got));
        }
        return ::testing::AssertionSuccess();
    }

    /// Rows are added one after another to what was there; a row's term has 6 roundings.
    ::testing::AssertionResult has_right_weight_gradients(dim_t col) {
        double scale = diff_scale_[static_cast<size_t>(col)];
        double shift = diff_shift_[static_cast<size_t>(col)];
        double abs_scale = std::abs(scale), abs_shift = std::abs(shift), off = 0;
        const double roundings = static_cast<double>(t_.rows) + 6;
        for (dim_t row = 0; row < t_.rows; ++row) {
            const double dy = diff_dst_[at(row, col)];
            scale += dy * xhat(row, col), abs_scale += std::abs(dy * xhat(row, col));
            shift += dy, abs_shift += std::abs(dy);
            off += std::abs(dy) * r(row) * mean_error();
            off += std::abs(dy * xhat(row, col)) * variance_error();
        }
        const estimate_t diff_scale{scale, roundings * abs_scale * unit + off};
        const estimate_t diff_shift{shift, roundings * abs_shift * unit};
        const double got_scale = run_.diff_scale.get(0, col);
        if (t_.has_diff_scale && !is_near(got_scale, diff_scale))
            return run_.failure(seed, wrong("diff_scale", 0, col, diff_scale, got_scale));
        const double got_shift = run_.diff_shift.get(0, col);
        if (t_.has_diff_shift && !is_near(got_shift, diff_shift))
            return run_.failure(seed, wrong("diff_shift", 0, col, diff_shift, got_shift));
        return ::testing::AssertionSuccess();
    }

    /// Each post-op rounds once or twice.
    estimate_t after_post_ops(estimate_t y, dim_t row, dim_t col) const {
        size_t index = 0;
        for (const backward_post_op_t &post_op : t_.post_ops) {
            double operand = 0;
            if (post_op.operand_type != dnnl_data_type_undef) {
                const dim_t width = post_op.per_lane ? t_.cols : 1;
                const dim_t place =
                        (post_op.is_same_of_rows ? 0 : row * width) + (post_op.per_lane ? col : 0);
                operand = operands_[index++][static_cast<size_t>(place)];
            }
            switch (post_op.alg) {
            case dnnl_binary_add: y.value += operand; break;
            case dnnl_binary_mul: y.value *= operand, y.error *= std::abs(operand); break;
            case dnnl_eltwise_relu: y.value = std::max(y.value, 0.); break;
            default: // dnnl_eltwise_linear
                y.value = static_cast<double>(post_op.alpha) * y.value
                          + static_cast<double>(post_op.beta);
                y.error = std::abs(static_cast<double>(post_op.alpha)) * y.error
                          + unit * std::abs(static_cast<double>(post_op.beta));
            }
            y.error += 2 * unit * (std::abs(y.value) + std::abs(operand));
        }
        return y;
    }

    backward_run_t run_;
    const backward_case_t t_;
    std::vector<double> src_, diff_dst_, mean_, variance_, scale_, diff_scale_, diff_shift_;
    std::vector<std::vector<double>> operands_;
};

inline ::testing::AssertionResult gives_what_it_should(const backward_case_t &tested) {
    checked_run_t checked(tested);
    checked.run().run();
    return checked.is_right();
}

/// The residual's gradient alone, and chains in which operands differ in type, and in whether they
/// vary along a row and from row to row.
inline std::vector<std::vector<backward_post_op_t>> post_op_chains(data_type_t type) {
    return {{{.alg = dnnl_binary_add, .operand_type = type, .per_lane = true}},
            {{.alg = dnnl_binary_mul,
                     .operand_type = type,
                     .per_lane = true,
                     .is_same_of_rows = true},
                    {.alg = dnnl_eltwise_linear, .alpha = -2, .beta = 0.5f},
                    {.alg = dnnl_binary_add, .operand_type = dnnl_f32, .per_lane = true}},
            {{.alg = dnnl_binary_add, .operand_type = type, .per_lane = false},
                    {.alg = dnnl_eltwise_relu},
                    {.alg = dnnl_binary_mul,
                            .operand_type = type,
                            .per_lane = false,
                            .is_same_of_rows = true}}};
}

} // namespace kiln::x64::layer_normalization::test
