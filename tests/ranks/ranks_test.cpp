// SPDX-License-Identifier: Apache-2.0
// Normalizations over ranks that are threads of this process.

#include <barrier>
#include <deque>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "kiln/refusals.h"
#include "ranks/rank_case.hpp"

namespace kiln::test::normalization {
namespace {

/// Ranks that reach each other in memory.
class world_t {
public:
    explicit world_t(int count)
        : barrier_(count)
        , sent_(size_t(count)) {
        for (int rank = 0; rank < count; ++rank) members_.push_back({this, rank, {}});
    }

    int count() const { return int(sent_.size()); }
    kiln_ranks_t ranks(int rank, unsigned combined, bool in_two_parts) {
        kiln_ranks_t ranks{};
        ranks.count = count();
        ranks.combined = combined;
        ranks.context = &members_[size_t(rank)];
        if (in_two_parts)
            ranks.start = start, ranks.wait = wait;
        else
            ranks.gather = gather;
        return ranks;
    }
    /// Calls `body(rank)` for all ranks at once.
    template <typename body_t> void run(const body_t &body) {
        std::vector<std::thread> threads;
        for (int rank = 0; rank < count(); ++rank) threads.emplace_back([&, rank] { body(rank); });
        for (auto &thread : threads) thread.join();
    }
    int messages(int rank) const { return members_[size_t(rank)].messages; }

private:
    struct member_t {
        world_t *world;
        int rank;
        std::function<dnnl_status_t()> request;
        int messages = 0;
    };

    static dnnl_status_t gather(void *context, const double *local, size_t count, double *all) {
        auto &member = *static_cast<member_t *>(context);
        world_t &world = *member.world;
        ++member.messages;
        world.sent_[size_t(member.rank)] = {local, local + count};
        world.barrier_.arrive_and_wait();
        bool is_alike = true;
        for (const auto &sent : world.sent_) {
            is_alike &= sent.size() == count;
            all = std::copy(sent.begin(), sent.end(), all);
        }
        world.barrier_.arrive_and_wait();
        return is_alike ? dnnl_success : dnnl_runtime_error;
    }
    static dnnl_status_t start(
            void *context, const double *local, size_t count, double *all, void **request) {
        auto &member = *static_cast<member_t *>(context);
        member.request = [=] { return gather(context, local, count, all); };
        *request = &member;
        return dnnl_success;
    }
    static dnnl_status_t wait(void *context, void *request) {
        EXPECT_EQ(context, request);
        return static_cast<member_t *>(request)->request();
    }

