// SPDX-License-Identifier: Apache-2.0
// The reference of each operation against formulas in this file: results of the formulas pass, and
// one wrong element is found.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "common/tensor/data_type.hpp"
#include "graph_case.hpp"

namespace benchdnn::graph {

namespace {

using integers_t = std::vector<int64_t>;
using values_t = std::vector<double>;

struct formula_case_t {
    std::string name;
    op_words_t op;
    // The outputs' values.
    std::function<std::vector<values_t>(const graph_case_t &)> formula;
};

std::ostream &operator<<(std::ostream &stream, const formula_case_t &value) {
    return stream << value.name;
}

class formula : public testing::TestWithParam<formula_case_t> {
protected:
    graph_case_t graph{graph_of({GetParam().op})};
    void SetUp() override {
        const std::vector<values_t> outputs = GetParam().formula(graph);
        for (size_t i = 0; i < outputs.size(); ++i)
            graph.store(GetParam().op.outputs[i].id, outputs[i]);
    }
};

TEST_P(formula, agrees) { EXPECT_EQ(graph.errors(), 0); }

TEST_P(formula, one_wrong_element_of_each_output_is_found) {
    for (const tensor_words_t &output : GetParam().op.outputs) {
        tensor_t &tensor = graph.tensor(output.id);
        const dim_t at = tensor.layout().elements() / 2;
        const double right = tensor.load(at);
        // For integers, a step that rounding cannot explain.
        tensor.store(at, is_integer_type(output.type) ? (right > 0 ? right - 2 : right + 2)
                                                      : 1.02 * right + 0.02);
        EXPECT_EQ(graph.errors(), 1) << "output " << output.id;
        tensor.store(at, right);
    }
}

// Of one operand, element by element.
formula_case_t elementwise(const std::string &kind, double (*f)(double),
        std::map<std::string, attribute_t> attributes = {}, dnnl_data_type_t type = dnnl_f32) {
    return {kind, {kind, {{0, {6, 7}, type}}, {{1, {6, 7}, type}}, std::move(attributes)},
            [f](const graph_case_t &graph) {
                values_t values = graph.values(0);
                for (double &x : values) x = f(x);
                return std::vector<values_t>{values};
            }};
}

const formula_case_t unary[] = {
        elementwise("Abs", [](double x) { return std::fabs(x); }),
        elementwise("Clamp", [](double x) { return std::fmin(std::fmax(x, -1), 1.5); },
                {{"min", -1.}, {"max", 1.5}}),
        elementwise("Elu", [](double x) { return x > 0 ? x : 0.5 * (std::exp(x) - 1); },
                {{"alpha", 0.5}}),
        elementwise("Exp", [](double x) { return std::exp(x); }),
        elementwise("GELU", [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2)); }),
        elementwise("HardSigmoid",
                [](double x) { return std::fmin(std::fmax(0.25 * x + 0.5, 0), 1); },
                {{"alpha", 0.25}, {"beta", 0.5}}),
        elementwise(
                "HardSwish", [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }),
        elementwise("LeakyReLU", [](double x) { return x > 0 ? x : x / 8; }, {{"alpha", 0.125}}),
        elementwise("Log", [](double x) { return std::log(x); }),
        elementwise("Mish", [](double x) { return x * std::tanh(std::log(1 + std::exp(x))); }),
        elementwise("Pow", [](double x) { return x * std::sqrt(x); }, {{"beta", 1.5}}),
        elementwise("ReLU", [](double x) { return x > 0 ? x : 0; }),
        elementwise(
                "ReLU", [](double x) { return x > 0 ? x : 0; }, {}, dnnl_bf16),
        elementwise("Reciprocal", [](double x) { return 1 / x; }),
        elementwise("Round", [](double x) { return std::rint(x); }),
        elementwise("Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }),
        elementwise("SoftPlus", [](double x) { return std::log(1 + std::exp(2 * x)) / 2; },
                {{"beta", 2.}}),
        elementwise("Sqrt", [](double x) { return std::sqrt(x); }),
        elementwise("Square", [](double x) { return x * x; }),
        elementwise("Tanh", [](double x) { return std::tanh(x); }),
        elementwise(
                "Tanh", [](double x) { return std::tanh(x); }, {}, dnnl_f16),
};
INSTANTIATE_TEST_SUITE_P(unary, formula, testing::ValuesIn(unary));

// diff_dst times the difference quotient of a function, of src or, with use_dst, of dst.
formula_case_t gradient(const std::string &kind, double (*f)(double),
        std::map<std::string, attribute_t> attributes, double (*src_of_dst)(double) = nullptr) {
    attributes["use_dst"] = src_of_dst != nullptr;
    return {kind, {kind, {{0, {6, 7}}, {1, {6, 7}}}, {{2, {6, 7}}}, std::move(attributes)},
            [=](const graph_case_t &graph) {
                values_t values = graph.values(0);
                const values_t diff_dst = graph.values(1);
                for (size_t i = 0; i < values.size(); ++i) {
                    const double x = src_of_dst ? src_of_dst(values[i]) : values[i];
                    const double step = 1e-6;
                    values[i] = diff_dst[i] * (f(x + step) - f(x - step)) / (2 * step);
                }
                return std::vector<values_t>{values};
            }};
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double elu(double x) { return x > 0 ? x : 0.5 * std::expm1(x); }
double root(double x) { return std::sqrt(x); }
double tangent(double x) { return std::tanh(x); }

const formula_case_t gradients[] = {
        gradient("AbsBackward", [](double x) { return std::fabs(x); }, {}),
        gradient("ClampBackward", [](double x) { return std::fmin(std::fmax(x, -1), 1.5); },
                {{"min", -1.}, {"max", 1.5}}),
        gradient("EluBackward", elu, {{"alpha", 0.5}}),
        gradient("EluBackward", elu, {{"alpha", 0.5}},
                [](double y) { return y > 0 ? y : std::log1p(2 * y); }),
        gradient("GELUBackward", [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2)); }, {}),
        gradient("GELUBackward",
                [](double x) {
                    return x / 2
                           * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
                },
                {{"mode", std::string("gelu_tanh")}}),
        gradient("HardSigmoidBackward",
                [](double x) { return std::fmin(std::fmax(0.25 * x + 0.5, 0), 1); },
                {{"alpha", 0.25}, {"beta", 0.5}}),
        gradient("HardSwishBackward",
                [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }, {}),
        gradient("MishBackward", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); },
                {}),
        gradient("ReLUBackward", [](double x) { return x > 0 ? x : 0; }, {}),
        gradient("SigmoidBackward", sigmoid, {}),
        gradient("SigmoidBackward", sigmoid, {}, [](double y) { return std::log(y / (1 - y)); }),
        gradient("SoftPlusBackward", [](double x) { return std::log1p(std::exp(2 * x)) / 2; },
                {{"beta", 2.}}),
        gradient("SqrtBackward", root, {}),
        gradient("SqrtBackward", root, {}, [](double y) { return y * y; }),
        gradient("TanhBackward", tangent, {}),
        gradient("TanhBackward", tangent, {}, [](double y) { return std::atanh(y); }),
};
// Difference quotients have about nine correct digits.
INSTANTIATE_TEST_SUITE_P(gradients, formula, testing::ValuesIn(gradients));

