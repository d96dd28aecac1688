// SPDX-License-Identifier: Apache-2.0
// The values of src and diff_dst of a normalization. Each population has its own mean and spread,
// each element its own value, and gradients are correlated with src, so that a wrong population, a
// wrong element or a missing term changes the results by much more than rounding does. Pure
// arithmetic: no tensors, no library.
#pragma once

#include "common/tensor/fill.hpp"
#include "normalization/reference.hpp"

namespace benchdnn::normalization {

// Problems differ in the position of src.
struct src_kind_t {
    enum class position_t {
        about_zero,
        off_zero,
        far_off_zero, // E[x^2] - E[x]^2 has no correct digits left
        exact,        // sums of values and of squares are exact in any order, and means in f32
        exact_about_zero
    };
    position_t position = position_t::about_zero;
    bool is_centred =
            true; // a mean is subtracted; without that, all results would be 1 far from zero
};

class src_values_t {
public:
    // count: elements of a population.
    src_values_t(dnnl_data_type_t type, src_kind_t kind, uint64_t seed, dim_t count);

    // The value of an element: center + spread * deviation.
    double operator()(dim_t population, dim_t index) const;
    // In [-1, 1], with a mean of about zero.
    double deviation(dim_t population, dim_t index) const;

private:
    struct level_t {
        double center, spread;
    };
    level_t level(dim_t population) const;
    level_t exact_level(dim_t population) const;

    const dnnl_data_type_t type_;
    const bool is_exact_;
    const dim_t count_;
    double offset_; // from zero, in spreads
    // Exact values are integer multiples of a unit of their population: the mean, and deviations
    // that cancel in pairs.
    double largest_step_ = 0, largest_mean_ = 0;
    noise_t noise_;
};

// A common summand keeps average(g) away from zero, and a summand proportional to src keeps
// average(g * x) away from it.
class diff_dst_values_t {
public:
    diff_dst_values_t(const src_values_t &src, uint64_t seed, dim_t count)
        : src_(src)
        , noise_(seed)
        , count_(count) {}
    double operator()(dim_t population, dim_t index) const;

private:
    const src_values_t &src_;
    noise_t noise_;
    const dim_t count_;
};

// Scale has both signs and no zeros; for integer outputs, values are larger.
class parameter_values_t {
public:
    parameter_values_t(bool for_integers, uint64_t seed)
        : size_(for_integers ? 16 : 1)
        , scale_noise_(seed)
        , shift_noise_(seed + 1) {}
    double scale(dim_t channel) const {
        return size_ * (channel % 5 == 3 ? -1 : 1) * (1.1 + 0.8 * scale_noise_(channel));
    }
    double shift(dim_t channel) const { return size_ * (0.3 + 1.2 * shift_noise_(channel)); }

private:
    const double size_;
    noise_t scale_noise_, shift_noise_;
};

// Statistics as an input: those that a training pass would have stored. Global statistics differ
// from the population's own, so that an implementation that computes them instead of reading them
// fails.
struct given_statistics_t {
    double mean, variance;
};
given_statistics_t statistics_to_give(const statistics_t &own, bool global);

} // namespace benchdnn::normalization
