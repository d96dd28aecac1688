// SPDX-License-Identifier: Apache-2.0
// PReLU and its gradients against long double: every implementation, broadcast, type and kind of
// layout; in place, special values; the same bits for any number of threads.
#include <cmath>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/execution_checks.hpp"
#include "support/finite_differences.hpp"
#include "support/post_op_functions.hpp"
#include "support/random_values.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::prelu_operation {

namespace {

struct problem_t {
    bool is_forward = true;
    dims_t dims = {3, 21, 7};
    int mask = 2; // of the axes along which weights differ
    dnnl_data_type_t type = dnnl_f32, weights_type = dnnl_f32;
    std::string src_format = "", weights_format = "any", format = "any"; // of results and diff_dst
    bool in_place = false;

    int result_arg() const { return is_forward ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
    dims_t weights_dims() const {
        dims_t weights = dims;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            if (!(mask >> axis & 1)) weights[axis] = 1;
        return weights;
    }
    /// The place of an element's weight in row-major order.
    size_t weight_of(const dims_t &index) const {
        int64_t place = 0;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            if (mask >> axis & 1) place = place * dims[axis] + index[axis];
        return static_cast<size_t>(place);
    }
};

std::string to_string(const problem_t &p) {
    return std::string(p.is_forward ? "forward " : "backward ") + dnnl_dt2str(p.type) + ":"
           + dnnl_dt2str(p.weights_type) + " " + test::to_string(p.dims) + " mask "
           + std::to_string(p.mask) + " " + p.src_format + ":" + p.weights_format + " to "
           + p.format + (p.in_place ? " in place" : "");
}

primitive_desc_handle_t describe(const problem_t &p, size_t implementation = 0) {
    const auto src = make_desc(p.dims, p.type, p.src_format);
    const auto weights = make_desc(p.weights_dims(), p.weights_type, p.weights_format);
    const auto other = make_desc(p.dims, p.type, p.format);
    primitive_desc_handle_t pd;
    if (p.is_forward)
        require(dnnl_prelu_forward_primitive_desc_create(pd.out(), cpu_engine(),
                        dnnl_forward_training, src, weights, other, nullptr),
                to_string(p));
    else
        require(dnnl_prelu_backward_primitive_desc_create(pd.out(), cpu_engine(), src, weights,
                        other, weights, other, nullptr, nullptr),
                to_string(p));
    skip_implementations(pd, implementation);
    return pd;
}

/// Floats are away from the corner at 0, integers small enough for products to fit.
std::vector<double> values_of(dnnl_data_type_t type, int64_t count, uint64_t seed) {
    random_values_t random(seed);
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) {
        const double x = random.between(-1, 1);
        if (is_integer(type))
            values.push_back(std::floor(type == dnnl_u8 ? 11 * std::fabs(x) : 11 * x));
        else
            values.push_back(x < 0 ? 3 * x - 0.1 : 3 * x + 0.1);
    }
    return values;
}

class case_t : public problem_case_t<problem_t> {
public:
    case_t(const problem_t &p, size_t implementation,
            placement_t placement = placement_t::ends_at_guard)
        : problem_case_t(p, implementation, placement) {
        const auto add = [&](int arg, const char *name, dnnl_data_type_t type, int64_t count) {
            add_input(arg, name, values_of(type, count, static_cast<uint64_t>(arg)));
        };
        add(DNNL_ARG_SRC, "src", p.type, volume(p.dims));
        add(DNNL_ARG_WEIGHTS, "weights", p.weights_type, volume(p.weights_dims()));
        if (!p.is_forward) {
            add(DNNL_ARG_DIFF_DST, "diff_dst", p.type, volume(p.dims));
            diff_dst_ = tensor(DNNL_ARG_DIFF_DST).values();
            add_output(DNNL_ARG_DIFF_WEIGHTS, "diff_weights");
        }
        src_ = tensor(DNNL_ARG_SRC).values();
        add_output(p.result_arg(), "result", p.in_place,
                p.is_forward ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST);
        bindings().add_scratchpad(primitive_desc());
    }

    void refill(int arg, const std::vector<double> &values) override {
        problem_case_t::refill(arg, values);
        if (arg == DNNL_ARG_SRC) src_ = tensor(arg).values();
        if (arg == DNNL_ARG_DIFF_DST) diff_dst_ = tensor(arg).values();
    }

