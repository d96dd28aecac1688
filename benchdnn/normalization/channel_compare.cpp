// SPDX-License-Identifier: Apache-2.0
// Outputs of a normalization of images with channels against the reference: populations shared
// among threads, nothing kept of the reference beyond the population at hand and the channels'
// sums.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "common/data_type.hpp"
#include "common/output_pipeline.hpp"
#include "normalization/channel_problem.hpp"
#include "normalization/comparisons.hpp"
#include "normalization/populations.hpp"

namespace benchdnn::normalization {

namespace {

// One thread's look at one population after the other.
class population_view_t {
public:
    population_view_t(const channel_spec_t &spec, const arguments_t &arguments)
        : spec_(spec)
        , arguments_(arguments)
        , populations_(spec.shape)
        , scale_(parameter(arguments, DNNL_ARG_SCALE))
        , shift_(parameter(arguments, DNNL_ARG_SHIFT))
        , src_(populations_.size()) {}

    void look_at(dim_t population) {
        population_ = population;
        populations_.load(arguments_.original(DNNL_ARG_SRC), population, src_.data());
    }

    const populations_t &populations() const { return populations_; }
    const std::vector<double> &src() const { return src_; }
    double scale(dim_t channel) const { return scale_.empty() ? 1 : scale_[channel]; }
    void load(int id, std::vector<double> &values) const {
        values.resize(src_.size());
        populations_.load(arguments_.original(id), population_, values.data());
    }

    statistics_t given_statistics() const {
        statistics_t given;
        given.mean.value = arguments_.original(DNNL_ARG_MEAN).load(population_);
        given.variance.value = arguments_.original(DNNL_ARG_VARIANCE).load(population_);
        return given;
    }
    // Those that the forward pass takes.
    statistics_t forward_statistics() const {
        if (spec_.flags.global_stats()) return given_statistics();
        return statistics_of({src_.data(), populations_.size(), spec_.type.src});
    }

    // scale * x + shift, and src_1 where it is added: what goes into a ReLU.
    void forward(const statistics_t &statistics, std::vector<estimate_t> &values) const {
        const normalizer_t normalizer(statistics, spec_.shape.epsilon);
        values.resize(src_.size());
        for (dim_t s = 0; s < populations_.slices(); ++s) {
            const dim_t channel = populations_.slice(population_, s).channel;
            const double shift = shift_.empty() ? 0 : shift_[channel];
            const dim_t begin = s * populations_.slice_size();
            for (dim_t i = begin; i < begin + populations_.slice_size(); ++i)
                values[i] = normalizer.forward(src_[i], scale(channel), shift);
        }
        if (!spec_.flags.add()) return;
        std::vector<double> src_1;
        load(DNNL_ARG_SRC_1, src_1);
        for (size_t i = 0; i < values.size(); ++i) {
            values[i].value += src_1[i];
            values[i].tolerance += 2 * f32_roundoff * std::fabs(src_1[i]);
        }
    }

