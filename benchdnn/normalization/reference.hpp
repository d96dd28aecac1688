// SPDX-License-Identifier: Apache-2.0
// Normalization of one population, forward and backward, in double, each value with the error that
// a correct f32 computation may have. A population is all values that share a mean and a variance:
// a row, a channel, a group. Pure arithmetic: no tensors, no library.
#pragma once

#include "common/tensor/dims.hpp"
#include "common/tensor/estimate.hpp"

namespace benchdnn::normalization {

// RMS normalization has no mean (it is 0 here) and its variance is the mean square.
struct statistics_t {
    // As the normalization uses them: in f32 or more precise.
    estimate_t mean, variance;
    // Sums in f32 are exact in any order: as outputs, the statistics may only be rounded to f32.
    bool has_exact_mean = false, has_exact_variance = false;

    estimate_t mean_output() const { return {mean.value, has_exact_mean ? 0 : mean.tolerance}; }
    estimate_t variance_output() const {
        return {variance.value, has_exact_variance ? 0 : variance.tolerance};
    }
};

struct population_t {
    const double *values;
    dim_t count;
    dnnl_data_type_t type; // limits how many different values there are
    bool is_rms = false;
};

statistics_t statistics_of(const population_t &population);

// Normalizes the values of one population.
class normalizer_t {
public:
    normalizer_t(const statistics_t &statistics, double epsilon);

    // x = (src - mean) / sqrt(variance + epsilon)
    double normalized(double src) const { return (src - mean_.value) * reciprocal_; }
    // scale * x + shift
    estimate_t forward(double src, double scale, double shift) const;
    double reciprocal_deviation() const { return reciprocal_; }

private:
    estimate_t mean_;
    double reciprocal_; // of the standard deviation
    double relative_;   // error of a product with it
};

// How many different values g = scale * diff_dst and g * x may take.
struct distinct_terms_t {
    double g = std::numeric_limits<double>::infinity(), product = g;
};

// The gradient of a population's src. With g = scale * diff_dst:
//   diff_src = (g - average(g) - x * average(g * x)) / sqrt(variance + epsilon)
// RMS normalization has no average(g) term, since its output does not change with a mean. Where the
// statistics are constants there is no average at all. Statistics are taken as they are given.
class src_gradient_t {
public:
    enum class terms_t { none, slope, average_and_slope };
    src_gradient_t(const normalizer_t &normalizer, terms_t terms, distinct_terms_t distinct = {})
        : normalizer_(normalizer)
        , terms_(terms)
        , plain_(distinct.g, running_sum_t::terms_t::are_products)
        , weighted_(distinct.product, running_sum_t::terms_t::are_products) {}
    // Called for all values of the population; then end_sums(), then of() for each value.
    void add(double src, double g);
    void end_sums();
    estimate_t of(double src, double g) const;

private:
    const normalizer_t &normalizer_;
    const terms_t terms_;
    running_sum_t plain_, weighted_;
    dim_t count_ = 0;
    estimate_t average_, slope_;
};

inline src_gradient_t::terms_t gradient_terms(bool constant_statistics, bool is_rms) {
    using terms_t = src_gradient_t::terms_t;
    if (constant_statistics) return terms_t::none;
    return is_rms ? terms_t::slope : terms_t::average_and_slope;
}

} // namespace benchdnn::normalization