// x / 6 + 1 / 2 is 1 in f32 if x is next to 3: both slopes are right there, and only there.
TEST(steps, may_be_where_rounding_puts_them) {
    graph_case_t graph(graph_of({{"HardSwishBackward", {{0, {2}}, {1, {2}}}, {{2, {2}}}}}));
    graph.store(0, {std::nextafter(3.f, 0.f), 2.99});
    graph.store(1, {1, 1});
    for (const double slope : {1., 1.5}) {
        graph.store(2, {slope, 2.99 / 3 + 0.5});
        EXPECT_EQ(graph.errors(), 0) << slope;
    }
    graph.store(2, {1, 1});
    EXPECT_EQ(graph.errors(), 1);
}

// src of 3 x 4, the other operand broadcast along rows.
formula_case_t binary(const std::string &kind, double (*f)(double, double)) {
    return {kind, {kind, {{0, {3, 4}}, {1, {4}}}, {{2, {3, 4}}}}, [f](const graph_case_t &graph) {
                values_t values = graph.values(0);
                const values_t other = graph.values(1);
                for (size_t i = 0; i < values.size(); ++i) values[i] = f(values[i], other[i % 4]);
                return std::vector<values_t>{values};
            }};
}

const formula_case_t binaries[] = {
        binary("Add", [](double a, double b) { return a + b; }),
        binary("Divide", [](double a, double b) { return a / b; }),
        binary("Maximum", [](double a, double b) { return a > b ? a : b; }),
        binary("Minimum", [](double a, double b) { return a < b ? a : b; }),
        binary("Multiply", [](double a, double b) { return a * b; }),
        binary("SquaredDifference", [](double a, double b) { return std::pow(a - b, 2); }),
        binary("Subtract", [](double a, double b) { return a - b; }),
        {"Add to a column", {"Add", {{0, {3, 1}}, {1, {2, 1, 4}}}, {{2, {2, 3, 4}}}},
                [](const graph_case_t &graph) {
                    const values_t a = graph.values(0), b = graph.values(1);
                    values_t sum;
                    for (size_t i = 0; i < 24; ++i)
                        sum.push_back(a[i / 4 % 3] + b[i / 12 * 4 + i % 4]);
                    return std::vector<values_t>{sum};
                }},
        {"BiasAdd",
                {"BiasAdd", {{0, {2, 3, 4}}, {1, {3}}}, {{2, {2, 3, 4}}},
                        {{"data_format", std::string("NCX")}}},
                [](const graph_case_t &graph) {
                    values_t sum = graph.values(0);
                    for (size_t i = 0; i < 24; ++i) sum[i] += graph.values(1)[i / 4 % 3];
                    return std::vector<values_t>{sum};
                }},
        {"Select", {"Select", {{0, {3, 4}, dnnl_boolean}, {1, {3, 4}}, {2, {1}}}, {{3, {3, 4}}}},
                [](const graph_case_t &graph) {
                    values_t values = graph.values(1);
                    for (size_t i = 0; i < 12; ++i)
                        if (graph.values(0)[i] == 0) values[i] = graph.values(2)[0];
                    return std::vector<values_t>{values};
                }},
};
INSTANTIATE_TEST_SUITE_P(binary, formula, testing::ValuesIn(binaries));

