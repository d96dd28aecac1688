// SPDX-License-Identifier: Apache-2.0
// What can be asked of a reorder's descriptor, and what it refuses.

#include "reorder/reorder_call.hpp"
#include "support/desc_checks.hpp"
#include "support/implementations.hpp"

namespace kiln::test {
namespace {

TEST(reorder_desc, answers_queries) {
    const auto src = make_desc({2, 17, 3, 4}, dnnl_f32, "abcd");
    const auto dst = make_desc({2, 17, 3, 4}, dnnl_s8, "aBcd16b");
    const attr_handle_t attr = make_attr();
    require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_TO, 2), "scales");
    engine_handle_t other_engine;
    require(dnnl_engine_create(other_engine.out(), dnnl_cpu, 0), "dnnl_engine_create");
    primitive_desc_handle_t pd;
    ASSERT_EQ(dnnl_reorder_primitive_desc_create(
                      pd.out(), src, cpu_engine(), dst, other_engine, attr),
            dnnl_success);

    const auto md = [&](dnnl_query_t what, int index) {
        return dnnl_primitive_desc_query_md(pd, what, index);
    };
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_src_md, 0), src));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_dst_md, 0), dst));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_FROM), src));
    EXPECT_TRUE(dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_TO), dst));
    EXPECT_TRUE(
            dnnl_memory_desc_equal(md(dnnl_query_exec_arg_md, DNNL_ARG_ATTR_SCALES | DNNL_ARG_TO),
                    make_desc({1, 17, 1, 1}, dnnl_f32)));
    EXPECT_EQ(layout_t(src).dims().size(), 4u);
    EXPECT_EQ(dnnl_memory_desc_get_size(md(dnnl_query_weights_md, 0)), 0u);
    expect_arguments(pd, 1, 1);

    EXPECT_EQ(answer<dnnl_engine_t>(pd, dnnl_query_reorder_src_engine), cpu_engine());
    EXPECT_EQ(answer<dnnl_engine_t>(pd, dnnl_query_reorder_dst_engine), other_engine);
    EXPECT_EQ(answer<dnnl_primitive_kind_t>(pd, dnnl_query_primitive_kind), dnnl_reorder);
    dnnl_prop_kind_t prop_kind;
    EXPECT_EQ(
            dnnl_primitive_desc_query(pd, dnnl_query_prop_kind, 0, &prop_kind), dnnl_unimplemented);
    EXPECT_EQ(implementation_name(pd), generates_kernels() ? "jit:strided_rows" : "ref:any");
    while (dnnl_primitive_desc_next_impl(pd) == dnnl_success) {
    }
    EXPECT_EQ(dnnl_primitive_desc_next_impl(pd), dnnl_last_impl_reached);
}

