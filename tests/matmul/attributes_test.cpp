// SPDX-License-Identifier: Apache-2.0
// Attributes of matrix multiplication that few programs set, against exact sums: scales of dst that
// an execution computes, stochastic rounding, a sum of another type than dst's, precomputed
// reductions; and the argument that no matrix multiplication has.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include <gtest/gtest.h>

#include "support/arguments.hpp"
#include "support/data_type.hpp"
#include "support/implementations.hpp"
#include "support/layout.hpp"
#include "support/random_values.hpp"

namespace kiln::test {
namespace {

// ---- types of 4 and 8 bits ----

struct small_float_t {
    dnnl_data_type_t type;
    int exponent_bits, fraction_bits;
    double largest;

    int bits() const { return 1 + exponent_bits + fraction_bits; }
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    double decoded(int code) const {
        const int fraction = code & ((1 << fraction_bits) - 1);
        const int exponent = code >> fraction_bits & ((1 << exponent_bits) - 1);
        const int implied = exponent > 0 ? 1 << fraction_bits : 0;
        const double value =
                std::ldexp(fraction + implied, std::max(exponent, 1) - bias() - fraction_bits);
        return code >> (bits() - 1) ? -value : value;
    }
    /// Of two nearest values the one with an even code; without a fraction the greater one, unless
    /// the other is 0.
    bool takes_tie(int code, int other) const {
        return fraction_bits > 0 ? code % 2 == 0 && other % 2 == 1 : decoded(other) != 0;
    }
    /// The nearest finite value.
    double nearest(double value) const {
        int best = 0;
        for (int code = 0; code < 1 << bits(); ++code) {
            if (!(std::fabs(decoded(code)) <= largest)) continue;
            const double distance = std::fabs(decoded(code) - value);
            const double least = std::fabs(decoded(best) - value);
            if (distance < least || (distance == least && takes_tie(code, best))) best = code;
        }
        return decoded(best);
    }
};

constexpr small_float_t small_floats[] = {
        {dnnl_f8_e5m2, 5, 2, 57344},
        {dnnl_f8_e4m3, 4, 3, 448},
        {dnnl_f4_e2m1, 2, 1, 6},
        {dnnl_f4_e3m0, 3, 0, 16},
};
constexpr const small_float_t &f8_e4m3 = small_floats[1];

// ---- executions ----

/// A memory and its buffer.
struct buffer_t {
    explicit buffer_t(const_dnnl_memory_desc_t md)
        : bytes(dnnl_memory_desc_get_size(md)) {
        require(dnnl_memory_create(memory.out(), md, cpu_engine(), bytes.data()), "memory");
    }
    buffer_t(const dims_t &dims, dnnl_data_type_t type, const std::vector<double> &values)
        : buffer_t(make_desc(dims, type)) {
        for (size_t i = 0; i < values.size(); ++i)
            encode(type, values[i], bytes.data() + i * size_of(type));
    }
    double decoded(dnnl_data_type_t type, size_t i) const {
        return decode(type, bytes.data() + i * size_of(type));
    }
    /// Element i of a type of 4 or 8 bits; the first of two elements of 4 bits is the low half.
    int code(int bits, size_t i) const {
        return bits == 8 ? std::to_integer<int>(bytes[i])
                         : std::to_integer<int>(bytes[i / 2]) >> (i % 2 * 4) & 15;
    }

    std::vector<std::byte> bytes;
    memory_handle_t memory;
};

/// Matrices whose elements are integers of a few bits, so that sums of products are exact.
struct product_t {
    int64_t rows, depth, columns;
    dnnl_data_type_t src_type, weights_type, dst_type;
    std::vector<double> src, weights;

    product_t(const dims_t &mkn, dnnl_data_type_t src_type, dnnl_data_type_t weights_type,
            dnnl_data_type_t dst_type)
        : rows(mkn[0])
        , depth(mkn[1])
        , columns(mkn[2])
        , src_type(src_type)
        , weights_type(weights_type)
        , dst_type(dst_type)
        , src(integers(rows * depth, src_type == dnnl_u8 ? 0 : -9, 1))
        , weights(integers(depth * columns, -9, 2)) {}

