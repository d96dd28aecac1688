// SPDX-License-Identifier: Apache-2.0
// What attributes do to an operation's result on its way to dst, a segment of a row at a time:
// source zero point and scale, dropout, post-ops, destination scale and zero point.
#pragma once

#include <optional>
#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/tensor/arguments.hpp"
#include "common/tensor/estimate.hpp"
#include "common/tensor/segments.hpp"

namespace benchdnn {

// The scales or zero points of one argument. Policies that name an axis of channels are not
// understood here; no operation accepts them for scales.
class quantizer_t {
public:
    // kind: DNNL_ARG_ATTR_SCALES or DNNL_ARG_ATTR_ZERO_POINTS; dims: of the argument.
    quantizer_t(const quantization_t &quantization, int kind, int argument,
            const arguments_t &arguments, const dims_t &dims);

    bool is_given() const { return is_given_; }
    void load(const segment_t &segment, double *values) const;

private:
    bool is_given_ = false;
    double value_ = 0;
    std::optional<broadcast_rows_t> rows_;
};

// Holds a segment's operands: one object for each thread.
class output_pipeline_t {
public:
    // dims: of dst.
    output_pipeline_t(
            const attributes_t &attributes, const arguments_t &arguments, const dims_t &dims);
    // values: one for each element of the segment.
    void apply(const segment_t &segment, std::vector<estimate_t> &values);

private:
    template <typename step_t>
    void quantize(const quantizer_t &quantizer, const segment_t &segment,
            std::vector<estimate_t> &values, step_t step);
    dnnl_data_type_t dst_type() const;
    void apply_sum(const post_op_t &op, const segment_t &segment, std::vector<estimate_t> &values);
    void apply_binary(const post_op_t &op, size_t index, const segment_t &segment,
            std::vector<estimate_t> &values);
    // One value for each element; an operand of extent 1 along an axis is broadcast along it.
    void apply_prelu(size_t index, const segment_t &segment, std::vector<estimate_t> &values);
    void load_operand(int argument, const segment_t &segment, std::vector<double> &values) const;

    const attributes_t &attributes_;
    const arguments_t &arguments_;
    dims_t dims_;
    quantizer_t src_scale_, dst_scale_, src_zero_point_, dst_zero_point_;
    std::vector<double> operand_, condition_;
};

} // namespace benchdnn
