// SPDX-License-Identifier: Apache-2.0
// gamma and beta of LayerNorm, RMSNorm and LayerNormBackward that broadcast to src, over every
// begin_norm_axis, against sums in double.
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "api/status_of.hpp"

namespace kiln::test {

namespace {

using namespace dnnl::graph;
using dims_t = logical_tensor::dims;

const dims_t src_dims{3, 4, 5};
constexpr int64_t count = 3 * 4 * 5;
constexpr double epsilon = 1e-5;

enum tensor_id_t : size_t { src, gamma, beta, dst, diff_dst, diff_src, diff_gamma, diff_beta };

logical_tensor describe(size_t id, const dims_t &dims) {
    return {id, logical_tensor::data_type::f32, dims, logical_tensor::layout_type::strided};
}

int64_t product(const dims_t &dims, size_t begin = 0) {
    int64_t result = 1;
    for (size_t d = begin; d < dims.size(); ++d) result *= dims[d];
    return result;
}

float value_of(size_t id, int64_t index) {
    return std::sin(static_cast<float>(id) + 1.3f * static_cast<float>(index));
}

/// The index in a tensor that broadcasts to src of src's element.
int64_t broadcast_index(const dims_t &dims, int64_t element) {
    int64_t index = 0, stride = 1;
    for (size_t back = 1; back <= src_dims.size(); ++back) {
        const int64_t extent = src_dims[src_dims.size() - back], at = element % extent;
        element /= extent;
        if (back > dims.size()) continue;
        if (dims[dims.size() - back] != 1) index += at * stride;
        stride *= dims[dims.size() - back];
    }
    return index;
}

using values_t = std::map<size_t, std::vector<float>>;

values_t run(const op &operation, const std::map<size_t, dims_t> &inputs,
        const std::map<size_t, dims_t> &outputs) {
    const engine cpu(engine::kind::cpu, 0);
    stream in_order(cpu);
    values_t values;
    std::vector<logical_tensor> input_lts, output_lts;
    std::vector<tensor> input_tensors, output_tensors;
    for (const auto &[id, dims] : inputs) {
        for (int64_t i = 0; i < product(dims); ++i) values[id].push_back(value_of(id, i));
        input_lts.push_back(describe(id, dims));
        input_tensors.emplace_back(input_lts.back(), cpu, values[id].data());
    }
    for (const auto &[id, dims] : outputs) {
        values[id].assign(static_cast<size_t>(product(dims)), NAN);
        output_lts.push_back(describe(id, dims));
        output_tensors.emplace_back(output_lts.back(), cpu, values[id].data());
    }
    partition(operation, engine::kind::cpu)
            .compile(input_lts, output_lts, cpu)
            .execute(in_order, input_tensors, output_tensors);
    in_order.wait();
    return values;
}

struct row_statistics_t {
    double mean = 0, scale = 0; // scale: 1 / sqrt(variance + epsilon)
};

row_statistics_t statistics_of(int64_t row, int64_t cols, bool is_rms) {
    row_statistics_t result;
    const auto at = [&](int64_t c) { return double(value_of(src, row * cols + c)); };
    for (int64_t c = 0; c < cols && !is_rms; ++c) result.mean += at(c) / double(cols);
    double variance = 0;
    for (int64_t c = 0; c < cols; ++c) variance += std::pow(at(c) - result.mean, 2) / double(cols);
    result.scale = 1 / std::sqrt(variance + epsilon);
    return result;
}

const std::vector<dims_t> weight_shapes{
        {}, {1}, {5}, {4, 1}, {4, 5}, {3, 1, 1}, {3, 1, 5}, {1, 4, 1}, {3, 4, 1}, {3, 4, 5}};

} // namespace

TEST(broadcast_weights, of_any_shape_and_axis_multiply_and_add_forward) {
    for (const bool is_rms : {false, true})
        for (int64_t axis = 0; axis < 3; ++axis)
            for (const dims_t &shape : weight_shapes) {
                std::map<size_t, dims_t> inputs{{src, src_dims}, {gamma, shape}};
                if (!is_rms) inputs[beta] = shape;
                std::vector<logical_tensor> lts;
                for (const auto &[id, dims] : inputs) lts.push_back(describe(id, dims));
                op norm(0, is_rms ? op::kind::RMSNorm : op::kind::LayerNorm, lts,
                        {describe(dst, src_dims)});
                norm.set_attr(op::attr::begin_norm_axis, axis);
                if (!is_rms) norm.set_attr(op::attr::keep_stats, false);
                const values_t values = run(norm, inputs, {{dst, src_dims}});
                const int64_t cols = product(src_dims, static_cast<size_t>(axis));
                for (int64_t i = 0; i < count; ++i) {
                    const auto row = statistics_of(i / cols, cols, is_rms);
                    const int64_t w = broadcast_index(shape, i);
                    const double expected =
                            (value_of(src, i) - row.mean) * row.scale * value_of(gamma, w)
                            + (is_rms ? 0 : value_of(beta, w));
                    ASSERT_NEAR(values.at(dst)[size_t(i)], expected, 1e-5)
                            << "axis " << axis << ", weights of " << shape.size() << " axes and "
                            << product(shape) << " elements, element " << i;
                }
            }
}

TEST(broadcast_weights, of_any_shape_that_is_the_same_for_all_rows_multiply_backward) {
    for (int64_t axis = 0; axis < 3; ++axis)
        for (const dims_t &shape : weight_shapes) {
            const int64_t cols = product(src_dims, static_cast<size_t>(axis));
            bool is_same_for_rows = true;
            for (int64_t i = 0; i < count; ++i)
                is_same_for_rows &= broadcast_index(shape, i) == broadcast_index(shape, i % cols);
            const std::map<size_t, dims_t> inputs{
                    {src, src_dims}, {diff_dst, src_dims}, {gamma, shape}, {beta, shape}};
            const logical_tensor unwanted(9, logical_tensor::data_type::undef);
            op norm(0, op::kind::LayerNormBackward,
                    {describe(src, src_dims), describe(diff_dst, src_dims), describe(gamma, shape),
                            describe(beta, shape)},
                    {describe(diff_src, src_dims), unwanted, unwanted});
            norm.set_attr(op::attr::begin_norm_axis, axis);
            if (!is_same_for_rows) {
                EXPECT_EQ(status_of([&] {
                    run(norm, inputs, {{diff_src, src_dims}});
                }),
                        dnnl_unimplemented);
                continue;
            }
            const values_t values = run(norm, inputs, {{diff_src, src_dims}});
            for (int64_t i = 0; i < count; ++i) {
                const int64_t begin = i / cols * cols;
                const auto row = statistics_of(i / cols, cols, false);
                const auto g = [&](int64_t k) {
                    return double(value_of(diff_dst, k))
                           * value_of(gamma, broadcast_index(shape, k));
                };
                const auto xhat = [&](int64_t k) {
                    return (value_of(src, k) - row.mean) * row.scale;
                };
                double g_mean = 0, g_xhat_mean = 0;
                for (int64_t k = begin; k < begin + cols; ++k) {
                    g_mean += g(k) / double(cols);
                    g_xhat_mean += g(k) * xhat(k) / double(cols);
                }
                const double expected = row.scale * (g(i) - g_mean - xhat(i) * g_xhat_mean);
                ASSERT_NEAR(values.at(diff_src)[size_t(i)], expected, 1e-5)
                        << "axis " << axis << ", gamma of " << shape.size() << " axes and "
                        << product(shape) << " elements, element " << i;
            }
        }
}

TEST(broadcast_weights, have_no_gradients_yet) {
    const dims_t shape{1};
    const std::map<size_t, dims_t> inputs{
            {src, src_dims}, {diff_dst, src_dims}, {gamma, shape}, {beta, shape}};
    const op norm(0, op::kind::LayerNormBackward,
            {describe(src, src_dims), describe(diff_dst, src_dims), describe(gamma, shape),
                    describe(beta, shape)},
            {describe(diff_src, src_dims), describe(diff_gamma, shape),
                    describe(diff_beta, shape)});
    EXPECT_EQ(status_of([&] {
        run(norm, inputs, {{diff_src, src_dims}, {diff_gamma, shape}, {diff_beta, shape}});
    }),
            dnnl_unimplemented);
}

} // namespace kiln::test
