// SPDX-License-Identifier: Apache-2.0
// Compares the gradients of a normalization with the reference. Threads share the populations; the
// reference is computed for one population at a time, with sums for each channel, or for each
// position in a row.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "common/tensor/data_type.hpp"
#include "normalization/comparisons.hpp"
#include "normalization/population_view.hpp"

namespace benchdnn::normalization {

namespace {

// One thread's share of the backward pass.
class backward_check_t {
public:
    backward_check_t(const normalization_spec_t &spec, const arguments_t &arguments,
            comparisons_t &comparisons)
        : spec_(spec)
        , arguments_(arguments)
        , comparisons_(comparisons)
        , view_(spec, arguments) {}

    void look_at(dim_t population) {
        view_.look_at(population);
        view_.load(DNNL_ARG_DIFF_DST, diff_dst_);
        normalizer_.emplace(view_.given_statistics(), spec_.shape.epsilon);
        if (!spec_.has_rows()) distinct_ = distinct_terms();
        if (!spec_.reads_mask()) return;
        view_.forward(view_.forward_statistics(), values_);
        for (size_t i = 0; i < values_.size(); ++i)
            if (values_[i].value <= 0) diff_dst_[i] = 0;
    }

    void add_parameter_gradients(
            std::vector<running_sum_t> &diff_scale, std::vector<running_sum_t> &diff_shift) const {
        if (spec_.has_rows()) {
            for (size_t i = 0; i < diff_scale.size(); ++i)
                diff_scale[i].add(diff_dst_[i] * normalizer_->normalized(view_.src()[i]));
            for (size_t i = 0; i < diff_shift.size(); ++i) diff_shift[i].add(diff_dst_[i]);
            return;
        }
        // The planes of one channel are adjacent.
        running_sum_t scale_sum, shift_sum;
        dim_t channel = -1;
        const auto end_channel = [&] {
            if (channel >= 0 && !diff_scale.empty()) diff_scale[channel].merge(scale_sum);
            if (channel >= 0 && !diff_shift.empty()) diff_shift[channel].merge(shift_sum);
        };
        view_.for_each_plane([&](plane_t plane, dim_t own, dim_t) {
            if (plane.channel != channel) {
                end_channel();
                channel = plane.channel;
                scale_sum = running_sum_t(distinct_.product, running_sum_t::terms_t::are_products);
                shift_sum = running_sum_t();
            }
            for (dim_t i = own; i < own + view_.populations().plane_size(); ++i) {
                scale_sum.add(diff_dst_[i] * normalizer_->normalized(view_.src()[i]));
                shift_sum.add(diff_dst_[i]);
            }
        });
        end_channel();
    }

    // diff_src_1 is diff_dst where the ReLU passes the element, bit-identical.
    void check_src_1_gradient() {
        if (!spec_.flags.add()) return;
        values_.assign(diff_dst_.size(), {});
        for (size_t i = 0; i < values_.size(); ++i) values_[i].value = diff_dst_[i];
        check(DNNL_ARG_DIFF_SRC_1);
    }

    void check_src_gradient() {
        src_gradient_t gradient(*normalizer_,
                gradient_terms(spec_.flags.global_stats(), spec_.flags.rms()),
                distinct_terms_of_all());
        const auto for_each_g = [&](auto action) {
            view_.for_each_element([&](dim_t i, dim_t parameter) {
                action(i, view_.scale(parameter) * diff_dst_[i]);
            });
        };
        for_each_g([&](dim_t i, double g) { gradient.add(view_.src()[i], g); });
        gradient.end_sums();
        values_.resize(diff_dst_.size());
        for_each_g([&](dim_t i, double g) { values_[i] = gradient.of(view_.src()[i], g); });
        check(DNNL_ARG_DIFF_SRC);
    }

private:
    void check(int id) { view_.check(comparisons_.find(id), values_, arguments_.at(id)); }

    // Within a channel. The effective number is smaller than the number of values of diff_dst,
    // because the largest terms lose most to rounding, and half of the values between two powers of
    // two end in a zero bit. This bound fits measured errors of sequential f32 sums.
    distinct_terms_t distinct_terms() const {
        if (view_.src().empty()) return {};
        const double diff_dst = std::ldexp(1, significand_digits(spec_.type.dst) - 2);
        const auto [least, most] = std::minmax_element(view_.src().begin(), view_.src().end());
        return {diff_dst, diff_dst * (1 + values_between(spec_.type.src, *least, *most))};
    }
    // For all channels of a population, each with its own scale.
    distinct_terms_t distinct_terms_of_all() const {
        if (spec_.has_rows()) return {};
        const double channels =
                spec_.shape.groups > 0 ? static_cast<double>(view_.populations().planes()) : 1;
        return {channels * distinct_.g, channels * distinct_.product};
    }

    const normalization_spec_t &spec_;
    const arguments_t &arguments_;
    comparisons_t &comparisons_;
    population_view_t view_;
    std::vector<double> diff_dst_;
    std::optional<normalizer_t> normalizer_;
    distinct_terms_t distinct_;
    std::vector<estimate_t> values_;
};

} // namespace

void excuse_undecided(const normalization_spec_t &spec, arguments_t &arguments) {
    tensor_t &diff_dst = arguments.at(DNNL_ARG_DIFF_DST);
    const populations_t populations(spec.shape);
    parallel_shares(populations.count(), populations.elements(), [&](int, dim_t begin, dim_t end) {
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
        const normalization_spec_t &spec, const arguments_t &arguments) {
    const auto sums_of = [&](int id) { return arguments.has(id) ? spec.parameters() : 0; };
    shared_comparisons_t found(arguments,
            {DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_SRC_1, DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT});
    shared_sums_t diff_scale(sums_of(DNNL_ARG_DIFF_SCALE));
    shared_sums_t diff_shift(sums_of(DNNL_ARG_DIFF_SHIFT));
    const populations_t populations(spec.shape);
    parallel_shares(
            populations.count(), populations.elements(), [&](int worker, dim_t begin, dim_t end) {
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
    return whole.take(product(spec.dims()) == 0);
}

} // namespace benchdnn::normalization
