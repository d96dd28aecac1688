// SPDX-License-Identifier: Apache-2.0
// The C++ interface of graphs: enumerators, logical tensors and operations. Calls the C++ interface
// only.
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <type_traits>

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl::graph;
using kiln::test::status_of;

using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;
using dims = logical_tensor::dims;

// ---- enumerators

TEST(graph_wrapper, operations_have_the_values_of_the_c_interface) {
    using kind = op::kind;
    // In the order of their numbers, without gaps.
    constexpr kind kinds[] = {kind::Abs, kind::AbsBackward, kind::Add, kind::AvgPool,
            kind::AvgPoolBackward, kind::BatchNormTrainingBackward, kind::BatchNormForwardTraining,
            kind::BatchNormInference, kind::BiasAdd, kind::BiasAddBackward, kind::Clamp,
            kind::ClampBackward, kind::Concat, kind::Convolution, kind::ConvolutionBackwardData,
            kind::ConvolutionBackwardWeights, kind::ConvTranspose, kind::ConvTransposeBackwardData,
            kind::ConvTransposeBackwardWeights, kind::Dequantize, kind::Divide,
            kind::DynamicDequantize, kind::DynamicQuantize, kind::Elu, kind::EluBackward, kind::End,
            kind::Exp, kind::GELU, kind::GELUBackward, kind::HardSwish, kind::HardSwishBackward,
            kind::Interpolate, kind::InterpolateBackward, kind::LayerNorm, kind::LayerNormBackward,
            kind::LeakyReLU, kind::Log, kind::LogSoftmax, kind::LogSoftmaxBackward, kind::MatMul,
            kind::Maximum, kind::MaxPool, kind::MaxPoolBackward, kind::Minimum, kind::Mish,
            kind::MishBackward, kind::Multiply, kind::PReLU, kind::PReLUBackward, kind::Quantize,
            kind::Reciprocal, kind::ReduceL1, kind::ReduceL2, kind::ReduceMax, kind::ReduceMean,
            kind::ReduceMin, kind::ReduceProd, kind::ReduceSum, kind::ReLU, kind::ReLUBackward,
            kind::Reorder, kind::Round, kind::Sigmoid, kind::SigmoidBackward, kind::SoftMax,
            kind::SoftMaxBackward, kind::SoftPlus, kind::SoftPlusBackward, kind::Sqrt,
            kind::SqrtBackward, kind::Square, kind::SquaredDifference, kind::StaticReshape,
            kind::StaticTranspose, kind::Subtract, kind::Tanh, kind::TanhBackward, kind::TypeCast,
            kind::Wildcard, kind::HardSigmoid, kind::HardSigmoidBackward, kind::Select, kind::Pow,
            kind::GroupNorm, kind::GenIndex, kind::GreaterEqual, kind::RMSNorm, kind::Dropout,
            kind::LastSymbol};
    static_assert(std::size(kinds) == dnnl_graph_op_last_symbol + 1);
    for (size_t i = 0; i < std::size(kinds); ++i) EXPECT_EQ(static_cast<size_t>(kinds[i]), i);
}

