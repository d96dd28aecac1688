// SPDX-License-Identifier: Apache-2.0
// Reorders with what only the inside can say: derivatives as post-ops, so that the backward pass of
// an elementwise function is a reorder of its operand; and a src that is broadcast.
#include <gtest/gtest.h>

#include "common/operations/reorder_pd.hpp"
#include "cpu/eltwise_scalar.hpp"
#include "support/arguments.hpp"
#include "support/internal_primitive_desc.hpp"
#include "support/random_values.hpp"
#include "support/tensor.hpp"

namespace kiln::test {

namespace {

reorder_desc_t desc_of(const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst) {
    return {*src, *dst, dnnl_cpu, dnnl_cpu, engine_ref_t(cpu_engine()), engine_ref_t(cpu_engine())};
}

/// diff_src = derivative(src) * diff_dst
attr_handle_t backward_attr(const eltwise_post_op_t &function, const_dnnl_memory_desc_t diff_dst) {
    attr_handle_t attr = make_attr();
    auto &entries = (*attr).post_ops.entries;
    entries.push_back(function);
    const auto *eltwise = std::get_if<eltwise_post_op_t>(&entries.back());
    EXPECT_TRUE(eltwise->is_derivative);
    post_ops_handle_t mul;
    require(dnnl_post_ops_create(mul.out()), "post-ops");
    require(dnnl_post_ops_append_binary(mul, dnnl_binary_mul, diff_dst), "mul");
    entries.push_back((*mul).entries.front());
    return attr;
}

TEST(reorder_superset, is_the_gradient_of_an_elementwise_function) {
    const dims_t dims{3, 16, 37};
    for (const auto alg : {dnnl_eltwise_relu, dnnl_eltwise_gelu_erf, dnnl_eltwise_swish,
                 dnnl_eltwise_logistic_use_dst_for_bwd, dnnl_eltwise_clip, dnnl_eltwise_abs})
        for (const char *format : {"abc", "acb", "aBc16b", "abc+5"}) {
            tensor_t src(make_desc(dims, dnnl_f32, format)),
                    diff_dst(make_desc(dims, dnnl_f32, format));
            tensor_t diff_src(make_desc(dims, dnnl_f32, format));
            src.fill(random_values_t(3).many(src.elements(), -3, 3));
            diff_dst.fill(random_values_t(4).many(src.elements(), -3, 3));
            const auto attr = backward_attr({alg, 0.5f, 0.75f, true}, diff_dst.desc());
            const auto desc = desc_of(src.desc(), diff_src.desc());
            const auto names = implementation_names(accepted_internal<reorder_pd_t>(desc, attr));
            if (generates_kernels()) {
                EXPECT_EQ(names.front(), "jit:rows");
            }
            for (size_t i = 0; i < names.size(); ++i) {
                const auto pd = accepted_internal<reorder_pd_t>(desc, attr, i);
                ASSERT_EQ(arguments_t()
                                  .add(DNNL_ARG_FROM, src.memory())
                                  .add(DNNL_ARG_TO, diff_src.memory())
                                  .add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1,
                                          diff_dst.memory())
                                  .execute(make_primitive(pd)),
                        dnnl_success);
                EXPECT_TRUE(diff_src.is_tidy());
                const auto x = src.values(), dy = diff_dst.values(), dx = diff_src.values();
                for (size_t k = 0; k < x.size(); ++k) {
                    const double slope = static_cast<double>(
                            eltwise_derivative(alg, static_cast<float>(x[k]), 0.5f, 0.75f));
                    ASSERT_NEAR(dx[k], slope * dy[k], 3e-6)
                            << names[i] << " " << format << " of " << x[k] << " algorithm " << alg;
                }
            }
        }
}

TEST(reorder_superset, describes_derivatives_apart_from_functions) {
    const auto desc = desc_of(make_desc({4}, dnnl_f32), make_desc({4}, dnnl_f32));
    attr_handle_t function = make_attr(), derivative = make_attr();
    (*function).post_ops.entries.push_back(eltwise_post_op_t{dnnl_eltwise_relu, 0, 0});
    (*derivative).post_ops.entries.push_back(eltwise_post_op_t{dnnl_eltwise_relu, 0, 0, true});
    const auto one = accepted_internal<reorder_pd_t>(desc, function);
    const auto other = accepted_internal<reorder_pd_t>(desc, derivative);
    EXPECT_FALSE((*one).pd->same_primitive(*(*other).pd));
    EXPECT_NE(info_of(other).find("eltwise_relu_derivative"), std::string::npos);
}

TEST(reorder_superset, broadcasts_src) {
    const dims_t dims{3, 16, 37};
    for (const dims_t &strides : {dims_t{0, 0, 1}, dims_t{0, 1, 0}, dims_t{1, 0, 0},
                 dims_t{0, 0, 0}, dims_t{37, 0, 1}}) {
        tensor_t dst(make_desc(dims, dnnl_f32));
        tensor_t operand(make_desc(dims, dnnl_f32));
        operand.fill(random_values_t(9).many(dst.elements(), -3, 3));
        const auto src_desc = make_desc(dims, dnnl_f32, strides);
        std::vector<float> values(128);
        for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.25f;
        memory_handle_t src;
        require(dnnl_memory_create(src.out(), src_desc, cpu_engine(), values.data()), "memory");
        attr_handle_t attr = make_attr();
        post_ops_handle_t add;
        require(dnnl_post_ops_create(add.out()), "post-ops");
        require(dnnl_post_ops_append_binary(add, dnnl_binary_add, operand.desc()), "add");
        require(dnnl_primitive_attr_set_post_ops(attr, add), "post-ops");
        const auto desc = desc_of(src_desc, dst.desc());
        const auto names = implementation_names(accepted_internal<reorder_pd_t>(desc, attr));
        if (generates_kernels()) {
            EXPECT_EQ(names.front(), "jit:rows");
        }
        for (size_t i = 0; i < names.size(); ++i) {
            const auto pd = accepted_internal<reorder_pd_t>(desc, attr, i);
            ASSERT_EQ(arguments_t()
                              .add(DNNL_ARG_FROM, src)
                              .add(DNNL_ARG_TO, dst.memory())
                              .add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                                      operand.memory())
                              .execute(make_primitive(pd)),
                    dnnl_success);
            for_each_index(dims, [&](const dims_t &at) {
                const auto place = static_cast<size_t>(
                        at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]);
                ASSERT_EQ(dst.value(at),
                        static_cast<double>(values[place] + static_cast<float>(operand.value(at))))
                        << names[i] << " at " << index_text(at);
            });
        }
    }
}

} // namespace

} // namespace kiln::test