    std::vector<expected_t> expected() const override {
        const auto weights = tensor(DNNL_ARG_WEIGHTS).values();
        const long double u = arithmetic_roundoff({p_.type, p_.weights_type});
        std::vector<interval_t> result;
        std::vector<long double> sums(weights.size()), magnitudes(weights.size());
        size_t at = 0;
        for_each_index(p_.dims, [&](const dims_t &index) {
            const size_t weight = p_.weight_of(index);
            const long double x = src_[at];
            if (p_.is_forward) {
                result.push_back(prelu(interval_t::exactly(x), weights[weight], u));
            } else {
                const long double gradient = diff_dst_[at];
                const long double value = x > 0 ? gradient : gradient * weights[weight];
                result.push_back(interval_t::around(value, u * std::fabs(value)));
                if (!(x > 0)) sums[weight] += x * gradient;
                if (!(x > 0)) magnitudes[weight] += std::fabs(x * gradient);
            }
            ++at;
        });
        std::vector<expected_t> all{{p_.result_arg(), "result", result}};
        if (p_.is_forward) return all;
        std::vector<interval_t> totals;
        for (size_t i = 0; i < sums.size(); ++i)
            totals.push_back(interval_t::around(sums[i], 16 * u * magnitudes[i]));
        all.push_back({DNNL_ARG_DIFF_WEIGHTS, "diff_weights", totals});
        return all;
    }

private:
    std::vector<double> src_, diff_dst_;
};

void expect_right(const problem_t &p) { expect_right_everywhere<case_t>(p); }

TEST(prelu, is_right_for_every_broadcast_type_and_direction) {
    for (const bool is_forward : {true, false})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f8_e5m2, dnnl_f8_e4m3, dnnl_f64,
                     dnnl_s32, dnnl_s8, dnnl_u8})
            for (const auto weights_type : {type, dnnl_f32, dnnl_bf16})
                for (int mask = 0; mask < 8; ++mask)
                    expect_right({.is_forward = is_forward,
                            .dims = {2, 5, 19},
                            .mask = mask,
                            .type = type,
                            .weights_type = weights_type});
}

TEST(prelu, is_right_for_rows_of_any_length) {
    for (const bool is_forward : {true, false})
        for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (dnnl_dim_t cols = 1; cols <= 150; cols += cols < 35 ? 1 : 13)
                for (const int mask : {0, 1, 2, 3})
                    expect_right({.is_forward = is_forward,
                            .dims = {3, cols},
                            .mask = mask,
                            .type = type});
}

TEST(prelu, is_right_where_rows_and_columns_are_cut_into_chunks) {
    for (const int mask : {0, 1, 2, 3}) {
        expect_right({.is_forward = false, .dims = {2, 40001}, .mask = mask});
        expect_right({.is_forward = false, .dims = {9001, 11}, .mask = mask});
        expect_right({.is_forward = false, .dims = {3, 5, 81}, .mask = mask});
        expect_right({.is_forward = false, .dims = {2, 3, 16389}, .mask = mask});
    }
    for (const char *format : {"abc", "acb"})
        for (const int mask : {0, 2, 5})
            expect_right({.is_forward = false,
                    .dims = {3, 17, 2000},
                    .mask = mask,
                    .src_format = format});
}

TEST(prelu, takes_any_layout) {
    for (const bool is_forward : {true, false})
        for (const char *src :
                {"abcd", "acdb", "dcba", "abcd+3", "abcd*2", "aBcd8b", "aBcd16b", "ABcd4b16a4b"})
            for (const char *weights : {"any", "abcd", "acdb"})
                for (const char *other : {"any", "acdb", "aBcd16b"})
                    for (const dnnl_dim_t channels : {1, 5, 16})
                        for (const int mask : {0, 2, 9, 15})
                            expect_right({.is_forward = is_forward,
                                    .dims = {2, channels, 3, 4},
                                    .mask = mask,
                                    .src_format = src,
                                    .weights_format = weights,
                                    .format = other});
}

TEST(prelu, reads_elements_that_repeat) {
    for (const bool is_forward : {true, false})
        for (const char *src : {"abcd/a", "abcd/b", "abcd/d", "acdb/b", "dcba/cd", "abcd/abcd"})
            for (const char *weights : {"abcd", "abcd/b"})
                for (const char *other : {"abcd", "acdb", "aBcd16b"}) {
                    if (!is_forward && std::string(weights) != "abcd") continue;
                    expect_right({.is_forward = is_forward,
                            .dims = {4, 16, 3, 5},
                            .mask = 6,
                            .src_format = src,
                            .weights_format = weights,
                            .format = other});
                }
}

TEST(prelu, has_gradients_of_bf16_where_rows_share_their_weights) {
    for (const auto &[format, channels] : {std::pair{"aBcd16b", 16}, {"aBcd16b", 40},
                 {"aBcd32b", 32}, {"acdb", 32}, {"acdb", 64}, {"acdb+3", 64}, {"acdb", 16}})
        for (const auto weights_type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const dnnl_dim_t width : {1, 2, 5, 80})
                for (const bool in_place : {false, true})
                    expect_right({.is_forward = false,
                            .dims = {2, channels, 3, width},
                            .mask = 2,
                            .type = dnnl_bf16,
                            .weights_type = weights_type,
                            .src_format = format,
                            .format = format,
                            .in_place = in_place});
}

TEST(prelu, works_in_place) {
    for (const bool is_forward : {true, false})
        for (const char *format : {"abc", "acb", "aBc16b", "abc+3"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_s8})
                expect_right({.is_forward = is_forward,
                        .type = type,
                        .src_format = format,
                        .format = format,
                        .in_place = true});
}

