// SPDX-License-Identifier: Apache-2.0
// Operations that change types or positions: conversions, quantization, reshaping, transposition.
#include <cmath>

#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

// Scales or zero points: one value, one for each position along an axis, or one for each group of
// positions along all axes; attributes or, for dynamic operations, inputs.
class quantizer_t {
public:
    explicit quantizer_t(const step_t &step)
        : dims_(step.inputs[0]->dims)
        , index_(dims_t(), dims_) {
        const std::string granularity = step.op.text("qtype", "per_tensor");
        if (granularity == "per_channel")
            index_ = broadcast_index_t(step.op.axis("axis", 1, dims_.size()), dims_);
        if (granularity == "per_group") group_counts_ = step.inputs[1]->dims;
        if (const value_t *scales = step.input(1))
            scales_ = scales->elements;
        else
            for (const double scale : step.op.get<std::vector<double>>("scales", {1}))
                scales_.push_back({static_cast<float>(scale), 0});
        if (const value_t *zero_points = step.input(2))
            zero_points_ = zero_points->elements;
        else
            for (const int64_t zero : step.op.get<std::vector<int64_t>>("zps", {}))
                zero_points_.push_back({static_cast<double>(zero), 0});
        // An empty list means none.
        if (zero_points_.empty()) zero_points_.assign(scales_.size(), {0, 0});
    }
    estimate_t scale(dim_t index) const { return of(scales_, index); }
    estimate_t zero_point(dim_t index) const { return of(zero_points_, index); }

private:
    estimate_t of(const std::vector<estimate_t> &list, dim_t index) const {
        if (list.size() == 1) return list[0];
        return list[group_counts_.empty() ? index_(index) : group_of(index)];
    }

    dim_t group_of(dim_t index) const {
        dim_t group = 0, stride = 1;
        for (size_t d = dims_.size(); d-- > 0; index /= dims_[d]) {
            group += index % dims_[d] * group_counts_[d] / dims_[d] * stride;
            stride *= group_counts_[d];
        }
        return group;
    }

    const dims_t dims_;
    broadcast_index_t index_;
    dims_t group_counts_; // along each axis; empty: there are no groups
    std::vector<estimate_t> scales_, zero_points_;
};

} // namespace

void compute_conversion(const step_t &step) {
    step.outputs[0]->elements = step.inputs[0]->elements;
    step.outputs[0]->variety = step.inputs[0]->variety;
}

// dst = src / scale + zero point, rounded to the type of dst.
void compute_quantize(const step_t &step) {
    const quantizer_t quantizer(step);
    value_t &dst = *step.outputs[0];
    for_each_index(dst.count(), [&](dim_t i) {
        estimate_t x = combined(
                step.inputs[0]->elements[i], quantizer.scale(i),
                [](double value, double scale) { return value / scale; }, 4);
        const double zero = quantizer.zero_point(i).value;
        x.value += zero;
        if (zero != 0) x.tolerance += 2 * f32_roundoff * (std::fabs(x.value) + std::fabs(zero));
        dst.elements[i] = x;
    });
}

// dst = (src - zero point) * scale
void compute_dequantize(const step_t &step) {
    const quantizer_t quantizer(step);
    value_t &dst = *step.outputs[0];
    dst.variety = step.inputs[0]->variety;
    for_each_index(dst.count(), [&](dim_t i) {
        estimate_t x = step.inputs[0]->elements[i];
        x.value -= quantizer.zero_point(i).value;
        dst.elements[i] = product_of(x, quantizer.scale(i));
    });
}

void compute_concat(const step_t &step) {
    value_t &dst = *step.outputs[0];
    dst.variety = step.inputs[0]->variety;
    const auto axis = static_cast<size_t>(step.op.axis("axis", 0, dst.dims.size()));
    dim_t inner = 1; // elements of a step along the axis
    for (size_t d = axis + 1; d < dst.dims.size(); ++d) inner *= dst.dims[d];
    const dim_t row = dst.dims[axis] * inner;
    dim_t begin = 0;
    for (const value_t *src : step.inputs) {
        const dim_t src_row = src->dims[axis] * inner;
        for_each_index(src->count(), [&](dim_t i) {
            dst.elements[i / src_row * row + begin + i % src_row] = src->elements[i];
        });
        begin += src_row;
    }
}

void compute_reshape(const step_t &step) { compute_conversion(step); }

void compute_transpose(const step_t &step) {
    const value_t &src = *step.inputs[0];
    value_t &dst = *step.outputs[0];
    dst.variety = src.variety;
    const size_t ndims = src.dims.size();
    const dims_t src_strides = dense_strides(src.dims);
    dims_t strides(ndims);
    const auto order = step.op.get<std::vector<int64_t>>("order", {});
    for (size_t i = 0; i < ndims; ++i)
        strides[i] = src_strides[order[i] < 0 ? order[i] + static_cast<int64_t>(ndims) : order[i]];
    for_each_index(dst.count(), [&](dim_t i) {
        dim_t from = 0, rest = i;
        for (size_t axis = ndims; axis-- > 0; rest /= dst.dims[axis])
            from += rest % dst.dims[axis] * strides[axis];
        dst.elements[i] = src.elements[from];
    });
}

void compute_nothing(const step_t &) {}

} // namespace benchdnn::graph