TEST(graph_wrapper, attributes_have_the_values_of_the_c_interface) {
    using attr = op::attr;
    struct row_t {
        attr value;
        int number;
    };
    constexpr row_t rows[] = {{attr::undef, 0x0}, {attr::alpha, 0x1}, {attr::beta, 0x2},
            {attr::epsilon, 0x3}, {attr::max, 0x4}, {attr::min, 0x5}, {attr::momentum, 0x6},
            {attr::scales, 0x20}, {attr::axis, 0x30}, {attr::begin_norm_axis, 0x31},
            {attr::groups, 0x32}, {attr::axes, 0x40}, {attr::dilations, 0x41},
            {attr::dst_shape, 0x42}, {attr::kernel, 0x43}, {attr::order, 0x44},
            {attr::output_padding, 0x45}, {attr::pads_begin, 0x46}, {attr::pads_end, 0x47},
            {attr::shape, 0x48}, {attr::sizes, 0x49}, {attr::src_shape, 0x4a},
            {attr::strides, 0x4b}, {attr::weights_shape, 0x4c}, {attr::zps, 0x4d},
            {attr::group_shape, 0x4e}, {attr::exclude_pad, 0x60}, {attr::keep_dims, 0x61},
            {attr::keep_stats, 0x62}, {attr::per_channel_broadcast, 0x63},
            {attr::special_zero, 0x64}, {attr::transpose_a, 0x65}, {attr::transpose_b, 0x66},
            {attr::use_affine, 0x67}, {attr::use_dst, 0x68}, {attr::auto_broadcast, 0x80},
            {attr::auto_pad, 0x81}, {attr::coordinate_transformation_mode, 0x82},
            {attr::data_format, 0x83}, {attr::mode, 0x84}, {attr::qtype, 0x85},
            {attr::rounding_type, 0x86}, {attr::weights_format, 0x87},
            {attr::accumulation_mode, 0x88}, {attr::end, 0xff}};
    for (const row_t &row : rows) EXPECT_EQ(static_cast<int>(row.value), row.number);
}

TEST(graph_wrapper, the_other_enumerators_have_the_values_of_the_c_interface) {
    const auto same = [](auto enumerator, int number) {
        EXPECT_EQ(static_cast<int>(enumerator), number);
    };
    same(data_type::undef, dnnl_data_type_undef);
    same(data_type::f16, dnnl_f16);
    same(data_type::bf16, dnnl_bf16);
    same(data_type::f32, dnnl_f32);
    same(data_type::s32, dnnl_s32);
    same(data_type::s8, dnnl_s8);
    same(data_type::u8, dnnl_u8);
    same(data_type::boolean, dnnl_boolean);
    same(data_type::f8_e5m2, dnnl_f8_e5m2);
    same(data_type::f8_e4m3, dnnl_f8_e4m3);
    same(data_type::s4, dnnl_s4);
    same(data_type::u4, dnnl_u4);
    same(data_type::s64, dnnl_s64);

    same(layout_type::undef, dnnl_graph_layout_type_undef);
    same(layout_type::any, dnnl_graph_layout_type_any);
    same(layout_type::strided, dnnl_graph_layout_type_strided);
    same(layout_type::opaque, dnnl_graph_layout_type_opaque);

    same(property_type::undef, dnnl_graph_tensor_property_undef);
    same(property_type::variable, dnnl_graph_tensor_property_variable);
    same(property_type::constant, dnnl_graph_tensor_property_constant);
    same(property_type::host_scalar, dnnl_graph_tensor_property_host_scalar);

    same(partition::policy::fusion, dnnl_graph_partition_policy_fusion);
    same(partition::policy::debug, dnnl_graph_partition_policy_debug);

    same(graph_dump_mode::none, dnnl_graph_dump_mode_none);
    same(graph_dump_mode::subgraph, dnnl_graph_dump_mode_subgraph);
    same(graph_dump_mode::graph, dnnl_graph_dump_mode_graph);

    same(status::success, dnnl_success);
    same(status::out_of_memory, dnnl_out_of_memory);
    same(status::invalid_arguments, dnnl_invalid_arguments);
    same(status::unimplemented, dnnl_unimplemented);
    same(status::last_impl_reached, dnnl_last_impl_reached);
    same(status::runtime_error, dnnl_runtime_error);
    same(status::not_required, dnnl_not_required);
    same(status::invalid_graph, dnnl_invalid_graph);
    same(status::invalid_graph_op, dnnl_invalid_graph_op);
    same(status::invalid_shape, dnnl_invalid_shape);
    same(status::invalid_data_type, dnnl_invalid_data_type);
}