TEST(reorder_desc, refuses_null_pointers) {
    const auto md = make_desc({2, 3}, dnnl_f32);
    dnnl_primitive_desc_t pd = nullptr;
    const auto create = dnnl_reorder_primitive_desc_create;
    EXPECT_EQ(create(nullptr, md, cpu_engine(), md, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(
            create(&pd, nullptr, cpu_engine(), md, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(create(&pd, md, nullptr, md, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(
            create(&pd, md, cpu_engine(), nullptr, cpu_engine(), nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(create(&pd, md, cpu_engine(), md, nullptr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(pd, nullptr);
}

dnnl_status_t status_of_reorder(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst) {
    primitive_desc_handle_t pd;
    return create_reorder(pd, src, dst);
}

TEST(reorder_desc, refuses_tensors_that_do_not_fit) {
    const auto md = make_desc({2, 3}, dnnl_f32);
    EXPECT_EQ(status_of_reorder(md, make_desc({3, 2}, dnnl_f32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(md, make_desc({2, 3, 1}, dnnl_f32)), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(make_desc({2, 3}, dnnl_f32, "any"), md), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(md, make_desc({2, 3}, dnnl_f32, "any")), dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(md, make_desc({2, 3}, dnnl_f32, dims_t{0, 1})),
            dnnl_invalid_arguments);
    EXPECT_EQ(status_of_reorder(make_desc({2, 3}, dnnl_f32, dims_t{0, 1}), md), dnnl_success);

    const auto open = make_desc({DNNL_RUNTIME_DIM_VAL, 3}, dnnl_f32,
            dims_t{DNNL_RUNTIME_DIM_VAL, DNNL_RUNTIME_DIM_VAL});
    EXPECT_EQ(status_of_reorder(open, md), dnnl_invalid_arguments);

    EXPECT_EQ(status_of_reorder(make_desc({2, 3}, dnnl_s64), md), dnnl_unimplemented);
    memory_desc_handle_t packed, scalar;
    const dims_t dims = {2, 3};
    require(dnnl_memory_desc_create_with_packed_encoding(packed.out(), 2, dims.data(), dnnl_f32, 3),
            "dnnl_memory_desc_create_with_packed_encoding");
    EXPECT_EQ(status_of_reorder(md, packed), dnnl_unimplemented);
    require(dnnl_memory_desc_create_host_scalar(scalar.out(), dnnl_f32), "host scalar");
    EXPECT_EQ(status_of_reorder(scalar, make_desc({1}, dnnl_f32)), dnnl_unimplemented);
}

template <typename setter_t>
dnnl_status_t status_with(dnnl_data_type_t src_type, dnnl_data_type_t dst_type, setter_t &&set) {
    const attr_handle_t attr = make_attr();
    set(attr);
    primitive_desc_handle_t pd;
    return create_reorder(pd, make_desc({4, 6}, src_type), make_desc({4, 6}, dst_type), attr);
}

TEST(reorder_desc, refuses_zero_points_of_floats) {
    const auto set = [](int arg) {
        return [arg](dnnl_primitive_attr_t attr) {
            require(dnnl_primitive_attr_set_zero_points_mask(attr, arg, 0), "zero points");
        };
    };
    EXPECT_EQ(status_with(dnnl_f32, dnnl_s8, set(DNNL_ARG_FROM)), dnnl_invalid_arguments);
    EXPECT_EQ(status_with(dnnl_s8, dnnl_f32, set(DNNL_ARG_TO)), dnnl_invalid_arguments);
    EXPECT_EQ(status_with(dnnl_s8, dnnl_f32, set(DNNL_ARG_FROM)), dnnl_success);
    EXPECT_EQ(status_with(dnnl_f32, dnnl_s32, set(DNNL_ARG_TO)), dnnl_success);
}

TEST(reorder_desc, refuses_attributes_it_does_not_honour) {
    const auto refused = [](auto &&set) {
        return status_with(dnnl_s8, dnnl_f32, set) == dnnl_unimplemented;
    };
    struct groups_t {
        int mask;
        dnnl_dim_t extent;
    };
    for (const groups_t &g : {groups_t{3, 4}, {1, 2}, {3, 12}}) {
        const dnnl_dims_t groups = {1, g.extent}; // of an extent of 6
        EXPECT_TRUE(refused([&](dnnl_primitive_attr_t attr) {
            require(dnnl_primitive_attr_set_scales(
                            attr, DNNL_ARG_FROM, g.mask, 2, groups, dnnl_f32),
                    "");
        }));
        EXPECT_TRUE(refused([&](dnnl_primitive_attr_t attr) {
            require(dnnl_primitive_attr_set_zero_points(
                            attr, DNNL_ARG_FROM, g.mask, 2, groups, dnnl_s32),
                    "");
        }));
    }
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        const dnnl_dims_t groups = {1, 2};
        require(dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_TO, 3, 2, groups, dnnl_e8m0, 0,
                        dnnl_quantization_mode_dynamic_mx),
                "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, 0), "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_FROM, 4), "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_WEIGHTS, 0), "");
    }));
    EXPECT_TRUE(refused([](dnnl_primitive_attr_t attr) {
        require(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic),
                "");
    }));
}

template <typename append_t> dnnl_status_t status_with_post_ops(append_t &&append) {
    return status_with(dnnl_s8, dnnl_f32, [&](dnnl_primitive_attr_t attr) {
        post_ops_handle_t post_ops;
        require(dnnl_post_ops_create(post_ops.out()), "dnnl_post_ops_create");
        append(static_cast<dnnl_post_ops_t>(post_ops));
        require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "set_post_ops");
    });
}

TEST(reorder_desc, takes_sum_eltwise_and_binary_post_ops) {
    const auto sum = [](dnnl_post_ops_t post_ops, dnnl_data_type_t type) {
        require(dnnl_post_ops_append_sum(post_ops, 1, 0, type), "dnnl_post_ops_append_sum");
    };
    const auto eltwise = [](dnnl_post_ops_t post_ops) {
        require(dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0), "relu");
    };
    EXPECT_EQ(
            status_with_post_ops([&](auto ops) { sum(ops, dnnl_data_type_undef); }), dnnl_success);
    EXPECT_EQ(status_with_post_ops([&](auto ops) { sum(ops, dnnl_f32); }), dnnl_success);
    EXPECT_EQ(status_with_post_ops([&](auto ops) { sum(ops, dnnl_s32); }), dnnl_unimplemented);
    EXPECT_EQ(status_with_post_ops([&](auto ops) {
        sum(ops, dnnl_f32);
        eltwise(ops);
        sum(ops, dnnl_f32);
    }),
            dnnl_success);
    EXPECT_EQ(status_with_post_ops(
                      [&](auto ops) { require(dnnl_post_ops_append_prelu(ops, 0), "prelu"); }),
            dnnl_success);
    EXPECT_EQ(status_with_post_ops([&](auto ops) {
        require(dnnl_post_ops_append_prelu(ops, 1 << DNNL_MAX_NDIMS), "prelu");
    }),
            dnnl_invalid_arguments);
}

} // namespace
} // namespace kiln::test
