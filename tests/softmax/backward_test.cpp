// SPDX-License-Identifier: Apache-2.0
// Softmax backward against long double and against finite differences of forward.
#include "softmax/softmax_case.hpp"
#include "support/finite_differences.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::softmax {

namespace {

problem_t backward(dims_t dims, int axis, bool is_log) {
    problem_t problem{std::move(dims), axis, is_log};
    problem.is_forward = false;
    return problem;
}

TEST(softmax_backward, is_right_for_every_pair_of_types) {
    for (const bool is_log : softmax_and_log)
        for (const auto src_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
            for (const auto dst_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_f64})
                for (const int axis : {0, 1}) {
                    problem_t problem = backward({5, 37}, axis, is_log);
                    problem.src_type = src_type;
                    problem.dst_type = dst_type;
                    expect_right(problem);
                }
}

TEST(softmax_backward, takes_lines_of_any_length) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (dnnl_dim_t length = 1; length <= 300; length += length < 40 ? 1 : 13)
                for (const int axis : {0, 1}) {
                    problem_t problem = backward(
                            axis == 1 ? dims_t{3, length} : dims_t{length, 19}, axis, is_log);
                    problem.src_type = problem.dst_type = type;
                    expect_right(problem);
                }
}

TEST(softmax_backward, takes_any_axis_and_layout) {
    for (const bool is_log : softmax_and_log)
        for (const int axis : {0, 1, 2, 3})
            for (const char *src_format : {"abcd", "acdb", "dcba", "abcd+3", "aBcd8b"})
                for (const char *dst_format : {"any", "abcd", "acdb"}) {
                    problem_t problem = backward({4, 16, 3, 5}, axis, is_log);
                    problem.src_format = src_format;
                    problem.dst_format = dst_format;
                    expect_right(problem);
                }
}

TEST(softmax_backward, cuts_long_rows) {
    for (const bool is_log : softmax_and_log)
        for (const dims_t &dims : {dims_t{1, 65535}, {2, 65536}, {3, 70011}})
            expect_right(backward(dims, 1, is_log));
}

/// A row is read from a megabyte and more; the last chunk is shorter.
TEST(softmax_backward, sweeps_very_long_rows_in_chunks) {
    for (const bool is_log : softmax_and_log)
        expect_right(backward({16, is_log ? 125001 : 125008}, 1, is_log));
}

// Out of cache (tests run with one of 64 KiB, too) with non-temporal stores.
TEST(softmax_backward, takes_many_rows_that_begin_anywhere) {
    for (const bool is_log : softmax_and_log)
        for (const dnnl_dim_t length : {208, 256, 257, 271, 1001, 2000})
            for (const char *format : {"ab", "ab+3"})
                for (const auto type : {dnnl_f32, dnnl_bf16}) {
                    problem_t problem = backward({70, length}, 1, is_log);
                    problem.src_format = problem.dst_format = format;
                    problem.src_type = problem.dst_type = type;
                    expect_right(problem);
                }
}

TEST(softmax_backward, works_in_place) {
    for (const bool is_log : softmax_and_log)
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dims_t &dims : {dims_t{5, 30}, {3, 700}, {2, 17000}})
                for (const int axis : {0, 1}) {
                    problem_t problem = backward(dims, axis, is_log);
                    problem.src_type = problem.dst_type = type;
                    problem.in_place = true;
                    expect_right(problem);
                }
}

TEST(softmax_backward, is_the_slope_of_forward) {
    for (const bool is_log : softmax_and_log)
        for (const dims_t &dims : {dims_t{3, 9}, dims_t{2, 70}})
            for (const int axis : {0, 1}) {
                problem_t problem{dims, axis, is_log};
                case_t forward(problem, 0, values_of(problem, 1));
                ASSERT_EQ(forward.execute(), dnnl_success);
                problem.is_forward = false;
                case_t backward(problem, 0, values_of(problem, 2));
                backward.refill(DNNL_ARG_DST, forward.results());
                ASSERT_EQ(backward.execute(), dnnl_success);
                finite_differences_t(forward, backward)
                        .expect_gradient(DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, 0x1p-6, 2e-3);
            }
}

TEST(softmax_backward, has_the_same_bits_for_any_number_of_threads) {
    for (const bool is_log : softmax_and_log)
        for (const dims_t &dims : {dims_t{600, 100}, {3, 20001}})
            for (const int axis : {0, 1}) {
                const problem_t problem = backward(dims, axis, is_log);
                expect_same_bits_for_any_number_of_threads(
                        [&] { return case_t(problem, 0, values_of(problem)); });
            }
}

// Rows that registers would hold, in tensors that exceed 16 MiB.
TEST(softmax_backward, sweeps_short_rows_twice_where_memory_holds_them) {
    for (const bool is_log : softmax_and_log) {
        const problem_t problem{{7150, 197}, 1, is_log, false};
        expect_right(problem);
        expect_same_bits_for_any_number_of_threads(
                [&] { return case_t(problem, 0, values_of(problem)); });
    }
}

} // namespace

} // namespace kiln::test::softmax
