// SPDX-License-Identifier: Apache-2.0
// Requests that layer normalization refuses. Each call returns a status and writes nothing.
#include <functional>

#include <gtest/gtest.h>

#include "api/normalization_desc.hpp"
#include "api/refused_calls.hpp"

namespace kiln::test {

namespace {

TEST(layer_normalization_creation, bad_propagation_kinds_and_flags_are_refused) {
    const auto md = matrix();
    for (const int prop_kind : {int(dnnl_prop_kind_undef), int(dnnl_backward),
                 int(dnnl_backward_data), int(dnnl_backward_weights), 200}) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), cpu_engine(),
                          static_cast<dnnl_prop_kind_t>(prop_kind), md, md, nullptr, 1e-5f, 0,
                          nullptr),
                dnnl_invalid_arguments)
                << prop_kind;
    }
    for (const int prop_kind : {int(dnnl_prop_kind_undef), int(dnnl_forward_training),
                 int(dnnl_forward_inference), int(dnnl_backward_weights), 200}) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(dnnl_layer_normalization_backward_primitive_desc_create(pd.out(), cpu_engine(),
                          static_cast<dnnl_prop_kind_t>(prop_kind), md, md, md, nullptr, 1e-5f, 0,
                          nullptr, nullptr),
                dnnl_invalid_arguments)
                << prop_kind;
    }
    for (const unsigned flags : {unsigned(dnnl_fuse_norm_relu), unsigned(dnnl_fuse_norm_add_relu),
                 1u << 20, dnnl_use_scale | 1u << 31, ~0u})
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            primitive_desc_handle_t pd;
            EXPECT_EQ(
                    create_pd(pd, {.prop_kind = prop_kind, .flags = flags}), dnnl_invalid_arguments)
                    << flags;
        }
}

TEST(layer_normalization_creation, shapes_that_do_not_match_are_refused) {
    const auto md = matrix();
    const auto other_rows = make_desc({5, 16}, dnnl_f32), other_cols = make_desc({4, 15}, dnnl_f32),
               more_axes = make_desc({4, 16, 1}, dnnl_f32), fewer_axes = make_desc({4}, dnnl_f32),
               long_statistics = make_desc({5}, dnnl_f32);
    const auto forward = [&](const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
                                 const_dnnl_memory_desc_t stat) {
        primitive_desc_handle_t pd;
        return dnnl_layer_normalization_forward_primitive_desc_create(
                pd.out(), cpu_engine(), dnnl_forward_training, src, dst, stat, 1e-5f, 0, nullptr);
    };
    const auto backward = [&](const_dnnl_memory_desc_t diff_src, const_dnnl_memory_desc_t diff_dst,
                                  const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t stat) {
        primitive_desc_handle_t pd;
        return dnnl_layer_normalization_backward_primitive_desc_create(pd.out(), cpu_engine(),
                dnnl_backward, diff_src, diff_dst, src, stat, 1e-5f, 0, nullptr, nullptr);
    };
    EXPECT_EQ(forward(md, md, fewer_axes), dnnl_success);
    EXPECT_EQ(backward(md, md, md, fewer_axes), dnnl_success);
    for (const auto *other : {&other_rows, &other_cols, &more_axes, &fewer_axes}) {
        EXPECT_EQ(forward(md, *other, nullptr), dnnl_invalid_arguments);
        EXPECT_EQ(forward(*other, md, nullptr), dnnl_invalid_arguments);
        EXPECT_EQ(backward(*other, md, md, nullptr), dnnl_invalid_arguments);
        EXPECT_EQ(backward(md, *other, md, nullptr), dnnl_invalid_arguments);
        EXPECT_EQ(backward(md, md, *other, nullptr), dnnl_invalid_arguments);
    }
    for (const auto *stat : {&long_statistics, &md, &more_axes}) {
        EXPECT_EQ(forward(md, md, *stat), dnnl_invalid_arguments);
        EXPECT_EQ(backward(md, md, md, *stat), dnnl_invalid_arguments);
    }
}

TEST(layer_normalization_creation, tensors_without_rows_or_layout_are_refused) {
    const auto md = matrix(), vector = make_desc({16}, dnnl_f32), host = scalar_md();
    memory_desc_handle_t zero, runtime, csr;
    const dims_t runtime_dims = {DNNL_RUNTIME_DIM_VAL, 16};
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(
                      zero.out(), 0, nullptr, dnnl_data_type_undef, dnnl_format_tag_undef),
            dnnl_success);
    ASSERT_EQ(dnnl_memory_desc_create_with_tag(
                      runtime.out(), 2, runtime_dims.data(), dnnl_f32, dnnl_ab),
            dnnl_success);
    const auto open = make_desc(dims, dnnl_f32, "any");
    const struct {
        const char *name;
        const_dnnl_memory_desc_t md;
        dnnl_status_t expected;
    } cases[] = {
            {"one axis", vector, dnnl_invalid_arguments},
            {"the zero descriptor", zero, dnnl_invalid_arguments},
            {"a host scalar", host, dnnl_invalid_arguments},
            {"runtime extents", runtime, dnnl_unimplemented},
            {"an open src", open, dnnl_invalid_arguments},
    };
    for (const auto &each : cases) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), cpu_engine(),
                          dnnl_forward_training, each.md, each.md, nullptr, 1e-5f, 0, nullptr),
                each.expected)
                << each.name;
    }
}

