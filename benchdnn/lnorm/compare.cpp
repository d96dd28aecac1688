// SPDX-License-Identifier: Apache-2.0
// The lnorm driver's outputs against its reference: rows shared among threads, nothing kept of the
// reference beyond the row at hand and the column sums.
#include <algorithm>
#include <utility>
#include <vector>

#include "common/output_pipeline.hpp"
#include "common/parallel.hpp"
#include "lnorm/problem.hpp"
#include "lnorm/reference.hpp"

namespace benchdnn::lnorm {

namespace {

comparison_t comparison_of(const arguments_t &arguments, int id) {
    const layout_t &layout = arguments.at(id).layout();
    return comparison_t(argument_name(id), layout.data_type(), layout.dims());
}

// The comparisons of one thread's share, by argument.
class comparisons_t {
public:
    comparisons_t(const arguments_t &arguments, const std::vector<int> &ids) {
        for (const int id : ids)
            if (arguments.has(id)) entries_.push_back({id, comparison_of(arguments, id)});
    }
    comparison_t *find(int id) {
        for (auto &[own_id, comparison] : entries_)
            if (own_id == id) return &comparison;
        return nullptr;
    }
    void merge(const comparisons_t &other) {
        for (size_t i = 0; i < entries_.size(); ++i)
            entries_[i].second.merge(other.entries_[i].second);
    }
    std::vector<comparison_t> take(bool is_empty_problem) {
        std::vector<comparison_t> list;
        for (auto &entry : entries_) {
            if (is_empty_problem) entry.second.expect_constant();
            list.push_back(std::move(entry.second));
        }
        return list;
    }

private:
    std::vector<std::pair<int, comparison_t>> entries_;
};

std::vector<double> parameter(const arguments_t &arguments, int id, dim_t cols) {
    std::vector<double> values;
    if (!arguments.has(id) || cols == 0) return values;
    values.resize(cols);
    arguments.original(id).load_row(0, values.data());
    return values;
}

const double *data_or_null(const std::vector<double> &values) {
    return values.empty() ? nullptr : values.data();
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
    const std::vector<double> scale = parameter(arguments, DNNL_ARG_SCALE, cols);
    const std::vector<double> shift = parameter(arguments, DNNL_ARG_SHIFT, cols);
    std::vector<int> ids{DNNL_ARG_DST};
    if (spec.computes_stats()) ids.insert(ids.end(), {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    std::vector<comparisons_t> found(worker_count(), comparisons_t(arguments, ids));

    parallel_shares(spec.rows(), [&](int worker, dim_t begin, dim_t end) {
        std::vector<double> src(cols), got(cols);
        std::vector<estimate_t> dst(cols);
        output_pipeline_t pipeline(attributes, arguments, spec.shape.dims);
        comparisons_t &mine = found[worker];
        for (dim_t r = begin; r < end; ++r) {
            if (cols > 0) arguments.original(DNNL_ARG_SRC).load_row(r, src.data());
            const row_t row{src.data(), cols, spec.type.src, spec.epsilon, spec.flags.rms(),
                    data_or_null(scale), data_or_null(shift)};
            const statistics_t statistics =
                    spec.computes_stats() ? statistics_of(row) : given_statistics(arguments, r);
            if (spec.computes_stats()) {
                for (const int id : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
                    if (comparison_t *comparison = mine.find(id))
                        comparison->check(r,
                                id == DNNL_ARG_MEAN ? statistics.mean : statistics.variance,
                                arguments.at(id).load(r));
            }
            if (cols == 0) continue;
            forward(row, statistics, dst.data());
            pipeline.apply(r, dst);
            arguments.at(DNNL_ARG_DST).load_row(r, got.data());
            comparison_t &comparison = *mine.find(DNNL_ARG_DST);
            for (dim_t c = 0; c < cols; ++c) comparison.check(r * cols + c, dst[c], got[c]);
        }
    });
    for (size_t i = 1; i < found.size(); ++i) found[0].merge(found[i]);
    return found[0].take(is_empty(spec));
}

std::vector<comparison_t> compare_backward(const spec_t &spec, const arguments_t &arguments) {
    const dim_t cols = spec.cols();
    const std::vector<double> scale = parameter(arguments, DNNL_ARG_SCALE, cols);
    const std::vector<int> ids{DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};
    std::vector<comparisons_t> found(worker_count(), comparisons_t(arguments, ids));
    struct sums_t {
        std::vector<running_sum_t> scale, shift;
    };
    std::vector<sums_t> sums(worker_count());

    for (sums_t &s : sums) {
        if (arguments.has(DNNL_ARG_DIFF_SCALE)) s.scale.resize(cols);
        if (arguments.has(DNNL_ARG_DIFF_SHIFT)) s.shift.resize(cols);
    }
    parallel_shares(cols > 0 ? spec.rows() : 0, [&](int worker, dim_t begin, dim_t end) {
        std::vector<double> src(cols), diff_dst(cols), got(cols);
        std::vector<estimate_t> diff_src(cols);
        sums_t &own = sums[worker];
        comparison_t &comparison = *found[worker].find(DNNL_ARG_DIFF_SRC);
        for (dim_t r = begin; r < end; ++r) {
            arguments.original(DNNL_ARG_SRC).load_row(r, src.data());
            arguments.original(DNNL_ARG_DIFF_DST).load_row(r, diff_dst.data());
            const statistics_t given = given_statistics(arguments, r);
            const row_t row{src.data(), cols, spec.type.src, spec.epsilon, spec.flags.rms(),
                    data_or_null(scale), nullptr};
            add_parameter_gradients(row, diff_dst.data(), given,
                    own.scale.empty() ? nullptr : own.scale.data(),
                    own.shift.empty() ? nullptr : own.shift.data());
            backward(row, diff_dst.data(), given, spec.flags.global_stats(), diff_src.data());
            arguments.at(DNNL_ARG_DIFF_SRC).load_row(r, got.data());
            for (dim_t c = 0; c < cols; ++c) comparison.check(r * cols + c, diff_src[c], got[c]);
        }
    });
    for (size_t i = 1; i < found.size(); ++i) found[0].merge(found[i]);

    const auto check_sums = [&](int id, std::vector<running_sum_t> sums_t::*member) {
        comparison_t *comparison = found[0].find(id);
        for (dim_t c = 0; comparison && c < cols; ++c) {
            running_sum_t whole;
            for (const sums_t &s : sums) whole.merge((s.*member)[c]);
            comparison->check(c, whole.estimate(), arguments.at(id).load(c));
        }
    };
    check_sums(DNNL_ARG_DIFF_SCALE, &sums_t::scale);
    check_sums(DNNL_ARG_DIFF_SHIFT, &sums_t::shift);
    return found[0].take(is_empty(spec));
}

} // namespace benchdnn::lnorm
