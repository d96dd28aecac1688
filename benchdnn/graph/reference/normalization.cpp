// SPDX-License-Identifier: Apache-2.0
// Common to the normalizations of graphs.
#include "graph/reference/normalization.hpp"

#include <algorithm>
#include <cmath>

#include "common/tensor/data_type.hpp"

namespace benchdnn::graph {

namespace {

using normalization::normalizer_t;
using normalization::src_gradient_t;

// The elements of a population in one array.
std::vector<estimate_t> gathered(
        const value_t &value, const populations_t &populations, dim_t population) {
    std::vector<estimate_t> elements(populations.size());
    for (dim_t k = 0; k < populations.size(); ++k)
        elements[k] = value.elements[populations.index(population, k)];
    return elements;
}

// The effect of the elements' tolerances on the statistics.
void widen(statistics_t &statistics, const std::vector<estimate_t> &elements, bool is_rms) {
    double sum = 0, products = 0, squares = 0;
    for (const estimate_t &x : elements) {
        sum += x.tolerance;
        products += x.tolerance * std::fabs(x.value - statistics.mean.value);
        squares += x.tolerance * x.tolerance;
    }
    if (sum == 0) return;
    const auto count = static_cast<double>(elements.size());
    if (!is_rms) statistics.mean.tolerance += sum / count;
    statistics.variance.tolerance += (2 * products + squares) / count;
    statistics.has_exact_mean = statistics.has_exact_variance = false;
}

// Sums of deviations from one of the elements, which may be two standard deviations from the mean,
// grow with each term, and so do their roundings.
void allow_for_an_origin(statistics_t &statistics, size_t count) {
    constexpr double longest_sum = 512, off = 2;
    const double roundings = std::sqrt(std::min(static_cast<double>(count), longest_sum));
    const double variance = statistics.variance.value;
    if (!statistics.has_exact_mean)
        statistics.mean.tolerance += f32_roundoff * roundings * off * std::sqrt(variance);
    if (!statistics.has_exact_variance)
        statistics.variance.tolerance += f32_roundoff * roundings * off * off * variance;
}

statistics_t statistics_of(
        const std::vector<estimate_t> &elements, dnnl_data_type_t variety, bool is_rms) {
    std::vector<double> values;
    for (const estimate_t &x : elements) values.push_back(x.value);
    statistics_t statistics = normalization::statistics_of(
            {values.data(), static_cast<dim_t>(values.size()), variety, is_rms});
    if (!is_rms) allow_for_an_origin(statistics, elements.size());
    widen(statistics, elements, is_rms);
    return statistics;
}

} // namespace

broadcast_index_t row_parameter_index(
        const value_t *parameter, const op_t &op, const dims_t &dims) {
    const int axis = op.axis("begin_norm_axis", -1, dims.size());
    const dims_t normalized(dims.begin() + axis, dims.end());
    const bool is_flat =
            parameter && parameter->dims.size() == 1 && parameter->count() == product(normalized);
    return broadcast_index_t(is_flat || !parameter ? normalized : parameter->dims, dims);
}

broadcast_index_t channel_parameter_index(const op_t &op, const dims_t &dims) {
    return {op.is_channels_last() ? static_cast<int>(dims.size()) - 1 : 1, dims};
}

statistics_t normalization_t::statistics_of(dim_t population) const {
    return graph::statistics_of(gathered(src, populations, population), src.variety, is_rms);
}

statistics_t given_statistics_t::of(dim_t population) const {
    statistics_t statistics;
    if (mean) statistics.mean = mean->elements[population];
    statistics.variance = variance->elements[population];
    return statistics;
}

void normalize(const normalization_t &what, const given_statistics_t &given,
        const forward_outputs_t &outputs) {
    const auto normalize_population = [&](dim_t p) {
        const std::vector<estimate_t> src = gathered(what.src, what.populations, p);
        const statistics_t statistics =
                given.exist() ? given.of(p)
                              : graph::statistics_of(src, what.src.variety, what.is_rms);
        if (outputs.mean) outputs.mean->elements[p] = statistics.mean_output();
        if (outputs.variance) outputs.variance->elements[p] = statistics.variance_output();
        if (!outputs.dst) return;
        const normalizer_t normalizer(statistics, what.epsilon);
        for (size_t k = 0; k < src.size(); ++k) {
            const dim_t i = what.populations.index(p, static_cast<dim_t>(k));
            const estimate_t scale = what.scale.of(i), shift = what.shift.of(i);
            estimate_t &dst = outputs.dst->elements[i];
            dst = normalizer.forward(src[k].value, scale.value, shift.value);
            dst.tolerance +=
                    std::fabs(scale.value) * normalizer.reciprocal_deviation() * src[k].tolerance
                    + std::fabs(normalizer.normalized(src[k].value)) * scale.tolerance
                    + shift.tolerance;
        }
    };
    for_each_index(what.populations.count(), normalize_population, what.populations.size());
}

namespace {

// The gradients of one population from given statistics.
class population_gradient_t {
public:
    population_gradient_t(const std::vector<estimate_t> &src, const std::vector<estimate_t> &g,
            const statistics_t &statistics, double epsilon)
        : src_(src)
        , g_(g)
        , normalizer_(statistics, epsilon)
        , gradient_(normalizer_, src_gradient_t::terms_t::average_and_slope) {
        for (size_t k = 0; k < src.size(); ++k) gradient_.add(src[k].value, g[k].value);
        gradient_.end_sums();
    }
    estimate_t diff_src(size_t k) const { return gradient_.of(src_[k].value, g_[k].value); }
    double normalized(size_t k) const { return normalizer_.normalized(src_[k].value); }
    double reciprocal_deviation() const { return normalizer_.reciprocal_deviation(); }

private:
    const std::vector<estimate_t> &src_, &g_;
    normalizer_t normalizer_;
    src_gradient_t gradient_;
};

// The statistics at one end of their tolerances.
std::vector<statistics_t> variants_of(const statistics_t &statistics) {
    std::vector<statistics_t> variants;
    if (statistics.mean.tolerance > 0) {
        variants.push_back(statistics);
        variants.back().mean.value += statistics.mean.tolerance;
    }
    if (statistics.variance.tolerance > 0) {
        variants.push_back(statistics);
        variants.back().variance.value += statistics.variance.tolerance;
    }
    return variants;
}

// One worker's share of diff_scale and diff_shift.
struct parameter_sums_t {
    std::vector<running_sum_t> scale, shift;
    std::vector<double> scale_tolerance, shift_tolerance;
    explicit parameter_sums_t(dim_t count)
        : scale(count)
        , shift(count)
        , scale_tolerance(count)
        , shift_tolerance(count) {}
    void merge(const parameter_sums_t &other) {
        for (size_t i = 0; i < scale.size(); ++i) {
            scale[i].merge(other.scale[i]);
            shift[i].merge(other.shift[i]);
            scale_tolerance[i] += other.scale_tolerance[i];
            shift_tolerance[i] += other.shift_tolerance[i];
        }
    }
};

class backward_t {
public:
    backward_t(const normalization_t &what, const value_t &diff_dst,
            const given_statistics_t &given, const backward_outputs_t &outputs)
        : what_(what)
        , diff_dst_(diff_dst)
        , given_(given)
        , outputs_(outputs) {}

