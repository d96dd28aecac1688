// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization forward alone, in all forms of their operations, compared with the
// truth.
#include "api/status_of.hpp"
#include "graph/call.hpp"
#include "graph/norm_shapes.hpp"
#include "support/implementations.hpp"

namespace kiln::test {

namespace {

// ---- LayerNorm

TEST(layer_norm_execution, normalizes_from_any_axis_on) {
    for (const int64_t axis : {-3, -2, -1, 0, 1, 2})
        for (const bool keeps : {false, true}) {
            network_t net;
            const size_t src = net.input(f32, cube);
            const size_t gamma = net.weight(f32, from(cube, axis), 0.5, 1.5);
            const size_t beta = net.weight(f32, from(cube, axis));
            const auto attributes =
                    with_axis(axis) + (keeps ? attributes_t() : without_statistics());
            const types_t outputs = keeps ? types_t{f32, f32, f32} : types_t{f32};
            net.add(kind_t::LayerNorm, {src, gamma, beta}, outputs, attributes);
            const auto outcome = expect_right(net);
            EXPECT_TRUE(steps_of(outcome.parts[0]) == "LayerNorm:1") << outcome.parts[0].plan;
        }
}

TEST(layer_norm_execution, accepts_every_combination_of_float_types) {
    for (const type_t data : floats)
        for (const type_t weights : floats)
            for (const type_t statistics : floats) {
                network_t net;
                const size_t src = net.input(data, cube);
                const size_t gamma = net.weight(weights, {40}, 0.5, 1.5);
                const size_t beta = net.weight(weights, {40});
                net.add(kind_t::LayerNorm, {src, gamma, beta},
                        types_t{data, statistics, statistics});
                expect_right(net);
            }
}

TEST(layer_norm_execution, computes_any_subset_of_its_outputs) {
    for (unsigned wanted = 1; wanted < 8; ++wanted) {
        network_t net;
        types_t outputs;
        for (unsigned o = 0; o < 3; ++o) outputs.push_back(wanted >> o & 1 ? f32 : absent);
        net.add(kind_t::LayerNorm,
                {net.input(f32, cube), net.weight(f32, {40}), net.weight(f32, {40})}, outputs);
        expect_right(net);
    }
}

TEST(layer_norm_execution, has_weights_only_with_use_affine) {
    network_t plain, ignored;
    plain.add(kind_t::LayerNorm, {plain.input(f32, cube)}, types_t{f32},
            without_affine() + without_statistics());
    expect_right(plain);
    ignored.add(kind_t::LayerNorm,
            {ignored.input(f32, cube), ignored.weight(f32, {40}), ignored.weight(f32, {40})},
            types_t{f32}, without_affine() + without_statistics());
    expect_right(ignored);
}

TEST(layer_norm_execution, accepts_gamma_without_beta) {
    for (const int64_t axis : {-1, 1})
        for (const bool keeps : {false, true})
            for (const auto &affine : {attributes_t(), with_affine(true)}) {
                network_t net;
                const size_t src = net.input(f32, cube);
                const size_t gamma = net.weight(f32, from(cube, axis), 0.5, 1.5);
                net.add(kind_t::LayerNorm, {src, gamma},
                        keeps ? types_t{f32, f32, f32} : types_t{f32},
                        with_axis(axis) + affine + (keeps ? attributes_t() : without_statistics()));
                expect_generated(net);
            }
}

// Of data whose variance is about 1e-5.
TEST(layer_norm_execution, normalizes_the_last_axis_with_an_epsilon_of_1e_5_by_default) {
    network_t net;
    net.add(kind_t::LayerNorm, {net.input(f32, cube, {.low = -0.005, .high = 0.005})},
            types_t{f32, f32, f32});
    expect_right(net);
}

TEST(layer_norm_execution, writes_statistics_with_trailing_dims_of_one) {
    for (const int64_t axis : {1, 2})
        for (const bool is_whole : {false, true}) {
            network_t net;
            const auto outputs = net.add(kind_t::LayerNorm, {net.input(bf16, cube)},
                    types_t{bf16, f32, f32}, with_axis(axis));
            dims_t dims = in_front_of(cube, axis);
            dims.push_back(1);
            if (is_whole) dims.resize(cube.size(), 1);
            net.set_dims(outputs[1], dims);
            net.set_dims(outputs[2], dims);
            expect_right(net);
        }
}

TEST(layer_norm_execution, accepts_any_strides) {
    const std::vector<dims_t> strides{
            {160, 40, 1}, // dense
            {40, 120, 1}, // the first two axes swapped
            {1, 120, 3},  // the normalized axis not innermost
            {256, 64, 1}, // rows with gaps
            {400, 80, 2}, // elements with gaps
    };
    for (const dims_t &from : strides)
        for (const dims_t &to : strides) {
            for (const int64_t axis : {-1, 1}) {
                network_t net;
                const size_t src = net.input(f32, cube, {.strides = from});
                const auto outputs =
                        net.add(kind_t::LayerNorm, {src}, types_t{f32, f32, f32}, with_axis(axis));
                net.set_strides(outputs[0], to);
                if (axis == -1) net.set_strides(outputs[1], {1, 3});
                expect_right(net);
            }
        }
}

TEST(layer_norm_execution, accepts_strided_weights_and_statistics) {
    network_t net;
    const size_t gamma = net.input(f32, {40}, {.strides = {2}});
    const size_t beta = net.input(f32, {40}, {.strides = {3}});
    const auto outputs =
            net.add(kind_t::LayerNorm, {net.input(f32, cube), gamma, beta}, types_t{f32, f32, f32});
    net.set_strides(outputs[1], {8, 2});
    net.set_strides(outputs[2], {1, 5});
    expect_right(net);
}

TEST(layer_norm_execution, accepts_the_largest_number_of_axes) {
    network_t net;
    net.add(kind_t::LayerNorm, {net.input(f32, {1, 2, 1, 2, 1, 1, 2, 1, 3, 1, 2, 4})},
            types_t{f32, f32, f32}, with_axis(-4));
    expect_right(net);
}

TEST(layer_norm_execution, accepts_vectors_and_single_rows) {
    for (const dims_t &dims : {dims_t{40}, dims_t{1, 40}, dims_t{1, 1, 1}, dims_t{5, 1}}) {
        network_t net;
        net.add(kind_t::LayerNorm, {net.input(f32, dims)}, types_t{f32, f32, f32},
                with_axis(dims.size() == 1 ? 0 : -1) + with_epsilon(0.01f));
        expect_right(net);
    }
}

// ---- RMSNorm

TEST(rms_norm_execution, accepts_every_axis_and_combination_of_float_types) {
    for (const type_t data : floats)
        for (const type_t weights : floats)
            for (const int64_t axis : {-1, -2, 0}) {
                network_t net;
                net.add(kind_t::RMSNorm,
                        {net.input(data, cube), net.weight(weights, from(cube, axis), 0.5, 1.5)},
                        with_axis(axis));
                expect_right(net);
            }
    network_t plain;
    plain.add(kind_t::RMSNorm, {plain.input(f32, cube)});
    expect_right(plain);
}

// ---- tensors laid out unlike

TEST(layer_norm_execution, copies_tensors_whose_layouts_only_the_reference_would_take) {
    for (const type_t data : {f32, bf16})
        for (const dims_t &from : orders_of_cube)
            for (const dims_t &to : orders_of_cube) {
                network_t net;
                const size_t src = net.input(data, cube, {.strides = from});
                const auto outputs = net.add(kind_t::LayerNorm,
                        {src, net.weight(f32, {40}), net.weight(f32, {40})},
                        types_t{data, f32, f32});
                net.set_strides(outputs[0], to);
                expect_generated(net);
            }
}

// ---- weights that are broadcast

TEST(broadcast_weights, of_any_shape_and_axis_multiply_and_add_forward) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm})
        for (const int64_t axis : {0, 1, 2})
            for (const dims_t &shape : weight_shapes)
                for (const auto &[data, weights] : {std::pair{f32, bf16}, std::pair{bf16, f32}}) {
                    network_t net;
                    std::vector<size_t> inputs{
                            net.input(data, cube), net.weight(weights, shape, 0.5, 1.5)};
                    if (kind == kind_t::LayerNorm) inputs.push_back(net.weight(weights, shape));
                    net.add(kind, inputs,
                            with_axis(axis)
                                    + (kind == kind_t::LayerNorm ? without_statistics()
                                                                 : attributes_t()));
                    expect_right(net);
                }
}

TEST(broadcast_weights, may_be_vectors_of_the_elements_that_are_normalized_together) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::RMSNorm})
        for (const int64_t axis : {0, 1}) {
            network_t net;
            const dims_t flat{volume(from(cube, axis))};
            std::vector<size_t> inputs{net.input(f32, cube), net.weight(bf16, flat, 0.5, 1.5)};
            if (kind == kind_t::LayerNorm) inputs.push_back(net.weight(bf16, flat));
            const bool is_rms = kind == kind_t::RMSNorm;
            net.add(kind, inputs,
                    with_axis(axis) + (is_rms ? attributes_t() : without_statistics()));
            expect_right(net);
        }
}

} // namespace

} // namespace kiln::test