    std::barrier<> barrier_;
    std::vector<std::vector<double>> sent_;
    std::deque<member_t> members_;
};

/// Executes on so many ranks, twice; judges.
void expect_right(const split_problem_t &problem, const case_t &whole,
        const std::vector<expected_t> &expected, int count) {
    std::vector<std::vector<std::byte>> combined{size_t(count)};
    world_t world(count);
    world.run([&](int rank) {
        try {
            std::vector<std::vector<std::vector<std::byte>>> runs;
            for (const bool in_two_parts : {false, true}) {
                const auto ranks = world.ranks(rank, problem.combined, in_two_parts);
                const rank_case_t tested(problem, whole, ranks, rank);
                ASSERT_EQ(tested.execute(), dnnl_success) << to_string(problem);
                EXPECT_TRUE(tested.is_right(expected)) << tested.implementation();
                EXPECT_TRUE(tested.implementation() != "ref:any" || !generates_kernels()
                            || problem.by_reference);
                combined[size_t(rank)] = tested.combined_bits();
                runs.push_back(tested.output_bits());
            }
            EXPECT_EQ(runs[0], runs[1]) << "other bits in another run: " << to_string(problem);
        } catch (const std::exception &error) {
            ADD_FAILURE() << to_string(problem) << ": " << error.what();
            std::abort(); // the other ranks wait
        }
    });
    for (const auto &bits : combined)
        EXPECT_EQ(bits, combined[0]) << "ranks have other bits: " << to_string(problem);
}

TEST(normalizations_over_ranks, are_those_of_one_process_with_all_samples) {
    const auto problems = split_problems();
    const size_t step = generates_kernels() ? 1 : 3; // the reference is one for all types
    for (size_t i = 0; i < problems.size(); i += step) {
        const auto &problem = problems[i];
        const case_t whole(problem.whole);
        ASSERT_EQ(whole.execute(), dnnl_success);
        const auto expected = whole.expected();
        for (const int count : {2, 4}) expect_right(problem, whole, expected, count);
    }
}

split_problem_t a_split_row(dnnl_prop_kind_t prop_kind = dnnl_forward_training) {
    problem_t whole;
    whole.prop_kind = prop_kind;
    whole.dims = {9, 300};
    whole.flags = scale | shift;
    return {whole, 1, kiln_combine_statistics};
}

split_problem_t a_problem(dnnl_prop_kind_t prop_kind = dnnl_forward_training) {
    problem_t whole;
    whole.operation = operation_t::batch;
    whole.prop_kind = prop_kind;
    whole.dims = {6, 37, 5, 4};
    whole.flags = scale | shift;
    return {whole, 0, kiln_combine_statistics | kiln_combine_weight_gradients};
}

// Far from zero, a float's sums of squares have no digits of the variance.
TEST(normalizations_over_ranks, keep_their_digits_far_from_zero) {
    for (auto problem :
            {a_problem(), a_problem(dnnl_backward), a_split_row(), a_split_row(dnnl_backward)}) {
        problem.whole.data = data_t::large_mean;
        const case_t whole(problem.whole);
        ASSERT_EQ(whole.execute(), dnnl_success);
        expect_right(problem, whole, whole.expected(), 4);
    }
}

TEST(normalizations_over_ranks, of_one_rank_have_the_bits_of_those_without_and_send_nothing) {
    for (const auto &problem :
            {a_problem(), a_problem(dnnl_backward), a_split_row(), a_split_row(dnnl_backward)}) {
        const case_t whole(problem.whole);
        ASSERT_EQ(whole.execute(), dnnl_success);
        world_t world(1);
        const rank_case_t tested(problem, whole, world.ranks(0, problem.combined, false), 0);
        ASSERT_EQ(tested.execute(), dnnl_success);
        EXPECT_EQ(tested.output_bits(), whole.output_bits());
        EXPECT_EQ(world.messages(0), 0);
    }
}

TEST(normalizations_over_ranks, send_one_message_an_execution) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
        const auto problem = a_problem(prop_kind);
        const case_t whole(problem.whole);
        world_t world(2);
        world.run([&](int rank) {
            const rank_case_t tested(problem, whole, world.ranks(rank, 3, false), rank);
            const int before = world.messages(rank); // of forward, which backward needs
            for (int i = 0; i < 3; ++i) ASSERT_EQ(tested.execute(), dnnl_success);
            EXPECT_EQ(world.messages(rank) - before, 3);
        });
    }
}

/// Ranks that all have what this one has. They note what its outputs are when a message begins and
/// when it is waited for.
struct observer_t {
    const rank_case_t *observed = nullptr;
    std::vector<std::vector<std::byte>> at_start, at_wait;
    const double *local = nullptr;
    double *all = nullptr;
    size_t count = 0;

    kiln_ranks_t ranks(unsigned combined) { return {2, combined, this, nullptr, start, wait}; }
    static dnnl_status_t start(
            void *context, const double *local, size_t count, double *all, void **request) {
        auto &self = *static_cast<observer_t *>(context);
        if (self.observed) self.at_start = self.observed->output_bits();
        self.local = local, self.all = all, self.count = count;
        *request = context;
        return dnnl_success;
    }
    static dnnl_status_t wait(void *, void *request) {
        auto &self = *static_cast<observer_t *>(request);
        if (self.observed) self.at_wait = self.observed->output_bits();
        for (int rank = 0; rank < 2; ++rank)
            std::copy_n(self.local, self.count, self.all + size_t(rank) * self.count);
        return dnnl_success;
    }
};

