// SPDX-License-Identifier: Apache-2.0
// The reorder driver's dst against its reference, segments of rows shared among threads.
//
// Thresholds: without scales, zero points and post-ops there is one conversion, and rounding to
// nearest even has one right answer: nothing is allowed, not even the wrong sign of a zero. With
// them, what f32 arithmetic may be off (reorder/reference.hpp).
#include <algorithm>
#include <optional>
#include <vector>

#include "common/attributes/post_ops_reference.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/parallel.hpp"
#include "common/tensor/segments.hpp"
#include "reorder/problem.hpp"
#include "reorder/reference.hpp"

namespace benchdnn::reorder {

namespace {

// Scales or zero points of one tensor, a segment at a time.
class quantizer_t {
public:
    quantizer_t(const quantization_t &quantization, int kind, int argument,
            const arguments_t &arguments, const dims_t &dims) {
        const quantization_entry_t *entry = quantization.find(argument);
        if (!entry) return;
        is_given_ = true;
        value_ = rounded_to(entry->data_type, entry->value);
        if (entry->broadcast.is_single_value()) return;
        const int mask = entry->broadcast.mask(static_cast<int>(dims.size()), 0);
        dims_t extents = dims;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            if (!(mask >> axis & 1)) extents[axis] = 1;
        rows_.emplace(arguments.original(kind | argument), extents, dims);
    }
    bool is_given() const { return is_given_; }
    void load(const segment_t &segment, double *values) const {
        if (rows_)
            rows_->load(segment, values);
        else
            std::fill_n(values, segment.count, value_);
    }

private:
    bool is_given_ = false;
    double value_ = 0;
    std::optional<broadcast_rows_t> rows_;
};

// What dst should be; keeps a segment's operands, so one object a thread.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : dims_(spec.shape.dims)
        , dst_type_(spec.dst_type)
        , attributes_(attributes)
        , arguments_(arguments)
        , src_(arguments.original(DNNL_ARG_FROM))
        , prior_(arguments.original(spec.in_place ? DNNL_ARG_FROM : DNNL_ARG_TO))
        , src_scale_(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_FROM, arguments, dims_)
        , dst_scale_(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_TO, arguments, dims_)
        , src_zero_point_(attributes.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_FROM,
                  arguments, dims_)
        , dst_zero_point_(attributes.zero_points, DNNL_ARG_ATTR_ZERO_POINTS, DNNL_ARG_TO, arguments,
                  dims_) {}

    const std::vector<estimate_t> &of(const segment_t &segment) {
        operand_.resize(segment.count);
        values_.resize(segment.count);
        src_.load_span(segment.row, segment.first, segment.count, operand_.data());
        const bool computes = !only_converts(attributes_);
        for (dim_t i = 0; i < segment.count; ++i)
            values_[i] = computes ? loaded(operand_[i]) : estimate_t{operand_[i], 0};
        apply(src_zero_point_, segment,
                [](estimate_t x, double zero) { return shifted(x, -zero); });
        apply(src_scale_, segment, scaled);
        for (size_t i = 0; i < attributes_.post_ops.chain.size(); ++i) apply_post_op(i, segment);
        apply(dst_scale_, segment, divided);
        apply(dst_zero_point_, segment, shifted);
        if (computes && dst_type_ == dnnl_s32)
            for (estimate_t &x : values_) x = saturated_as_f32(x);
        return values_;
    }

private:
    template <typename step_t>
    void apply(const quantizer_t &quantizer, const segment_t &segment, step_t step) {
        if (!quantizer.is_given()) return;
        quantizer.load(segment, operand_.data());
        for (dim_t i = 0; i < segment.count; ++i) values_[i] = step(values_[i], operand_[i]);
    }

    void apply_post_op(size_t index, const segment_t &segment) {
        const post_op_t &op = attributes_.post_ops.chain[index];
        if (op.kind == post_op_t::kind_t::eltwise)
            for (estimate_t &x : values_) x = eltwise_estimate(op, x);
        if (op.kind == post_op_t::kind_t::sum) apply_sum(op, segment);
        if (op.kind == post_op_t::kind_t::binary) apply_binary(op, index, segment);
    }

    void apply_sum(const post_op_t &op, const segment_t &segment) {
        prior_.load_span(segment.row, segment.first, segment.count, operand_.data());
        for (dim_t i = 0; i < segment.count; ++i)
            values_[i] = accumulated(values_[i], op.sum_scale, operand_[i] - op.sum_zero_point);
    }

    void apply_binary(const post_op_t &op, size_t index, const segment_t &segment) {
        load_operand(operand_argument(index), segment, operand_);
        if (op.has_condition()) load_operand(condition_argument(index), segment, condition_);
        for (dim_t i = 0; i < segment.count; ++i)
            values_[i] = binary_estimate(
                    op, values_[i], operand_[i], op.has_condition() && condition_[i] != 0);
    }

    void load_operand(int argument, const segment_t &segment, std::vector<double> &values) const {
        const tensor_t &operand = arguments_.original(argument);
        values.resize(segment.count);
        broadcast_rows_t(operand, operand.layout().dims(), dims_).load(segment, values.data());
    }

    const dims_t &dims_;
    const dnnl_data_type_t dst_type_;
    const attributes_t &attributes_;
    const arguments_t &arguments_;
    const tensor_t &src_, &prior_;
    quantizer_t src_scale_, dst_scale_, src_zero_point_, dst_zero_point_;
    std::vector<double> operand_, condition_;
    std::vector<estimate_t> values_;
};

comparison_t new_comparison(const spec_t &spec, const attributes_t &attributes) {
    comparison_t comparison(argument_name(DNNL_ARG_TO), spec.dst_type, spec.shape.dims);
    const bool has_signed_zeros = !is_integer_type(spec.dst_type);
    if (has_signed_zeros && only_converts(attributes)) comparison.expect_signed_zeros();
    if (product(spec.shape.dims) == 0) comparison.expect_constant();
    return comparison;
}

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    const tensor_t &dst = arguments.at(DNNL_ARG_TO);
    std::vector<comparison_t> found(worker_count(), new_comparison(spec, attributes));
    std::vector<expectation_t> expected(worker_count(), expectation_t(spec, attributes, arguments));
    parallel_segments(dst.layout(), [&](int worker, const segment_t &segment) {
        const std::vector<estimate_t> &values = expected[worker].of(segment);
        std::vector<double> got(segment.count);
        dst.load_span(segment.row, segment.first, segment.count, got.data());
        const dim_t index = segment.index(dst.cols());
        for (dim_t i = 0; i < segment.count; ++i) found[worker].check(index + i, values[i], got[i]);
    });
    for (size_t i = 1; i < found.size(); ++i) found[0].merge(found[i]);
    found.resize(1, found[0]);
    return found;
}

} // namespace benchdnn::reorder