TEST(graph_wrapper, names_and_conversions_are_those_of_onednn) {
    static_assert(std::is_same_v<engine, dnnl::engine>);
    static_assert(std::is_same_v<stream, dnnl::stream>);
    static_assert(std::is_same_v<fpmath_mode, dnnl::fpmath_mode>);
    static_assert(std::is_same_v<oneapi::dnnl::graph::op, op>);
    static_assert(std::is_same_v<logical_tensor::dim, dnnl_dim_t>);
    static_assert(!std::is_convertible_v<dnnl_graph_tensor_t, tensor>);
    static_assert(!std::is_convertible_v<dnnl_graph_allocator_t, allocator>);
    static_assert(!std::is_convertible_v<dnnl_graph_logical_tensor_t, logical_tensor>);
    static_assert(std::is_convertible_v<dnnl_graph_partition_t, partition>);
    static_assert(std::is_convertible_v<dnnl_graph_compiled_partition_t, compiled_partition>);
    static_assert(std::is_convertible_v<engine::kind, graph>);
    static_assert(!std::is_default_constructible_v<op>);
    static_assert(!std::is_default_constructible_v<graph>);
    static_assert(std::is_trivially_copyable_v<logical_tensor>);
    EXPECT_EQ(graph_dump_mode::graph | graph_dump_mode::subgraph, graph_dump_mode(3));
    EXPECT_EQ(graph_dump_mode::graph & graph_dump_mode::subgraph, graph_dump_mode::none);
}

// ---- logical tensors

TEST(graph_wrapper, a_logical_tensor_returns_its_arguments) {
    const logical_tensor lt(
            7, data_type::bf16, dims{2, 3, 4}, layout_type::strided, property_type::constant);
    EXPECT_EQ(lt.get_id(), 7U);
    EXPECT_EQ(lt.get_data_type(), data_type::bf16);
    EXPECT_EQ(lt.get_layout_type(), layout_type::strided);
    EXPECT_EQ(lt.get_property_type(), property_type::constant);
    EXPECT_EQ(lt.get_dims(), (dims{2, 3, 4}));
    EXPECT_EQ(lt.get_strides(), (dims{12, 4, 1}));
    EXPECT_EQ(lt.get_mem_size(), 48U);
    EXPECT_EQ(status_of([&] { lt.get_layout_id(); }), dnnl_invalid_arguments);
}

TEST(graph_wrapper, strides_are_kept_and_must_be_as_many_as_dims) {
    const logical_tensor lt(7, data_type::f32, dims{2, 3}, dims{1, 2});
    EXPECT_EQ(lt.get_layout_type(), layout_type::strided);
    EXPECT_EQ(lt.get_strides(), (dims{1, 2}));
    EXPECT_EQ(lt.get_property_type(), property_type::undef);
    EXPECT_EQ(status_of([] {
        logical_tensor(7, data_type::f32, dims{2, 3}, dims{1});
    }),
            dnnl_invalid_arguments);
}

