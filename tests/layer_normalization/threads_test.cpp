// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, from many threads at once, and from inside the caller's
// own parallel loops.
#include <atomic>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "layer_normalization/backward_case.hpp"
#include "layer_normalization/forward_case.hpp"

namespace kiln::test::layer_normalization {

namespace {

struct variant_t {
    dims_t dims;
    std::string format;
    dnnl_data_type_t type;
    unsigned flags;
};

const std::vector<variant_t> variants{
        {{1000, 64}, "ab", dnnl_f32, scale | shift},
        {{64, 1000}, "ab", dnnl_f32, scale | shift},
        {{3, 20000}, "ab", dnnl_f32, scale | shift},
        {{5000, 3}, "ab", dnnl_f32, scale | shift},
        {{1, 50}, "ab", dnnl_f32, scale | shift},
        {{333, 77}, "ab+3", dnnl_bf16, scale | shift},
        {{333, 77}, "ba", dnnl_f32, scale | shift},
        {{333, 77}, "ab", dnnl_f64, rms | scale | shift},
        {{333, 77}, "ab", dnnl_f16, rms | scale},
        {{40, 9, 50}, "acb", dnnl_f32, scale | shift},
        {{40, 9, 50}, "aBc4b", dnnl_f32, global_stats | scale | shift},
};

problem_t problem_of(const variant_t &variant, dnnl_prop_kind_t prop_kind) {
    problem_t problem;
    problem.prop_kind = prop_kind;
    problem.dims = variant.dims;
    problem.flags = variant.flags;
    problem.src_format = problem.dst_format = problem.diff_src_format = variant.format;
    problem.src_type = problem.dst_type = problem.diff_src_type = variant.type;
    return problem;
}

constexpr int output_args[]{DNNL_ARG_DST, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_DIFF_SRC,
        DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT};

/// The bits of everything an execution may write.
template <typename case_t> std::vector<std::vector<std::byte>> output_bits(case_t &tested) {
    std::vector<std::vector<std::byte>> bits;
    for (const int arg : output_args)
        if (tested.bindings().has(arg)) bits.push_back(tested.tensor(arg).bits());
    return bits;
}

template <typename case_t> void mark_outputs(case_t &tested) {
    for (const int arg : output_args)
        if (tested.bindings().has(arg)
                && !(tested.problem().reads_stats()
                        && (arg == DNNL_ARG_MEAN || arg == DNNL_ARG_VARIANCE)))
            tested.tensor(arg).mark();
}

template <typename case_t>
void expect_same_bits_for_any_number_of_threads(const problem_t &problem) {
    case_t tested(problem);
    ASSERT_EQ(tested.execute(), dnnl_success);
    ASSERT_TRUE(tested.is_right()) << to_string(problem);
    const auto reference = output_bits(tested);
    for (const int threads : {1, 2, 3, 7, 16}) {
        // Without this, arenas have no more threads than the machine.
        const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
        mark_outputs(tested);
        tbb::task_arena arena(threads);
        arena.execute([&] { ASSERT_EQ(tested.execute(), dnnl_success); });
        EXPECT_TRUE(output_bits(tested) == reference)
                << to_string(problem) << " with " << threads << " threads";
    }
}

TEST(layer_normalization_threads, any_number_gives_the_same_bits) {
    for (const auto &variant : variants)
        for (const auto prop_kind : {dnnl_forward_training, dnnl_backward})
            if (prop_kind == dnnl_backward)
                expect_same_bits_for_any_number_of_threads<backward_case_t>(
                        problem_of(variant, prop_kind));
            else
                expect_same_bits_for_any_number_of_threads<forward_case_t>(
                        problem_of(variant, prop_kind));
}

TEST(layer_normalization_threads, the_place_of_buffers_changes_no_bits) {
    const auto bits_of = [](problem_t problem, placement_t placement) {
        problem.placement = placement;
        if (problem.is_forward()) {
            forward_case_t forward(problem);
            EXPECT_EQ(forward.execute(), dnnl_success);
            return output_bits(forward);
        }
        backward_case_t backward(problem);
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

// A primitive made in one arena runs in another.
TEST(layer_normalization_threads, a_primitive_belongs_to_no_arena) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
    for (const int made_with : {1, 16}) {
        std::unique_ptr<backward_case_t> backward;
        tbb::task_arena(made_with).execute([&] {
            backward = std::make_unique<backward_case_t>(problem_of(variants[0], dnnl_backward));
        });
        tbb::task_arena(17 - made_with).execute([&] {
            ASSERT_EQ(backward->execute(), dnnl_success);
        });
        EXPECT_TRUE(backward->is_right());
    }
}

/// Executes one primitive `calls` times, each with tensors of its own, as `launch` distributes the
/// calls, and compares the bits with those of a single execution.
template <typename case_t, typename launch_t>
void expect_independent_calls(const problem_t &problem, int calls, launch_t launch) {
    case_t reference(problem);
    ASSERT_EQ(reference.execute(), dnnl_success);
    ASSERT_TRUE(reference.is_right()) << to_string(problem);
    const auto bits = output_bits(reference);

    std::vector<std::unique_ptr<case_t>> own;
    for (int call = 0; call < calls; ++call) own.push_back(std::make_unique<case_t>(problem));
    std::atomic<int> failures{0};
    launch(calls, [&](int call) {
        const auto stream = make_stream();
        for (int repetition = 0; repetition < 5; ++repetition)
            if (own[size_t(call)]->arguments().execute(reference.primitive(), stream)
                    != dnnl_success)
                ++failures;
    });
    EXPECT_EQ(failures, 0) << to_string(problem);
    for (auto &one : own)
        EXPECT_TRUE(output_bits(*one) == bits && one->bindings().are_intact())
                << to_string(problem);
}

template <typename launch_t>
void expect_independent_calls_of_all_variants(int calls, launch_t launch) {
    for (const auto &variant : variants) {
        expect_independent_calls<forward_case_t>(
                problem_of(variant, dnnl_forward_training), calls, launch);
        expect_independent_calls<backward_case_t>(
                problem_of(variant, dnnl_backward), calls, launch);
    }
}

TEST(layer_normalization_threads, many_may_execute_one_primitive_at_once) {
    expect_independent_calls_of_all_variants(8, [](int calls, auto call) {
        std::vector<std::thread> threads;
        for (int at = 0; at < calls; ++at) threads.emplace_back(call, at);
        for (auto &thread : threads) thread.join();
    });
}

// Here a thread that waits for its part of an execution may be offered another call of the outer
// loop: it must not run it in the midst of this one, whose scratchpad it holds.
TEST(layer_normalization_threads, primitives_may_run_inside_a_parallel_loop) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    expect_independent_calls_of_all_variants(12, [](int calls, auto call) {
        tbb::task_arena arena(8);
        arena.execute([&] { tbb::parallel_for(0, calls, [&](int at) { call(at); }); });
    });
}

} // namespace

} // namespace kiln::test::layer_normalization