    void run() {
        const value_t *parameter = outputs_.diff_scale ? outputs_.diff_scale : outputs_.diff_shift;
        const dim_t parameters = parameter ? parameter->count() : 0;
        std::vector<parameter_sums_t> sums(worker_count(), parameter_sums_t(parameters));
        const populations_t &populations = what_.populations;
        parallel_shares(populations.count(), populations.count() * populations.size(),
                [&](int worker, int64_t begin, int64_t end) {
                    for (int64_t p = begin; p < end; ++p)
                        add_population(p, parameters > 0 ? &sums[worker] : nullptr);
                });
        for (size_t i = 1; i < sums.size(); ++i) sums[0].merge(sums[i]);
        store(outputs_.diff_scale, sums[0].scale, sums[0].scale_tolerance);
        store(outputs_.diff_shift, sums[0].shift, sums[0].shift_tolerance);
    }

private:
    static void store(value_t *output, const std::vector<running_sum_t> &sums,
            const std::vector<double> &tolerances) {
        for (size_t i = 0; output && i < sums.size(); ++i)
            output->elements[i] = {sums[i].sum(), sums[i].tolerance() + tolerances[i]};
    }

    void add_population(dim_t p, parameter_sums_t *sums) {
        const populations_t &populations = what_.populations;
        const std::vector<estimate_t> src = gathered(what_.src, populations, p);
        const std::vector<estimate_t> diff_dst = gathered(diff_dst_, populations, p);
        std::vector<estimate_t> g(src.size());
        for (size_t k = 0; k < src.size(); ++k)
            g[k] = product_of(diff_dst[k], what_.scale.of(populations.index(p, k)));
        const statistics_t statistics =
                given_.exist() ? given_.of(p)
                               : graph::statistics_of(src, what_.src.variety, what_.is_rms);
        const population_gradient_t gradient(src, g, statistics, what_.epsilon);
        std::vector<population_gradient_t> variants;
        for (const statistics_t &variant : variants_of(statistics))
            variants.emplace_back(src, g, variant, what_.epsilon);
        if (outputs_.diff_src) store_diff_src(p, gradient, variants, src, g);
        if (sums) add_parameters(p, gradient, variants, src, diff_dst, *sums);
    }

