// SPDX-License-Identifier: Apache-2.0
// The same bits for any number of threads, from many threads at once, and from inside the caller's
// own parallel loops.
#include <algorithm>
#include <atomic>
#include <functional>
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
        {{160, 1024}, "ab", dnnl_f32, scale | shift},
        {{333, 77}, "ab+3", dnnl_bf16, scale | shift},
        {{333, 77}, "ba", dnnl_f32, scale | shift},
        {{333, 77}, "ab", dnnl_f64, rms | scale | shift},
        {{333, 77}, "ab", dnnl_f16, rms | scale},
        {{40, 9, 50}, "acb", dnnl_f32, scale | shift},
        {{8, 784, 42}, "acb", dnnl_f32, scale | shift},
        {{3, 700, 65}, "cab", dnnl_bf16, rms | scale},
        {{9, 49, 80}, "acb+3", dnnl_f16, scale | shift},
        {{1100, 33}, "ba", dnnl_f32, global_stats | scale | shift},
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

/// One execution with tensors and values of its own, of a primitive that others execute too.
struct call_t {
    std::string name;
    std::function<dnnl_status_t(dnnl_stream_t)> execute;
    std::function<bool()> is_as_alone;
};

template <typename case_t> void add_calls(std::vector<call_t> &calls, problem_t problem) {
    const auto shared = std::make_shared<case_t>(problem);
    for (problem.seed = 1; problem.seed <= 3; ++problem.seed) {
        const auto own = std::make_shared<case_t>(problem);
        EXPECT_EQ(own->execute(), dnnl_success);
        EXPECT_TRUE(own->is_right()) << to_string(problem);
        const auto bits = output_bits(*own);
        mark_outputs(*own);
        calls.push_back({to_string(problem),
                [shared, own](dnnl_stream_t stream) {
                    return own->arguments().execute(shared->primitive(), stream);
                },
                [own, bits] { return output_bits(*own) == bits && own->bindings().are_intact(); }});
    }
}

/// Calls of all variants, several of each, to be run at the same time.
std::vector<call_t> all_calls() {
    std::vector<call_t> calls;
    for (const auto &variant : variants) {
        add_calls<forward_case_t>(calls, problem_of(variant, dnnl_forward_training));
        add_calls<backward_case_t>(calls, problem_of(variant, dnnl_backward));
    }
    return calls;
}

constexpr int repetitions = 5;

/// Runs each of the calls several times, on a stream of its own, as `launch` distributes them.
template <typename launch_t> void expect_independent_calls(launch_t launch) {
    const auto calls = all_calls();
    std::atomic<int> failures{0};
    std::atomic<int> differences{0};
    launch(calls.size(), [&](size_t at) {
        const auto stream = make_stream();
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            if (calls[at].execute(stream) != dnnl_success) ++failures;
            if (!calls[at].is_as_alone()) ++differences;
        }
    });
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(differences, 0);
    for (const auto &call : calls) EXPECT_TRUE(call.is_as_alone()) << call.name;
}

TEST(layer_normalization_threads, many_may_execute_at_once) {
    expect_independent_calls([](size_t count, auto call) {
        std::vector<std::thread> threads;
        for (size_t at = 0; at < count; ++at) threads.emplace_back(call, at);
        for (auto &thread : threads) thread.join();
    });
}

TEST(layer_normalization_threads, primitives_may_run_inside_a_parallel_loop) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    expect_independent_calls([](size_t count, auto call) {
        tbb::task_arena arena(8);
        arena.execute([&] {
            tbb::parallel_for(
                    size_t(0), count, [&](size_t at) { call(at); }, tbb::simple_partitioner());
        });
    });
}

/// A call of a shared primitive that has a scale and a dst of its own.
struct scaled_call_t {
    tensor_t scale;
    tensor_t dst;
    std::vector<std::byte> bytes;
};

// A thread that waits for the rest of its execution may be offered another call of the outer loop.
// It must not run it in the midst of this one, whose scratchpad it holds. That happens only when
// another thread has taken a part of this execution while a third has calls to give away, so the
// executions are long and the loop is repeated: enough to fail nearly always where it can.
TEST(layer_normalization_threads, a_waiting_thread_starts_no_call_that_spoils_its_own) {
    constexpr int calls_per_loop = 12;
    constexpr int loops = 15;
    problem_t problem;
    problem.prop_kind = dnnl_forward_inference;
    problem.dims = {256, 4096};
    problem.flags = scale;
    const forward_case_t shared(problem);

    std::vector<scaled_call_t> calls;
    const auto execute = [&](const scaled_call_t &call) {
        return shared.arguments()
                .with(DNNL_ARG_SCALE, call.scale.memory())
                .with(DNNL_ARG_DST, call.dst.memory())
                .execute(shared.primitive());
    };
    for (int number = 0; number < calls_per_loop; ++number) {
        calls.push_back({tensor_t(make_desc({problem.cols()}, dnnl_f32)),
                tensor_t(make_desc(problem.dims, dnnl_f32)), {}});
        calls.back().scale.fill(std::vector<double>(size_t(problem.cols()), number + 1));
        ASSERT_EQ(execute(calls.back()), dnnl_success);
        const auto bytes = calls.back().dst.bytes();
        calls.back().bytes.assign(bytes.begin(), bytes.end());
    }

    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena arena(3);
    std::atomic<int> differences{0};
    for (int loop = 0; loop < loops; ++loop) {
        arena.execute([&] {
            tbb::parallel_for(
                    0, calls_per_loop,
                    [&](int at) {
                        if (execute(calls[size_t(at)]) != dnnl_success) ++differences;
                    },
                    tbb::simple_partitioner());
        });
        for (const auto &call : calls)
            if (!std::ranges::equal(call.dst.bytes(), call.bytes)) ++differences;
    }
    EXPECT_EQ(differences, 0);
}

} // namespace

} // namespace kiln::test::layer_normalization
