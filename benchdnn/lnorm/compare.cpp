// SPDX-License-Identifier: Apache-2.0
// Compares the lnorm driver's outputs with its reference. Threads share the rows; the reference is
// computed for one row at a time, with sums for each column.
#include <vector>

#include "common/attributes/output_pipeline.hpp"
#include "lnorm/problem.hpp"
#include "lnorm/reference.hpp"
#include "normalization/comparisons.hpp"

namespace benchdnn::lnorm {

namespace {

using normalization::comparisons_t;
using normalization::parameter;
using normalization::shared_comparisons_t;
using normalization::shared_sums_t;

const double *data_or_null(const std::vector<double> &values) {
    return values.empty() ? nullptr : values.data();
}

running_sum_t *data_or_null(std::vector<running_sum_t> &sums) {
    return sums.empty() ? nullptr : sums.data();
}

statistics_t given_statistics(const arguments_t &arguments, dim_t row) {
    statistics_t given;
    if (arguments.has(DNNL_ARG_MEAN))
        given.mean.value = arguments.original(DNNL_ARG_MEAN).load(row);
    given.variance.value = arguments.original(DNNL_ARG_VARIANCE).load(row);
    return given;
}

bool is_empty(const spec_t &spec) { return product(spec.shape.dims) == 0; }

} // namespace

std::vector<comparison_t> compare_forward(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    const dim_t cols = spec.cols();
    const std::vector<double> scale = parameter(arguments, DNNL_ARG_SCALE);
    const std::vector<double> shift = parameter(arguments, DNNL_ARG_SHIFT);
    std::vector<int> ids{DNNL_ARG_DST};
    if (spec.computes_stats()) ids.insert(ids.end(), {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    shared_comparisons_t found(arguments, ids);

    parallel_shares(spec.rows(), [&](int worker, dim_t begin, dim_t end) {
        std::vector<double> src(cols), got(cols);
        std::vector<estimate_t> dst(cols);
        output_pipeline_t pipeline(attributes, arguments, spec.shape.dims);
        comparisons_t &mine = found.of(worker);
        for (dim_t r = begin; r < end; ++r) {
            if (cols > 0) arguments.original(DNNL_ARG_SRC).load_row(r, src.data());
            const row_t row{src.data(), cols, spec.type.src, spec.epsilon, spec.flags.rms(),
                    data_or_null(scale), data_or_null(shift)};
            const statistics_t statistics =
                    spec.computes_stats() ? statistics_of(row) : given_statistics(arguments, r);
            if (comparison_t *comparison = mine.find(DNNL_ARG_MEAN))
                comparison->check(r, statistics.mean_output(), arguments.at(DNNL_ARG_MEAN).load(r));
            if (comparison_t *comparison = mine.find(DNNL_ARG_VARIANCE))
                comparison->check(
                        r, statistics.variance_output(), arguments.at(DNNL_ARG_VARIANCE).load(r));
            if (cols == 0) continue;
            forward(row, statistics, dst.data());
            pipeline.apply({r, 0, cols}, dst);
            arguments.at(DNNL_ARG_DST).load_row(r, got.data());
            comparison_t &comparison = *mine.find(DNNL_ARG_DST);
            for (dim_t c = 0; c < cols; ++c) comparison.check(r * cols + c, dst[c], got[c]);
        }
    });
    return found.merged().take(is_empty(spec));
}

std::vector<comparison_t> compare_backward(const spec_t &spec, const arguments_t &arguments) {
    const dim_t cols = spec.cols();
    const std::vector<double> scale = parameter(arguments, DNNL_ARG_SCALE);
    shared_comparisons_t found(
            arguments, {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    shared_sums_t diff_scale(arguments.has(DNNL_ARG_DIFF_SCALE) ? cols : 0);
    shared_sums_t diff_shift(arguments.has(DNNL_ARG_DIFF_SHIFT) ? cols : 0);

    parallel_shares(cols > 0 ? spec.rows() : 0, [&](int worker, dim_t begin, dim_t end) {
        std::vector<double> src(cols), diff_dst(cols), got(cols);
        std::vector<estimate_t> diff_src(cols);
        comparison_t &comparison = *found.of(worker).find(DNNL_ARG_DIFF_SRC);
        for (dim_t r = begin; r < end; ++r) {
            arguments.original(DNNL_ARG_SRC).load_row(r, src.data());
            arguments.original(DNNL_ARG_DIFF_DST).load_row(r, diff_dst.data());
            const statistics_t given = given_statistics(arguments, r);
            const row_t row{src.data(), cols, spec.type.src, spec.epsilon, spec.flags.rms(),
                    data_or_null(scale), nullptr};
            add_parameter_gradients(row, diff_dst.data(), given,
                    data_or_null(diff_scale.of(worker)), data_or_null(diff_shift.of(worker)));
            backward(row, diff_dst.data(), given, spec.flags.global_stats(), diff_src.data());
            arguments.at(DNNL_ARG_DIFF_SRC).load_row(r, got.data());
            for (dim_t c = 0; c < cols; ++c) comparison.check(r * cols + c, diff_src[c], got[c]);
        }
    });
    comparisons_t &whole = found.merged();
    if (comparison_t *comparison = whole.find(DNNL_ARG_DIFF_SCALE))
        diff_scale.check(*comparison, arguments.at(DNNL_ARG_DIFF_SCALE));
    if (comparison_t *comparison = whole.find(DNNL_ARG_DIFF_SHIFT))
        diff_shift.check(*comparison, arguments.at(DNNL_ARG_DIFF_SHIFT));
    return whole.take(is_empty(spec));
}

} // namespace benchdnn::lnorm
