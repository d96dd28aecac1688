// SPDX-License-Identifier: Apache-2.0
// The reduction driver's dst against its reference.
#include <algorithm>
#include <vector>

#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "reduction/problem.hpp"

namespace benchdnn::reduction {

namespace {

// What dst should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : formula_(spec.formula())
        , dst_type_(spec.dst_type)
        , grouping_(spec.grouping())
        , src_(arguments.original(DNNL_ARG_SRC))
        , pipeline_(attributes, arguments, spec.dst_dims()) {}

    const std::vector<estimate_t> &of(const segment_t &segment) {
        results_.assign(segment.count, accumulator_t(formula_));
        if (grouping_.terms() > 0)
            for (dim_t i = 0; i < grouping_.term_rows(); ++i)
                add_row(grouping_.src_row(segment.row, i), segment);
        values_.clear();
        for (const accumulator_t &result : results_)
            values_.push_back(result.result(src_.layout().data_type()));
        pipeline_.apply(segment, values_);
        if (dst_type_ == dnnl_s32)
            for (estimate_t &x : values_) x = quantization::saturated_as_f32(x);
        return values_;
    }

private:
    void add_row(dim_t src_row, const segment_t &segment) {
        if (!grouping_.reduces_last_axis()) {
            terms_.resize(segment.count);
            src_.load_span(src_row, segment.first, segment.count, terms_.data());
            for (dim_t i = 0; i < segment.count; ++i) results_[i].add(terms_[i]);
            return;
        }
        for (dim_t first = 0; first < src_.cols(); first += longest_segment) {
            terms_.resize(std::min(longest_segment, src_.cols() - first));
            src_.load_span(src_row, first, static_cast<dim_t>(terms_.size()), terms_.data());
            for (const double term : terms_) results_[0].add(term);
        }
    }

    const formula_t formula_;
    const dnnl_data_type_t dst_type_;
    const grouping_t grouping_;
    const tensor_t &src_;
    output_pipeline_t pipeline_;
    std::vector<double> terms_;
    std::vector<accumulator_t> results_;
    std::vector<estimate_t> values_;
};

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    comparison_t comparison(argument_name(DNNL_ARG_DST), spec.dst_type, spec.dst_dims());
    if (product(spec.src_dims()) == 0) comparison.expect_constant();
    return {compare_segments(
            arguments.at(DNNL_ARG_DST), comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::reduction
