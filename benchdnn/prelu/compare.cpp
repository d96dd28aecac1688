// SPDX-License-Identifier: Apache-2.0
// The prelu driver's results against their reference in double.
#include <vector>

#include "common/attributes/post_ops_reference.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "prelu/problem.hpp"

namespace benchdnn::prelu {

namespace {

estimate_t stored(estimate_t x, dnnl_data_type_t type) {
    return type == dnnl_s32 ? quantization::saturated_as_f32(x) : x;
}

// What dst or diff_src should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const arguments_t &arguments)
        : is_forward_(spec.is_forward())
        , type_(spec.types.of[0])
        , src_(arguments.original(DNNL_ARG_SRC))
        , diff_dst_(is_forward_ ? src_ : arguments.original(DNNL_ARG_DIFF_DST))
        , weights_(arguments.original(DNNL_ARG_WEIGHTS), spec.weights_dims, spec.src_dims) {}

    const std::vector<estimate_t> &of(const segment_t &segment) {
        elements_.resize(segment.count);
        gradients_.resize(segment.count);
        slopes_.resize(segment.count);
        values_.resize(segment.count);
        src_.load_span(segment.row, segment.first, segment.count, elements_.data());
        diff_dst_.load_span(segment.row, segment.first, segment.count, gradients_.data());
        weights_.load(segment, slopes_.data());
        for (dim_t i = 0; i < segment.count; ++i) {
            const estimate_t x = quantization::loaded(is_forward_ ? elements_[i] : gradients_[i]);
            const double factor = elements_[i] > 0 ? 1 : slopes_[i];
            values_[i] = stored(mapped(
                                        x, [=](double at) { return at * factor; }, 1),
                    type_);
        }
        return values_;
    }

private:
    const bool is_forward_;
    const dnnl_data_type_t type_;
    const tensor_t &src_, &diff_dst_;
    const broadcast_rows_t weights_;
    std::vector<double> elements_, gradients_, slopes_;
    std::vector<estimate_t> values_;
};

comparison_t compare_diff_weights(const spec_t &spec, const arguments_t &arguments) {
    const dnnl_data_type_t type = spec.types.of[1];
    const tensor_t &src = arguments.original(DNNL_ARG_SRC);
    const tensor_t &diff_dst = arguments.original(DNNL_ARG_DIFF_DST);
    const tensor_t &got = arguments.at(DNNL_ARG_DIFF_WEIGHTS);
    std::vector<running_sum_t> sums(static_cast<size_t>(product(spec.weights_dims)));
    std::vector<double> x(src.cols()), gradients(src.cols());
    for (dim_t row = 0; row < src.rows(); ++row) {
        src.load_row(row, x.data());
        diff_dst.load_row(row, gradients.data());
        for (dim_t i = 0; i < src.cols(); ++i)
            sums[static_cast<size_t>(spec.weight_of(row * src.cols() + i))].add(
                    x[i] > 0 ? 0 : x[i] * gradients[i]);
    }
    comparison_t comparison(argument_name(DNNL_ARG_DIFF_WEIGHTS), type, spec.weights_dims);
    comparison.expect_constant(); // of few elements, none may be negative
    for (size_t i = 0; i < sums.size(); ++i)
        comparison.check(static_cast<dim_t>(i), stored(sums[i].estimate(), type),
                got.load(static_cast<dim_t>(i)));
    return comparison;
}

} // namespace

dim_t spec_t::weight_of(dim_t index) const {
    dim_t place = 0, stride = 1;
    for (size_t axis = src_dims.size(); axis-- > 0;) {
        if (weights_dims[axis] != 1) place += index % src_dims[axis] * stride;
        stride *= weights_dims[axis];
        index /= src_dims[axis];
    }
    return place;
}

std::vector<comparison_t> compare(const spec_t &spec, const arguments_t &arguments) {
    const int id = spec.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC;
    comparison_t comparison(argument_name(id), spec.types.of[0], spec.src_dims);
    if (product(spec.src_dims) < 16) comparison.expect_constant();
    std::vector<comparison_t> comparisons{
            compare_segments(arguments.at(id), comparison, expectation_t(spec, arguments))};
    if (!spec.is_forward()) comparisons.push_back(compare_diff_weights(spec, arguments));
    return comparisons;
}

} // namespace benchdnn::prelu