    static std::vector<double> integers(int64_t count, double least, uint64_t seed) {
        auto values = random_values_t(seed).many(count, least, 10);
        for (double &value : values) value = std::floor(value);
        return values;
    }
    primitive_desc_handle_t described(const attr_handle_t &attr, size_t implementation = 0) const {
        primitive_desc_handle_t pd;
        require(dnnl_matmul_primitive_desc_create(pd.out(), cpu_engine(),
                        make_desc({rows, depth}, src_type),
                        make_desc({depth, columns}, weights_type), nullptr,
                        make_desc({rows, columns}, dst_type), attr),
                "descriptor");
        skip_implementations(pd, implementation);
        return pd;
    }
    /// The sums of src x (weights - zero points of columns).
    std::vector<double> sums(const std::vector<double> &zero_points = {}) const {
        std::vector<double> all;
        for (int64_t m = 0; m < rows; ++m)
            for (int64_t n = 0; n < columns; ++n) {
                double sum = 0;
                for (int64_t k = 0; k < depth; ++k)
                    sum += src[m * depth + k]
                           * (weights[k * columns + n]
                                   - (zero_points.empty() ? 0 : zero_points[n]));
                all.push_back(sum);
            }
        return all;
    }
    /// dst after an execution with these arguments besides src and weights; `prior` is its content
    /// before.
    buffer_t executed(const attr_handle_t &attr, const std::map<int, dnnl_memory_t> &others = {},
            size_t implementation = 0, const std::vector<std::byte> &prior = {}) const {
        const buffer_t a({rows, depth}, src_type, src);
        const buffer_t b({depth, columns}, weights_type, weights);
        buffer_t dst(make_desc({rows, columns}, dst_type));
        std::copy(prior.begin(), prior.end(), dst.bytes.begin());
        arguments_t arguments;
        arguments.add(DNNL_ARG_SRC, a.memory).add(DNNL_ARG_WEIGHTS, b.memory);
        arguments.add(DNNL_ARG_DST, dst.memory);
        for (const auto &[arg, memory] : others) arguments.add(arg, memory);
        EXPECT_EQ(arguments.execute(make_primitive(described(attr, implementation))), dnnl_success);
        return dst;
    }
};

// ---- scales of dst that the execution computes ----

attr_handle_t with_dynamic_scales(
        int64_t group, dnnl_data_type_t type, dnnl_quantization_mode_t mode) {
    attr_handle_t attr = make_attr();
    const dims_t groups = {1, group};
    require(dnnl_primitive_attr_set_scales_v3(
                    attr, DNNL_ARG_DST, 3, 2, groups.data(), type, 0, mode),
            "dynamic scales");
    return attr;
}

/// The elements of dst times the scales of their groups are the sums, rounded.
void expect_scaled(const product_t &product, const small_float_t &format, const buffer_t &dst,
        int64_t group, const std::vector<double> &scales) {
    const auto sums = product.sums();
    for (size_t i = 0; i < sums.size(); ++i) {
        const double scaled = sums[i] / scales[i / static_cast<size_t>(group)];
        EXPECT_EQ(format.decoded(dst.code(format.bits(), i)),
                format.nearest(std::clamp(scaled, -format.largest, format.largest)))
                << dnnl_dt2str(format.type) << " element " << i << ", sum " << sums[i];
    }
}

// The scale is 2 to the power of floor(log2(the greatest magnitude)) - floor(log2(dst's greatest)).
TEST(matmul_attributes, dynamic_mx_scales_are_powers_of_two_of_32_elements) {
    for (const small_float_t &format : small_floats) {
        product_t product({2, 8, 64}, dnnl_f32, dnnl_f32, format.type);
        for (double &x : std::span(product.src).first(8)) x /= 64; // rows of unlike size
        for (int64_t k = 0; k < 8; ++k) product.weights[k * 64 + 63] *= 32;
        const buffer_t scales(make_desc({2, 2}, dnnl_e8m0));
        const auto attr = with_dynamic_scales(32, dnnl_e8m0, dnnl_quantization_mode_dynamic_mx);
        const buffer_t dst =
                product.executed(attr, {{DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales.memory}});
        const auto sums = product.sums();
        std::vector<double> expected;
        for (size_t first = 0; first < sums.size(); first += 32) {
            double greatest = 0;
            for (size_t i = 0; i < 32; ++i)
                greatest = std::max(greatest, std::fabs(sums[first + i]));
            const int exponent = std::ilogb(greatest) - std::ilogb(format.largest);
            expected.push_back(std::ldexp(1, exponent));
            EXPECT_EQ(scales.code(8, first / 32), exponent + 127) << dnnl_dt2str(format.type);
        }
        expect_scaled(product, format, dst, 32, expected);
    }
}

TEST(matmul_attributes, dynamic_fp_scales_are_of_f8_e4m3_and_of_16_elements) {
    for (const small_float_t &format : small_floats) {
        const product_t product({2, 8, 32}, dnnl_f32, dnnl_f32, format.type);
        const buffer_t scales(make_desc({2, 2}, dnnl_f8_e4m3));
        const auto attr = with_dynamic_scales(16, dnnl_f8_e4m3, dnnl_quantization_mode_dynamic_fp);
        const buffer_t dst =
                product.executed(attr, {{DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales.memory}});
        const auto sums = product.sums();
        std::vector<double> expected;
        for (size_t first = 0; first < sums.size(); first += 16) {
            double greatest = 0;
            for (size_t i = 0; i < 16; ++i)
                greatest = std::max(greatest, std::fabs(sums[first + i]));
            expected.push_back(std::max(f8_e4m3.nearest(greatest / format.largest), 0x1p-9));
            EXPECT_EQ(f8_e4m3.decoded(scales.code(8, first / 16)), expected.back())
                    << dnnl_dt2str(format.type);
        }
        expect_scaled(product, format, dst, 16, expected);
    }
}

TEST(matmul_attributes, dynamic_scales_of_zeros_give_zeros) {
    for (const auto mode : {dnnl_quantization_mode_dynamic_mx, dnnl_quantization_mode_dynamic_fp}) {
        const bool is_mx = mode == dnnl_quantization_mode_dynamic_mx;
        const int64_t group = is_mx ? 32 : 16;
        const dnnl_data_type_t type = is_mx ? dnnl_e8m0 : dnnl_f8_e4m3;
        product_t product({1, 4, 32}, dnnl_f32, dnnl_f32, dnnl_f8_e5m2);
        std::fill(product.src.begin(), product.src.end(), 0);
        const buffer_t scales(make_desc({1, 32 / group}, type));
        const buffer_t dst = product.executed(with_dynamic_scales(group, type, mode),
                {{DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales.memory}});
        for (size_t i = 0; i < 32; ++i) EXPECT_EQ(dst.code(8, i) & 127, 0) << i;
    }
}

// ---- stochastic rounding ----

struct rounded_type_t {
    dnnl_data_type_t type;
    int fraction_bits;
    int one; // the code of 1; that of the next greater value follows
};

// 64 rows of numbers between 1 and its successor: column j is j / 64 of the way.
TEST(matmul_attributes, stochastic_rounding_goes_up_as_often_as_the_value_is_near) {
    for (const rounded_type_t &to : {rounded_type_t{dnnl_bf16, 7, 0x3f80}, {dnnl_f16, 10, 0x3c00},
                 {dnnl_f8_e5m2, 2, 0x3c}, {dnnl_f8_e4m3, 3, 0x38}}) {
        product_t product({64, 1, 64}, dnnl_f32, dnnl_f32, to.type);
        std::fill(product.src.begin(), product.src.end(), 1);
        for (int j = 0; j < 64; ++j) product.weights[j] = 1 + std::ldexp(j, -6 - to.fraction_bits);
        const attr_handle_t attr = make_attr();
        require(dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic),
                "rounding mode");
        const size_t size = product.src.size() * 64;
        const auto with_seed = [&](int seed) {
            const buffer_t value({1}, dnnl_s32, {double(seed)});
            return product.executed(attr, {{DNNL_ARG_ATTR_ROUNDING_SEED, value.memory}});
        };
        const buffer_t dst = with_seed(7);
        int ups[4] = {}; // in each quarter of the columns
        for (size_t i = 0; i < size; ++i) {
            int code = dst.code(8, to.fraction_bits > 3 ? 2 * i : i);
            if (to.fraction_bits > 3) code |= dst.code(8, 2 * i + 1) << 8;
            ASSERT_TRUE(code == to.one || code == to.one + 1) << dnnl_dt2str(to.type) << " " << i;
            EXPECT_TRUE(code == to.one || i % 64 != 0) << "a value of the type changed";
            ups[i % 64 / 16] += code - to.one;
        }
        // Each quarter: 64 rows of 16 columns whose fractions are (16 q + j) / 64.
        for (int q = 0; q < 4; ++q)
            EXPECT_NEAR(ups[q], 16 * 16 * q + 120, 70) << dnnl_dt2str(to.type) << " " << q;
        EXPECT_EQ(dst.bytes, with_seed(7).bytes);
        EXPECT_NE(dst.bytes, with_seed(8).bytes);
        EXPECT_EQ(product.executed(attr).bytes, with_seed(0).bytes) << "a seed that is absent";
    }
}

// ---- a sum of another type ----

struct sum_t {
    dnnl_data_type_t src, weights, dst, prior;
    double least, step; // of the content of dst
    int zero_point;
};

TEST(matmul_attributes, a_sum_reads_dst_as_elements_of_its_own_type) {
    for (const sum_t &sum : {sum_t{dnnl_s8, dnnl_s8, dnnl_s8, dnnl_u8, 0, 1, 3},
                 {dnnl_u8, dnnl_s8, dnnl_u8, dnnl_s8, -128, 1, -5},
                 {dnnl_f32, dnnl_f32, dnnl_f32, dnnl_s32, -70000, 1001, 0},
                 {dnnl_bf16, dnnl_bf16, dnnl_bf16, dnnl_f16, -1000, 7, 0}}) {
        const product_t product({6, 4, 37}, sum.src, sum.weights, sum.dst);
        std::vector<double> prior(6 * 37);
        for (size_t i = 0; i < prior.size(); ++i)
            prior[i] = sum.least + sum.step * static_cast<double>(i);
        const buffer_t before({6, 37}, sum.prior, prior);
        post_ops_handle_t post_ops;
        require(dnnl_post_ops_create(post_ops.out()), "post-ops");
        require(dnnl_post_ops_append_sum(post_ops, 0.5f, sum.zero_point, sum.prior), "sum");
        const attr_handle_t attr = make_attr();
        require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
        const auto names = implementation_names(product.described(attr));
        for (size_t i = 0; i < names.size(); ++i) {
            const buffer_t dst = product.executed(attr, {}, i, before.bytes);
            const auto sums = product.sums();
            for (size_t e = 0; e < sums.size(); ++e)
                EXPECT_EQ(dst.decoded(sum.dst, e),
                        rounded(sum.dst, sums[e] + 0.5 * (prior[e] - sum.zero_point)))
                        << names[i] << " " << dnnl_dt2str(sum.dst) << " element " << e;
        }
    }
}

TEST(matmul_attributes, integers_that_are_added_saturate_once) {
    constexpr double least = INT32_MIN, greatest = INT32_MAX;
    constexpr double values[] = {greatest, 0x1000001, least, -7, greatest - 300, least + 300};
    for (const auto &[rows, columns] : {std::pair(29, 83), {1, 40}, {64, 5}})
        for (const dnnl_data_type_t src : {dnnl_u8, dnnl_s8})
            for (const double zero_point : {0.0, 250.0, greatest, least}) {
                const product_t product({rows, 37, columns}, src, dnnl_s8, dnnl_s32);
                const std::vector<double> sums = product.sums();
                std::vector<double> prior(sums.size());
                for (size_t i = 0; i < prior.size(); ++i) prior[i] = values[i * 5 / 3 % 6];
                const buffer_t before({rows, columns}, dnnl_s32, prior);
                const buffer_t zero({1}, dnnl_s32, {zero_point});
                post_ops_handle_t post_ops;
                require(dnnl_post_ops_create(post_ops.out()), "post-ops");
                require(dnnl_post_ops_append_sum(post_ops, 1, 0, dnnl_data_type_undef), "sum");
                const attr_handle_t attr = make_attr();
                require(dnnl_primitive_attr_set_post_ops(attr, post_ops), "post-ops");
                std::map<int, dnnl_memory_t> others;
                if (zero_point != 0) {
                    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_DST, 0),
                            "zero point");
                    others[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST] = zero.memory;
                }
                const auto names = implementation_names(product.described(attr));
                for (size_t i = 0; i < names.size(); ++i) {
                    const buffer_t dst = product.executed(attr, others, i, before.bytes);
                    for (size_t e = 0; e < sums.size(); ++e)
                        EXPECT_EQ(dst.decoded(dnnl_s32, e),
                                std::clamp(sums[e] + prior[e] + zero_point, least, greatest))
                                << names[i] << " element " << e << " of " << rows << "x" << columns;
                }
            }
}

