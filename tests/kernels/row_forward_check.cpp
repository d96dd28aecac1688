// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization forward on rows against arithmetic in double.
#include "kernels/row_forward_check.hpp"

#include <algorithm>
#include <cmath>

#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::layer_normalization::test {

using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

namespace {

constexpr uint64_t seed = 1;
constexpr double given_mean = 0.75, given_variance = 3.5; // not the rows' own

bool is_used(data_type_t type) { return type != dnnl_data_type_undef; }

/// The error of an element of this type after the value is rounded to it.
double rounding(data_type_t type, double value) {
    return stored(type, {value, unit * std::abs(value)}).error;
}

} // namespace

checked_forward_t::checked_forward_t(const forward_case_t &tested)
    : run_(tested)
    , t_(tested) {
    kiln::test::random_values_t random(seed);
    const auto fill_with = [&](row_tensor_t &tensor, data_type_t type, dim_t count, double low,
                                   double high) {
        return fill(tensor, type, random.many(count, low, high));
    };
    const dim_t count = t_.rows * t_.cols;
    const bool is_integer = kiln::test::is_integer(t_.src_type);
    const double low = t_.src_type == dnnl_u8 ? 0 : is_integer ? -100 : -2;
    src_ = fill_with(run_.src, t_.src_type, count, low, is_integer ? 120 : 4);
    if (t_.nan_col >= 0) {
        constexpr double nan = kiln::test::full_nan;
        run_.src.set(t_.rows / 2, t_.nan_col, nan);
        src_[static_cast<size_t>(t_.rows / 2 * t_.cols + t_.nan_col)] = nan;
    }
    if (is_used(t_.src_1_type)) src_1_ = fill_with(run_.src_1, t_.src_1_type, count, -3, 3);
    scale_.assign(static_cast<size_t>(t_.cols), 1);
    shift_.assign(static_cast<size_t>(t_.cols), 0);
    if (is_used(t_.scale_type)) scale_ = fill_with(run_.scale, t_.scale_type, t_.cols, -2, 2);
    if (is_used(t_.shift_type)) shift_ = fill_with(run_.shift, t_.shift_type, t_.cols, -1, 1);
    if (is_used(t_.row_scale_type)) fill(run_.row_factor, dnnl_f32, {row_scale_factor});
    for (dim_t row = 0; t_.statistics == statistics_t::given && row < t_.rows; ++row) {
        if (!t_.is_rms) run_.mean.set(row, 0, given_mean);
        run_.variance.set(row, 0, given_variance);
    }
    if (t_.has_src_scale) src_scale_ = fill(run_.src_scale, dnnl_f32, {0.7}).front();
    if (t_.has_dst_scale) dst_scale_ = fill(run_.dst_scale, dnnl_f32, {0.03}).front();
}

forward_run_t &checked_forward_t::run_in_calls(dim_t rows_of_call) {
    for (dim_t row = 0; row < t_.rows; row += rows_of_call)
        run_.run(row, std::min(rows_of_call, t_.rows - row));
    return run_;
}

AssertionResult checked_forward_t::is_right() {
    if (!run_.has_intact_gaps()) return run_.failure(seed, "wrote beside its results");
    for (dim_t row = 0; row < t_.rows; ++row)
        if (const auto right = is_right(row); !right) return right;
    return AssertionSuccess();
}

AssertionResult checked_forward_t::is_near(
        const char *name, dim_t row, dim_t col, double got, estimate_t right) const {
    if (test::is_near(got, right)) return AssertionSuccess();
    return run_.failure(seed, wrong(name, row, col, right, got));
}

AssertionResult checked_forward_t::is_right(dim_t row) {
    std::vector<estimate_t> x;
    for (dim_t col = 0; col < t_.cols; ++col) {
        x.push_back(sum_of(row, col));
        if (!is_used(t_.sum_type)) continue;
        const double got = run_.sum().get(row, col);
        const double value = x.back().value;
        const auto near = is_near("the sum", row, col, got, {value, rounding(t_.sum_type, value)});
        if (!near) return near;
        x.back() = {got, 0};
    }
    const moments_t moments = moments_around(x);
    if (const auto right = has_right_statistics(row, moments); !right) return right;
    std::vector<estimate_t> y;
    for (dim_t col = 0; col < t_.cols; ++col)
        y.push_back(result(moments, x[static_cast<size_t>(col)], static_cast<size_t>(col)));
    return has_right_dst(row, y);
}