TEST(layer_normalization_creation, data_types_that_it_does_not_compute_in_are_unimplemented) {
    for (const auto data_type : {dnnl_s32, dnnl_s64, dnnl_f8_e5m2, dnnl_s4}) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(create_pd(pd, {.data_type = data_type}), dnnl_unimplemented)
                << dnnl_dt2str(data_type);
    }
    for (const auto data_type : {dnnl_s8, dnnl_u8}) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(create_pd(pd, {.prop_kind = dnnl_backward, .data_type = data_type}),
                dnnl_unimplemented)
                << dnnl_dt2str(data_type);
    }
    for (const auto data_type : {dnnl_s32, dnnl_s8, dnnl_f64}) {
        primitive_desc_handle_t pd;
        EXPECT_EQ(create_pd(pd, {.flags = dnnl_use_scale, .scale_shift_type = data_type}),
                dnnl_unimplemented)
                << dnnl_dt2str(data_type);
    }
}

TEST(layer_normalization_creation, attributes_that_it_does_not_honour_are_unimplemented) {
    using setter_t = std::function<dnnl_status_t(dnnl_primitive_attr_t)>;
    const auto with_post_ops = [](const std::function<dnnl_status_t(dnnl_post_ops_t)> &append) {
        return [append](dnnl_primitive_attr_t attr) {
            post_ops_handle_t post_ops;
            require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
            require(append(post_ops), "appending a post-op");
            return dnnl_primitive_attr_set_post_ops(attr, post_ops);
        };
    };
    const std::pair<const char *, setter_t> setters[] = {
            {"scales of floats",
                    [](auto attr) {
                        return dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0);
                    }},
            {"zero points",
                    [](auto attr) {
                        return dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0);
                    }},
            {"sum", with_post_ops([](auto post_ops) {
                 return dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_f32);
             })},
            {"depthwise convolution", with_post_ops([](auto post_ops) {
                 return dnnl_post_ops_append_dw(post_ops, dnnl_f32, dnnl_f32, dnnl_f32, 3, 1, 1);
             })},
            {"accumulation in f16",
                    [](auto attr) {
                        return dnnl_primitive_attr_set_accumulation_mode(
                                attr, dnnl_accumulation_mode_f16);
                    }},
    };
    for (const auto &[name, set] : setters)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            const auto attr = make_attr();
            ASSERT_EQ(set(attr), dnnl_success) << name;
            primitive_desc_handle_t pd;
            EXPECT_EQ(create_pd(pd, {.prop_kind = prop_kind}, attr), dnnl_unimplemented)
                    << name << " in " << dnnl_prop_kind2str(prop_kind);
        }
}

TEST(layer_normalization_creation, backward_takes_no_post_ops) {
    post_ops_handle_t post_ops;
    ASSERT_EQ(dnnl_post_ops_create(post_ops.out()), dnnl_success);
    ASSERT_EQ(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), dnnl_success);
    const auto attr = make_attr();
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, post_ops), dnnl_success);
    primitive_desc_handle_t pd;
    EXPECT_EQ(create_pd(pd, {}, attr), dnnl_success);
    EXPECT_EQ(create_pd(pd, {.prop_kind = dnnl_backward}, attr), dnnl_unimplemented);
}

TEST(layer_normalization_creation, a_post_op_s_operand_must_fit_dst) {
    const struct {
        const char *name;
        dims_t dims;
        dnnl_data_type_t data_type;
    } cases[] = {
            {"fewer axes", {16}, dnnl_f32},
            {"more axes", {1, 4, 16}, dnnl_f32},
            {"doubles", {4, 16}, dnnl_f64},
    };
    for (const auto &each : cases) {
        post_ops_handle_t post_ops;
        ASSERT_EQ(dnnl_post_ops_create(post_ops.out()), dnnl_success);
        ASSERT_EQ(dnnl_post_ops_append_binary(
                          post_ops, dnnl_binary_add, make_desc(each.dims, each.data_type)),
                dnnl_success);
        const auto attr = make_attr();
        ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, post_ops), dnnl_success);
        primitive_desc_handle_t pd;
        EXPECT_EQ(create_pd(pd, {}, attr), dnnl_invalid_arguments) << each.name;
    }
}

TEST(layer_normalization_creation, a_refusal_leaves_the_result_alone) {
    const auto mark = reinterpret_cast<dnnl_primitive_desc_t>(16);
    dnnl_primitive_desc_t pd = mark;
    const auto md = matrix();
    EXPECT_EQ(dnnl_layer_normalization_forward_primitive_desc_create(
                      &pd, cpu_engine(), dnnl_forward, md, md, nullptr, 1e-5f, ~0u, nullptr),
            dnnl_invalid_arguments);
    EXPECT_EQ(pd, mark);
}

} // namespace

} // namespace kiln::test
