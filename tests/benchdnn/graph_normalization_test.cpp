// SPDX-License-Identifier: Apache-2.0
// The reference of graphs' normalizations against formulas in this file, for every kind of
// population; and rounding between the operations of a partition.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "common/tensor/data_type.hpp"
#include "graph_case.hpp"

namespace benchdnn::graph {

namespace {

using values_t = std::vector<double>;
constexpr float epsilon = 1e-5f;

// The population of an element, and the index of its scale and shift.
using index_of_t = std::function<size_t(size_t)>;

struct moments_t {
    values_t mean, variance;
};

moments_t moments_of(const values_t &src, const index_of_t &population, size_t count, bool is_rms) {
    moments_t moments{values_t(count), values_t(count)};
    values_t size(count);
    for (size_t i = 0; i < src.size(); ++i) size[population(i)] += 1;
    for (size_t i = 0; i < src.size() && !is_rms; ++i)
        moments.mean[population(i)] += src[i] / size[population(i)];
    for (size_t i = 0; i < src.size(); ++i)
        moments.variance[population(i)] +=
                std::pow(src[i] - moments.mean[population(i)], 2) / size[population(i)];
    return moments;
}

values_t normalized(const values_t &src, const index_of_t &population, const moments_t &moments) {
    values_t x = src;
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = (x[i] - moments.mean[population(i)])
               / std::sqrt(moments.variance[population(i)] + epsilon);
    return x;
}

// Corrupts one element of each output in turn.
void expect_right(graph_case_t &graph, const std::map<size_t, values_t> &outputs) {
    for (const auto &[id, values] : outputs) graph.store(id, values);
    EXPECT_EQ(graph.errors(), 0);
    for (const auto &[id, values] : outputs) {
        const auto at = static_cast<dim_t>(values.size() / 2);
        graph.tensor(id).store(at, 1.02 * values[at] + 0.02);
        EXPECT_EQ(graph.errors(), 1) << "tensor " << id;
        graph.tensor(id).store(at, values[at]);
    }
}

values_t affine(values_t x, const values_t &scale, const values_t &shift, const index_of_t &index) {
    for (size_t i = 0; i < x.size(); ++i)
        x[i] = x[i] * scale[index(i)] + (shift.empty() ? 0 : shift[index(i)]);
    return x;
}

TEST(layer_norm, over_two_axes_with_statistics) {
    graph_case_t graph(graph_of({{"LayerNorm", {{0, {3, 4, 5}}, {1, {20}}, {2, {20}}},
            {{3, {3, 4, 5}}, {4, {3}}, {5, {3}}}, {{"begin_norm_axis", int64_t(1)}}}}));
    const index_of_t row = [](size_t i) { return i / 20; };
    const moments_t moments = moments_of(graph.values(0), row, 3, false);
    const values_t x = normalized(graph.values(0), row, moments);
    expect_right(graph,
            {{3, affine(x, graph.values(1), graph.values(2), [](size_t i) { return i % 20; })},
                    {4, moments.mean}, {5, moments.variance}});
}

TEST(rms_norm, with_a_scale_for_each_row_of_the_normalized_axes) {
    graph_case_t graph(graph_of({{"RMSNorm", {{0, {3, 4, 5}}, {1, {4, 1}}}, {{2, {3, 4, 5}}},
            {{"begin_norm_axis", int64_t(-2)}}}}));
    const index_of_t row = [](size_t i) { return i / 20; };
    const values_t x = normalized(graph.values(0), row, moments_of(graph.values(0), row, 3, true));
    expect_right(graph, {{2, affine(x, graph.values(1), {}, [](size_t i) { return i / 5 % 4; })}});
}

TEST(group_norm, channels_first_and_last) {
    for (const bool is_last : {false, true}) {
        const dims_t dims = is_last ? dims_t{2, 5, 6} : dims_t{2, 6, 5};
        graph_case_t graph(graph_of({{"GroupNorm", {{0, dims}, {1, {6}}, {2, {6}}},
                {{3, dims}, {4, {2, 3}}, {5, {2, 3}}},
                {{"groups", int64_t(3)}, {"data_format", std::string(is_last ? "NXC" : "NCX")}}}}));
        const index_of_t channel = [=](size_t i) { return is_last ? i % 6 : i / 5 % 6; };
        const index_of_t group = [=](size_t i) { return i / 30 * 3 + channel(i) / 2; };
        const moments_t moments = moments_of(graph.values(0), group, 6, false);
        const values_t x = normalized(graph.values(0), group, moments);
        expect_right(graph, {{3, affine(x, graph.values(1), graph.values(2), channel)},
                                    {4, moments.mean}, {5, moments.variance}});
    }
}

TEST(batch_norm, inference_takes_the_statistics_it_is_given) {
    graph_case_t graph(graph_of(
            {{"BatchNormInference", {{0, {3, 4, 5}}, {1, {4}}, {2, {4}}, {3, {4}}, {4, {4}}},
                    {{5, {3, 4, 5}}}, {{"data_format", std::string("NCX")}}}}));
    const index_of_t channel = [](size_t i) { return i / 5 % 4; };
    const values_t x = normalized(graph.values(0), channel, {graph.values(3), graph.values(4)});
    expect_right(graph, {{5, affine(x, graph.values(1), graph.values(2), channel)}});
}

TEST(batch_norm, training_updates_running_statistics) {
    for (const bool is_last : {false, true}) {
        const dims_t dims = is_last ? dims_t{3, 5, 4} : dims_t{3, 4, 5};
        graph_case_t graph(graph_of({{"BatchNormForwardTraining",
                {{0, dims}, {1, {4}}, {2, {4}}, {3, {4}}, {4, {4}}},
                {{5, dims}, {6, {4}}, {7, {4}}, {8, {4}}, {9, {4}}},
                {{"momentum", 0.75}, {"data_format", std::string(is_last ? "NXC" : "NCX")}}}}));
        const index_of_t channel = [=](size_t i) { return is_last ? i % 4 : i / 5 % 4; };
        const moments_t moments = moments_of(graph.values(0), channel, 4, false);
        const values_t x = normalized(graph.values(0), channel, moments);
        values_t mean = graph.values(1), variance = graph.values(2);
        for (size_t c = 0; c < 4; ++c) {
            mean[c] = 0.75 * mean[c] + 0.25 * moments.mean[c];
            variance[c] = 0.75 * variance[c] + 0.25 * moments.variance[c];
        }
        expect_right(graph, {{5, affine(x, graph.values(3), graph.values(4), channel)}, {6, mean},
                                    {7, variance}, {8, moments.mean}, {9, moments.variance}});
    }
}

struct gradients_t {
    values_t src, scale, shift;
};

gradients_t gradients_of(const values_t &src, const values_t &diff_dst, const values_t &scale,
        const index_of_t &population, const index_of_t &parameter, const moments_t &moments,
        size_t parameters) {
    const size_t count = moments.variance.size();
    const values_t x = normalized(src, population, moments);
    gradients_t gradients{values_t(src.size()), values_t(parameters), values_t(parameters)};
    values_t size(count), sum(count), slope(count);
    const auto g = [&](size_t i) {
        return diff_dst[i] * (scale.empty() ? 1 : scale[parameter(i)]);
    };
    for (size_t i = 0; i < src.size(); ++i) {
        size[population(i)] += 1;
        sum[population(i)] += g(i);
        slope[population(i)] += g(i) * x[i];
        gradients.scale[parameter(i)] += diff_dst[i] * x[i];
        gradients.shift[parameter(i)] += diff_dst[i];
    }
    for (size_t i = 0; i < src.size(); ++i) {
        const size_t p = population(i);
        gradients.src[i] = (g(i) - sum[p] / size[p] - x[i] * slope[p] / size[p])
                           / std::sqrt(moments.variance[p] + epsilon);
    }
    return gradients;
}

TEST(layer_norm_backward, with_scale_has_statistics_before_it) {
    const op_words_t op{"LayerNormBackward",
            {{0, {6, 20}}, {1, {6, 20}}, {2, {6}}, {3, {6}}, {4, {20}}, {5, {20}}},
            {{6, {6, 20}}, {7, {20}}, {8, {20}}}};
    graph_case_t graph(graph_of({op}));
    const index_of_t row = [](size_t i) { return i / 20; };
    const gradients_t gradients = gradients_of(
            graph.values(0), graph.values(1), graph.values(4), row, [](size_t i) { return i % 20; },
            {graph.values(2), graph.values(3)}, 20);
    expect_right(graph, {{6, gradients.src}, {7, gradients.scale}, {8, gradients.shift}});
}

TEST(layer_norm_backward, without_scale_two_more_inputs_are_statistics) {
    for (const bool are_given : {false, true}) {
        op_words_t op{"LayerNormBackward", {{0, {6, 20}}, {1, {6, 20}}}, {{4, {6, 20}}},
                {{"use_affine", false}}};
        if (are_given) op.inputs.insert(op.inputs.end(), {{2, {6}}, {3, {6}}});
        graph_case_t graph(graph_of({op}));
        if (are_given) graph.store(3, {2, 3, 4, 5, 6, 7});
        const index_of_t row = [](size_t i) { return i / 20; };
        const moments_t moments = are_given ? moments_t{graph.values(2), graph.values(3)}
                                            : moments_of(graph.values(0), row, 6, false);
        const gradients_t gradients = gradients_of(
                graph.values(0), graph.values(1), {}, row, [](size_t i) { return i % 20; }, moments,
                20);
        expect_right(graph, {{4, gradients.src}});
    }
}

TEST(batch_norm_backward, ignores_a_scale_whose_gradient_nobody_wants) {
    for (const bool is_wanted : {true, false}) {
        op_words_t op{"BatchNormTrainingBackward",
                {{0, {5, 4, 6}}, {1, {5, 4, 6}}, {2, {4}}, {3, {4}}, {4, {4}}}, {{5, {5, 4, 6}}},
                {{"data_format", std::string("NCX")}}};
        if (is_wanted) op.outputs.insert(op.outputs.end(), {{6, {4}}, {7, {4}}});
        graph_case_t graph(graph_of({op}));
        const index_of_t channel = [](size_t i) { return i / 6 % 4; };
        const gradients_t gradients = gradients_of(graph.values(0), graph.values(1),
                is_wanted ? graph.values(4) : values_t(), channel, channel,
                {graph.values(2), graph.values(3)}, 4);
        std::map<size_t, values_t> outputs{{5, gradients.src}};
        if (is_wanted) outputs.insert({{6, gradients.scale}, {7, gradients.shift}});
        expect_right(graph, outputs);
    }
}

// bf16(x + r) -> RMSNorm: the sum inside may be rounded to bf16 or not.
TEST(inside_a_partition, narrow_values_are_right_rounded_or_not) {
    graph_case_t graph(graph_of(
            {{"Add", {{0, {4, 50}, dnnl_bf16}, {1, {4, 50}, dnnl_bf16}}, {{2, {4, 50}, dnnl_bf16}}},
                    {"RMSNorm", {{2, {4, 50}, dnnl_bf16}, {3, {50}}}, {{4, {4, 50}}}}}));
    for (const bool is_rounded : {false, true}) {
        values_t sum = graph.values(0);
        for (size_t i = 0; i < sum.size(); ++i) {
            sum[i] += graph.values(1)[i];
            if (is_rounded) sum[i] = rounded_to(dnnl_bf16, sum[i]);
        }
        const index_of_t row = [](size_t i) { return i / 50; };
        const values_t x = normalized(sum, row, moments_of(sum, row, 4, true));
        const values_t dst = affine(x, graph.values(3), {}, [](size_t i) { return i % 50; });
        graph.store(4, dst);
        EXPECT_EQ(graph.errors(), 0) << is_rounded;
        graph.tensor(4).store(7, 1.1 * dst[7] + 0.1);
        EXPECT_EQ(graph.errors(), 1) << is_rounded;
    }
}

// Integers are always rounded and saturated: 3.4 -> 3 -> 3.
TEST(inside_a_partition, integers_are_rounded) {
    graph_case_t graph(
            graph_of({{"Quantize", {{0, {3}}}, {{1, {3}, dnnl_s8}}, {{"scales", values_t{1}}}},
                    {"Dequantize", {{1, {3}, dnnl_s8}}, {{2, {3}}}, {{"scales", values_t{0.5}}}}}));
    graph.store(0, {3.4, -7.6, 1000});
    graph.store(2, {1.5, -4, 63.5});
    EXPECT_EQ(graph.errors(), 0);
    graph.store(2, {1.7, -3.8, 500});
    EXPECT_EQ(graph.errors(), 3);
}

} // namespace

} // namespace benchdnn::graph