TEST(graph_wrapper, unknown_properties_of_a_logical_tensor_throw) {
    const logical_tensor nothing;
    EXPECT_EQ(nothing.get_id(), 0U);
    EXPECT_EQ(nothing.get_data_type(), data_type::undef);
    EXPECT_EQ(nothing.get_layout_type(), layout_type::undef);

    const logical_tensor of_some_rank(1, data_type::f32);
    EXPECT_EQ(status_of([&] { of_some_rank.get_dims(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { of_some_rank.get_strides(); }), dnnl_invalid_arguments);
    EXPECT_EQ(of_some_rank.get_mem_size(), SIZE_MAX);
    const logical_tensor strided_of_some_rank(1, data_type::f32, layout_type::strided);
    EXPECT_EQ(status_of([&] { strided_of_some_rank.get_strides(); }), dnnl_invalid_arguments);

    const logical_tensor of_rank_2(1, data_type::f32, 2, layout_type::any);
    EXPECT_EQ(of_rank_2.get_dims(), (dims{DNNL_GRAPH_UNKNOWN_DIM, DNNL_GRAPH_UNKNOWN_DIM}));
    EXPECT_EQ(of_rank_2.get_layout_type(), layout_type::any);
}

TEST(graph_wrapper, no_dims_make_a_scalar) {
    for (const logical_tensor &lt :
            {logical_tensor(1, data_type::f32, dims{}, layout_type::strided),
                    logical_tensor(1, data_type::f32, dims{}, dims{})}) {
        EXPECT_EQ(lt.get_dims(), dims{});
        EXPECT_EQ(lt.get_strides(), dims{});
        EXPECT_EQ(lt.get_mem_size(), 4U);
    }
}

TEST(graph_wrapper, an_opaque_layout_has_an_id) {
    const logical_tensor lt(1, data_type::f32, dims{2, 3}, size_t(5));
    EXPECT_EQ(lt.get_layout_type(), layout_type::opaque);
    EXPECT_EQ(lt.get_layout_id(), 5U);
    EXPECT_EQ(status_of([&] { lt.get_strides(); }), dnnl_invalid_arguments);
}

TEST(graph_wrapper, logical_tensors_are_equal_if_all_properties_are) {
    const logical_tensor dense(1, data_type::f32, dims{2, 3}, layout_type::strided);
    const logical_tensor same(1, data_type::f32, dims{2, 3}, dims{3, 1});
    const logical_tensor transposed(1, data_type::f32, dims{2, 3}, dims{1, 2});
    const logical_tensor another_edge(2, data_type::f32, dims{2, 3}, dims{3, 1});
    EXPECT_TRUE(dense.is_equal(same));
    EXPECT_FALSE(dense.is_equal(transposed));
    EXPECT_FALSE(dense.is_equal(another_edge));
}

TEST(graph_wrapper, invalid_logical_tensors_throw) {
    EXPECT_EQ(status_of([] {
        logical_tensor(1, data_type::f32, dims(DNNL_MAX_NDIMS + 1, 2), layout_type::strided);
    }),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] {
        logical_tensor(1, data_type::f32, dims{1}, layout_type::any, property_type::host_scalar);
    }),
            dnnl_invalid_arguments);
}

// ---- operations

TEST(graph_wrapper, an_operation_accepts_every_type_of_attribute) {
    const logical_tensor src(0, data_type::f32, dims{2, 3}, layout_type::strided);
    const logical_tensor dst(1, data_type::s8, dims{2, 3}, layout_type::strided);
    op quantize(5, op::kind::Quantize, "scaled");
    quantize.add_input(src);
    quantize.add_outputs({dst});
    op &same = quantize.set_attr(op::attr::qtype, std::string("per_channel"))
                       .set_attr(op::attr::scales, std::vector<float>{1.f, 2.f, 3.f})
                       .set_attr(op::attr::zps, std::vector<int64_t>{0, 0, 0})
                       .set_attr(op::attr::axis, int64_t(1));
    EXPECT_EQ(&same, &quantize);

    op norm(6, op::kind::LayerNorm, {src}, {dst});
    norm.set_attr<bool>(op::attr::keep_stats, false)
            .set_attr<float>(op::attr::epsilon, 1e-6f)
            .set_attr<int64_t>(op::attr::begin_norm_axis, -1);
    EXPECT_EQ(status_of([&] { norm.set_attr<std::string>(op::attr::data_format, ""); }),
            dnnl_invalid_arguments);

    size_t id = 0;
    dnnl_graph_op_kind_t kind;
    ASSERT_EQ(dnnl_graph_op_get_id(quantize.get(), &id), dnnl_success);
    ASSERT_EQ(dnnl_graph_op_get_kind(quantize.get(), &kind), dnnl_success);
    EXPECT_EQ(id, 5U);
    EXPECT_EQ(kind, dnnl_graph_op_quantize);
}

TEST(graph_wrapper, an_unknown_kind_of_operation_throws) {
    EXPECT_EQ(status_of([] { op(1, op::kind::LastSymbol); }), dnnl_invalid_arguments);
}

TEST(graph_wrapper, copies_of_an_operation_share_it) {
    const op original(1, op::kind::ReLU);
    const op copy = original;
    EXPECT_EQ(copy.get(), original.get());
}
