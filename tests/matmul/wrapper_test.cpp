// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication through the C++ interface. Calls the C++ interface only.
#include "oneapi/dnnl/dnnl.hpp"

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl;
using kiln::test::status_of;
using desc = memory::desc;
using dt = memory::data_type;
using tag = memory::format_tag;

class wrapper_matmul : public testing::Test {
protected:
    /// The values as a memory of the type.
    memory made(const memory::dims &dims, dt type, const std::vector<float> &values) {
        memory floats({dims, dt::f32, tag::ab}, cpu_), result({dims, type, tag::ab}, cpu_);
        std::copy(values.begin(), values.end(), static_cast<float *>(floats.get_data_handle()));
        reorder(floats, result).execute(stream_, floats, result);
        stream_.wait();
        return result;
    }

    const engine cpu_{engine::kind::cpu, 0};
    stream stream_{cpu_};
};

TEST_F(wrapper_matmul, multiplies) {
    const memory src = made({2, 2}, dt::f32, {1, 2, 3, 4});
    const memory weights = made({2, 2}, dt::f32, {5, 6, 7, 8});
    const memory bias = made({1, 2}, dt::f32, {100, 200});
    const memory dst = made({2, 2}, dt::f32, {0, 0, 0, 0});
    const matmul::primitive_desc pd(
            cpu_, src.get_desc(), weights.get_desc(), bias.get_desc(), dst.get_desc());
    matmul(pd).execute(stream_, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                        {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    stream_.wait();
    const auto *y = static_cast<const float *>(dst.get_data_handle());
    EXPECT_EQ(std::vector<float>(y, y + 4), (std::vector<float>{119, 222, 143, 250}));
    EXPECT_EQ(pd.get_kind(), primitive::kind::matmul);
    EXPECT_EQ(pd.bias_desc(), bias.get_desc());
    EXPECT_EQ(matmul::primitive_desc(pd.get()).dst_desc(), dst.get_desc());
}

TEST_F(wrapper_matmul, decompresses_weights_of_half_a_byte) {
    for (const auto type : {dt::s4, dt::u4, dt::f4_e2m1}) {
        const memory src = made({1, 2}, dt::f32, {1, 2});
        const memory weights = made({2, 2}, type, {1, 2, 3, 4});
        const memory dst = made({1, 2}, dt::f32, {0, 0});
        primitive_attr attr;
        attr.set_fpmath_mode(fpmath_mode::any, true);
        const matmul::primitive_desc pd(
                cpu_, src.get_desc(), weights.get_desc(), dst.get_desc(), attr);
        matmul(pd).execute(
                stream_, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
        stream_.wait();
        const auto *y = static_cast<const float *>(dst.get_data_handle());
        EXPECT_EQ(y[0], 7);
        EXPECT_EQ(y[1], 10);
    }
}

TEST_F(wrapper_matmul, multiplies_elements_of_8_bits) {
    for (const auto type : {dt::f8_e5m2, dt::f8_e4m3}) {
        const memory src = made({1, 2}, type, {1, 2});
        const memory weights = made({2, 2}, type, {1, 2, 3, 4});
        const memory dst = made({1, 2}, dt::f32, {0, 0});
        const matmul::primitive_desc pd(cpu_, src.get_desc(), weights.get_desc(), dst.get_desc());
        matmul(pd).execute(
                stream_, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
        stream_.wait();
        const auto *y = static_cast<const float *>(dst.get_data_handle());
        EXPECT_EQ(y[0], 7);
        EXPECT_EQ(y[1], 10);
    }
}

TEST_F(wrapper_matmul, of_nothing_throws_or_is_empty) {
    const desc good({2, 2}, dt::f32, tag::ab), bad({3, 3}, dt::f32, tag::ab);
    EXPECT_EQ(status_of([&] { matmul::primitive_desc(cpu_, good, bad, good); }),
            dnnl_invalid_arguments);
    EXPECT_FALSE(matmul::primitive_desc(cpu_, good, bad, good, primitive_attr(), true));
    EXPECT_FALSE(matmul());
}

TEST_F(wrapper_matmul, takes_rows_and_columns_that_lie_at_one_place) {
    constexpr memory::dim m = 3, k = 20, n = 5;
    const memory::dims steps[] = {{1, 0}, {0, 1}, {0, 0}, {0, 2}, {7, 0}};
    const auto strided = [&](const memory::dims &dims, const memory::dims &strides) {
        memory made(desc(dims, dt::f32, strides), cpu_);
        auto *const values = static_cast<float *>(made.get_data_handle());
        const size_t count = made.get_desc().get_size() / sizeof(float);
        for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 9) - 4;
        return made;
    };
    const auto value = [](const memory &from, const memory::dims &strides, memory::dim row,
                               memory::dim column) {
        return static_cast<const float *>(
                from.get_data_handle())[row * strides[0] + column * strides[1]];
    };
    for (const memory::dims &a : {steps[0], steps[1], steps[2], steps[3], {k, 1}})
        for (const memory::dims &b : {steps[0], steps[1], steps[2], steps[4], {n, 1}, {1, k}}) {
            const memory src = strided({m, k}, a), weights = strided({k, n}, b);
            const memory dst({{m, n}, dt::f32, tag::ab}, cpu_);
            const matmul::primitive_desc pd(
                    cpu_, src.get_desc(), weights.get_desc(), dst.get_desc());
            matmul(pd).execute(stream_,
                    {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}});
            stream_.wait();
            for (memory::dim i = 0; i < m; ++i)
                for (memory::dim j = 0; j < n; ++j) {
                    float sum = 0;
                    for (memory::dim l = 0; l < k; ++l)
                        sum += value(src, a, i, l) * value(weights, b, l, j);
                    EXPECT_EQ(value(dst, {n, 1}, i, j), sum)
                            << a[0] << "x" << a[1] << " by " << b[0] << "x" << b[1];
                }
        }
}
