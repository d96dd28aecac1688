// SPDX-License-Identifier: Apache-2.0
// The binary driver's dst against its reference in double.
#include <vector>

#include "binary/problem.hpp"
#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/post_ops_reference.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/segment_comparison.hpp"

namespace benchdnn::binary {

namespace {

// f of two values, each within its tolerance: that of y is mapped with x in the middle.
estimate_t combined(const post_op_t &op, estimate_t x, estimate_t y, bool condition) {
    estimate_t result = binary_estimate(op, x, y.value, condition);
    const auto f = [&](double at) { return binary_value(op.algorithm, x.value, at, condition); };
    result.tolerance += mapped(y, f, 0).tolerance;
    return result;
}

// What dst should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : has_condition_(spec.has_condition())
        , dst_type_(spec.dst_type)
        , dst_dims_(spec.dst_dims())
        , rows_{rows_of(arguments.original(DNNL_ARG_SRC_0)),
                  rows_of(arguments.original(DNNL_ARG_SRC_1)),
                  rows_of(arguments.original(has_condition_ ? DNNL_ARG_SRC_2 : DNNL_ARG_SRC_1))}
        , scales_{quantizer_t(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC_0, arguments,
                          dst_dims_),
                  quantizer_t(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC_1, arguments,
                          dst_dims_)}
        , without_scales_(attributes)
        , arguments_(arguments) {
        op_.kind = post_op_t::kind_t::binary;
        op_.algorithm = spec.algorithm.value;
        without_scales_.scales = {};
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        for (size_t i = 0; i < rows_.size(); ++i) {
            elements_[i].resize(segment.count);
            rows_[i].load(segment, elements_[i].data());
        }
        values_.resize(segment.count);
        for (size_t i = 0; i < values_.size(); ++i)
            values_[i] = combined(op_, source(0, i, segment), source(1, i, segment),
                    has_condition_ && elements_[2][i] != 0);
        // The scale of src_0 is applied already.
        output_pipeline_t(without_scales_, arguments_, dst_dims_).apply(segment, values_);
        if (dst_type_ == dnnl_s32)
            for (estimate_t &x : values_) x = quantization::saturated_as_f32(x);
        return values_;
    }

private:
    broadcast_rows_t rows_of(const tensor_t &source) const {
        return {source, source.layout().dims(), dst_dims_};
    }

    estimate_t source(size_t which, size_t i, const segment_t &segment) {
        const estimate_t x = quantization::loaded(elements_[which][i]);
        if (!scales_[which].is_given()) return x;
        double scale = 1;
        scales_[which].load({segment.row, segment.first, 1}, &scale);
        return quantization::scaled(x, scale);
    }

    const bool has_condition_;
    const dnnl_data_type_t dst_type_;
    const dims_t dst_dims_;
    std::array<broadcast_rows_t, 3> rows_;
    std::array<quantizer_t, sources> scales_;
    attributes_t without_scales_;
    const arguments_t &arguments_;
    post_op_t op_;
    std::array<std::vector<double>, 3> elements_;
    std::vector<estimate_t> values_;
};

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    comparison_t comparison(argument_name(DNNL_ARG_DST), spec.dst_type, spec.dst_dims());
    // Comparisons give 0 and 1.
    const bool compares = spec.algorithm.value >= dnnl_binary_ge && !spec.has_condition();
    if (compares || product(spec.dst_dims()) < 16) comparison.expect_constant();
    return {compare_segments(
            arguments.at(DNNL_ARG_DST), comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::binary
