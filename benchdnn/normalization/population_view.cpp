// SPDX-License-Identifier: Apache-2.0
// One population at a time, for one thread.
#include "normalization/population_view.hpp"

#include <cmath>

#include "normalization/comparisons.hpp"

namespace benchdnn::normalization {

population_view_t::population_view_t(const normalization_spec_t &spec, const arguments_t &arguments)
    : spec_(spec)
    , arguments_(arguments)
    , populations_(spec.shape)
    , scale_(parameter(arguments, DNNL_ARG_SCALE))
    , shift_(parameter(arguments, DNNL_ARG_SHIFT))
    , src_(populations_.size()) {}

void population_view_t::look_at(dim_t population) {
    population_ = population;
    populations_.load(arguments_.original(DNNL_ARG_SRC), population, src_.data());
}

void population_view_t::load(int id, std::vector<double> &values) const {
    values.resize(src_.size());
    populations_.load(arguments_.original(id), population_, values.data());
}

statistics_t population_view_t::given_statistics() const {
    statistics_t given;
    if (arguments_.has(DNNL_ARG_MEAN))
        given.mean.value = arguments_.original(DNNL_ARG_MEAN).load(population_);
    given.variance.value = arguments_.original(DNNL_ARG_VARIANCE).load(population_);
    return given;
}

statistics_t population_view_t::forward_statistics() const {
    if (spec_.flags.global_stats()) return given_statistics();
    return statistics_of({src_.data(), populations_.size(), spec_.type.src, spec_.flags.rms()});
}

void population_view_t::forward(
        const statistics_t &statistics, std::vector<estimate_t> &values) const {
    const normalizer_t normalizer(statistics, spec_.shape.epsilon);
    values.resize(src_.size());
    for_each_element([&](dim_t i, dim_t parameter) {
        const double shift = shift_.empty() ? 0 : shift_[parameter];
        values[i] = normalizer.forward(src_[i], scale(parameter), shift);
    });
    if (!spec_.flags.add()) return;
    std::vector<double> src_1;
    load(DNNL_ARG_SRC_1, src_1);
    for (size_t i = 0; i < values.size(); ++i) {
        values[i].value += src_1[i];
        values[i].tolerance += 2 * f32_roundoff * std::fabs(src_1[i]);
    }
}

void population_view_t::check(comparison_t *comparison, const std::vector<estimate_t> &expected,
        const tensor_t &got) const {
    if (!comparison) return;
    std::vector<double> values(populations_.segment_size());
    for_each_plane([&](plane_t plane, dim_t own, dim_t index) {
        for (dim_t s = 0; s < populations_.segments(); ++s) {
            const segment_t segment = populations_.segment(plane, s);
            got.load_span(segment.row, segment.first, segment.count, values.data());
            for (dim_t i = 0; i < segment.count; ++i)
                comparison->check(index++, expected[own++], values[i]);
        }
    });
}

} // namespace benchdnn::normalization
