// SPDX-License-Identifier: Apache-2.0
// TypeCast, Quantize, Dequantize and their dynamic forms alone, compared with the truth.
#include "graph/networks.hpp"

namespace kiln::test {

namespace {

const dims_t converted_dims{2, 6, 20};

TEST(conversion_execution, casts_between_float_types) {
    for (const type_t type : {bf16, f16}) {
        network_t down, up;
        down.add(kind_t::TypeCast, {down.input(f32, converted_dims)}, type);
        expect_right(down);
        up.add(kind_t::TypeCast, {up.input(type, converted_dims)}, f32);
        expect_right(up);
    }
}

TEST(conversion_execution, quantizes_with_scales_and_zero_points) {
    for (const type_t type : {s8, u8}) {
        const std::vector<attributes_t> ways{with_scale(0.05f), with_scale(0.05f, 7),
                with_scales(6, 1), with_scales(6, 1, true), with_scales(20, -1, true),
                with_scales(2, 0, type == u8)};
        for (const attributes_t &scales : ways) {
            network_t net;
            net.add(kind_t::Quantize, {net.input(f32, converted_dims, {.low = -4, .high = 4})},
                    type, scales);
            expect_right(net);
            network_t back;
            back.add(kind_t::Dequantize, {back.input(type, converted_dims)}, f32, scales);
            expect_right(back);
        }
    }
}

TEST(conversion_execution, quantizes_with_scales_and_zero_points_that_are_tensors) {
    for (const type_t type : {s8, u8})
        for (const type_t point_type : {type_t::s32, s8, u8})
            for (const int64_t axis : {-2, 1, 2, -100})
                for (const bool has_points : {false, true}) {
                    const bool is_per_tensor = axis == -100;
                    const dims_t count{is_per_tensor ? 1 : axis == 2 ? 20 : 6};
                    const attributes_t way =
                            is_per_tensor ? text(attr_name_t::qtype, "per_tensor")
                                          : text(attr_name_t::qtype, "per_channel")
                                                    + attributes_t{{attr_name_t::axis, axis}};
                    network_t net, back;
                    for (network_t *each : {&net, &back}) {
                        const bool is_back = each == &back;
                        std::vector<size_t> inputs{is_back ? each->input(type, converted_dims)
                                                           : each->input(f32, converted_dims)};
                        inputs.push_back(each->input(f32, count, {.low = 0.01, .high = 0.1}));
                        if (has_points) {
                            std::vector<double> points;
                            for (int64_t c = 0; c < count[0]; ++c)
                                points.push_back(static_cast<double>(c % 5 + 1));
                            inputs.push_back(each->input(point_type, count, {.values = points}));
                        }
                        each->add(is_back ? kind_t::DynamicDequantize : kind_t::DynamicQuantize,
                                inputs, is_back ? f32 : type, way);
                        expect_right(*each);
                    }
                }
}

TEST(conversion_execution, dequantizes_to_bf16_and_f16) {
    for (const type_t type : {bf16, f16}) {
        network_t net;
        net.add(kind_t::DynamicDequantize,
                {net.input(s8, converted_dims), net.input(type, {6}, {.low = 0.01, .high = 0.1})},
                type, text(attr_name_t::qtype, "per_channel"));
        expect_right(net);
    }
}

TEST(conversion_execution, quantizes_to_f8_and_back) {
    for (const type_t type : {f8_e4m3, f8_e5m2})
        for (const attributes_t &scales : {with_each_scale({0.5f}),
                     with_each_scale({0.5f, 0.25f}) + text(attr_name_t::qtype, "per_channel")
                             + attributes_t{{attr_name_t::axis, int64_t(0)}}}) {
            network_t net, back;
            net.add(kind_t::Quantize, {net.input(f32, converted_dims)}, type, scales);
            expect_right(net);
            back.add(kind_t::Dequantize, {back.input(type, converted_dims)}, f32, scales);
            expect_right(back);
        }
}

TEST(conversion_execution, dequantizes_groups) {
    for (const type_t integers : {s8, u8, s4, u4})
        for (const type_t type : floats)
            for (const dims_t &groups :
                    {dims_t{3, 2, 16}, dims_t{1, 2, 16}, dims_t{3, 8, 4}, dims_t{1, 1, 2}})
                for (const bool has_points : {false, true})
                    for (const dims_t &strides : {dims_t{}, dims_t{128, 1, 8}}) {
                        network_t net;
                        std::vector<size_t> inputs{
                                net.input(integers, {3, 8, 16}, {.strides = strides}),
                                net.input(type, groups, {.low = 0.05, .high = 0.2})};
                        if (has_points) inputs.push_back(net.input(integers, groups));
                        net.add(kind_t::DynamicDequantize, inputs, type,
                                text(attr_name_t::qtype, "per_group")
                                        + numbers(attr_name_t::group_shape,
                                                {3 / groups[0], 8 / groups[1], 16 / groups[2]}));
                        expect_right(net);
                    }
}

TEST(conversion_execution, refuses_groups_of_leading_axes) {
    network_t net;
    net.add(kind_t::DynamicDequantize,
            {net.input(s8, {4, 8, 16}), net.input(f32, {2, 8, 16}, {.low = 0.05, .high = 0.2})},
            f32,
            text(attr_name_t::qtype, "per_group") + numbers(attr_name_t::group_shape, {2, 1, 1}));
    const auto partition = net.partitions()[0];
    EXPECT_TRUE(partition.is_supported());
    EXPECT_THROW(
            partition.compile({net.at_hand(1), net.at_hand(2)}, {net.at_hand(3)}, test_engine()),
            dnnl::error);
}

} // namespace

} // namespace kiln::test
