// SPDX-License-Identifier: Apache-2.0
// Layer normalization backward beyond the C interface: statistics found on the way, post-ops on
// diff_src, any mix of types. Every implementation against the model; what is refused.
#include <gtest/gtest.h>

#include "common/operations/normalization/group_normalization_pd.hpp"
#include "normalization/accuracy.hpp"
#include "normalization/internal.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "support/execution_checks.hpp"
#include "support/internal_primitive_desc.hpp"
#include "support/post_op_lists.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::normalization {

namespace {

constexpr dnnl_data_type_t float_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr int all_axes = 7; // of a 3-D tensor
constexpr int first_operand = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

problem_t of_size(dims_t dims, unsigned flags) {
    problem_t problem;
    problem.create = create_internally;
    problem.prop_kind = dnnl_backward;
    problem.dims = std::move(dims);
    problem.flags = flags;
    return problem;
}

problem_t with_post_ops(const post_op_chain_t &chain) {
    auto problem = of_size({3, 4, 23}, scale | shift);
    problem.post_ops = chain;
    return problem;
}

/// The incoming gradient of a residual connection.
post_op_chain_t residual(dnnl_data_type_t type = dnnl_f32) {
    return {{.alg = dnnl_binary_add, .mask = all_axes, .type = type, .format = "any"}};
}

std::vector<unsigned> flags_without_given_stats() {
    auto flags = all_flags(operation_t::layer);
    std::erase_if(flags, [](unsigned bits) { return bits & global_stats; });
    return flags;
}

dnnl_status_t status_of(
        const layer_normalization_desc_t &desc, const_dnnl_primitive_attr_t attr = nullptr) {
    return internal_status<layer_normalization_pd_t>(desc, attr);
}

// ---- Statistics that are not given

TEST(layer_gradient, finds_statistics_for_all_flags_layouts_and_types) {
    for (const unsigned flags : flags_without_given_stats())
        for (const std::string format : {"abc", "acb", "abc+3", "bac", "aBc16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
                for (const auto prop_kind : {dnnl_backward, dnnl_backward_data}) {
                    auto problem = of_size({3, 5, 37}, flags);
                    problem.prop_kind = prop_kind;
                    problem.recomputes_stats = true;
                    problem.set_formats(format);
                    problem.set_types(type);
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_gradient, finds_statistics_of_all_sizes_and_data) {
    const dims_t sizes[]{{1, 1}, {7, 1}, {9, 2}, {5, 3}, {40, 31}, {33, 64}, {64, 768}, {3, 4099},
            {1, 20000}, {2, 3, 4, 129}};
    for (const dims_t &dims : sizes)
        for (const auto data : {data_t::ordinary, data_t::large_mean, data_t::constant})
            for (const unsigned flags : {scale | shift, scale | rms}) {
                auto problem = of_size(dims, flags);
                problem.data = data;
                problem.recomputes_stats = true;
                EXPECT_TRUE(is_right(problem));
            }
}

TEST(layer_gradient, finds_statistics_of_columns_of_all_sizes_types_and_data) {
    const dims_t sizes[]{
            {1, 2, 1}, {2, 3, 2}, {1, 5, 40}, {2, 37, 33}, {1, 80, 140}, {1, 17, 1027}};
    for (const dims_t &dims : sizes)
        for (const auto data : {data_t::ordinary, data_t::large_mean, data_t::constant})
            for (const auto type : float_types)
                for (const unsigned flags : {0u, scale | shift, scale | rms}) {
                    auto problem = of_size(dims, flags);
                    problem.set_formats("acb");
                    problem.set_types(type);
                    problem.data = data;
                    problem.recomputes_stats = true;
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_gradient, generated_code_finds_statistics_in_rows_and_columns) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (const auto &[format, implementation] :
            {std::pair{"abc", "jit:rows"}, std::pair{"acb", "jit:columns"}})
        for (const auto type : float_types) {
            auto problem = of_size({4, 64, 96}, scale | shift);
            problem.set_types(type);
            problem.recomputes_stats = true;
            problem.set_formats(format);
            EXPECT_EQ(implementations(problem).front(), implementation);
        }
}

// The table is one of doc/guide/numerics.md.
TEST(worst_errors, of_diff_src_where_statistics_are_found) {
    error_tables_t tables({{"diff_src, statistics found", &worst_errors_t::result, 32}});
    const std::pair<const char *, std::vector<dims_t>> lengths[]{
            {"2 to 5", {{512, 2}, {300, 3}, {200, 4}, {101, 5}}}, {"100", {{21, 100}}},
            {"768", {{5, 768}}}, {"4096", {{2, 4096}}}};
    for (const std::string format : {"ab", "ba"})
        for (const auto type : float_types)
            for (const auto &[length, sizes] : lengths) {
                if (type != dnnl_f32 && length != lengths[0].first) continue;
                std::vector<problem_t> problems;
                for (const dims_t &dims : sizes) {
                    problems.push_back(of_size(dims, scale | shift));
                    problems.back().set_formats(format);
                    problems.back().set_types(type);
                    problems.back().recomputes_stats = true;
                }
                const std::string name = format == "ab" ? "layer, rows, " : "layer, columns, ";
                tables.add(name + dnnl_dt2str(type) + ", " + length, problems);
            }
}

TEST(layer_gradient, finds_statistics_before_it_overwrites_src) {
    for (const std::string format : {"abc", "acb"})
        for (const int place : {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST}) {
            auto problem = of_size({3, 5, 70}, scale | shift);
            problem.recomputes_stats = true;
            problem.dst_over = place;
            problem.set_formats(format);
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(layer_gradient, without_given_statistics_there_are_none_among_the_arguments) {
    auto problem = of_size({3, 5, 70}, scale);
    problem.recomputes_stats = true;
    const auto primitive_desc = accepted_primitive_desc(problem);
    EXPECT_EQ(dnnl_primitive_desc_query_s32(primitive_desc, dnnl_query_num_of_inputs_s32, 0), 3);
    const auto &pd = *(*primitive_desc).pd;
    for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE}) EXPECT_TRUE(is_zero(pd.md_of(arg)));
    EXPECT_NE(pd.info().find("recomputes_stats"), std::string::npos) << pd.info();
}

TEST(layer_gradient, statistics_are_found_only_where_the_gradient_flows_through_them) {
    auto constant = of_size({3, 5, 70}, scale | global_stats);
    constant.recomputes_stats = true;
    EXPECT_EQ(status_of(layer_desc_of(constant)), dnnl_invalid_arguments);
    auto desc = layer_desc_of(of_size({3, 5, 70}, scale));
    desc.prop_kind = dnnl_forward_training;
    desc.dst = desc.diff_dst;
    desc.diff_src = desc.diff_dst = {};
    EXPECT_EQ(status_of(desc), dnnl_success);
    desc.recomputes_stats = true;
    EXPECT_EQ(status_of(desc), dnnl_invalid_arguments);
}

/// The loss sum(diff_dst * dst), by the model.
long double loss(operands_t operands, const std::vector<double> &diff_dst, size_t at, double step) {
    operands.src[at] += step;
    const auto dst = forward_truth(operands).dst;
    long double sum = 0;
    for (size_t i = 0; i < dst.size(); ++i)
        sum += static_cast<long double>(diff_dst[i]) * dst[i].value;
    return sum;
}

// Statistics move with src: the gradient goes through them.
TEST(layer_gradient, is_the_derivative_where_statistics_are_of_its_own) {
    for (const unsigned flags : {scale, scale | rms}) {
        auto problem = of_size({3, 19}, flags);
        problem.epsilon = 0.01f;
        problem.recomputes_stats = true;
        for_each_case(problem, [](const case_t &tested) {
            ASSERT_EQ(tested.execute(), dnnl_success);
            const auto gradient = tested.tensor(DNNL_ARG_DIFF_SRC).values();
            for (size_t at = 0; at < gradient.size(); ++at) {
                constexpr double step = 1e-4;
                const auto above = loss(tested.operands(), tested.gradient().diff_dst, at, step);
                const auto below = loss(tested.operands(), tested.gradient().diff_dst, at, -step);
                const auto slope = static_cast<double>((above - below) / (2 * step));
                EXPECT_NEAR(gradient[at], slope, 1e-5) << tested.name() << " element " << at;
            }
        });
    }
}

// ---- Post-ops on diff_src

TEST(layer_gradient, adds_the_gradient_of_a_residual) {
    for (const unsigned flags : all_flags(operation_t::layer))
        for (const std::string format : {"abc", "acb", "abc+3", "bac", "aBc16b"})
            for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
                for (const bool recomputes : {false, true}) {
                    if (recomputes && (flags & global_stats)) continue;
                    auto problem = with_post_ops(residual(type == dnnl_f64 ? dnnl_f32 : type));
                    problem.flags = flags;
                    problem.recomputes_stats = recomputes;
                    problem.set_formats(format);
                    problem.set_types(type);
                    EXPECT_TRUE(is_right(problem));
                }
}

TEST(layer_gradient, rows_apply_post_ops) {
    if (!generates_kernels()) GTEST_SKIP() << "no ISA that code is generated for";
    for (int mask = 0; mask <= all_axes; ++mask) {
        auto problem = with_post_ops({{.alg = dnnl_binary_select, .mask = mask, .format = "any"},
                {.alg = dnnl_eltwise_gelu_erf}});
        EXPECT_EQ(implementations(problem).front(), "jit:rows");
        problem.set_formats("acb"); // columns do not, nor copies: `any` is dst's layout
        EXPECT_EQ(implementations(problem).front(), "ref:any");
        EXPECT_TRUE(is_right(problem));
    }
}

TEST(layer_gradient, applies_every_function) {
    for (const auto &op : eltwise_ops())
        for (const auto type : float_types) {
            auto problem = with_post_ops(defined_chain(op, type));
            problem.diff_src_type = type;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(layer_gradient, applies_every_binary_function_with_every_broadcast) {
    for (const auto alg : binary_algs())
        for (int mask = 0; mask <= all_axes; ++mask)
            for (const std::string format : {"", "any"})
                EXPECT_TRUE(
                        is_right(with_post_ops({{.alg = alg, .mask = mask, .format = format}})));
}

TEST(layer_gradient, takes_operands_of_any_type_and_layout) {
    for (const auto type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8})
        for (const int mask : {0, 4, 3, all_axes})
            EXPECT_TRUE(is_right(
                    with_post_ops({{.alg = dnnl_binary_mul, .mask = mask, .type = type}})));
    for (const std::string data : {"abc", "bac", "abc+3"})
        for (const std::string operand : {"abc", "bca", "cab", "abc+2", "abc*2", "aBc4b"})
            for (const int mask : {4, 2, 6, all_axes}) {
                auto problem =
                        with_post_ops({{.alg = dnnl_binary_add, .mask = mask, .format = operand}});
                problem.set_formats(data);
                EXPECT_TRUE(is_right(problem));
            }
}

TEST(layer_gradient, applies_a_chain_in_order_to_rows_of_all_sizes) {
    const post_op_chain_t chain{{.alg = dnnl_binary_mul, .mask = 2},
            {.alg = dnnl_eltwise_linear, .alpha = 2, .beta = 1},
            {.alg = dnnl_binary_add, .mask = 3, .type = dnnl_bf16}, {.alg = dnnl_eltwise_relu},
            {.alg = dnnl_binary_add, .mask = 1}};
    const dims_t sizes[]{{1, 1}, {7, 1}, {9, 2}, {40, 31}, {33, 64}, {64, 768}, {3, 4099}};
    for (const dims_t &dims : sizes)
        for (const bool recomputes : {false, true}) {
            auto problem = of_size(dims, scale | shift);
            problem.post_ops = chain;
            problem.recomputes_stats = recomputes;
            EXPECT_TRUE(is_right(problem));
        }
}

TEST(layer_gradient, may_overwrite_any_input) {
    for (const std::string format : {"abc", "acb"})
        for (const int place : {first_operand, int(DNNL_ARG_DIFF_DST), int(DNNL_ARG_SRC)})
            for (const auto type : float_types) {
                auto problem = with_post_ops(residual(type));
                problem.set_formats(format);
                problem.set_types(type);
                problem.dst_over = place;
                EXPECT_TRUE(is_right(problem));
            }
}

TEST(layer_gradient, outputs_may_be_left_out) {
    for (const bool recomputes : {false, true}) {
        auto problem = with_post_ops(residual());
        problem.recomputes_stats = recomputes;
        for_each_case(problem, [](case_t &tested) { expect_any_subset_of_outputs(tested); });
    }
}

TEST(layer_gradient, refuses_post_ops_that_make_no_sense) {
    const auto desc = layer_desc_of(of_size({3, 4, 23}, scale));
    const auto status = [&](const post_op_chain_t &chain, const dims_t &dims) {
        const auto attr = test::make_attr();
        require(dnnl_primitive_attr_set_post_ops(attr, make_post_ops(chain, dims)), "post-ops");
        return status_of(desc, attr);
    };
    EXPECT_EQ(status(residual(), {3, 4, 23}), dnnl_success);
    EXPECT_NE(status(residual(), {3, 4, 22}), dnnl_success);
    EXPECT_NE(status(residual(), {3, 4}), dnnl_success);
    const auto attr = test::make_attr();
    post_ops_handle_t sum;
    require(dnnl_post_ops_create(sum.out()), "post-ops");
    require(dnnl_post_ops_append_sum(sum, 1, 0, dnnl_f32), "sum");
    require(dnnl_primitive_attr_set_post_ops(attr, sum), "post-ops");
    EXPECT_EQ(status_of(desc, attr), dnnl_unimplemented);
}

// What other operations' gradients cannot do, they must not ignore.
TEST(layer_gradient, gradients_of_channels_refuse_post_ops) {
    const auto attr = test::make_attr();
    require(dnnl_primitive_attr_set_post_ops(
                    attr, make_post_ops({{.alg = dnnl_eltwise_relu}}, {2, 16, 3, 3})),
            "post-ops");
    for (const std::string format : {"abcd", "acdb"}) {
        const auto md = make_desc({2, 16, 3, 3}, dnnl_f32, format);
        batch_normalization_desc_t batch{};
        batch.prop_kind = dnnl_backward;
        batch.src = batch.diff_src = batch.diff_dst = *md;
        group_normalization_desc_t group{};
        group.prop_kind = dnnl_backward;
        group.groups = 2;
        group.src = group.diff_src = group.diff_dst = *md;
        EXPECT_EQ(internal_status<batch_normalization_pd_t>(batch), dnnl_success);
        EXPECT_EQ(internal_status<batch_normalization_pd_t>(batch, attr), dnnl_unimplemented);
        EXPECT_EQ(internal_status<group_normalization_pd_t>(group), dnnl_success);
        EXPECT_EQ(internal_status<group_normalization_pd_t>(group, attr), dnnl_unimplemented);
    }
}

// ---- Types

TEST(layer_gradient, weights_and_their_gradients_have_types_of_their_own) {
    for (const auto data : float_types)
        for (const auto weights : float_types)
            for (const auto gradients : float_types)
                for (const int64_t rows : {2, 40})
                    for (const std::string format : {"ab", "ba"}) {
                        auto problem = of_size({rows, 53}, scale | shift);
                        problem.set_types(data);
                        problem.set_formats(format);
                        problem.scale_shift_type = weights;
                        problem.diff_scale_shift_type = gradients;
                        EXPECT_TRUE(is_right(problem));
                    }
}

TEST(layer_gradient, statistics_have_a_type_of_their_own) {
    for (const unsigned flags : all_flags(operation_t::layer))
        for (const auto data : float_types)
            for (const auto stats : float_types)
                for (const std::string format : {"abc", "acb", "abc+3"})
                    for (const std::string stat_format : {"any", "ba"}) {
                        auto problem = of_size({3, 5, 37}, flags);
                        problem.set_types(data);
                        problem.set_formats(format);
                        problem.stat_type = stats;
                        problem.stat_format = stat_format;
                        EXPECT_TRUE(is_right(problem));
                        if (!generates_kernels()) continue;
                        const bool is_strided = stat_format == "ba";
                        EXPECT_EQ(implementations(problem).front(), format != "acb" ? "jit:rows"
                                                                    : is_strided    ? "jit:relaid"
                                                                                 : "jit:columns");
                    }
}

// ---- Threads

TEST(layer_gradient, any_number_of_threads_gives_the_same_bits) {
    for (const dims_t &dims : {dims_t{200, 1, 300}, dims_t{3, 40, 1025}}) {
        auto problem = of_size(dims, scale | shift);
        problem.post_ops = residual();
        problem.recomputes_stats = true;
        for_each_maker(problem,
                [](const make_case_t &make) { expect_same_bits_for_any_number_of_threads(make); });
    }
}

TEST(layer_gradient, without_elements_gradients_of_weights_are_zero) {
    auto problem = of_size({0, 5, 3}, scale | shift);
    problem.recomputes_stats = true;
    problem.post_ops = residual();
    const case_t tested(problem);
    ASSERT_EQ(tested.execute(), dnnl_success);
    expect_zero_outputs(tested);
}

} // namespace

} // namespace kiln::test::normalization
