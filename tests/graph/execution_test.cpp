// SPDX-License-Identifier: Apache-2.0
// Each operation but normalizations and conversions alone, compared with the truth.
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

const dims_t image{2, 6, 20};

struct unary_t {
    kind_t kind;
    attributes_t attributes{};
    double low = -4, high = 4;
};

const attributes_t clamp = number(attr_name_t::min, -1) + number(attr_name_t::max, 1.5f);
const attributes_t line = number(attr_name_t::alpha, 0.2f) + number(attr_name_t::beta, 0.5f);
const attributes_t tanh_mode = text(attr_name_t::mode, "gelu_tanh");

const std::vector<unary_t> unaries{{kind_t::Abs}, {kind_t::Clamp, clamp},
        {kind_t::Elu, number(attr_name_t::alpha, 0.7f)}, {kind_t::Exp}, {kind_t::GELU},
        {kind_t::GELU, tanh_mode}, {kind_t::HardSigmoid, line}, {kind_t::HardSwish},
        {kind_t::LeakyReLU, number(attr_name_t::alpha, 0.1f)}, {kind_t::Log, {}, 0.1, 4},
        {kind_t::Mish}, {kind_t::Pow, number(attr_name_t::beta, 2), 0.5, 2},
        {kind_t::Pow, number(attr_name_t::beta, 0.5f), 0.5, 2}, {kind_t::Reciprocal, {}, 0.5, 3},
        {kind_t::ReLU}, {kind_t::Round}, {kind_t::Sigmoid}, {kind_t::SoftPlus},
        {kind_t::SoftPlus, number(attr_name_t::beta, 2)}, {kind_t::Sqrt, {}, 0.1, 4},
        {kind_t::Square}, {kind_t::Tanh}, {kind_t::Reorder}};

TEST(unary_execution, each_operation_accepts_all_float_types) {
    for (const unary_t &unary : unaries)
        for (const type_t type : floats) {
            network_t net;
            net.add(unary.kind, {net.input(type, image, {.low = unary.low, .high = unary.high})},
                    unary.attributes);
            expect_right(net);
        }
}

TEST(unary_execution, accepts_any_strides) {
    const std::vector<dims_t> strides{{120, 20, 1}, {1, 40, 2}, {20, 40, 1}, {1000, 100, 3}};
    for (const dims_t &from : strides)
        for (const dims_t &to : strides) {
            network_t net;
            net.set_strides(net.add(kind_t::Tanh, {net.input(f32, image, {.strides = from})}), to);
            expect_right(net);
        }
}

TEST(unary_execution, accepts_inputs_with_strides_of_zero) {
    std::vector<double> values;
    for (int i = 0; i < 40; ++i) values.push_back(i % 8 - 3.5);
    const tensor_options_t repeated{.strides = {0, 1}, .values = values};
    for (const kind_t kind : {kind_t::Tanh, kind_t::RMSNorm, kind_t::Reorder}) {
        network_t net;
        net.add(kind, {net.input(f32, {5, 8}, repeated)});
        expect_right(net);
    }
    // A layout that the library chooses has no stride of zero.
    network_t net;
    const size_t src = net.input(f32, {5, 8}, repeated), dst = net.add(kind_t::Tanh, {src});
    const auto compiled = net.partitions()[0].compile({net.at_hand(src)},
            {{dst, f32, {5, 8}, logical_tensor::layout_type::any}}, test_engine());
    EXPECT_EQ(compiled.query_logical_tensor(dst).get_strides(), (dims_t{8, 1}));
}

TEST(unary_execution, accepts_scalars_and_vectors) {
    for (const dims_t &dims : {dims_t{}, dims_t{1}, dims_t{7}, dims_t{1, 1, 1, 1, 1, 3}}) {
        network_t net;
        net.add(kind_t::Square, {net.input(f32, dims)});
        expect_right(net);
    }
}

TEST(unary_backward_execution, each_operation_accepts_all_float_types) {
    const attributes_t of_src = flag(attr_name_t::use_dst, false);
    const attributes_t of_dst = flag(attr_name_t::use_dst, true);
    const attributes_t elu = number(attr_name_t::alpha, 0.7f);
    const std::vector<unary_t> backward{{kind_t::AbsBackward}, {kind_t::ClampBackward, clamp},
            {kind_t::ClampBackward, clamp + of_src}, {kind_t::EluBackward, elu + of_src},
            {kind_t::EluBackward, elu + of_dst, -0.69, 2}, {kind_t::GELUBackward},
            {kind_t::GELUBackward, tanh_mode}, {kind_t::HardSigmoidBackward, line},
            {kind_t::HardSwishBackward}, {kind_t::MishBackward}, {kind_t::ReLUBackward, of_src},
            {kind_t::ReLUBackward, of_dst}, {kind_t::SigmoidBackward, of_src},
            {kind_t::SigmoidBackward, of_dst, 0, 1}, {kind_t::SoftPlusBackward},
            {kind_t::SoftPlusBackward, number(attr_name_t::beta, 2)},
            {kind_t::SqrtBackward, of_src, 0.2, 4}, {kind_t::SqrtBackward, of_dst, 0.2, 4},
            {kind_t::TanhBackward, of_src}, {kind_t::TanhBackward, of_dst, -1, 1}};
    for (const unary_t &unary : backward)
        for (const type_t type : floats) {
            network_t net;
            const size_t src = net.input(type, image, {.low = unary.low, .high = unary.high});
            net.add(unary.kind, {src, net.input(type, image)}, unary.attributes);
            expect_right(net);
        }
}