    // The effect of the tolerances of g and src, on an element's own terms and through the
    // averages.
    void store_diff_src(dim_t p, const population_gradient_t &gradient,
            const std::vector<population_gradient_t> &variants, const std::vector<estimate_t> &src,
            const std::vector<estimate_t> &g) {
        const double r = gradient.reciprocal_deviation();
        double average = 0, slope = 0, slope_of_g = 0;
        for (size_t k = 0; k < src.size(); ++k) {
            const double x = std::fabs(gradient.normalized(k)), off = r * src[k].tolerance;
            average += g[k].tolerance;
            slope += g[k].tolerance * x + std::fabs(g[k].value) * off;
            slope_of_g += g[k].value * gradient.normalized(k);
        }
        const auto count = static_cast<double>(src.size());
        for (size_t k = 0; k < src.size(); ++k) {
            estimate_t &result =
                    outputs_.diff_src->elements[what_.populations.index(p, static_cast<dim_t>(k))];
            result = gradient.diff_src(k);
            for (const population_gradient_t &variant : variants)
                result.tolerance += 2 * std::fabs(variant.diff_src(k).value - result.value);
            const double x = std::fabs(gradient.normalized(k));
            result.tolerance += r
                                * (g[k].tolerance + average / count + x * slope / count
                                        + r * src[k].tolerance * std::fabs(slope_of_g) / count);
        }
    }

    void add_parameters(dim_t p, const population_gradient_t &gradient,
            const std::vector<population_gradient_t> &variants, const std::vector<estimate_t> &src,
            const std::vector<estimate_t> &diff_dst, parameter_sums_t &sums) {
        for (size_t k = 0; k < src.size(); ++k) {
            const dim_t at = what_.scale.index(what_.populations.index(p, static_cast<dim_t>(k)));
            const estimate_t dy = diff_dst[k];
            const double x = gradient.normalized(k);
            sums.shift[at].add(dy.value);
            sums.shift_tolerance[at] += dy.tolerance;
            sums.scale[at].add(dy.value * x);
            double off = gradient.reciprocal_deviation() * src[k].tolerance;
            for (const population_gradient_t &variant : variants)
                off += std::fabs(variant.normalized(k) - x);
            sums.scale_tolerance[at] += dy.tolerance * std::fabs(x) + std::fabs(dy.value) * off;
        }
    }

    const normalization_t &what_;
    const value_t &diff_dst_;
    const given_statistics_t given_;
    const backward_outputs_t outputs_;
};

} // namespace

void differentiate(const normalization_t &what, const value_t &diff_dst,
        const given_statistics_t &given, const backward_outputs_t &outputs) {
    backward_t(what, diff_dst, given, outputs).run();
}

} // namespace benchdnn::graph
