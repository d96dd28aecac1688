// SPDX-License-Identifier: Apache-2.0
// The C++ interface has a class for each operation, and each constructor of its descriptor calls
// the C function: the descriptor is made if dnnl_config.h says that the operation is built, and
// dnnl_unimplemented is thrown if not.
#include <type_traits>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

using namespace dnnl;

namespace {

using dims = memory::dims;

const engine &cpu() {
    static const engine result(engine::kind::cpu, 0);
    return result;
}

memory::desc f32(const dims &extents) { return {extents, memory::data_type::f32, dims()}; }

/// A descriptor of some operation, which stands in for hints of operations that are not built.
const softmax_forward::primitive_desc &any_descriptor() {
    static const softmax_forward::primitive_desc result(cpu(), prop_kind::forward_training,
            algorithm::softmax_accurate, f32({2, 3}), f32({2, 3}), 1);
    return result;
}

/// Makes a descriptor from args with default attributes and allow_empty, and with both given.
/// Returns it, or a stand-in if the operation is not built.
template <typename operation_t, typename... args_t>
typename operation_t::primitive_desc describe(bool is_built, const args_t &...args) {
    using desc_t = typename operation_t::primitive_desc;
    static_assert(std::is_default_constructible<operation_t>::value, "an empty primitive");
    static_assert(std::is_default_constructible<desc_t>::value, "an empty descriptor");
    static_assert(std::is_constructible<operation_t, const desc_t &>::value, "a primitive");
    static_assert(
            std::is_constructible<operation_t, const desc_t &, const std::vector<uint8_t> &>::value,
            "a primitive with a cache blob");
    static_assert(std::is_constructible<desc_t, dnnl_primitive_desc_t>::value, "a C descriptor");

    EXPECT_EQ(static_cast<bool>(desc_t(args..., primitive_attr(), true)), is_built);
    try {
        const desc_t made(args...);
        EXPECT_TRUE(is_built);
        EXPECT_TRUE(operation_t(made));
        return made;
    } catch (const error &failure) {
        EXPECT_FALSE(is_built) << failure.what();
        EXPECT_EQ(failure.status, dnnl_unimplemented) << failure.what();
    }
    desc_t stand_in;
    stand_in.reset(any_descriptor().get(), true);
    return stand_in;
}

/// Checks that a descriptor of another operation is refused.
template <typename operation_t> void expect_refusal_of_others() {
    EXPECT_THROW(typename operation_t::primitive_desc(any_descriptor().get()), error);
    EXPECT_FALSE(typename operation_t::primitive_desc(nullptr));
}

constexpr auto training = prop_kind::forward_training;

/// Extents of a convolution or a deconvolution with kernels of 3x3, and of its dst with dilations.
struct convolution_extents_t {
    dims src, dst, dilated_dst;
};

template <typename forward_t, typename backward_data_t, typename backward_weights_t>
void expect_all_constructors(bool is_built, algorithm alg, const convolution_extents_t &extents) {
    const dims strides{1, 1}, dilations{1, 1}, padding{0, 0};
    const memory::desc src = f32(extents.src), weights = f32({6, 4, 3, 3}), bias = f32({6}),
                       dst = f32(extents.dst), wide = f32(extents.dilated_dst);
    const auto plain = describe<forward_t>(
            is_built, cpu(), training, alg, src, weights, bias, dst, strides, padding, padding);
    describe<forward_t>(
            is_built, cpu(), training, alg, src, weights, dst, strides, padding, padding);
    describe<forward_t>(is_built, cpu(), training, alg, src, weights, bias, wide, strides,
            dilations, padding, padding);
    const auto dilated = describe<forward_t>(is_built, cpu(), training, alg, src, weights, wide,
            strides, dilations, padding, padding);
    describe<backward_data_t>(
            is_built, cpu(), alg, src, weights, dst, strides, padding, padding, plain);
    describe<backward_data_t>(is_built, cpu(), alg, src, weights, wide, strides, dilations, padding,
            padding, dilated);
    describe<backward_weights_t>(
            is_built, cpu(), alg, src, weights, bias, dst, strides, padding, padding, plain);
    describe<backward_weights_t>(
            is_built, cpu(), alg, src, weights, dst, strides, padding, padding, plain);
    const auto gradient = describe<backward_weights_t>(is_built, cpu(), alg, src, weights, bias,
            wide, strides, dilations, padding, padding, dilated);
    describe<backward_weights_t>(is_built, cpu(), alg, src, weights, wide, strides, dilations,
            padding, padding, dilated);

    EXPECT_EQ(plain.bias_desc().is_zero(), !is_built);
    EXPECT_EQ(gradient.diff_bias_desc().is_zero(), !is_built);
    EXPECT_EQ(dilated.get_dilations(), is_built ? dilations : dims());
    expect_refusal_of_others<forward_t>();
    expect_refusal_of_others<backward_data_t>();
    expect_refusal_of_others<backward_weights_t>();
    EXPECT_THROW(typename forward_t::primitive_desc(
                         cpu(), training, alg, src, weights, dst, {1}, padding, padding),
            error)
            << "a stride for one of two axes";
}

TEST(wrapper_operations, have_convolutions) {
    expect_all_constructors<convolution_forward, convolution_backward_data,
            convolution_backward_weights>(BUILD_CONVOLUTION, algorithm::convolution_direct,
            {{2, 4, 8, 8}, {2, 6, 6, 6}, {2, 6, 4, 4}});
}

TEST(wrapper_operations, have_deconvolutions) {
    expect_all_constructors<deconvolution_forward, deconvolution_backward_data,
            deconvolution_backward_weights>(BUILD_DECONVOLUTION, algorithm::deconvolution_direct,
            {{2, 4, 6, 6}, {2, 6, 8, 8}, {2, 6, 10, 10}});
}

TEST(wrapper_operations, have_inner_products) {
    const memory::desc src = f32({2, 4}), weights = f32({3, 4}), bias = f32({3}), dst = f32({2, 3});
    const bool is_built = BUILD_INNER_PRODUCT;
    const auto forward =
            describe<inner_product_forward>(is_built, cpu(), training, src, weights, bias, dst);
    describe<inner_product_forward>(is_built, cpu(), training, src, weights, dst);
    describe<inner_product_backward_data>(is_built, cpu(), src, weights, dst, forward);
    const auto gradient = describe<inner_product_backward_weights>(
            is_built, cpu(), src, weights, bias, dst, forward);
    describe<inner_product_backward_weights>(is_built, cpu(), src, weights, dst, forward);
    EXPECT_EQ(forward.bias_desc().is_zero(), !is_built);
    EXPECT_EQ(gradient.diff_bias_desc().is_zero(), !is_built);
    expect_refusal_of_others<inner_product_forward>();
}

TEST(wrapper_operations, have_matrix_products) {
    const memory::desc src = f32({2, 4}), weights = f32({4, 3}), bias = f32({1, 3}),
                       dst = f32({2, 3});
    describe<matmul>(BUILD_MATMUL, cpu(), src, weights, dst);
    const auto with_bias = describe<matmul>(BUILD_MATMUL, cpu(), src, weights, bias, dst);
    EXPECT_EQ(with_bias.bias_desc().is_zero(), !BUILD_MATMUL);
    expect_refusal_of_others<matmul>();
}

TEST(wrapper_operations, have_local_response_normalization) {
    const memory::desc data = f32({2, 8, 4, 4});
    const auto alg = algorithm::lrn_across_channels;
    const auto forward = describe<lrn_forward>(
            BUILD_LRN, cpu(), training, alg, data, data, 5, 1e-4f, 0.75f, 1.f);
    describe<lrn_backward>(BUILD_LRN, cpu(), alg, data, data, data, 5, 1e-4f, 0.75f, 1.f, forward);
    expect_refusal_of_others<lrn_forward>();
}

TEST(wrapper_operations, have_pooling) {
    const memory::desc src = f32({2, 4, 6, 6}), dst = f32({2, 4, 3, 3});
    const dims two{2, 2}, none{0, 0};
    const auto alg = algorithm::pooling_avg_include_padding;
    const auto forward = describe<pooling_forward>(
            BUILD_POOLING, cpu(), training, alg, src, dst, two, two, none, none, none);
    describe<pooling_backward>(
            BUILD_POOLING, cpu(), alg, src, dst, two, two, none, none, none, forward);
    expect_refusal_of_others<pooling_backward>();
    EXPECT_THROW(pooling_forward::primitive_desc(
                         cpu(), training, alg, src, dst, two, {2}, none, none, none),
            error)
            << "a kernel for one of two axes";
}

TEST(wrapper_operations, have_resampling) {
    const memory::desc src = f32({2, 4, 6, 6}), dst = f32({2, 4, 12, 12});
    const std::vector<float> factors{2.f, 2.f};
    const bool is_built = BUILD_RESAMPLING;
    const auto alg = algorithm::resampling_nearest;
    const auto forward = describe<resampling_forward>(is_built, cpu(), training, alg, src, dst);
    describe<resampling_forward>(is_built, cpu(), training, alg, factors, src);
    describe<resampling_forward>(is_built, cpu(), training, alg, factors, src, dst);
    describe<resampling_backward>(is_built, cpu(), alg, src, dst, forward);
    describe<resampling_backward>(is_built, cpu(), alg, factors, src, dst, forward);
    expect_refusal_of_others<resampling_forward>();
}

// Tensors of recurrent operations: T = 3, N = 2, L = D = 1, all channels 4.
const rnn_direction direction = rnn_direction::unidirectional_left2right;
memory::desc layer() { return f32({3, 2, 4}); }
memory::desc state() { return f32({1, 1, 2, 4}); }
memory::desc weights_of(int gates) { return f32({1, 1, 4, gates, 4}); }
memory::desc bias_of(int gates) { return f32({1, 1, gates, 4}); }

TEST(wrapper_operations, have_vanilla_recurrent_networks) {
    const auto x = layer(), h = state(), w = weights_of(1), b = bias_of(1);
    const auto relu = algorithm::eltwise_relu;
    describe<vanilla_rnn_forward>(BUILD_RNN, cpu(), training, relu, direction, x, h, w, w, b, x, h);
    const auto forward = describe<vanilla_rnn_forward>(
            BUILD_RNN, cpu(), training, relu, direction, x, h, w, w, b, x, h, 0.5f);
    describe<vanilla_rnn_backward>(BUILD_RNN, cpu(), prop_kind::backward, relu, direction, x, h, w,
            w, b, x, h, x, h, w, w, b, x, h, forward);
    describe<vanilla_rnn_backward>(BUILD_RNN, cpu(), prop_kind::backward, relu, direction, x, h, w,
            w, b, x, h, x, h, w, w, b, x, h, 0.5f, forward);
    expect_refusal_of_others<vanilla_rnn_forward>();
}

TEST(wrapper_operations, have_lstm) {
    const auto x = layer(), h = state(), w = weights_of(4), b = bias_of(4),
               peephole = f32({1, 1, 3, 4}), projection = f32({1, 1, 4, 4});
    const auto back = prop_kind::backward;
    describe<lstm_forward>(
            BUILD_RNN, cpu(), training, direction, x, h, h, w, w, peephole, projection, b, x, h, h);
    describe<lstm_forward>(
            BUILD_RNN, cpu(), training, direction, x, h, h, w, w, peephole, b, x, h, h);
    const auto forward = describe<lstm_forward>(
            BUILD_RNN, cpu(), training, direction, x, h, h, w, w, b, x, h, h);
    describe<lstm_backward>(BUILD_RNN, cpu(), back, direction, x, h, h, w, w, peephole, projection,
            b, x, h, h, x, h, h, w, w, peephole, projection, b, x, h, h, forward);
    describe<lstm_backward>(BUILD_RNN, cpu(), back, direction, x, h, h, w, w, peephole, b, x, h, h,
            x, h, h, w, w, peephole, b, x, h, h, forward);
    const auto gradient = describe<lstm_backward>(BUILD_RNN, cpu(), back, direction, x, h, h, w, w,
            b, x, h, h, x, h, h, w, w, b, x, h, h, forward);
    EXPECT_EQ(forward.src_iter_c_desc().is_zero(), !BUILD_RNN);
    EXPECT_EQ(gradient.diff_src_iter_c_desc().is_zero(), !BUILD_RNN);
    expect_refusal_of_others<lstm_forward>();
}

template <typename forward_t, typename backward_t> void expect_gru(int bias_gates) {
    const auto x = layer(), h = state(), w = weights_of(3), b = bias_of(bias_gates);
    const auto forward =
            describe<forward_t>(BUILD_RNN, cpu(), training, direction, x, h, w, w, b, x, h);
    describe<backward_t>(BUILD_RNN, cpu(), prop_kind::backward, direction, x, h, w, w, b, x, h, x,
            h, w, w, b, x, h, forward);
    expect_refusal_of_others<forward_t>();
}

template <typename forward_t, typename backward_t> void expect_augru(int bias_gates) {
    const auto x = layer(), h = state(), w = weights_of(3), b = bias_of(bias_gates),
               attention = f32({3, 2, 1});
    const auto forward = describe<forward_t>(
            BUILD_RNN, cpu(), training, direction, x, h, attention, w, w, b, x, h);
    const auto gradient = describe<backward_t>(BUILD_RNN, cpu(), prop_kind::backward, direction, x,
            h, attention, w, w, b, x, h, x, h, attention, w, w, b, x, h, forward);
    EXPECT_EQ(forward.attention_desc().is_zero(), !BUILD_RNN);
    EXPECT_EQ(gradient.diff_attention_desc().is_zero(), !BUILD_RNN);
    expect_refusal_of_others<forward_t>();
}

TEST(wrapper_operations, have_gated_recurrent_units) {
    expect_gru<gru_forward, gru_backward>(3);
    expect_gru<lbr_gru_forward, lbr_gru_backward>(4);
    expect_augru<augru_forward, augru_backward>(3);
    expect_augru<lbr_augru_forward, lbr_augru_backward>(4);
}

TEST(wrapper_operations, have_elementwise_functions) {
    const memory::desc data = f32({2, 3});
    const auto relu = algorithm::eltwise_relu;
    const bool is_built = BUILD_ELTWISE;
    const auto forward = describe<eltwise_forward>(is_built, cpu(), training, relu, data, data);
    describe<eltwise_forward>(is_built, cpu(), training, relu, data, data, 0.5f);
    describe<eltwise_forward>(is_built, cpu(), training, relu, data, data, 0.5f, 0.f);
    describe<eltwise_backward>(is_built, cpu(), relu, data, data, data, forward);
    describe<eltwise_backward>(is_built, cpu(), relu, data, data, data, 0.f, forward);
    describe<eltwise_backward>(is_built, cpu(), relu, data, data, data, 0.f, 0.f, forward);
}

TEST(wrapper_operations, have_binary_operations_sums_and_concatenations) {
    const memory::desc data = f32({2, 3}), both = f32({4, 3}),
                       condition({2, 3}, memory::data_type::s8, dims());
    describe<binary>(BUILD_BINARY, cpu(), algorithm::binary_add, data, data, data);
    describe<binary>(BUILD_BINARY, cpu(), algorithm::binary_select, data, data, condition, data);
    const std::vector<memory::desc> srcs{data, data};
    const std::vector<float> scales{1.f, 2.f};
    describe<sum>(BUILD_SUM, cpu(), data, scales, srcs);
    describe<sum>(BUILD_SUM, cpu(), scales, srcs);
    describe<concat>(BUILD_CONCAT, cpu(), both, 0, srcs);
    describe<concat>(BUILD_CONCAT, cpu(), 0, srcs);
}

TEST(wrapper_operations, have_softmax_prelu_shuffles_and_reductions) {
    const memory::desc data = f32({2, 4}), slopes = f32({1, 4}), sums = f32({2, 1});
    const auto alg = algorithm::softmax_accurate;
    const auto softmax =
            describe<softmax_forward>(BUILD_SOFTMAX, cpu(), training, alg, data, data, 1);
    describe<softmax_backward>(BUILD_SOFTMAX, cpu(), alg, data, data, data, 1, softmax);
    const auto prelu = describe<prelu_forward>(BUILD_PRELU, cpu(), training, data, slopes, data);
    describe<prelu_backward>(BUILD_PRELU, cpu(), data, slopes, data, slopes, data, prelu);
    const auto shuffle =
            describe<shuffle_forward>(BUILD_SHUFFLE, cpu(), training, data, data, 1, 2);
    describe<shuffle_backward>(BUILD_SHUFFLE, cpu(), data, data, 1, 2, shuffle);
    describe<reduction>(BUILD_REDUCTION, cpu(), algorithm::reduction_sum, data, sums, 0.f, 0.f);
}

TEST(wrapper_operations, have_reorders) {
    const memory::desc data = f32({2, 4});
    const memory from(data, cpu()), to(data, cpu());
    describe<reorder>(BUILD_REORDER, cpu(), data, cpu(), data);
    describe<reorder>(BUILD_REORDER, from, to);
    EXPECT_TRUE(reorder(from, to));
}

TEST(wrapper_operations, have_layer_normalization) {
    const memory::desc data = f32({2, 4}), stat = f32({2});
    const auto type = memory::data_type::f32;
    const auto flags = normalization_flags::use_scale;
    const bool is_built = BUILD_LAYER_NORMALIZATION;
    using forward_t = layer_normalization_forward;
    using backward_t = layer_normalization_backward;
    const auto forward =
            describe<forward_t>(is_built, cpu(), training, data, data, stat, 1e-5f, flags);
    describe<forward_t>(is_built, cpu(), training, data, data, 1e-5f, flags);
    describe<forward_t>(is_built, cpu(), training, data, data, stat, type, 1e-5f, flags);
    describe<forward_t>(is_built, cpu(), training, data, data, type, 1e-5f, flags);
    const auto back = prop_kind::backward;
    describe<backward_t>(is_built, cpu(), back, data, data, data, stat, 1e-5f, flags, forward);
    describe<backward_t>(is_built, cpu(), back, data, data, data, 1e-5f, flags, forward);
    describe<backward_t>(
            is_built, cpu(), back, data, data, data, stat, type, type, 1e-5f, flags, forward);
    describe<backward_t>(
            is_built, cpu(), back, data, data, data, type, type, 1e-5f, flags, forward);
}

TEST(wrapper_operations, have_batch_and_group_normalization) {
    const memory::desc data = f32({2, 4, 3});
    const auto flags = normalization_flags::none;
    const auto back = prop_kind::backward;
    const auto batch = describe<batch_normalization_forward>(
            BUILD_BATCH_NORMALIZATION, cpu(), training, data, data, 1e-5f, flags);
    describe<batch_normalization_backward>(
            BUILD_BATCH_NORMALIZATION, cpu(), back, data, data, data, 1e-5f, flags, batch);
    const auto group = describe<group_normalization_forward>(
            BUILD_GROUP_NORMALIZATION, cpu(), training, data, data, 2, 1e-5f, flags);
    describe<group_normalization_backward>(
            BUILD_GROUP_NORMALIZATION, cpu(), back, data, data, data, 2, 1e-5f, flags, group);
}

TEST(wrapper_operations, need_all_of_a_kind_to_be_all) {
    EXPECT_EQ(BUILD_PRIMITIVE_ALL,
            BUILD_BATCH_NORMALIZATION && BUILD_BINARY && BUILD_CONCAT && BUILD_CONVOLUTION
                    && BUILD_DECONVOLUTION && BUILD_ELTWISE && BUILD_GROUP_NORMALIZATION
                    && BUILD_INNER_PRODUCT && BUILD_LAYER_NORMALIZATION && BUILD_LRN && BUILD_MATMUL
                    && BUILD_POOLING && BUILD_PRELU && BUILD_REDUCTION && BUILD_REORDER
                    && BUILD_RESAMPLING && BUILD_RNN && BUILD_SHUFFLE && BUILD_SOFTMAX
                    && BUILD_SUM);
}

/// A pool of one thread: the caller's.
struct calling_thread_t : threadpool_interop::threadpool_iface {
    int get_num_threads() const override { return 1; }
    bool get_in_parallel() const override { return false; }
    void parallel_for(int n, const std::function<void(int, int)> &fn) override {
        for (int i = 0; i < n; ++i) fn(i, n);
    }
    uint64_t get_flags() const override { return 0; }
    void wait() override {}
};

TEST(threadpool_interop, is_refused_by_a_library_with_threads_of_its_own) {
    calling_thread_t pool;
    try {
        threadpool_interop::make_stream(cpu(), &pool);
        ADD_FAILURE() << "there is a stream";
    } catch (const error &failure) {
        EXPECT_EQ(failure.status, dnnl_unimplemented);
    }
    EXPECT_THROW(threadpool_interop::get_threadpool(stream(cpu())), error);
    const float a[1] = {2.f}, b[1] = {3.f};
    float c[1] = {5.f};
    EXPECT_EQ(threadpool_interop::sgemm('N', 'N', 1, 1, 1, 1.f, a, 1, b, 1, 0.f, c, 1, &pool),
            status::unimplemented);
    EXPECT_EQ(c[0], 5.f);
}

} // namespace
