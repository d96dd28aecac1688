// SPDX-License-Identifier: Apache-2.0
// PReLU and its gradients as graphs: every broadcast of the slope.
#include <gtest/gtest.h>

#include "graph/call.hpp"
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

const dims_t image{2, 5, 3, 5};
const std::vector<dims_t> slopes{{5}, {1}, {5, 3, 5}, {5, 1, 1}, {2, 5, 3, 5}, {1, 1, 1, 1}};

TEST(prelu_execution, takes_every_slope_type_and_format) {
    for (const dims_t &slope : slopes)
        for (const type_t type : floats)
            for (const char *format : {"NCX", "NXC"})
                for (const bool is_per_channel : {true, false}) {
                    network_t net;
                    const size_t src = net.input(type, image);
                    attributes_t attributes = with_format(format);
                    attributes[attr_name_t::per_channel_broadcast] = is_per_channel;
                    net.add(kind_t::PReLU, {src, net.input(type, slope)}, attributes);
                    expect_right(net);
                }
}

TEST(prelu_execution, has_gradients) {
    for (const dims_t &slope : slopes)
        for (const type_t type : floats)
            for (const char *format : {"NCX", "NXC"}) {
                network_t net;
                const size_t src = net.input(type, image);
                const size_t weights = net.input(type, slope);
                net.add(kind_t::PReLUBackward, {src, weights, net.input(type, image)},
                        std::vector<type_t>{type, type}, with_format(format));
                expect_right(net);
            }
}

TEST(prelu_execution, of_vectors_runs) {
    for (const dims_t &slope : {dims_t{7}, dims_t{1}}) {
        network_t net;
        net.add(kind_t::PReLU, {net.input(f32, {7}), net.input(f32, slope)});
        expect_right(net);
    }
}

TEST(prelu_execution, between_other_operations_runs) {
    network_t net;
    const size_t sum = add_sum(net, f32, image);
    const size_t active = net.add(kind_t::PReLU, {sum, net.input(f32, {5})}, with_format("NCX"));
    net.add(kind_t::Tanh, {net.add(kind_t::Multiply, {active, net.input(f32, {1})})});
    expect_right(net);
}

} // namespace

} // namespace kiln::test
