// SPDX-License-Identifier: Apache-2.0
// Bit-identical results for any number of threads, from many threads at once, and from inside the
// caller's own parallel loops.

#include <algorithm>
#include <atomic>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "normalization/operation_test.hpp"
#include "support/thread_checks.hpp"

namespace kiln::test::normalization {

namespace {

struct variant_t {
    dims_t dims;
    std::string format;
    dnnl_data_type_t type;
    unsigned flags;
    int64_t groups = 0;
};

const std::vector<variant_t> layer_variants{
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

const std::vector<variant_t> batch_variants{
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
        {{2, 225, 20, 20}, "acdb", dnnl_bf16, global_stats | scale | shift},
        {{2, 225, 14, 14}, "acdb", dnnl_f32, global_stats | scale | shift},
        {{3, 50, 11, 11}, "acdb", dnnl_f64, scale},
};

const std::vector<variant_t> group_variants{
        {{1, 64, 60, 60}, "acdb", dnnl_f32, scale | shift, 1},
        {{2, 96, 30, 31}, "acdb", dnnl_bf16, scale | shift, 32},
        {{2, 96, 30, 31}, "abcd", dnnl_f32, scale | shift, 32},
        {{3, 37, 17, 18}, "acdb+3", dnnl_f16, shift, 37},
        {{1, 6, 90, 100}, "abcd", dnnl_bf16, scale, 2},
        {{4, 40, 9, 9}, "aBcd16b", dnnl_f32, scale | global_stats, 4},
};

class normalization_threads : public operation_test_t {
protected:
    /// Every variant in both directions.
    static std::vector<problem_t> problems() {
        std::vector<problem_t> problems;
        for (const auto &variant : is_layer()   ? layer_variants
                                   : is_batch() ? batch_variants
                                                : group_variants)
            for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
                problems.push_back(
                        problem_of(variant.dims, variant.flags, variant.format, prop_kind));
                problems.back().groups = variant.groups;
                problems.back().set_types(variant.type);
            }
        return problems;
    }

    /// Several calls of each problem, with values of their own.
    static calls_t calls() {
        calls_t calls;
        for (auto problem : problems()) {
            const auto shared = std::make_shared<case_t>(problem);
            for (problem.seed = 1; problem.seed <= (is_layer() ? 3 : 2); ++problem.seed)
                calls.add(std::make_shared<case_t>(problem), shared);
        }
        return calls;
    }
};

TEST_P(normalization_threads, any_number_gives_the_same_bits) {
    for (const auto &problem : problems())
        for_each_maker(problem,
                [](const make_case_t &make) { expect_same_bits_for_any_number_of_threads(make); });
}

// Which mask a byte's neighbours have must not depend on who was faster.
TEST_P(normalization_threads, the_mask_is_the_same_for_any_number) {
    if (!is_batch()) GTEST_SKIP() << "it has no mask";
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
    for (const auto &problem : problems()) {
        if (problem.is_forward() || !problem.has_relu()) continue;
        for (int round = 0; round < 3; ++round) {
            const case_t forward(problem.forward_of_it());
            tbb::task_arena(16).execute([&] { ASSERT_EQ(forward.execute(), dnnl_success); });
            const case_t backward(problem, forward);
            ASSERT_EQ(backward.execute(), dnnl_success);
            EXPECT_TRUE(backward.is_right());
        }
    }
}

TEST_P(normalization_threads, the_place_of_buffers_changes_no_bits) {
    for (auto problem : problems()) {
        std::vector<std::vector<std::vector<std::byte>>> bits;
        for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard}) {
            problem.placement = placement;
            const case_t tested(problem);
            EXPECT_EQ(tested.execute(), dnnl_success);
            bits.push_back(tested.output_bits());
        }
        EXPECT_TRUE(bits[0] == bits[1]) << to_string(problem);
    }
}

// A primitive made in one arena runs in another.
TEST_P(normalization_threads, a_primitive_belongs_to_no_arena) {
    const tbb::global_control more(tbb::global_control::max_allowed_parallelism, 16);
    for (const int made_with : {1, 16}) {
        std::unique_ptr<case_t> backward;
        tbb::task_arena(made_with).execute(
                [&] { backward = std::make_unique<case_t>(problems()[1]); });
        tbb::task_arena(17 - made_with).execute([&] {
            ASSERT_EQ(backward->execute(), dnnl_success);
        });
        EXPECT_TRUE(backward->is_right());
    }
}

TEST_P(normalization_threads, many_may_execute_at_once) {
    calls().expect_independence_in_threads();
}

TEST_P(normalization_threads, primitives_may_run_inside_a_parallel_loop) {
    calls().expect_independence_in_a_parallel_loop();
}

INSTANTIATE_FOR_OPERATIONS(normalization_threads);

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
TEST(layer_normalization_shared_scratchpad, a_waiting_thread_starts_no_call_that_spoils_its_own) {
    constexpr int calls_per_loop = 12;
    constexpr int loops = 15;
    problem_t problem;
    problem.prop_kind = dnnl_forward_inference;
    problem.dims = {256, 4096};
    problem.flags = scale;
    const case_t shared(problem);

    std::vector<scaled_call_t> calls;
    const auto execute = [&](const scaled_call_t &call) {
        return shared.arguments()
                .with(DNNL_ARG_SCALE, call.scale.memory())
                .with(DNNL_ARG_DST, call.dst.memory())
                .execute(shared.primitive());
    };
    for (int number = 0; number < calls_per_loop; ++number) {
        calls.push_back({tensor_t(make_desc({problem.weights()}, dnnl_f32)),
                tensor_t(make_desc(problem.dims, dnnl_f32)), {}});
        calls.back().scale.fill(std::vector<double>(size_t(problem.weights()), number + 1));
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

} // namespace kiln::test::normalization
