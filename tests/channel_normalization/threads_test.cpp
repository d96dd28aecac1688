// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, wherever buffers lie, and from inside the caller's own
// parallel loops.
#include <atomic>
#include <deque>

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "channel_normalization/output_bits.hpp"

namespace kiln::test::channel_normalization {

namespace {

struct variant_t {
    dims_t dims;
    std::string format;
    dnnl_data_type_t type;
    unsigned flags;
    int64_t groups = 0;
};

const std::vector<variant_t> variants{
        {{64, 1000}, "ab", dnnl_f32, scale | shift},
        {{5, 70, 9, 9}, "abcd", dnnl_f32, scale | shift | relu},
        {{5, 70, 9, 9}, "acdb", dnnl_f32, scale | shift | relu},
        {{1, 3, 150, 151}, "abcd", dnnl_f32, scale | shift},
        {{1, 3, 150, 151}, "acdb", dnnl_f32, add_relu},
        {{1, 64, 60, 60}, "acdb", dnnl_bf16, scale | shift},
        {{40, 13, 7, 7}, "abcd", dnnl_bf16, scale | shift | relu},
        {{40, 13, 7, 7}, "aBcd16b", dnnl_f32, scale | shift | relu},
        {{2, 37, 20, 20}, "acdb+3", dnnl_f16, shift | add_relu},
        {{2, 24, 30, 30}, "aBcd8b", dnnl_bf16, global_stats | scale | relu},
        {{3, 50, 11, 11}, "acdb", dnnl_f64, scale},
        {{1, 64, 60, 60}, "acdb", dnnl_f32, scale | shift, 1},
        {{2, 96, 30, 31}, "acdb", dnnl_bf16, scale | shift, 32},
        {{2, 96, 30, 31}, "abcd", dnnl_f32, scale | shift, 32},
        {{3, 37, 17, 18}, "acdb+3", dnnl_f16, shift, 37},
        {{1, 6, 90, 100}, "abcd", dnnl_bf16, scale, 2},
        {{4, 40, 9, 9}, "aBcd16b", dnnl_f32, scale | global_stats, 4},
};

problem_t problem_of(const variant_t &variant, dnnl_prop_kind_t prop_kind) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = variant.dims;
    problem.flags = variant.flags;
    problem.groups = variant.groups;
    problem.set_formats(variant.format);
    problem.set_types(variant.type);
    return problem;
}

template <typename case_t> void expect_same_bits_for_any_number_of_threads(case_t &tested) {
    ASSERT_EQ(tested.execute(), dnnl_success);
    ASSERT_TRUE(tested.is_right()) << to_string(tested.problem());
    const auto expected = output_bits(tested);
    for (const int threads : {1, 2, 3, 7, 16}) {
        // Without this, arenas have no more threads than the machine.
        const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
        mark_outputs(tested);
        tbb::task_arena arena(threads);
        arena.execute([&] { ASSERT_EQ(tested.execute(), dnnl_success); });
        EXPECT_TRUE(output_bits(tested) == expected)
                << to_string(tested.problem()) << " with " << threads << " threads";
    }
}

TEST(channel_normalization_threads, any_number_gives_the_same_bits) {
    for (const auto &variant : variants) {
        const auto problem = problem_of(variant, dnnl_forward_training);
        for (size_t at = 0; at < implementations(problem).size(); ++at) {
            forward_case_t forward(problem, at);
            expect_same_bits_for_any_number_of_threads(forward);
        }
        const auto gradient = problem_of(variant, dnnl_backward);
        const auto forward = executed_forward(gradient);
        for (size_t at = 0; at < implementations(gradient, forward.primitive_desc()).size(); ++at) {
            backward_case_t backward(gradient, forward, at);
            expect_same_bits_for_any_number_of_threads(backward);
        }
    }
}

// Which mask a byte's neighbours have must not depend on who was faster.
TEST(channel_normalization_threads, the_mask_is_the_same_for_any_number) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
    for (const auto &variant : variants) {
        if (!(variant.flags & (relu | add_relu))) continue;
        const auto problem = problem_of(variant, dnnl_forward_training);
        for (int round = 0; round < 3; ++round) {
            forward_case_t forward(problem);
            tbb::task_arena(16).execute([&] { ASSERT_EQ(forward.execute(), dnnl_success); });
            auto gradient = problem_of(variant, dnnl_backward);
            backward_case_t backward(gradient, forward);
            ASSERT_EQ(backward.execute(), dnnl_success);
            EXPECT_TRUE(backward.is_right()) << to_string(gradient);
        }
    }
}

TEST(channel_normalization_threads, the_place_of_buffers_changes_no_bits) {
    const auto bits_of = [](problem_t problem, placement_t placement) {
        problem.placement = placement;
        if (problem.is_forward()) {
            const forward_case_t forward(problem);
            EXPECT_EQ(forward.execute(), dnnl_success);
            return output_bits(forward);
        }
        const backward_case_t backward(problem);
        EXPECT_EQ(backward.execute(), dnnl_success);
        return output_bits(backward);
    };
    for (const auto &variant : variants)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
            const auto problem = problem_of(variant, prop_kind);
            EXPECT_TRUE(bits_of(problem, placement_t::ends_at_guard)
                        == bits_of(problem, placement_t::begins_at_guard))
                    << to_string(problem);
        }
}

// Each call has tensors of its own; they share primitives through the cache.
TEST(channel_normalization_threads, primitives_may_run_inside_a_parallel_loop) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    std::deque<backward_case_t> cases;
    std::vector<std::vector<std::vector<std::byte>>> expected;
    for (const auto &variant : variants)
        for (int copy = 0; copy < 2; ++copy) {
            auto problem = problem_of(variant, dnnl_backward);
            problem.seed = static_cast<uint64_t>(copy);
            const backward_case_t &made = cases.emplace_back(problem);
            ASSERT_EQ(made.execute(), dnnl_success);
            expected.push_back(output_bits(made));
            mark_outputs(cases.back());
        }
    std::atomic<int> failures{0};
    tbb::task_arena(8).execute([&] {
        tbb::parallel_for(
                size_t(0), cases.size(),
                [&](size_t at) {
                    const auto stream = make_stream();
                    const auto arguments = cases[at].arguments();
                    for (int round = 0; round < 3; ++round)
                        if (arguments.execute(cases[at].primitive(), stream) != dnnl_success)
                            ++failures;
                },
                tbb::simple_partitioner());
    });
    EXPECT_EQ(failures, 0);
    for (size_t at = 0; at < cases.size(); ++at)
        EXPECT_TRUE(output_bits(cases[at]) == expected[at]) << to_string(cases[at].problem());
}

} // namespace

} // namespace kiln::test::channel_normalization
