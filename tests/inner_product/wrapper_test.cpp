// SPDX-License-Identifier: Apache-2.0
// Inner products through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

TEST(wrapper_inner_product, gives_outputs_and_gradients) {
    const engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    const auto made = [&](const memory::dims &dims, const std::vector<float> &values) {
        const memory result({dims, dt::f32, dims.size() == 1 ? tag::a : tag::ab}, cpu);
        std::copy(values.begin(), values.end(), static_cast<float *>(result.get_data_handle()));
        return result;
    };
    const auto values = [](const memory &m) {
        const auto *data = static_cast<const float *>(m.get_data_handle());
        return std::vector<float>(data, data + m.get_desc().get_size() / sizeof(float));
    };
    const memory src = made({2, 2}, {1, 2, 3, 4}), weights = made({1, 2}, {10, 100}),
                 bias = made({1}, {1000}), dst = made({2, 1}, {0, 0});
    const inner_product_forward::primitive_desc forward(cpu, prop_kind::forward_training,
            src.get_desc(), weights.get_desc(), bias.get_desc(), dst.get_desc());
    inner_product_forward(forward).execute(
            queue, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_BIAS, bias},
                           {DNNL_ARG_DST, dst}});
    EXPECT_EQ(values(dst), (std::vector<float>{1210, 1430}));
    const memory diff_dst = made({2, 1}, {1, 2}), diff_src = made({2, 2}, {0, 0, 0, 0}),
                 diff_weights = made({1, 2}, {0, 0}), diff_bias = made({1}, {0});
    const inner_product_backward_data::primitive_desc by_data(
            cpu, diff_src.get_desc(), weights.get_desc(), diff_dst.get_desc(), forward);
    inner_product_backward_data(by_data).execute(
            queue, {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_WEIGHTS, weights},
                           {DNNL_ARG_DIFF_SRC, diff_src}});
    EXPECT_EQ(values(diff_src), (std::vector<float>{10, 100, 20, 200}));
    const inner_product_backward_weights::primitive_desc by_weights(cpu, src.get_desc(),
            diff_weights.get_desc(), diff_bias.get_desc(), diff_dst.get_desc(), forward);
    inner_product_backward_weights(by_weights)
            .execute(queue, {{DNNL_ARG_DIFF_DST, diff_dst}, {DNNL_ARG_SRC, src},
                                    {DNNL_ARG_DIFF_WEIGHTS, diff_weights},
                                    {DNNL_ARG_DIFF_BIAS, diff_bias}});
    EXPECT_EQ(values(diff_weights), (std::vector<float>{7, 10}));
    EXPECT_EQ(values(diff_bias), (std::vector<float>{3}));
    EXPECT_EQ(status_of([&] { inner_product_backward_data::primitive_desc(forward.get()); }),
            dnnl_invalid_arguments);
}