// diff_src does not depend on what the other ranks send, so it is computed meanwhile.
TEST(normalizations_over_ranks, compute_the_gradient_of_src_while_those_of_weights_are_sent) {
    for (const auto operation : {operation_t::batch, operation_t::group})
        for (const int64_t channels : {3, 96}) // threads share chunks, or groups
            for (const unsigned combined : {unsigned(kiln_combine_weight_gradients), 3u}) {
                auto problem = a_problem(dnnl_backward);
                problem.whole.operation = operation;
                problem.whole.groups = operation == operation_t::group ? 3 : 0;
                problem.whole.dims = {6, channels, 5, 4};
                problem.combined = combined;
                const case_t whole(problem.whole);
                observer_t observer;
                const rank_case_t tested(problem, whole, observer.ranks(combined), 0);
                observer.observed = &tested;
                const auto before = tested.output_bits();
                ASSERT_EQ(tested.execute(), dnnl_success) << to_string(problem);
                EXPECT_EQ(observer.at_start, before);
                // The reference computes nothing meanwhile.
                const bool is_needed = combined & kiln_combine_statistics || !generates_kernels();
                EXPECT_EQ(observer.at_wait == before, is_needed) << to_string(problem);
                EXPECT_NE(tested.output_bits(), observer.at_wait);
            }
}

dnnl_status_t fail(void *, const double *, size_t, double *) { return dnnl_runtime_error; }
dnnl_status_t refuse_to_start(void *, const double *, size_t, double *, void **) {
    return dnnl_out_of_memory;
}
dnnl_status_t start_well(void *, const double *, size_t, double *, void **) { return dnnl_success; }
dnnl_status_t refuse_to_wait(void *, void *) { return dnnl_runtime_error; }

/// Gathers in a world of two ranks where the other one has the same, so often; fails then.
dnnl_status_t gather_or_fail(void *context, const double *local, size_t count, double *all) {
    if (--*static_cast<int *>(context) < 0) return dnnl_runtime_error;
    for (const int rank : {0, 1}) std::copy_n(local, count, all + size_t(rank) * count);
    return dnnl_success;
}

TEST(normalizations_over_ranks, answer_what_the_callback_answers) {
    for (const auto prop_kind : {dnnl_forward_training, dnnl_backward}) {
        const auto problem = a_problem(prop_kind);
        const case_t whole(problem.whole);
        int successes = 2;
        const kiln_ranks_t failing{2, 3, &successes, gather_or_fail, nullptr, nullptr};
        const rank_case_t tested(problem, whole, failing, 1);
        while (successes > 0) EXPECT_EQ(tested.execute(), dnnl_success);
        EXPECT_EQ(tested.execute(), dnnl_runtime_error);
    }
    const auto problem = a_problem();
    const case_t whole(problem.whole);
    const kiln_ranks_t in_start{2, 3, nullptr, nullptr, refuse_to_start, refuse_to_wait};
    EXPECT_EQ(rank_case_t(problem, whole, in_start, 1).execute(), dnnl_out_of_memory);
    const kiln_ranks_t in_wait{2, 3, nullptr, nullptr, start_well, refuse_to_wait};
    EXPECT_EQ(rank_case_t(problem, whole, in_wait, 1).execute(), dnnl_runtime_error);
}

/// The reason why a problem on two ranks is refused by the implementations; "" if it is not.
std::string refusals_of(problem_t problem, unsigned combined) {
    static int successes = 0;
    const kiln_ranks_t ranks{2, combined, &successes, gather_or_fail, nullptr, nullptr};
    problem.ranks = &ranks;
    kiln_record_refusals(1);
    const dnnl_status_t status = creation_status(problem);
    const std::string reasons = kiln_recorded_refusals();
    kiln_record_refusals(0);
    EXPECT_EQ(status, dnnl_unimplemented) << to_string(problem);
    return reasons;
}