// ---- binary

const std::vector<kind_t> binaries{kind_t::Add, kind_t::Divide, kind_t::Maximum, kind_t::Minimum,
        kind_t::Multiply, kind_t::SquaredDifference, kind_t::Subtract};

TEST(binary_execution, either_operand_is_broadcast) {
    const std::vector<std::pair<dims_t, dims_t>> pairs{{image, image}, {image, {20}}, {{20}, image},
            {image, {6, 1}}, {{6, 1}, image}, {{2, 1, 20}, {6, 1}}, {{2, 6, 1}, {1, 1, 20}},
            {image, {1}}, {{1}, image}, {image, {}}, {{}, image}, {{1, 6, 20}, image}};
    for (const kind_t kind : binaries)
        for (const auto &[lhs, rhs] : pairs) {
            network_t net;
            const size_t src_0 = net.input(f32, lhs);
            net.add(kind, {src_0, net.input(f32, rhs, {.low = 0.5, .high = 2})});
            expect_right(net);
        }
}

TEST(binary_execution, accepts_float_types_in_any_combination) {
    for (const kind_t kind : {kind_t::Add, kind_t::Divide, kind_t::Multiply, kind_t::Subtract})
        for (const type_t lhs : floats)
            for (const type_t rhs : floats)
                for (const type_t dst : floats) {
                    network_t net;
                    const size_t src_0 = net.input(lhs, image);
                    net.add(kind, {src_0, net.input(rhs, {6, 1}, {.low = 0.5, .high = 2})}, dst);
                    expect_right(net);
                }
}

TEST(binary_execution, accepts_one_tensor_twice_and_any_strides) {
    for (const kind_t kind : binaries) {
        network_t twice, strided;
        const size_t src = twice.input(f32, image, {.low = 0.5, .high = 2});
        twice.add(kind, {src, src});
        expect_right(twice);
        const size_t lhs = strided.input(f32, {1, 6, 20}, {.strides = {1, 1, 6}});
        const size_t rhs =
                strided.input(f32, image, {.strides = {20, 50, 1}, .low = 0.5, .high = 2});
        strided.set_strides(strided.add(kind, {lhs, rhs}), {1, 40, 2});
        expect_right(strided);
    }
}

TEST(binary_execution, comparisons_select) {
    for (const type_t type : floats)
        for (const dims_t &condition : {image, dims_t{20}, dims_t{6, 1}, dims_t{1}})
            for (const dims_t &otherwise : {image, dims_t{20}, dims_t{1}}) {
                network_t net;
                const size_t src = net.input(type, image);
                net.add(kind_t::Select,
                        {net.input(type_t::boolean, condition), src, net.input(type, otherwise)},
                        type);
                expect_right(net);
            }
    network_t net;
    const size_t src = net.input(f32, image), other = net.input(f32, image);
    const size_t is_greater = net.add(kind_t::GreaterEqual, {src, other}, type_t::boolean);
    net.add(kind_t::Select, {is_greater, src, other}, f32);
    expect_right(net);
}

TEST(binary_execution, a_bias_is_added_to_channels) {
    for (const char *format : {"NCX", "NXC"})
        for (const dims_t &dims : {dims_t{2, 4}, dims_t{2, 4, 3, 4}})
            for (const type_t type : floats) {
                network_t net;
                net.add(kind_t::BiasAdd, {net.input(type, dims), net.input(type, {4})},
                        with_format(format));
                expect_right(net);
            }
}

// ---- rearrangement

TEST(rearrangement_execution, reshapes) {
    struct row_t {
        dims_t from, shape, strides;
        bool special_zero;
    };
    const std::vector<row_t> rows{{{2, 6, 20}, {12, 20}, {}, false}, {{2, 6, 20}, {-1}, {}, false},
            {{2, 6, 20}, {0, -1}, {}, true}, {{2, 6, 20}, {0, 0, 4, 5}, {}, true},
            {{2, 6, 20}, {5, -1, 2}, {}, false},
            {{2, 6, 20}, {12, 20}, {20, 40, 1}, false}, // axes swapped: no view
            {{2, 6, 20}, {-1}, {400, 50, 2}, false},    // gaps
            {{6, 1}, {6}, {}, false}, {{}, {1, 1}, {}, false}};
    for (const row_t &row : rows)
        for (const type_t type : {f32, bf16}) {
            network_t net;
            net.add(kind_t::StaticReshape, {net.input(type, row.from, {.strides = row.strides})},
                    numbers(attr_name_t::shape, row.shape)
                            + flag(attr_name_t::special_zero, row.special_zero));
            expect_right(net);
        }
}

