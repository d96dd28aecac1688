// SPDX-License-Identifier: Apache-2.0
// The ip driver's outputs against their references in double.
#include <memory>

#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/products/matrix.hpp"
#include "common/products/quantities.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "ip/problem.hpp"

namespace benchdnn::ip {

namespace {

// The tensor as a matrix whose rows are the positions along the first axis.
matrix_t matrix_of(const tensor_t &tensor) {
    const dims_t &dims = tensor.layout().dims();
    const dim_t columns = product(dims_t(dims.begin() + 1, dims.end()));
    matrix_t matrix(dims[0], columns);
    if (columns != 0)
        for (dim_t r = 0; r < tensor.rows(); ++r)
            tensor.load_row(r, matrix.values.data() + r * tensor.cols());
    return matrix;
}

// a x b, where the output's first axis counts a's rows.
class product_t {
public:
    product_t(matrix_t a, matrix_t b, arithmetic_t arithmetic, dims_t dims)
        : a_(std::make_shared<matrix_t>(std::move(a)))
        , b_(std::make_shared<matrix_t>(std::move(b)))
        , arithmetic_(arithmetic)
        , dims_(std::move(dims)) {
        a_->measure();
        b_->measure();
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        const dim_t index = segment.index(dims_.back());
        values_.resize(static_cast<size_t>(segment.count));
        estimate_row(*a_, *b_, index / b_->columns, index % b_->columns, arithmetic_, values_);
        return values_;
    }

protected:
    std::shared_ptr<matrix_t> a_, b_;
    arithmetic_t arithmetic_;
    dims_t dims_;
    std::vector<estimate_t> values_;
};

class forward_t : public product_t {
public:
    forward_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : product_t(matrix_of(arguments.original(DNNL_ARG_SRC)),
                matrix_of(arguments.original(DNNL_ARG_WEIGHTS)).transposed(),
                {is_integer_type(spec.type[0]), 0}, spec.dst())
        , spec_(spec)
        , arguments_(arguments)
        , output_attributes_(attributes)
        , src_scale_(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC, arguments, spec.src(),
                  channel_axis)
        , weights_scales_(attributes.scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_WEIGHTS, arguments,
                  spec.weights(), weights_channel_axis) {
        output_attributes_.scales = {};
        if (const quantization_entry_t *entry = attributes.scales.find(DNNL_ARG_DST))
            output_attributes_.scales.entries.push_back(*entry);
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        product_t::of(segment);
        for (size_t i = 0; i < values_.size(); ++i) {
            const dim_t o = segment.first + static_cast<dim_t>(i);
            dims_t position(static_cast<size_t>(spec_.ndims()), 0);
            if (src_scale_.is_given())
                values_[i] = quantization::scaled(values_[i], src_scale_.at(position));
            position[0] = o;
            if (weights_scales_.is_given())
                values_[i] = quantization::scaled(values_[i], weights_scales_.at(position));
            if (spec_.has_bias())
                values_[i] = quantization::accumulated(
                        values_[i], 1, arguments_.original(DNNL_ARG_BIAS).load(o));
        }
        output_pipeline_t(output_attributes_, arguments_, dims_).apply(segment, values_);
        if (spec_.type[2] == dnnl_s32)
            for (estimate_t &x : values_) x = quantization::saturated_as_f32(x);
        return values_;
    }

private:
    const spec_t &spec_;
    const arguments_t &arguments_;
    attributes_t output_attributes_;
    quantities_t src_scale_, weights_scales_;
};

template <typename expectation_t>
comparison_t compared(const arguments_t &arguments, int id, const expectation_t &expectation) {
    const tensor_t &tensor = arguments.at(id);
    const dims_t &dims = tensor.layout().dims();
    comparison_t comparison(argument_name(id), tensor.layout().data_type(), dims);
    if (product(dims) < 16) comparison.expect_constant();
    return compare_segments(tensor, comparison, expectation);
}

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    const auto matrix = [&](int id) { return matrix_of(arguments.original(id)); };
    if (spec.direction.is_forward())
        return {compared(arguments, DNNL_ARG_DST, forward_t(spec, attributes, arguments))};
    if (spec.direction.prop_kind == dnnl_backward_data)
        return {compared(arguments, DNNL_ARG_DIFF_SRC,
                product_t(matrix(DNNL_ARG_DIFF_DST), matrix(DNNL_ARG_WEIGHTS), {}, spec.src()))};
    const matrix_t gradients = matrix(DNNL_ARG_DIFF_DST);
    std::vector<comparison_t> all{compared(arguments, DNNL_ARG_DIFF_WEIGHTS,
            product_t(gradients.transposed(), matrix(DNNL_ARG_SRC), {}, spec.weights()))};
    if (!spec.has_bias()) return all;
    matrix_t ones(1, gradients.rows);
    for (double &one : ones.values) one = 1;
    all.push_back(compared(arguments, DNNL_ARG_DIFF_BIAS,
            product_t(std::move(ones), gradients, {}, {spec.shape.oc})));
    return all;
}

} // namespace benchdnn::ip
