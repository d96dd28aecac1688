// SPDX-License-Identifier: Apache-2.0
// Group and batch normalization alone, in all forms of their operations, compared with the truth.
#include "api/status_of.hpp"
#include "graph/call.hpp"
#include "graph/norm_shapes.hpp"
#include "support/implementations.hpp"

namespace kiln::test {

namespace {

// ---- GroupNorm

TEST(group_norm_execution, accepts_both_formats_and_all_float_types) {
    for (const char *format : {"NCX", "NXC"})
        for (const dims_t &dims : {dims_t{2, 8, 8}, dims_t{2, 8, 5, 8}, dims_t{2, 8, 3, 2, 8}})
            for (const type_t data : floats) {
                network_t net;
                const dims_t channels{8};
                net.add(kind_t::GroupNorm,
                        {net.input(data, dims), net.weight(f32, channels, 0.5, 1.5),
                                net.weight(f32, channels)},
                        types_t{data, f32, f32}, with_groups(4) + with_format(format));
                expect_right(net);
            }
}

TEST(group_norm_execution, accepts_bf16_and_f16_weights_and_statistics_and_any_subset_of_outputs) {
    for (const type_t weights : {bf16, f32})
        for (unsigned wanted = 1; wanted < 8; ++wanted) {
            network_t net;
            types_t outputs;
            for (unsigned o = 0; o < 3; ++o) outputs.push_back(!(wanted >> o & 1) ? absent : bf16);
            net.add(kind_t::GroupNorm,
                    {net.input(bf16, {2, 5, 8}), net.weight(weights, {8}, 0.5, 1.5),
                            net.weight(weights, {8})},
                    outputs, with_groups(2));
            expect_right(net);
        }
    network_t plain;
    plain.add(kind_t::GroupNorm, {plain.input(f32, {2, 5, 8})}, types_t{f32},
            with_groups(8) + without_statistics() + without_affine());
    expect_right(plain);
}

TEST(group_norm_execution, accepts_gamma_without_beta) {
    for (const char *format : {"NCX", "NXC"})
        for (const bool keeps : {false, true})
            for (const auto &affine : {attributes_t(), with_affine(true)}) {
                network_t net;
                const size_t src = net.input(f32, {2, 8, 5, 8});
                net.add(kind_t::GroupNorm, {src, net.weight(f32, {8}, 0.5, 1.5)},
                        keeps ? types_t{f32, f32, f32} : types_t{f32},
                        with_groups(4) + with_format(format) + affine
                                + (keeps ? attributes_t() : without_statistics()));
                expect_generated(net);
            }
}

TEST(group_norm_execution, accepts_many_spatial_axes) {
    for (const char *format : {"NCX", "NXC"}) {
        network_t net;
        net.add(kind_t::GroupNorm, {net.input(f32, {2, 4, 2, 3, 2, 4})}, types_t{f32},
                with_groups(2) + without_statistics() + with_format(format));
        expect_right(net);
    }
}

// ---- BatchNorm

/// Weights and statistics of 4 channels, for images with 4 channels in both formats.
struct channels_t {
    channels_t(network_t &net, type_t type)
        : gamma(net.weight(type, {4}, 0.5, 1.5))
        , beta(net.weight(type, {4}))
        , mean(net.input(type, {4}, {.low = -0.3, .high = 0.3}))
        , variance(net.input(type, {4}, {.low = 1, .high = 1.5})) {}
    size_t gamma, beta, mean, variance;
};

const std::vector<dims_t> images{{3, 4, 4}, {3, 4, 5, 4}, {2, 4, 2, 2, 4}};

std::vector<std::pair<type_t, type_t>> batch_norm_types() {
    return {{f32, f32}, {bf16, f32}, {bf16, bf16}, {f16, f32}, {f16, f16}};
}

TEST(batch_norm_execution, inference_accepts_both_formats_and_all_float_types) {
    for (const char *format : {"NCX", "NXC"})
        for (const dims_t &dims : images)
            for (const auto &[data, weights] : batch_norm_types()) {
                if (data == f16 && weights == f16) continue;
                network_t net;
                const size_t src = net.input(data, dims);
                const channels_t of(net, weights);
                net.add(kind_t::BatchNormInference, {src, of.gamma, of.beta, of.mean, of.variance},
                        with_epsilon(1e-3f) + with_format(format));
                expect_right(net);
            }
}

TEST(batch_norm_execution, training_keeps_running_statistics) {
    for (const char *format : {"NCX", "NXC"})
        for (const dims_t &dims : images)
            for (const float momentum : {-1.f, 0.f, 0.9f, 1.f}) {
                network_t net;
                const size_t src = net.input(f32, dims);
                const channels_t of(net, f32);
                auto attributes = with_epsilon(1e-3f) + with_format(format);
                if (momentum >= 0) attributes[attr_name_t::momentum] = momentum;
                net.add(kind_t::BatchNormForwardTraining,
                        {src, of.mean, of.variance, of.gamma, of.beta},
                        types_t{f32, f32, f32, f32, f32}, attributes);
                expect_right(net);
            }
}

TEST(batch_norm_execution, training_accepts_bf16_and_f16_types_and_fewer_weights) {
    for (const auto &[data, weights] : batch_norm_types())
        for (const size_t count : {3, 4, 5}) {
            if (data == f16 && weights == f16) continue;
            network_t net;
            const size_t src = net.input(data, {3, 5, 4});
            const channels_t of(net, weights);
            std::vector<size_t> inputs{src, of.mean, of.variance, of.gamma, of.beta};
            inputs.resize(count);
            net.add(kind_t::BatchNormForwardTraining, inputs,
                    types_t{data, weights, weights, weights, weights}, with_epsilon(1e-3f));
            expect_right(net);
        }
}

TEST(batch_norm_execution, backward_computes_gradients_of_weights_or_none) {
    for (const char *format : {"NCX", "NXC"})
        for (const dims_t &dims : images)
            for (const bool wants_weights : {false, true})
                for (const size_t count : {4, 5}) {
                    network_t net;
                    const size_t src = net.input(f32, dims), diff_dst = net.input(f32, dims);
                    const channels_t of(net, f32);
                    std::vector<size_t> inputs{src, diff_dst, of.mean, of.variance, of.gamma};
                    inputs.resize(count);
                    net.add(kind_t::BatchNormTrainingBackward, inputs,
                            wants_weights ? types_t{f32, f32, f32} : types_t{f32, absent, absent},
                            with_epsilon(1e-3f) + with_format(format));
                    expect_right(net);
                }
}

TEST(batch_norm_execution, backward_accepts_bf16_and_f16_types_and_a_single_output) {
    for (const auto &[data, weights] : batch_norm_types()) {
        if (data == f16 && weights == f16) continue;
        network_t net;
        const size_t src = net.input(data, {3, 5, 4}), diff_dst = net.input(data, {3, 5, 4});
        const channels_t of(net, weights);
        net.add(kind_t::BatchNormTrainingBackward, {src, diff_dst, of.mean, of.variance, of.gamma},
                types_t{data, weights, weights}, with_epsilon(1e-3f));
        expect_right(net);
    }
    network_t weights_only, data_only;
    for (network_t *net : {&weights_only, &data_only}) {
        const size_t src = net->input(f32, {3, 5, 4}), diff_dst = net->input(f32, {3, 5, 4});
        const channels_t of(*net, f32);
        net->add(kind_t::BatchNormTrainingBackward, {src, diff_dst, of.mean, of.variance, of.gamma},
                net == &data_only ? types_t{f32} : types_t{absent, f32, f32}, with_epsilon(1e-3f));
        expect_right(*net);
    }
}

TEST(batch_norm_execution, one_gradient_of_weights_alone_is_refused) {
    network_t net;
    const size_t src = net.input(f32, {3, 5, 4});
    const channels_t of(net, f32);
    net.add(kind_t::BatchNormTrainingBackward, {src, src, of.mean, of.variance, of.gamma},
            types_t{f32, f32, absent}, with_epsilon(1e-3f));
    EXPECT_EQ(status_of([&] { net.make_graph(); }), dnnl_invalid_graph_op);
}

TEST(batch_norm_execution, accepts_strided_images) {
    for (const char *format : {"NCX", "NXC"}) {
        network_t net;
        const size_t src = net.input(f32, {3, 4, 5, 4}, {.strides = {100, 1, 20, 4}});
        const channels_t of(net, f32);
        const size_t dst =
                net.add(kind_t::BatchNormInference, {src, of.gamma, of.beta, of.mean, of.variance},
                        with_epsilon(1e-3f) + with_format(format));
        net.set_strides(dst, {80, 1, 16, 4});
        expect_right(net);
    }
}

TEST(batch_norm_execution, copies_tensors_whose_layouts_only_the_reference_would_take) {
    const dims_t images{2, 5, 6, 16}, nhwc{480, 96, 16, 1}, nchw{480, 6, 1, 30};
    for (const dims_t &from : {nhwc, nchw})
        for (const dims_t &to : {nhwc, nchw}) {
            network_t net;
            const dims_t channels{16};
            const size_t src = net.input(f32, images, {.strides = from});
            const auto [mean, variance] = add_statistics(net, f32, channels);
            const auto outputs = net.add(kind_t::BatchNormInference,
                    {src, net.weight(f32, channels), net.weight(f32, channels), mean, variance},
                    types_t{f32}, with_format("NXC") + with_epsilon(1e-5f));
            net.set_strides(outputs[0], to);
            expect_generated(net);
        }
}

} // namespace

} // namespace kiln::test