    // Calls action(slice, index of its first element in the population, and in the tensor).
    template <typename action_t> void for_each_slice(action_t action) const {
        for (dim_t s = 0; s < populations_.slices(); ++s) {
            const slice_t slice = populations_.slice(population_, s);
            action(slice, s * populations_.slice_size(), populations_.first_index(slice));
        }
    }

private:
    const channel_spec_t &spec_;
    const arguments_t &arguments_;
    const populations_t populations_;
    const std::vector<double> scale_, shift_;
    std::vector<double> src_;
    dim_t population_ = 0;
};

estimate_t after_relu(estimate_t input) {
    return mapped(
            input, [](double x) { return std::max(x, 0.); }, 0);
}

bool is_empty(const channel_spec_t &spec) { return product(spec.dims()) == 0; }

void check_all(comparison_t *comparison, const population_view_t &view,
        const std::vector<estimate_t> &expected, const tensor_t &got) {
    if (!comparison) return;
    const populations_t &populations = view.populations();
    std::vector<double> values(populations.segment_size());
    view.for_each_slice([&](slice_t slice, dim_t own, dim_t index) {
        for (dim_t s = 0; s < populations.segments(); ++s) {
            const segment_t segment = populations.segment(slice, s);
            got.load_span(segment.row, segment.first, segment.count, values.data());
            for (dim_t i = 0; i < segment.count; ++i)
                comparison->check(index++, expected[own++], values[i]);
        }
    });
}

void apply_attributes(output_pipeline_t &pipeline, const population_view_t &view,
        std::vector<estimate_t> &values) {
    const populations_t &populations = view.populations();
    std::vector<estimate_t> part;
    view.for_each_slice([&](slice_t slice, dim_t own, dim_t) {
        for (dim_t s = 0; s < populations.segments(); ++s) {
            const segment_t segment = populations.segment(slice, s);
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

// One thread's share of the backward pass.
class backward_check_t {
public:
    backward_check_t(
            const channel_spec_t &spec, const arguments_t &arguments, comparisons_t &comparisons)
        : spec_(spec)
        , arguments_(arguments)
        , comparisons_(comparisons)
        , view_(spec, arguments) {}

    void look_at(dim_t population) {
        view_.look_at(population);
        view_.load(DNNL_ARG_DIFF_DST, diff_dst_);
        normalizer_.emplace(view_.given_statistics(), spec_.shape.epsilon);
        distinct_ = distinct_terms();
        if (!spec_.reads_mask()) return;
        view_.forward(view_.forward_statistics(), values_);
        for (size_t i = 0; i < values_.size(); ++i)
            if (values_[i].value <= 0) diff_dst_[i] = 0;
    }

    void add_parameter_gradients(
            std::vector<running_sum_t> &diff_scale, std::vector<running_sum_t> &diff_shift) const {
        // Of the slices of one channel; they follow each other.
        running_sum_t scale_sum, shift_sum;
        dim_t channel = -1;
        const auto end_channel = [&] {
            if (channel < 0) return;
            diff_scale[channel].merge(scale_sum);
            diff_shift[channel].merge(shift_sum);
        };
        view_.for_each_slice([&](slice_t slice, dim_t own, dim_t) {
            if (slice.channel != channel) {
                end_channel();
                channel = slice.channel;
                scale_sum = running_sum_t(distinct_.product, running_sum_t::terms_t::are_products);
                shift_sum = running_sum_t();
            }
            for (dim_t i = own; i < own + view_.populations().slice_size(); ++i) {
                scale_sum.add(diff_dst_[i] * normalizer_->normalized(view_.src()[i]));
                shift_sum.add(diff_dst_[i]);
            }
        });
        end_channel();
    }

    // What came in goes out again where the ReLU let it through, to the bit.
    void check_src_1_gradient() {
        if (!spec_.flags.add()) return;
        values_.assign(diff_dst_.size(), {});
        for (size_t i = 0; i < values_.size(); ++i) values_[i].value = diff_dst_[i];
        check(DNNL_ARG_DIFF_SRC_1);
    }

    void check_src_gradient() {
        src_gradient_t gradient(*normalizer_, gradient_terms(spec_.flags.global_stats(), false),
                distinct_terms_of_all());
        const auto for_each_g = [&](auto action) {
            view_.for_each_slice([&](slice_t slice, dim_t own, dim_t) {
                const double scale = view_.scale(slice.channel);
                for (dim_t i = own; i < own + view_.populations().slice_size(); ++i)
                    action(i, scale * diff_dst_[i]);
            });
        };
        for_each_g([&](dim_t i, double g) { gradient.add(view_.src()[i], g); });
        gradient.end_sums();
        values_.resize(diff_dst_.size());
        for_each_g([&](dim_t i, double g) { values_[i] = gradient.of(view_.src()[i], g); });
        check(DNNL_ARG_DIFF_SRC);
    }

private:
    void check(int id) { check_all(comparisons_.find(id), view_, values_, arguments_.at(id)); }

    // Within a channel, counted as what a sum loses to rounding: the largest terms lose most, and
    // half of diff_dst's values within a power of two end in a zero. So much is what f32 sums were
    // found to need that take one term after the other.
    distinct_terms_t distinct_terms() const {
        if (view_.src().empty()) return {};
        const double diff_dst = std::ldexp(1, significand_digits(spec_.type.dst) - 2);
        const auto [least, most] = std::minmax_element(view_.src().begin(), view_.src().end());
        return {diff_dst, diff_dst * (1 + values_between(spec_.type.src, *least, *most))};
    }
    // Of all channels of a population, each with a scale of its own.
    distinct_terms_t distinct_terms_of_all() const {
        const double channels =
                spec_.shape.groups > 0 ? static_cast<double>(view_.populations().slices()) : 1;
        return {channels * distinct_.g, channels * distinct_.product};
    }

    const channel_spec_t &spec_;
    const arguments_t &arguments_;
    comparisons_t &comparisons_;
    population_view_t view_;
    std::vector<double> diff_dst_;
    std::optional<normalizer_t> normalizer_;
    distinct_terms_t distinct_;
    std::vector<estimate_t> values_;
};

} // namespace

std::vector<comparison_t> compare_forward(
        const channel_spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    std::vector<int> ids{DNNL_ARG_DST};
    if (spec.computes_stats()) ids.insert(ids.end(), {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE});
    shared_comparisons_t found(arguments, ids);
    using position_t = src_kind_t::position_t;
    if (comparison_t *comparison = found.of(0).find(DNNL_ARG_MEAN))
        if (spec.position == position_t::exact_about_zero) comparison->expect_constant();
    parallel_shares(populations_t(spec.shape).count(), [&](int worker, dim_t begin, dim_t end) {
        population_view_t view(spec, arguments);
        const dims_t dims = spec.dims();
        output_pipeline_t pipeline(attributes, arguments, dims);
        comparisons_t &mine = found.of(worker);
        std::vector<estimate_t> dst;
        for (dim_t p = begin; p < end; ++p) {
            view.look_at(p);
            const statistics_t statistics = view.forward_statistics();
            if (comparison_t *comparison = mine.find(DNNL_ARG_MEAN))
                comparison->check(p, statistics.mean_output(), arguments.at(DNNL_ARG_MEAN).load(p));
            if (comparison_t *comparison = mine.find(DNNL_ARG_VARIANCE))
                comparison->check(
                        p, statistics.variance_output(), arguments.at(DNNL_ARG_VARIANCE).load(p));
            view.forward(statistics, dst);
            if (spec.flags.relu())
                for (estimate_t &x : dst) x = after_relu(x);
            if (changes_outputs(attributes)) apply_attributes(pipeline, view, dst);
            check_all(mine.find(DNNL_ARG_DST), view, dst, arguments.at(DNNL_ARG_DST));
        }
    });
    return found.merged().take(is_empty(spec));
}

void excuse_undecided(const channel_spec_t &spec, arguments_t &arguments) {
    tensor_t &diff_dst = arguments.at(DNNL_ARG_DIFF_DST);
    parallel_shares(populations_t(spec.shape).count(), [&](int, dim_t begin, dim_t end) {
        population_view_t view(spec, arguments);
        std::vector<estimate_t> values;
        std::vector<double> gradients;
        for (dim_t p = begin; p < end; ++p) {
            view.look_at(p);
            view.forward(view.forward_statistics(), values);
            view.load(DNNL_ARG_DIFF_DST, gradients);
            for (size_t i = 0; i < values.size(); ++i) {
                const estimate_t x = values[i];
                if (x.tolerance > 0 && std::fabs(x.value) <= 2 * x.tolerance) gradients[i] = 0;
            }
            view.populations().store(diff_dst, p, gradients.data());
        }
    });
}

std::vector<comparison_t> compare_backward(
        const channel_spec_t &spec, const arguments_t &arguments) {
    const dim_t channels = spec.shape.channels;
    shared_comparisons_t found(arguments,
            {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    shared_sums_t diff_scale(channels), diff_shift(channels);
    parallel_shares(populations_t(spec.shape).count(), [&](int worker, dim_t begin, dim_t end) {
        backward_check_t check(spec, arguments, found.of(worker));
        for (dim_t p = begin; p < end; ++p) {
            check.look_at(p);
            check.add_parameter_gradients(diff_scale.of(worker), diff_shift.of(worker));
            check.check_src_1_gradient();
            check.check_src_gradient();
        }
    });
    comparisons_t &whole = found.merged();
    if (comparison_t *comparison = whole.find(DNNL_ARG_DIFF_SCALE))
        diff_scale.check(*comparison, arguments.at(DNNL_ARG_DIFF_SCALE));
    if (comparison_t *comparison = whole.find(DNNL_ARG_DIFF_SHIFT))
        diff_shift.check(*comparison, arguments.at(DNNL_ARG_DIFF_SHIFT));
    return whole.take(is_empty(spec));
}

} // namespace benchdnn::normalization