TEST(rearrangement_execution, transposes) {
    for (const std::vector<int64_t> &order :
            {std::vector<int64_t>{2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {0, 1, 2}, {-1, -3, -2}, {}})
        for (const type_t type : floats) {
            network_t net;
            net.add(kind_t::StaticTranspose, {net.input(type, image)},
                    numbers(attr_name_t::order, order));
            expect_right(net);
        }
}

TEST(rearrangement_execution, reorders_into_another_layout) {
    network_t net;
    net.set_strides(net.add(kind_t::Reorder, {net.input(f32, image)}), {1, 40, 2});
    expect_right(net);
}

TEST(rearrangement_execution, an_end_does_nothing) {
    network_t net;
    add_end(net, net.add(kind_t::ReLU, {net.input(f32, image)}));
    const auto outcome = expect_right(net);
    ASSERT_EQ(outcome.parts.size(), 2U);
    EXPECT_EQ(steps_of(outcome.parts[1]), "End:0");
    EXPECT_TRUE(outcome.parts[1].outputs.empty());
}

// ---- reductions

TEST(reduction_execution, reduces_any_axes) {
    for (const kind_t kind : {kind_t::ReduceL1, kind_t::ReduceL2, kind_t::ReduceMax,
                 kind_t::ReduceMean, kind_t::ReduceMin, kind_t::ReduceProd, kind_t::ReduceSum})
        for (const std::vector<int64_t> &axes :
                {std::vector<int64_t>{-1}, {0}, {1}, {0, 2}, {1, -1}, {0, 1, 2}})
            for (const bool keeps : {false, true})
                for (const type_t type : floats) {
                    network_t net;
                    // Products have few factors near 1.
                    const bool is_product = kind == kind_t::ReduceProd;
                    const dims_t dims = is_product ? dims_t{2, 3, 4} : image;
                    const size_t src = net.input(type, dims,
                            {.low = is_product ? 0.8 : -2, .high = is_product ? 1.2 : 2});
                    net.add(kind, {src},
                            numbers(attr_name_t::axes, axes) + flag(attr_name_t::keep_dims, keeps));
                    expect_right(net);
                }
}

// ---- special cases

TEST(execution, nan_and_infinity_are_propagated) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    network_t net;
    const size_t src = net.input(f32, {5}, {.values = {nan, infinity, -infinity, 0, -1}});
    net.add(kind_t::Abs, {src});
    net.add(kind_t::Square, {src});
    net.add(kind_t::TypeCast, {src}, bf16);
    expect_right(net);
}

TEST(execution, empty_tensors_are_accepted) {
    for (const dims_t &dims : {dims_t{0, 8}, dims_t{3, 0, 8}}) {
        network_t net;
        const size_t src = net.input(f32, dims);
        net.add(kind_t::ReLU, {add_norm(net, kind_t::LayerNorm, src)});
        net.add(kind_t::RMSNorm, {net.add(kind_t::Add, {src, net.input(f32, dims)})});
        net.add(kind_t::StaticTranspose, {src},
                numbers(attr_name_t::order, dims.size() == 2 ? std::vector<int64_t>{1, 0}
                                                             : std::vector<int64_t>{2, 1, 0}));
        net.add(kind_t::Quantize, {src}, s8, with_scale(0.1f));
        expect_right(net);
    }
}

TEST(execution, concatenation_takes_any_axis_and_type) {
    for (const type_t type : floats)
        for (const int64_t axis : {0, 1, 2, -1}) {
            network_t net;
            std::vector<size_t> srcs;
            for (const int64_t extent : {3, 1, 16}) {
                dims_t dims{4, 5, 6};
                dims[static_cast<size_t>(axis < 0 ? 2 : axis)] = extent;
                srcs.push_back(net.input(type, dims));
            }
            srcs.push_back(srcs[0]);
            net.add(kind_t::Concat, srcs, {{attr_name_t::axis, axis}});
            expect_right(net);
        }
}

TEST(execution, concatenation_between_other_operations_runs) {
    network_t net;
    const size_t left = net.add(kind_t::Dequantize, {net.input(s8, {4, 6})}, f32, with_scale(0.1f));
    const size_t right = add_norm(net, kind_t::LayerNorm, net.input(f32, {4, 10}));
    const size_t both = net.add(kind_t::Concat, {left, right}, {{attr_name_t::axis, int64_t(1)}});
    net.add(kind_t::Quantize, {net.add(kind_t::ReLU, {both})}, s8, with_scale(0.1f));
    expect_right(net);
}

TEST(execution, long_chains_run) {
    network_t net;
    size_t tensor = add_norm(net, kind_t::LayerNorm, net.input(f32, image));
    for (int i = 0; i < 70; ++i)
        tensor = net.add(i % 2 ? kind_t::Tanh : kind_t::Multiply,
                i % 2 ? std::vector<size_t>{tensor}
                      : std::vector<size_t>{tensor, net.input(f32, {20}, {.low = 1, .high = 1.2})});
    const auto outcome = expect_right(net);
    EXPECT_GT(outcome.parts.size(), 1U);
    EXPECT_LT(outcome.parts.size(), 10U);
}

} // namespace

} // namespace kiln::test