double saturated(double x, double low, double high) {
    return std::fmin(std::fmax(std::rint(x), low), high);
}

const formula_case_t conversions[] = {
        {"TypeCast", {"TypeCast", {{0, {5, 9}}}, {{1, {5, 9}, dnnl_bf16}}},
                [](const graph_case_t &graph) { return std::vector<values_t>{graph.values(0)}; }},
        {"Quantize",
                {"Quantize", {{0, {5, 3}}}, {{1, {5, 3}, dnnl_u8}},
                        {{"qtype", std::string("per_channel")}, {"axis", int64_t(1)},
                                {"scales", values_t{0.02, 0.03, 0.05}},
                                {"zps", integers_t{100, 120, 7}}}},
                [](const graph_case_t &graph) {
                    values_t values = graph.values(0);
                    const float scales[] = {0.02f, 0.03f, 0.05f};
                    const double zeros[] = {100, 120, 7};
                    for (size_t i = 0; i < values.size(); ++i)
                        values[i] = saturated(values[i] / scales[i % 3] + zeros[i % 3], 0, 255);
                    return std::vector<values_t>{values};
                }},
        {"Dequantize",
                {"Dequantize", {{0, {5, 3}, dnnl_s8}}, {{1, {5, 3}}},
                        {{"scales", values_t{0.02}}, {"zps", integers_t{-4}}}},
                [](const graph_case_t &graph) {
                    values_t values = graph.values(0);
                    for (double &x : values) x = (x + 4) * 0.02f;
                    return std::vector<values_t>{values};
                }},
        {"DynamicQuantize",
                {"DynamicQuantize", {{0, {5, 30}}, {1, {5}}, {2, {5}, dnnl_s32}},
                        {{3, {5, 30}, dnnl_s8}},
                        {{"qtype", std::string("per_channel")}, {"axis", int64_t(0)}}},
                [](const graph_case_t &graph) {
                    values_t values = graph.values(0);
                    for (size_t i = 0; i < values.size(); ++i)
                        values[i] = saturated(
                                values[i] / graph.values(1)[i / 30] + graph.values(2)[i / 30], -128,
                                127);
                    return std::vector<values_t>{values};
                }},
        {"DynamicDequantize",
                {"DynamicDequantize", {{0, {5, 3}, dnnl_u8}, {1, {1}}}, {{2, {5, 3}}}},
                [](const graph_case_t &graph) {
                    values_t values = graph.values(0);
                    for (double &x : values) x *= graph.values(1)[0];
                    return std::vector<values_t>{values};
                }},
        {"StaticReshape",
                {"StaticReshape", {{0, {5, 4}}}, {{1, {2, 10}}}, {{"shape", integers_t{2, -1}}}},
                [](const graph_case_t &graph) { return std::vector<values_t>{graph.values(0)}; }},
        {"StaticTranspose",
                {"StaticTranspose", {{0, {2, 3, 4}}}, {{1, {4, 2, 3}}},
                        {{"order", integers_t{-1, 0, 1}}}},
                [](const graph_case_t &graph) {
                    values_t values;
                    for (size_t i = 0; i < 24; ++i)
                        values.push_back(graph.values(0)[i % 6 * 4 + i / 6]);
                    return std::vector<values_t>{values};
                }},
};
INSTANTIATE_TEST_SUITE_P(conversions, formula, testing::ValuesIn(conversions));