estimate_t checked_forward_t::sum_of(dim_t row, dim_t col) const {
    const auto at = static_cast<size_t>(row * t_.cols + col);
    if (src_1_.empty()) return {src_[at], 0};
    const double sum = src_[at] + src_1_[at];
    return {sum, unit * std::abs(sum)};
}

/// Errors of the elements change the mean by no more than the largest, and the variance by twice
/// that times their deviation.
moments_t checked_forward_t::moments_around(const std::vector<estimate_t> &x) const {
    if (t_.statistics == statistics_t::given)
        return {{t_.is_rms ? 0 : given_mean, 0}, {given_variance, 0}};
    std::vector<double> values;
    double off = 0, size = 0;
    for (const estimate_t &element : x) {
        values.push_back(element.value);
        off = std::max(off, element.error);
        size = std::max(size, std::abs(element.value));
    }
    moments_t moments = moments_of(values.data(), t_.cols, t_.is_rms);
    moments.mean.error += off;
    moments.variance.error += 4 * off * size;
    return moments;
}

AssertionResult checked_forward_t::has_right_statistics(dim_t row, const moments_t &moments) {
    if (t_.statistics == statistics_t::computed) return AssertionSuccess();
    // An f32 is stored as it is computed.
    const auto as_stored = [&](const estimate_t &value) {
        return t_.stat_type == dnnl_f32 ? value : stored(t_.stat_type, value);
    };
    if (!t_.is_rms) {
        const auto near = is_near("mean", row, 0, run_.mean.get(row, 0), as_stored(moments.mean));
        if (!near) return near;
    }
    return is_near("variance", row, 0, run_.variance.get(row, 0), as_stored(moments.variance));
}

/// The errors of x and of the statistics; four roundings to r = 1 / sqrt(variance + epsilon): the
/// sum, the root, the quotient, one for terms of second order; three to xhat * scale; one for the
/// shift, one for the scale of src.
estimate_t checked_forward_t::result(const moments_t &moments, estimate_t x, size_t col) const {
    const auto &[mean, variance] = moments;
    const double sum = variance.value + static_cast<double>(t_.epsilon);
    const double r = 1 / std::sqrt(sum);
    const double xhat = (x.value - mean.value) * r;
    double y = xhat * scale_[col] + shift_[col];
    const double relative_error = variance.error / (2 * sum) + (4 + 3) * unit;
    double error =
            std::abs(scale_[col]) * (r * (mean.error + x.error) + std::abs(xhat) * relative_error)
            + unit * std::abs(y);
    y *= src_scale_;
    error = error * src_scale_ + (t_.has_src_scale ? unit * std::abs(y) : 0);
    return {t_.post_ops.empty() ? y : std::max(y, 0.), error}; // the post-op is relu
}

AssertionResult checked_forward_t::has_right_dst(dim_t row, const std::vector<estimate_t> &y) {
    double scale = dst_scale_;
    if (is_used(t_.row_scale_type)) {
        estimate_t greatest;
        for (const auto &[value, error] : y) {
            greatest.value = std::max(greatest.value, std::abs(value));
            greatest.error = std::max(greatest.error, error);
        }
        scale = run_.row_scale.get(row, 0);
        const estimate_t right{greatest.value * row_scale_factor,
                (greatest.error + 2 * unit * greatest.value) * row_scale_factor};
        const auto near = is_near("scale", row, 0, scale, stored(t_.row_scale_type, right));
        if (!near) return near;
    }
    for (dim_t col = 0; col < t_.cols; ++col) {
        const auto &[value, error] = y[static_cast<size_t>(col)];
        const double quotient = scale == 0 ? 0 : value / scale;
        const double off = scale == 0 ? 0 : error / scale + unit * std::abs(quotient);
        const auto near = is_near(
                "dst", row, col, run_.dst().get(row, col), stored(t_.dst_type, {quotient, off}));
        if (!near) return near;
    }
    return AssertionSuccess();
}

AssertionResult rows_are_right(const forward_case_t &tested) {
    checked_forward_t checked(tested);
    checked.run().run();
    return checked.is_right();
}

AssertionResult have_same_bits(forward_run_t &one, forward_run_t &other, dim_t except) {
    for (dim_t row = 0; row < one.tested().rows; ++row)
        if (row != except && one.result_bits(row) != other.result_bits(row))
            return ::testing::AssertionFailure()
                   << one.tested().describe() << ": row " << row << " has other bits";
    return AssertionSuccess();
}

} // namespace kiln::x64::layer_normalization::test
