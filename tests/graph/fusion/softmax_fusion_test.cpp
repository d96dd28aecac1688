// SPDX-License-Identifier: Apache-2.0
// Fusion of operations before and after softmax, compared with the truth: fused, in place and one
// operation at a time.
#include <limits>
#include <string>
#include <utility>

#include "graph/fusion/fusion_checks.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

const dims_t matrix{12, 72}, image{3, 7, 16};

TEST(fusion, softmax_ends_in_other_types_and_operations) {
    const attributes_t last{{attr_name_t::axis, int64_t(-1)}};
    for (const auto &[kind, name] :
            {std::pair(kind_t::SoftMax, "SoftMax"), std::pair(kind_t::LogSoftmax, "LogSoftmax")}) {
        const auto expect = [&, kind = kind, name = name](
                                    const char *steps, const auto &add_after) {
            network_t net;
            add_after(net, net.add(kind, {net.input(f32, image)}, last));
            expect_fused(net, std::string(name) + steps);
        };
        for (const type_t type : {bf16, f16})
            expect("+type_cast:1", [&](network_t &net, size_t shares) {
                net.add(kind_t::TypeCast, {shares}, type);
            });
        for (const type_t type : {s8, u8})
            expect("+quantize:1", [&](network_t &net, size_t shares) {
                net.add(kind_t::Quantize, {shares}, type, with_scale(0.01f));
            });
        expect("+binary+eltwise:1", [&](network_t &net, size_t shares) {
            const size_t factor = net.input(f32, {1, 7, 1});
            net.add(kind_t::Tanh, {net.add(kind_t::Multiply, {shares, factor})});
        });
    }
}

// ---- pre_ops

/// One operation before softmax, applied to `scores`; returns its output.
struct pre_op_t {
    const char *name;
    size_t (*add)(network_t &net, size_t scores, type_t type, const dims_t &broadcast);
};

const pre_op_t pre_ops[] = {
        {"multiply",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    return net.add(kind_t::Multiply, {scores, net.input(type, dims)});
                }},
        {"divide",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    const size_t divisor = net.input(type, dims, {.low = 1, .high = 3});
                    return net.add(kind_t::Divide, {scores, divisor});
                }},
        {"add to the second operand",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    return net.add(kind_t::Add, {net.input(type, dims), scores});
                }},
        {"subtract",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    return net.add(kind_t::Subtract, {scores, net.input(type, dims)});
                }},
        {"select",
                [](network_t &net, size_t scores, type_t type, const dims_t &dims) {
                    const size_t condition = net.input(type_t::boolean, dims);
                    const size_t low = net.input(type, {1}, {.low = -5, .high = -4});
                    return net.add(kind_t::Select, {condition, scores, low}, type);
                }},
};

const attributes_t last_axis{{attr_name_t::axis, int64_t(-1)}};

// The negated condition is computed first.
TEST(fusion, softmax_takes_in_a_select_whose_second_value_it_normalizes) {
    for (const type_t type : floats)
        for (const dims_t &mask : {dims_t{3, 5, 33}, dims_t{3, 1, 33}}) {
            network_t net;
            const size_t condition = net.input(type_t::boolean, mask), low = net.input(type, {1});
            const size_t masked =
                    net.add(kind_t::Select, {condition, low, net.input(type, {3, 5, 33})}, type);
            net.add(kind_t::SoftMax, {masked}, last_axis);
            expect_fused(net, "SoftMax+pre_ops:2");
        }
}

// Lengths: a row in registers, a row with a tail, few long rows that are cut into chunks.
TEST(fusion, softmax_takes_in_each_operation_before_it) {
    for (const pre_op_t &pre_op : pre_ops)
        for (const kind_t kind : {kind_t::SoftMax, kind_t::LogSoftmax})
            for (const type_t type : floats)
                for (const dims_t &dims : {dims_t{2, 3, 5, 16}, {2, 3, 5, 301}, {1, 1, 2, 20000}})
                    for (const dims_t &broadcast :
                            {dims_t{1}, {dims[3]}, {dims[0], 1, dims[2], dims[3]}, dims}) {
                        const bool is_long = dims[3] > 301;
                        if (is_long && type == f16) continue; // as bf16
                        network_t net;
                        const size_t x = pre_op.add(net, net.input(type, dims), type, broadcast);
                        net.add(kind, {x}, last_axis);
                        const std::string name = kind == kind_t::SoftMax ? "SoftMax" : "LogSoftmax";
                        SCOPED_TRACE(pre_op.name + std::string(" ") + std::to_string(dims[3]));
                        expect_fused(net, name + "+pre_ops:1");
                    }
}

