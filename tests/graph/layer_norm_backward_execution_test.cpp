// SPDX-License-Identifier: Apache-2.0
// Gradients of layer normalization alone, in all forms of the operation, compared with the truth.
#include "graph/call.hpp"
#include "graph/norm_shapes.hpp"

namespace kiln::test {

namespace {

struct backward_case_t {
    dims_t dims = cube;
    int64_t axis = -1;
    bool has_statistics = true;
    std::optional<dims_t> gamma = std::nullopt, beta = std::nullopt;
    std::optional<bool> use_affine = std::nullopt;
    types_t outputs = {f32}; ///< diff_src, diff_gamma, diff_beta
    type_t data = f32, weights = f32, statistics = f32;
    dims_t src_strides = {}, diff_dst_strides = {}, diff_src_strides = {};
    int64_t weight_stride = 1; ///< of gradients that are vectors
};

network_t network_of(const backward_case_t &c) {
    network_t net;
    std::vector<size_t> inputs{net.input(c.data, c.dims, {.strides = c.src_strides}),
            net.input(c.data, c.dims, {.strides = c.diff_dst_strides})};
    if (c.has_statistics) {
        const auto [mean, variance] =
                add_statistics(net, c.statistics, in_front_of(c.dims, c.axis));
        inputs.insert(inputs.end(), {mean, variance});
    }
    if (c.gamma) inputs.push_back(net.weight(c.weights, *c.gamma, 0.5, 1.5));
    if (c.beta) inputs.push_back(net.weight(c.weights, *c.beta));
    const auto affine = c.use_affine ? with_affine(*c.use_affine) : attributes_t();
    const auto outputs =
            net.add(kind_t::LayerNormBackward, inputs, c.outputs, with_axis(c.axis) + affine);
    if (!c.diff_src_strides.empty()) net.set_strides(outputs[0], c.diff_src_strides);
    for (size_t o = 1; o < outputs.size() && c.weight_stride != 1; ++o)
        if (c.outputs[o] != absent && net.dims_of(outputs[o]).size() == 1)
            net.set_strides(outputs[o], {c.weight_stride});
    return net;
}

/// Generated code gives right results, whatever the layouts.
void expect_gradients(const backward_case_t &c) {
    SCOPED_TRACE(testing::Message()
                 << "gamma " << testing::PrintToString(c.gamma.value_or(dims_t())) << " axis "
                 << c.axis << " statistics " << c.has_statistics << " outputs "
                 << testing::PrintToString(c.outputs));
    expect_generated(network_of(c));
}

/// The same with gamma and beta of the normalized dims, or without them.
void expect_gradients(bool is_affine, backward_case_t c) {
    if (is_affine) c.gamma = c.beta = from(c.dims, c.axis);
    c.use_affine = is_affine;
    expect_gradients(c);
}

/// The outputs whose bits are set.
types_t wanted_outputs(unsigned wanted, type_t data = f32, type_t weights = f32) {
    types_t outputs;
    for (unsigned o = 0; o < 3; ++o)
        outputs.push_back(!(wanted >> o & 1) ? absent : o == 0 ? data : weights);
    return outputs;
}

TEST(layer_norm_backward_execution, accepts_each_form_of_its_inputs) {
    for (const bool has_statistics : {false, true}) {
        expect_gradients(false, {.has_statistics = has_statistics});
        expect_gradients(true, {.has_statistics = has_statistics, .outputs = {f32, f32, f32}});
    }
}

TEST(layer_norm_backward_execution, normalizes_from_any_axis_on) {
    for (const int64_t axis : {-3, -2, -1, 0, 1, 2})
        for (const bool has_statistics : {false, true})
            expect_gradients(true,
                    {.axis = axis, .has_statistics = has_statistics, .outputs = {f32, f32, f32}});
}

// Of data whose variance is about 1e-5.
TEST(layer_norm_backward_execution, normalizes_the_last_axis_with_an_epsilon_of_1e_5_by_default) {
    for (const bool is_affine : {false, true}) {
        network_t net;
        std::vector<size_t> inputs{
                net.input(f32, cube, {.low = -0.005, .high = 0.005}), net.input(f32, cube)};
        if (is_affine) inputs.push_back(net.weight(f32, {40}, 0.5, 1.5));
        net.add(kind_t::LayerNormBackward, inputs,
                is_affine ? types_t{f32, f32, f32} : types_t{f32});
        expect_right(net);
    }
}

TEST(layer_norm_backward_execution, computes_any_subset_of_its_outputs) {
    for (const bool has_statistics : {false, true})
        for (unsigned wanted = 1; wanted < 8; ++wanted)
            expect_gradients(
                    true, {.has_statistics = has_statistics, .outputs = wanted_outputs(wanted)});
}

TEST(layer_norm_backward_execution, accepts_combinations_of_float_types) {
    for (const type_t data : floats)
        for (const type_t weights : floats)
            for (const type_t statistics : {f32, bf16})
                for (const bool has_statistics : {false, true})
                    expect_gradients(true, {.has_statistics = has_statistics,
                                                   .outputs = {data, weights, weights},
                                                   .data = data,
                                                   .weights = weights,
                                                   .statistics = statistics});
}

TEST(layer_norm_backward_execution, accepts_gamma_without_beta) {
    for (const bool has_statistics : {false, true})
        for (const types_t &outputs : {types_t{f32}, types_t{f32, f32}, types_t{f32, f32, f32}})
            expect_gradients({.dims = {5, 24},
                    .has_statistics = has_statistics,
                    .gamma = dims_t{24},
                    .outputs = outputs});
}

TEST(layer_norm_backward_execution, reads_mean_and_variance_of_square_data_in_the_documents_order) {
    expect_gradients({.dims = {8, 8}});
}

TEST(layer_norm_backward_execution, accepts_statistics_with_trailing_dims_of_one_and_any_strides) {
    network_t net;
    const size_t src = net.input(f32, cube, {.strides = {1, 120, 3}});
    const size_t diff_dst = net.input(f32, cube, {.strides = {256, 64, 1}});
    const auto [mean, variance] = add_statistics(net, f32, {3, 4, 1});
    const auto outputs = net.add(kind_t::LayerNormBackward,
            {src, diff_dst, mean, variance, net.weight(f32, {40}), net.weight(f32, {40})},
            types_t{f32, f32, f32});
    net.set_strides(outputs[0], {40, 120, 1});
    net.set_strides(outputs[1], {2});
    expect_right(net);
}

TEST(layer_norm_backward_execution, copies_tensors_whose_layouts_only_the_reference_would_take) {
    for (const dims_t &src : orders_of_cube)
        for (const dims_t &diff_dst : orders_of_cube)
            for (const dims_t &diff_src : orders_of_cube)
                expect_gradients({.gamma = dims_t{40},
                        .outputs = {bf16, f32, f32},
                        .data = bf16,
                        .src_strides = src,
                        .diff_dst_strides = diff_dst,
                        .diff_src_strides = diff_src});
}

TEST(layer_norm_backward_execution, without_diff_src_is_by_generated_code_in_every_layout) {
    for (const dims_t &strides : orders_of_cube)
        for (const unsigned wanted : {2, 4, 6})
            expect_gradients({.gamma = dims_t{40},
                    .outputs = wanted_outputs(wanted),
                    .src_strides = strides,
                    .diff_dst_strides = strides});
}

TEST(broadcast_weights, have_gradients_that_are_sums_whatever_outputs_are_wanted) {
    unsigned turn = 0; // of data types
    for (const int64_t axis : {0, 1, 2})
        for (const dims_t &shape : shapes_of_weights(axis))
            for (unsigned wanted = 1; wanted < 8; ++wanted, ++turn) {
                const type_t data = floats[turn % 3], weights = floats[turn / 3 % 3];
                const bool has_statistics = turn % 2 == 0;
                expect_gradients({.axis = axis,
                        .has_statistics = has_statistics,
                        .gamma = shape,
                        .beta = has_statistics ? std::optional(shape) : std::nullopt,
                        .use_affine = true,
                        .outputs = wanted_outputs(wanted, data, weights),
                        .data = data,
                        .weights = weights,
                        .statistics = floats[turn / 9 % 3]});
            }
}

TEST(broadcast_weights, have_gradients_of_every_combination_of_float_types) {
    for (const dims_t &shape : {dims_t{40}, dims_t{4, 1}, dims_t{3, 1, 40}, dims_t{160}})
        for (const type_t data : floats)
            for (const type_t weights : floats)
                for (const type_t statistics : floats)
                    expect_gradients({.axis = 1,
                            .gamma = shape,
                            .beta = shape,
                            .outputs = {data, weights, weights},
                            .data = data,
                            .weights = weights,
                            .statistics = statistics});
}

TEST(broadcast_weights, of_gamma_and_beta_may_have_different_shapes_and_beta_may_be_missing) {
    for (const dims_t &gamma : shapes_of_weights(1)) {
        expect_gradients({.axis = 1, .gamma = gamma, .outputs = {f32, f32, f32}});
        expect_gradients(
                {.axis = 1, .has_statistics = false, .gamma = gamma, .outputs = {f32, f32}});
        for (const dims_t &beta : shapes_of_weights(1))
            expect_gradients({.axis = 1, .gamma = gamma, .beta = beta, .outputs = {f32, f32, f32}});
    }
}

TEST(broadcast_weights, have_gradients_in_any_strides) {
    for (const int64_t axis : {0, 1, 2})
        for (const dims_t &shape : shapes_of_weights(axis))
            for (const dims_t &strides :
                    {dims_t{1, 120, 3}, dims_t{40, 120, 1}, dims_t{400, 80, 2}})
                expect_right(network_of({.axis = axis,
                        .gamma = shape,
                        .beta = shape,
                        .outputs = {f32, f32, f32},
                        .src_strides = strides,
                        .weight_stride = 3}));
}

TEST(broadcast_weights, of_forward_may_lack_beta) {
    for (const kind_t kind : {kind_t::LayerNorm, kind_t::GroupNorm}) {
        network_t net;
        net.add(kind, {net.input(f32, {2, 5, 8}), net.weight(f32, {8}, 0.5, 1.5)},
                without_statistics()
                        + (kind == kind_t::GroupNorm ? with_groups(2) : attributes_t()));
        expect_right(net);
    }
}

} // namespace

} // namespace kiln::test
