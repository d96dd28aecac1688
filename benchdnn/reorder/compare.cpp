// SPDX-License-Identifier: Apache-2.0
// The reorder driver's dst against its reference.
//
// Thresholds: without scales, zero points and post-ops a reorder is one conversion, and rounding to
// the nearest even value has one right result: the tolerance is 0, and the sign of a zero counts.
// With them, the tolerance is what f32 arithmetic may be off.
#include <vector>

#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "reorder/problem.hpp"

namespace benchdnn::reorder {

namespace {

// What dst should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : dst_type_(spec.dst_type)
        , computes_(!only_converts(attributes))
        , src_(arguments.original(DNNL_ARG_FROM))
        , pipeline_(attributes, arguments, spec.shape.dims) {}

    const std::vector<estimate_t> &of(const segment_t &segment) {
        elements_.resize(segment.count);
        values_.resize(segment.count);
        src_.load_span(segment.row, segment.first, segment.count, elements_.data());
        for (dim_t i = 0; i < segment.count; ++i)
            values_[i] =
                    computes_ ? quantization::loaded(elements_[i]) : estimate_t{elements_[i], 0};
        pipeline_.apply(segment, values_);
        if (computes_ && dst_type_ == dnnl_s32)
            for (estimate_t &x : values_) x = quantization::saturated_as_f32(x);
        return values_;
    }

private:
    const dnnl_data_type_t dst_type_;
    const bool computes_;
    const tensor_t &src_;
    output_pipeline_t pipeline_;
    std::vector<double> elements_;
    std::vector<estimate_t> values_;
};

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    comparison_t comparison(argument_name(DNNL_ARG_TO), spec.dst_type, spec.shape.dims);
    const bool has_signed_zeros = !is_integer_type(spec.dst_type);
    if (has_signed_zeros && only_converts(attributes)) comparison.expect_signed_zeros();
    if (product(spec.shape.dims) == 0) comparison.expect_constant();
    return {compare_segments(
            arguments.at(DNNL_ARG_TO), comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::reorder
