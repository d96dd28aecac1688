// SPDX-License-Identifier: Apache-2.0
// Results are near the truth on data that careless arithmetic gets wrong. The tables that the tests
// print are those of doc/guide/numerics.md.
#include <gtest/gtest.h>

#include "normalization/accuracy.hpp"

namespace kiln::test::normalization {

namespace {

using errors_t = worst_errors_t;

/// Sets of similar lengths, which make a line of a table.
struct lengths_t {
    const char *name;
    std::vector<dims_t> layer_dims, channel_dims;
};

const std::vector<lengths_t> lengths{
        {"2 to 5", {{512, 2}, {300, 3}, {200, 4}, {101, 5}},
                {{2, 48, 1, 1}, {1, 48, 1, 3}, {2, 48, 1, 2}, {1, 48, 1, 5}}},
        {"100", {{21, 100}}, {{2, 16, 5, 10}}},
        {"768", {{5, 768}}, {{3, 16, 16, 16}}},
        {"4096", {{2, 4096}}, {{1, 4, 64, 64}}},
};

struct operation_case_t {
    const char *name;
    operation_t operation;
    unsigned flags;
    std::string format;
};

const operation_case_t operations[]{
        {"layer, rows", operation_t::layer, 0, "ab"},
        {"layer, columns", operation_t::layer, 0, "ba"},
        {"RMS, rows", operation_t::layer, rms, "ab"},
        {"RMS, columns", operation_t::layer, rms, "ba"},
        {"batch, nchw", operation_t::batch, 0, "abcd"},
        {"batch, nhwc", operation_t::batch, 0, "acdb"},
        {"batch, blocked", operation_t::batch, 0, "aBcd16b"},
        {"group, nchw", operation_t::group, 0, "abcd"},
        {"group, nhwc", operation_t::group, 0, "acdb"},
        {"instance, nchw", operation_t::group, 0, "abcd"},
        {"instance, nhwc", operation_t::group, 0, "acdb"},
};

std::vector<problem_t> problems_of(const operation_case_t &of, const lengths_t &length,
        dnnl_data_type_t type, dnnl_prop_kind_t prop_kind) {
    std::vector<problem_t> problems;
    const bool is_layer = of.operation == operation_t::layer;
    for (const dims_t &dims : is_layer ? length.layer_dims : length.channel_dims) {
        problem_t problem;
        problem.operation = of.operation;
        problem.prop_kind = prop_kind;
        problem.dims = dims;
        problem.flags = of.flags | scale | (of.flags & rms ? 0 : shift);
        const bool is_instance = std::string(of.name).starts_with("instance");
        if (of.operation == operation_t::group) problem.groups = is_instance ? dims[1] : 4;
        problem.set_formats(of.format);
        problem.set_types(type);
        problems.push_back(std::move(problem));
    }
    return problems;
}

/// Lines for each length in f32, and for the shortest ones in bf16 and f16.
void add_lines(error_tables_t &tables, dnnl_prop_kind_t prop_kind) {
    for (const operation_case_t &of : operations) {
        const std::string name = of.name;
        for (const lengths_t &length : lengths)
            tables.add(
                    name + ", f32, " + length.name, problems_of(of, length, dnnl_f32, prop_kind));
        tables.add(name + ", bf16, 2 to 5", problems_of(of, lengths[0], dnnl_bf16, prop_kind));
        tables.add(name + ", f16, 2 to 5", problems_of(of, lengths[0], dnnl_f16, prop_kind));
    }
}

TEST(worst_errors, of_forward) {
    error_tables_t tables({{"dst", &errors_t::result, 10}, {"mean", &errors_t::mean, 4},
            {"variance", &errors_t::variance, 20}});
    add_lines(tables, dnnl_forward_training);
}

TEST(worst_errors, of_backward) {
    error_tables_t tables({{"diff_src, statistics given", &errors_t::result, 12},
            {"diff_scale", &errors_t::diff_scale, 100}, {"diff_shift", &errors_t::diff_shift, 10}});
    add_lines(tables, dnnl_backward);
}

/// Gradients of shift, each the sum over all samples of 0.7, near the truth. Each addition to a
/// long sum of equal terms rounds the same way.
void expect_near_sums(problem_t problem) {
    problem.prop_kind = dnnl_backward;
    problem.flags = scale | shift;
    case_t tested(problem);
    const int64_t elements = volume(problem.dims);
    tested.refill(DNNL_ARG_DIFF_DST, std::vector<double>(static_cast<size_t>(elements), 0.7f));
    ASSERT_EQ(tested.execute(), dnnl_success);
    const double truth = 0.7f * static_cast<double>(elements / problem.weights());
    for (const double sum : tested.tensor(DNNL_ARG_DIFF_SHIFT).values())
        EXPECT_NEAR(sum, truth, truth * 4e-6) << tested.name();
}

TEST(worst_errors, of_sums_over_many_equal_rows) {
    for (const auto *format : {"ab", "ba"})
        for (const int64_t rows : {300, 2048, 20000}) {
            problem_t problem;
            problem.dims = {rows, 8};
            problem.set_formats(format);
            expect_near_sums(problem);
        }
}

// Rows are not evenly spaced: the tensors are parts of larger ones.
TEST(worst_errors, of_sums_over_many_short_runs_of_rows) {
    constexpr int64_t height = 3000;
    for (const auto &[width, channels] :
            {std::pair<int64_t, int64_t>(2, 3), {2, 16}, {2, 130}, {17, 3}})
        for (const auto operation : {operation_t::layer, operation_t::batch, operation_t::group}) {
            const bool is_layer = operation == operation_t::layer;
            problem_t problem;
            problem.operation = operation;
            problem.dims = is_layer ? dims_t{3, height, width, channels}
                                    : dims_t{3, channels, height, width};
            problem.groups = operation == operation_t::group ? 1 : 0;
            dims_t whole = problem.dims;
            for (dnnl_dim_t &extent : whole) ++extent;
            for (const std::string format : {"abcd", is_layer ? "abdc" : "acdb"}) {
                problem.set_formats(format + " of " + test::to_string(whole) + " at 0x0x0x0");
                expect_near_sums(problem);
            }
        }
}

} // namespace

} // namespace kiln::test::normalization
