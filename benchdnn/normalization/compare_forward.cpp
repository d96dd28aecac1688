// SPDX-License-Identifier: Apache-2.0
// Compares the forward outputs of a normalization with the reference.
// Threads share the populations, and the reference is computed for one population at a time.
#include <algorithm>
#include <vector>

#include "common/attributes/output_pipeline.hpp"
#include "normalization/comparisons.hpp"
#include "normalization/population_view.hpp"

namespace benchdnn::normalization {

namespace {

estimate_t after_relu(estimate_t input) {
    return mapped(
            input, [](double x) { return std::max(x, 0.); }, 0);
}

void apply_attributes(output_pipeline_t &pipeline, const population_view_t &view,
        std::vector<estimate_t> &values) {
    const populations_t &populations = view.populations();
    std::vector<estimate_t> part;
    view.for_each_plane([&](plane_t plane, dim_t own, dim_t) {
        for (dim_t s = 0; s < populations.segments(); ++s) {
            const segment_t segment = populations.segment(plane, s);
            const auto begin = values.begin() + own + s * segment.count;
            part.assign(begin, begin + segment.count);
            pipeline.apply(segment, part);
            std::copy(part.begin(), part.end(), begin);
        }
    });
}

bool changes_outputs(const attributes_t &attributes) {
    return !attributes.scales.entries.empty() || !attributes.post_ops.chain.empty();
}

} // namespace

std::vector<comparison_t> compare_forward(const normalization_spec_t &spec,
        const attributes_t &attributes, const arguments_t &arguments) {
    std::vector<int> ids{DNNL_ARG_DST};
    if (spec.computes_stats()) ids.insert(ids.end(), {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    shared_comparisons_t found(arguments, ids);
    using position_t = src_kind_t::position_t;
    if (comparison_t *comparison = found.of(0).find(DNNL_ARG_MEAN))
        if (spec.position == position_t::exact_about_zero) comparison->expect_constant();
    const populations_t populations(spec.shape);
    parallel_shares(
            populations.count(), populations.elements(), [&](int worker, dim_t begin, dim_t end) {
                population_view_t view(spec, arguments);
                const dims_t dims = spec.dims();
                output_pipeline_t pipeline(attributes, arguments, dims);
                comparisons_t &mine = found.of(worker);
                std::vector<estimate_t> dst;
                for (dim_t p = begin; p < end; ++p) {
                    view.look_at(p);
                    const statistics_t statistics = view.forward_statistics();
                    if (comparison_t *comparison = mine.find(DNNL_ARG_MEAN))
                        comparison->check(
                                p, statistics.mean_output(), arguments.at(DNNL_ARG_MEAN).load(p));
                    if (comparison_t *comparison = mine.find(DNNL_ARG_VARIANCE))
                        comparison->check(p, statistics.variance_output(),
                                arguments.at(DNNL_ARG_VARIANCE).load(p));
                    view.forward(statistics, dst);
                    if (spec.flags.relu())
                        for (estimate_t &x : dst) x = after_relu(x);
                    if (changes_outputs(attributes)) apply_attributes(pipeline, view, dst);
                    view.check(mine.find(DNNL_ARG_DST), dst, arguments.at(DNNL_ARG_DST));
                }
            });
    return found.merged().take(product(spec.dims()) == 0);
}

} // namespace benchdnn::normalization