// Over the middle axis of 3 x 20 x 4.
formula_case_t reduction(const std::string &kind, double (*of)(const values_t &)) {
    return {kind, {kind, {{0, {3, 20, 4}}}, {{1, {3, 4}}}, {{"axes", integers_t{1}}}},
            [of](const graph_case_t &graph) {
                values_t results;
                for (size_t i = 0; i < 12; ++i) {
                    values_t terms;
                    for (size_t k = 0; k < 20; ++k)
                        terms.push_back(graph.values(0)[i / 4 * 80 + k * 4 + i % 4]);
                    results.push_back(of(terms));
                }
                return std::vector<values_t>{results};
            }};
}

double total(const values_t &terms) {
    double sum = 0;
    for (const double x : terms) sum += x;
    return sum;
}

const formula_case_t reductions[] = {
        reduction("ReduceSum", total),
        reduction("ReduceMean", [](const values_t &terms) { return total(terms) / 20; }),
        reduction("ReduceMax",
                [](const values_t &terms) {
                    return *std::max_element(terms.begin(), terms.end());
                }),
        reduction("ReduceMin",
                [](const values_t &terms) {
                    return *std::min_element(terms.begin(), terms.end());
                }),
        reduction("ReduceL1",
                [](const values_t &terms) {
                    double sum = 0;
                    for (const double x : terms) sum += std::fabs(x);
                    return sum;
                }),
        reduction("ReduceL2",
                [](const values_t &terms) {
                    double sum = 0;
                    for (const double x : terms) sum += x * x;
                    return std::sqrt(sum);
                }),
        reduction("ReduceProd",
                [](const values_t &terms) {
                    double product = 1;
                    for (const double x : terms) product *= x;
                    return product;
                }),
};
INSTANTIATE_TEST_SUITE_P(reductions, formula, testing::ValuesIn(reductions));

} // namespace

} // namespace benchdnn::graph
