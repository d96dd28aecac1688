// SPDX-License-Identifier: Apache-2.0
// Reorder of descriptors with dims or strides that only an execution knows.
#include <string>

#include "reorder/reorder_call.hpp"
#include "support/scale_attr.hpp"

namespace kiln::test {
namespace {

constexpr int64_t open_value = DNNL_RUNTIME_DIM_VAL;

memory_desc_handle_t open_desc(
        const dims_t &dims, unsigned mask, dnnl_data_type_t type, dnnl_format_tag_t tag) {
    dims_t open_dims = dims;
    for (size_t d = 0; d < dims.size(); ++d)
        if (mask >> d & 1) open_dims[d] = open_value;
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_with_tag(
                    md.out(), static_cast<int>(dims.size()), open_dims.data(), type, tag),
            "dnnl_memory_desc_create_with_tag");
    return md;
}

TEST(reorder_of_runtime_values, gives_the_values_that_known_dims_give) {
    const struct {
        dnnl_format_tag_t tag;
        const char *name;
    } formats[] = {{dnnl_abcd, "abcd"}, {dnnl_acdb, "acdb"}, {dnnl_aBcd16b, "aBcd16b"}};
    const dims_t shapes[] = {{2, 17, 3, 5}, {1, 32, 2, 2}, {3, 17, 1, 1}, {2, 17, 0, 5}};
    for (const unsigned mask : {15u, 1u, 12u})
        for (const auto &src_format : formats)
            for (const auto &dst_format : formats)
                for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_s8}) {
                    const auto src_md = open_desc(shapes[0], mask, dnnl_f32, src_format.tag);
                    const auto dst_md = open_desc(shapes[0], mask, dst_type, dst_format.tag);
                    const primitive_handle_t primitive = make_reorder(src_md, dst_md);
                    for (const dims_t &dims : shapes) {
                        bool is_described = true;
                        for (size_t d = 0; d < dims.size(); ++d)
                            is_described &= (mask >> d & 1) || dims[d] == shapes[0][d];
                        tensor_t src(make_desc(dims, dnnl_f32, src_format.name));
                        const tensor_t dst(make_desc(dims, dst_type, dst_format.name));
                        src.fill(telling_values(src.elements()));
                        SCOPED_TRACE(std::string(src_format.name) + " to " + dst_format.name + " "
                                     + to_string(dims) + " mask " + std::to_string(mask));
                        const dnnl_status_t status = from_to(src, dst).execute(primitive);
                        ASSERT_EQ(status, is_described ? dnnl_success : dnnl_invalid_arguments);
                        if (!is_described) continue;
                        EXPECT_TRUE(holds(dst, src.values()));
                        EXPECT_TRUE(dst.is_tidy());
                    }
                }
}

TEST(reorder_of_runtime_values, takes_strides_from_the_memories) {
    const auto src_md = make_desc({4, 6}, dnnl_f32, dims_t{open_value, 1});
    const auto dst_md = make_desc({4, 6}, dnnl_u8, dims_t{open_value, open_value});
    const primitive_handle_t primitive = make_reorder(src_md, dst_md);
    for (const dims_t &src_strides : {dims_t{6, 1}, dims_t{9, 1}})
        for (const dims_t &dst_strides : {dims_t{6, 1}, dims_t{1, 4}, dims_t{14, 2}}) {
            tensor_t src(make_desc({4, 6}, dnnl_f32, src_strides));
            const tensor_t dst(make_desc({4, 6}, dnnl_u8, dst_strides));
            src.fill(telling_values(src.elements()));
            ASSERT_EQ(from_to(src, dst).execute(primitive), dnnl_success);
            EXPECT_TRUE(holds(dst, src.values()));
            EXPECT_TRUE(dst.is_tidy());
        }
    tensor_t transposed(make_desc({4, 6}, dnnl_f32, dims_t{1, 4}));
    const tensor_t dst(make_desc({4, 6}, dnnl_u8));
    transposed.fill(telling_values(transposed.elements()));
    EXPECT_EQ(from_to(transposed, dst).execute(primitive), dnnl_invalid_arguments);
}

TEST(reorder_of_runtime_values, applies_scales_along_open_dims) {
    const auto src_md = open_desc({2, 3}, 3, dnnl_f32, dnnl_ab);
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 2), "set_scales_mask");
    const primitive_handle_t primitive = make_reorder(src_md, src_md, attr);
    tensor_t src(make_desc({2, 3}, dnnl_f32)), scales(make_desc({3}, dnnl_f32));
    tensor_t short_scales(make_desc({2}, dnnl_f32));
    const tensor_t dst(make_desc({2, 3}, dnnl_f32));
    src.fill({1, 2, 3, 4, 5, 6});
    scales.fill({2, 10, 100});
    short_scales.fill({2, 10});
    constexpr int scales_arg = DNNL_ARG_ATTR_SCALES | DNNL_ARG_FROM;
    ASSERT_EQ(from_to(src, dst).add(scales_arg, scales.memory()).execute(primitive), dnnl_success);
    EXPECT_TRUE(holds(dst, {2, 20, 300, 8, 50, 600}));
    EXPECT_EQ(from_to(src, dst).add(scales_arg, short_scales.memory()).execute(primitive),
            dnnl_invalid_arguments);
}

TEST(reorder_of_runtime_values, refuses_memories_that_its_descriptor_does_not_stand_for) {
    const auto open = open_desc({2, 3}, 3, dnnl_f32, dnnl_ab);
    const primitive_handle_t primitive = make_reorder(open, open);
    const auto status_of = [&](const memory_desc_handle_t &src_md) {
        const tensor_t src(src_md), dst(make_desc({2, 3}, dnnl_f32));
        return from_to(src, dst).execute(primitive);
    };
    EXPECT_EQ(status_of(make_desc({2, 3}, dnnl_f32)), dnnl_success);
    EXPECT_EQ(status_of(make_desc({3, 2}, dnnl_f32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of(make_desc({2, 3, 1}, dnnl_f32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of(make_desc({2, 3}, dnnl_s32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of(make_desc({2, 3}, dnnl_f32, "Ab8a")), dnnl_invalid_arguments);
}

} // namespace
} // namespace kiln::test