TEST(normalizations_over_ranks, are_refused_with_a_reason_where_no_kernel_does_them) {
    const problem_t problem = a_split_row().whole;
    EXPECT_NE(refusals_of(problem, 3).find("combine statistics and gradients"), std::string::npos);
}

TEST(ranks_of_an_attribute, are_given_back) {
    const auto attr = test::make_attr();
    int context = 0;
    kiln_ranks_t ranks{3, kiln_combine_statistics, &context, fail, nullptr, nullptr}, got{};
    ASSERT_EQ(kiln_primitive_attr_set_ranks(attr, &ranks), dnnl_success);
    ASSERT_EQ(kiln_primitive_attr_get_ranks(attr, &got), dnnl_success);
    EXPECT_EQ(got.count, 3);
    EXPECT_EQ(got.combined, unsigned(kiln_combine_statistics));
    EXPECT_EQ(got.context, &context);
    EXPECT_EQ(got.gather, fail);
    ASSERT_EQ(kiln_primitive_attr_set_ranks(attr, nullptr), dnnl_success);
    ASSERT_EQ(kiln_primitive_attr_get_ranks(attr, &got), dnnl_success);
    EXPECT_EQ(got.count, 1);
    EXPECT_EQ(got.combined, 0u);
    EXPECT_EQ(kiln_primitive_attr_get_ranks(attr, nullptr), dnnl_invalid_arguments);
    EXPECT_EQ(kiln_primitive_attr_set_ranks(nullptr, &ranks), dnnl_invalid_arguments);
}

TEST(ranks_of_an_attribute, are_refused_where_they_make_no_sense) {
    const auto attr = test::make_attr();
    const kiln_ranks_t senseless[] = {{0, 1, nullptr, fail, nullptr, nullptr},
            {2, 0, nullptr, fail, nullptr, nullptr}, {2, 4, nullptr, fail, nullptr, nullptr},
            {2, 1, nullptr, nullptr, nullptr, nullptr},
            {2, 1, nullptr, nullptr, refuse_to_start, nullptr},
            {2, 1, nullptr, fail, refuse_to_start, refuse_to_wait}};
    for (const auto &ranks : senseless)
        EXPECT_EQ(kiln_primitive_attr_set_ranks(attr, &ranks), dnnl_invalid_arguments);
}

TEST(ranks_of_an_attribute, belong_to_the_key_of_the_primitive_cache) {
    const auto answer = [](kiln_ranks_t ranks) {
        const auto problem = a_problem();
        static const case_t whole(problem.whole);
        return rank_case_t(problem, whole, ranks, 0).execute();
    };
    const kiln_ranks_t failing{2, 3, nullptr, fail, nullptr, nullptr};
    const kiln_ranks_t other{2, 3, nullptr, nullptr, refuse_to_start, refuse_to_wait};
    EXPECT_EQ(answer(failing), dnnl_runtime_error);
    EXPECT_EQ(answer(other), dnnl_out_of_memory);
}

TEST(ranks_of_an_attribute, are_refused_by_what_is_no_normalization) {
    const auto attr = test::make_attr();
    const kiln_ranks_t ranks{2, 3, nullptr, fail, nullptr, nullptr};
    ASSERT_EQ(kiln_primitive_attr_set_ranks(attr, &ranks), dnnl_success);
    const auto md = make_desc({4, 8}, dnnl_f32);
    primitive_desc_handle_t pd;
    EXPECT_EQ(dnnl_softmax_forward_primitive_desc_create(pd.out(), cpu_engine(),
                      dnnl_forward_training, dnnl_softmax_accurate, md, md, 1, attr),
            dnnl_unimplemented);
}

} // namespace
} // namespace kiln::test::normalization
