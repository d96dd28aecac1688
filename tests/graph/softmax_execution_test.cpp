// SPDX-License-Identifier: Apache-2.0
// Softmax, logsoftmax and their gradients as graphs, and what is fused with them.
#include <limits>

#include <gtest/gtest.h>

#include "graph/call.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const dims_t image{2, 5, 33};

attributes_t along(int64_t axis) { return {{attr_name_t::axis, axis}}; }

TEST(softmax_execution, takes_any_axis_and_type) {
    for (const kind_t kind : {kind_t::SoftMax, kind_t::LogSoftmax})
        for (const int64_t axis : {0, 1, 2, -1, -3})
            for (const type_t type : floats) {
                network_t net;
                net.add(kind, {net.input(type, image)}, along(axis));
                expect_right(net);
            }
}

TEST(softmax_execution, has_an_axis_of_its_own_by_default) {
    for (const kind_t kind : {kind_t::SoftMax, kind_t::LogSoftmax}) {
        network_t net;
        net.add(kind, {net.input(f32, image)});
        expect_right(net);
    }
}

TEST(softmax_execution, stores_another_type) {
    network_t net;
    net.add(kind_t::SoftMax, {net.input(bf16, image)}, f32, along(-1));
    expect_right(net);
}

TEST(softmax_execution, gives_statistics) {
    for (const int64_t axis : {1, 2}) {
        network_t net;
        net.add(kind_t::SoftMax, {net.input(f32, image)}, std::vector<type_t>{f32, f32},
                along(axis));
        expect_right(net);
    }
}

TEST(softmax_execution, gives_zeros_where_everything_is_masked) {
    for (const int64_t axis : {0, 1}) {
        network_t net;
        const size_t src = net.input(f32, {2, 2},
                {.values = axis == 1 ? std::vector<double>{-infinity, -infinity, 1, -infinity}
                                     : std::vector<double>{-infinity, 1, -infinity, -infinity}});
        attributes_t attributes = along(axis);
        attributes[attr_name_t::mode] = std::string("inf_as_zero");
        net.add(kind_t::SoftMax, {src}, attributes);
        expect_right(net);
    }
}

TEST(softmax_execution, has_gradients) {
    for (const kind_t kind : {kind_t::SoftMaxBackward, kind_t::LogSoftmaxBackward})
        for (const int64_t axis : {0, 1, 2, -1})
            for (const type_t type : floats) {
                network_t net;
                const size_t diff_dst = net.input(type, image);
                net.add(kind, {diff_dst, net.input(type, image, {.low = 0.01, .high = 1})},
                        along(axis));
                expect_right(net);
            }
}

TEST(softmax_execution, of_scaled_and_masked_scores_runs) {
    network_t net;
    const size_t scaled = net.add(kind_t::Divide,
            {net.input(f32, {2, 3, 8, 8}), net.input(f32, {1}, {.low = 2, .high = 3})});
    const size_t masked = net.add(kind_t::Add, {scaled, net.input(f32, {2, 1, 1, 8})});
    net.add(kind_t::TypeCast, {net.add(kind_t::SoftMax, {masked}, along(-1))}, bf16);
    expect_right(net);
}

} // namespace

} // namespace kiln::test
