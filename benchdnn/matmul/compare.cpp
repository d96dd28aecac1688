// SPDX-License-Identifier: Apache-2.0
// The matmul driver's dst against its reference in double.
#include <functional>
#include <memory>
#include <numeric>

#include "common/attributes/output_pipeline.hpp"
#include "common/attributes/quantization_reference.hpp"
#include "common/products/matrix.hpp"
#include "common/products/quantities.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/segment_comparison.hpp"
#include "matmul/problem.hpp"

namespace benchdnn::matmul {

namespace {

// The matrices of src or weights, without zero points and with scales.
std::vector<matrix_t> matrices(
        const attributes_t &attributes, const arguments_t &arguments, int argument) {
    const tensor_t &tensor = arguments.original(argument);
    const dims_t &dims = tensor.layout().dims();
    const auto quantities = [&](const quantization_t &quantization, int kind) {
        return quantities_t(
                quantization, kind, argument, arguments, dims, static_cast<int>(dims.size()) - 1);
    };
    const quantities_t scales = quantities(attributes.scales, DNNL_ARG_ATTR_SCALES);
    const quantities_t zeros = quantities(attributes.zero_points, DNNL_ARG_ATTR_ZERO_POINTS);
    const dim_t rows = dims[dims.size() - 2], columns = dims.back();
    const dim_t count = std::accumulate(
            dims.begin(), dims.end() - 2, dim_t(1), std::multiplies<>()); // also without elements
    std::vector<matrix_t> all;
    for (dim_t i = 0; i < count; ++i) {
        matrix_t &matrix = all.emplace_back(rows, columns);
        for (dim_t r = 0; r < rows; ++r) {
            double *values = matrix.row(r);
            tensor.load_row(i * rows + r, values);
            if (!scales.is_given() && !zeros.is_given()) continue;
            dims_t position = position_of((i * rows + r) * columns, dims);
            for (dim_t c = 0; c < columns; ++c) {
                position.back() = c;
                if (zeros.is_given()) values[c] -= zeros.at(position);
                if (scales.is_given()) values[c] *= scales.at(position);
            }
        }
        matrix.measure();
    }
    return all;
}

// Scales and zero points of dst alone; masks as numbers, since a policy's name means other axes in
// other operations.
quantization_t of_dst(const quantization_t &quantization, int ndims) {
    quantization_t result;
    for (quantization_entry_t entry : quantization.entries) {
        if (entry.argument != DNNL_ARG_DST) continue;
        if (!entry.broadcast.is_single_value())
            entry.broadcast = broadcast_t(
                    broadcast_t::policy_t::mask, entry.broadcast.mask(ndims, ndims - 1));
        result.entries.push_back(entry);
    }
    return result;
}

} // namespace

bool may_round_factors(const spec_t &spec, const attributes_t &attributes) {
    if (is_integer_type(spec.type[0])) return false;
    const bool is_narrow = spec.type[0] != dnnl_f32 && spec.type[0] != dnnl_f64;
    return attributes.fpmath.mode != dnnl_fpmath_mode_strict
           || (is_narrow && is_integer_type(spec.type[1]));
}

namespace {

arithmetic_t arithmetic_of(const spec_t &spec, const attributes_t &attributes) {
    arithmetic_t arithmetic;
    arithmetic.is_exact = is_integer_type(spec.type[0]);
    const bool has_scales =
            attributes.scales.find(DNNL_ARG_SRC) || attributes.scales.find(DNNL_ARG_WEIGHTS);
    if (has_scales) arithmetic.roundings_of_factors = 8;
    arithmetic.may_round_factors = may_round_factors(spec, attributes);
    return arithmetic;
}

// What dst should hold.
class expectation_t {
public:
    expectation_t(const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments)
        : spec_(spec)
        , dims_(spec.dst())
        , bias_dims_(spec.bias_dims())
        , src_(std::make_shared<std::vector<matrix_t>>(
                  matrices(attributes, arguments, DNNL_ARG_SRC)))
        , weights_(std::make_shared<std::vector<matrix_t>>(
                  matrices(attributes, arguments, DNNL_ARG_WEIGHTS)))
        , arithmetic_(arithmetic_of(spec, attributes))
        , output_attributes_(attributes)
        , arguments_(arguments) {
        output_attributes_.scales = of_dst(attributes.scales, spec.ndims());
        output_attributes_.zero_points = of_dst(attributes.zero_points, spec.ndims());
    }

    const std::vector<estimate_t> &of(const segment_t &segment) {
        const dims_t at = position_of(segment.index(dims_.back()), dims_);
        values_.resize(static_cast<size_t>(segment.count));
        estimate_row((*src_)[matrix_of(at, spec_.src)], (*weights_)[matrix_of(at, spec_.weights)],
                at[at.size() - 2], segment.first, arithmetic_, values_);
        if (spec_.has_bias()) add_bias(segment);
        output_pipeline_t(output_attributes_, arguments_, dims_).apply(segment, values_);
        if (output_attributes_.rounding.is_stochastic(DNNL_ARG_DST))
            for (estimate_t &x : values_) x = quantization::rounded_at_random(x, spec_.type[2]);
        if (spec_.type[2] == dnnl_s32)
            for (estimate_t &x : values_) x = quantization::saturated_as_f32(x);
        return values_;
    }

private:
    // Which of an operand's matrices belongs to a position of dst.
    static size_t matrix_of(const dims_t &at, const dims_t &dims) {
        dim_t index = 0;
        for (size_t axis = 0; axis + 2 < dims.size(); ++axis)
            index = index * dims[axis] + (dims[axis] == 1 ? 0 : at[axis]);
        return static_cast<size_t>(index);
    }

    void add_bias(const segment_t &segment) {
        bias_.resize(values_.size());
        broadcast_rows_t(arguments_.original(DNNL_ARG_BIAS), bias_dims_, dims_)
                .load(segment, bias_.data());
        for (size_t i = 0; i < values_.size(); ++i)
            values_[i] = quantization::accumulated(values_[i], 1, bias_[i]);
    }

    const spec_t &spec_;
    const dims_t dims_, bias_dims_;
    std::shared_ptr<const std::vector<matrix_t>> src_, weights_;
    const arithmetic_t arithmetic_;
    attributes_t output_attributes_;
    const arguments_t &arguments_;
    std::vector<estimate_t> values_;
    std::vector<double> bias_;
};

} // namespace

std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments) {
    comparison_t comparison(argument_name(DNNL_ARG_DST), spec.type[2], spec.dst());
    // Few products may all be saturated.
    if (product(spec.dst()) < 16) comparison.expect_constant();
    return {compare_segments(
            arguments.at(DNNL_ARG_DST), comparison, expectation_t(spec, attributes, arguments))};
}

} // namespace benchdnn::matmul