TEST(prelu, takes_one_to_twelve_dimensions) {
    for (size_t ndims = 1; ndims <= DNNL_MAX_NDIMS; ++ndims) {
        dims_t dims(ndims, 1);
        dims.back() = 6;
        dims.front() *= 4;
        for (const bool is_forward : {true, false})
            for (const int mask : {0, 1, 1 << (ndims - 1)})
                expect_right({.is_forward = is_forward, .dims = dims, .mask = mask});
    }
}

/// The gradient of weights that no element has is 0.
TEST(prelu, of_no_elements_has_gradients_of_zero) {
    for (const bool is_forward : {true, false})
        for (const int mask : {0, 2, 7})
            expect_right({.is_forward = is_forward, .dims = {0, 12, 5}, .mask = mask});
}

TEST(prelu, knows_special_values) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const problem_t p{.dims = {6}, .mask = 0},
            gradient{.is_forward = false, .dims = {6}, .mask = 1};
    for (size_t at = 0; at < implementations(p).size(); ++at) {
        case_t tested(p, at);
        tested.refill(DNNL_ARG_SRC, {nan, infinity, -infinity, 0, -0., 2});
        tested.refill(DNNL_ARG_WEIGHTS, {-0.5});
        ASSERT_EQ(tested.execute(), dnnl_success);
        const auto dst = tested.tensor(DNNL_ARG_DST).values();
        EXPECT_TRUE(std::isnan(dst[0]));
        EXPECT_EQ((std::vector<double>(dst.begin() + 1, dst.end())),
                (std::vector<double>{infinity, infinity, 0, 0, 2}));
    }
    for (size_t at = 0; at < implementations(gradient).size(); ++at) {
        case_t tested(gradient, at);
        tested.refill(DNNL_ARG_SRC, {nan, infinity, -infinity, 0, -1, 2});
        tested.refill(DNNL_ARG_WEIGHTS, {3, infinity, 3, 3, 3, nan});
        tested.refill(DNNL_ARG_DIFF_DST, {2, 2, 2, 2, 2, 2});
        ASSERT_EQ(tested.execute(), dnnl_success);
        EXPECT_EQ(
                tested.tensor(DNNL_ARG_DIFF_SRC).values(), (std::vector<double>{6, 2, 6, 6, 6, 2}));
        const auto sums = tested.tensor(DNNL_ARG_DIFF_WEIGHTS).values();
        EXPECT_TRUE(std::isnan(sums[0]));
        EXPECT_EQ((std::vector<double>(sums.begin() + 1, sums.end())),
                (std::vector<double>{0, -infinity, 0, -2, 0}));
    }
}

TEST(prelu, backward_is_the_derivative_of_forward) {
    for (const int mask : {0, 1, 2, 3}) {
        const problem_t p{.dims = {3, 5}, .mask = mask};
        problem_t gradient = p;
        gradient.is_forward = false;
        case_t forward(p, 0), backward(gradient, 0);
        ASSERT_EQ(forward.execute(), dnnl_success);
        ASSERT_EQ(backward.execute(), dnnl_success);
        finite_differences_t differences(forward, backward);
        differences.expect_gradient(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, 0x1p-6, 1e-3);
        differences.expect_gradient(DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS, 0x1p-6, 1e-3);
    }
}

TEST(prelu, has_the_same_bits_for_any_number_of_threads) {
    for (const bool is_forward : {true, false})
        for (const char *format : {"abc", "acb"})
            for (const int mask : {0, 2, 4, 7}) {
                expect_same_bits_for_any_number_of_threads([&] {
                    return case_t({.is_forward = is_forward,
                                          .dims = {5, 40, 900},
                                          .mask = mask,
                                          .src_format = format},
                            0);
                });
            }
}

TEST(prelu, refuses_spoiled_arguments) {
    expect_refusals_of_spoiled_arguments(case_t({}, 0));
    expect_refusals_of_spoiled_arguments(case_t({.is_forward = false}, 0));
}

TEST(prelu, goes_by_rows_unless_layouts_or_types_forbid_it) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    const auto best = [](const problem_t &p) { return implementations(p).front(); };
    for (const bool is_forward : {true, false}) {
        for (const char *format : {"abc", "acb", "cba", "abc+3", "aBc8b", "aBc16b"})
            for (const int mask : {0, 1, 2, 5, 7})
                EXPECT_EQ(best({.is_forward = is_forward, .mask = mask, .src_format = format}),
                        "jit:rows");
        EXPECT_EQ(best({.is_forward = is_forward, .src_format = "abc", .format = "acb"}),
                "jit:relaid");
        EXPECT_EQ(best({.is_forward = is_forward, .type = dnnl_f64}), "ref:any");
        // Weights, and their gradients, that are not padded as the other tensors are.
        const problem_t padded{.is_forward = is_forward,
                .src_format = "aBc16b",
                .weights_format = "abc",
                .format = "aBc16b"};
        EXPECT_NE(best(padded), "ref:any");
        expect_right(padded);
    }
}

} // namespace

} // namespace kiln::test::prelu_operation