TEST(fusion, softmax_takes_in_chains_on_both_sides) {
    for (const type_t type : floats) {
        network_t net;
        const dims_t dims{2, 3, 5, 130};
        size_t x = net.input(type, dims);
        for (const pre_op_t &pre_op : {pre_ops[0], pre_ops[2], pre_ops[4]})
            x = pre_op.add(net, x, type, {2, 1, 5, 130});
        x = net.add(kind_t::SoftMax, {x}, last_axis);
        if (type != f32) x = net.add(kind_t::TypeCast, {x}, f32);
        x = net.add(kind_t::Multiply, {x, net.input(f32, {1})});
        net.add(kind_t::Quantize, {x}, u8, with_scale(0.01f));
        expect_fused(net, std::string("SoftMax+pre_ops") + (type == f32 ? "" : "+type_cast")
                                  + "+binary+quantize:1");
    }
}

TEST(fusion, masked_rows_give_zeros_or_numbers) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const int64_t length : {4, 40}) {
        network_t net;
        std::vector<double> mask(static_cast<size_t>(3 * length), -infinity);
        mask[0] = mask[static_cast<size_t>(2 * length) - 1] = 0; // the last row is all masked
        const size_t scores = net.input(f32, {2, 3, length});
        const size_t masked =
                net.add(kind_t::Add, {scores, net.input(f32, {3, length}, {.values = mask})});
        attributes_t attributes = last_axis;
        attributes[attr_name_t::mode] = std::string("inf_as_zero");
        net.add(kind_t::SoftMax, {masked}, attributes);
        expect_fused(net, "SoftMax+pre_ops:1");
    }
}

TEST(fusion, statistics_are_those_of_the_scores_after_the_operations) {
    for (const int64_t length : {16, 300}) {
        network_t net;
        const size_t scaled =
                net.add(kind_t::Multiply, {net.input(f32, {3, 5, length}), net.input(f32, {1})});
        net.add(kind_t::SoftMax, {scaled}, types_t{f32, f32}, last_axis);
        expect_fused(net, "SoftMax+pre_ops:1");
    }
}

TEST(fusion, softmax_leaves_operations_outside_that_others_read) {
    network_t net;
    const size_t scaled = net.add(kind_t::Multiply, {net.input(f32, image), net.input(f32, {1})});
    net.add(kind_t::SoftMax, {scaled}, last_axis);
    add_end(net, scaled);
    const outcome_t outcome = expect_right(net);
    EXPECT_EQ(steps_of(outcome.parts[0]), "Multiply:1");
    EXPECT_EQ(steps_of(outcome.parts[1]), "SoftMax:1");
}

TEST(fusion, operations_before_softmax_run_one_by_one_where_kernels_would_not_suit) {
    network_t other_axis, broadcast_source, many_operands;
    other_axis.add(kind_t::SoftMax,
            {other_axis.add(
                    kind_t::Multiply, {other_axis.input(f32, image), other_axis.input(f32, {1})})},
            attributes_t{{attr_name_t::axis, int64_t(1)}});
    expect_one_by_one(other_axis, 2);
    const size_t vector = broadcast_source.input(f32, {16});
    const size_t sum = broadcast_source.add(kind_t::Subtract, {vector, vector});
    const size_t scores = broadcast_source.add(kind_t::Subtract,
            {broadcast_source.input(f32, {16}), broadcast_source.input(f32, image)});
    broadcast_source.add(kind_t::SoftMax, {scores}, last_axis);
    add_end(broadcast_source, sum);
    expect_right(broadcast_source);
}

} // namespace

} // namespace kiln::test