// ---- reductions ----

TEST(matmul_attributes, precomputed_reductions_change_no_result) {
    const product_t product({3, 32, 16}, dnnl_u8, dnnl_s8, dnnl_f32);
    const std::vector<double> zero_points = product_t::integers(16, -9, 3);
    std::vector<double> reductions(3);
    for (size_t i = 0; i < product.src.size(); ++i) reductions[i / 32] += product.src[i];
    const buffer_t zeros({16}, dnnl_s32, zero_points), sums({3, 1}, dnnl_s32, reductions);
    const attr_handle_t attr = make_attr();
    const dims_t groups = {1, 32};
    require(dnnl_primitive_attr_set_zero_points_mask(attr, DNNL_ARG_WEIGHTS, 2), "zero points");
    require(dnnl_primitive_attr_set_precomputed_reductions(
                    attr, DNNL_ARG_SRC, 3, 2, groups.data(), dnnl_s32),
            "precomputed reductions");
    const int arg = DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | DNNL_ARG_SRC;
    const auto pd = product.described(attr);
    EXPECT_NE(dnnl_memory_desc_equal(chosen_desc(pd, arg), make_desc({3, 1}, dnnl_s32)), 0);
    const auto names = implementation_names(product.described(attr));
    for (size_t i = 0; i < names.size(); ++i) {
        const buffer_t dst = product.executed(attr,
                {{DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, zeros.memory}, {arg, sums.memory}},
                i);
        const auto truth = product.sums(zero_points);
        for (size_t e = 0; e < truth.size(); ++e)
            EXPECT_EQ(dst.decoded(dnnl_f32, e), truth[e]) << names[i] << " element " << e;
    }
}

TEST(matmul_attributes, no_matmul_has_the_argument_reduce) {
    const product_t product({4, 8, 16}, dnnl_f32, dnnl_f32, dnnl_f32);
    const attr_handle_t attr = make_attr();
    int ndims = -1;
    require(dnnl_memory_desc_query(dnnl_primitive_desc_query_md(product.described(attr),
                                           dnnl_query_exec_arg_md, DNNL_ARG_REDUCE),
                    dnnl_query_ndims_s32, &ndims),
            "query");
    EXPECT_EQ(ndims, 0);
    const buffer_t reduce({4, 1}, dnnl_f32, {7, 7, 7, 7});
    const buffer_t dst = product.executed(attr, {{DNNL_ARG_REDUCE, reduce.memory}});
    const auto sums = product.sums();
    for (size_t e = 0; e < sums.size(); ++e) EXPECT_EQ(dst.decoded(dnnl_f32, e), sums[e]) << e;
    for (size_t e = 0; e < 4; ++e) EXPECT_EQ(reduce.decoded(dnnl_f32, e), 7);
}

} // namespace
} // namespace kiln::test
