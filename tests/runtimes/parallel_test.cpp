// SPDX-License-Identifier: Apache-2.0
// How work is cut into tasks.

#include "cpu/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace kiln::cpu {
namespace {

dim_t tasks_of(dim_t items, dim_t item_bytes) { return shares_of(items, item_bytes).tasks; }

TEST(parallel, keeps_small_work_in_one_task) {
    constexpr dim_t most_bytes = 192 << 10;
    for (const dim_t item_bytes : {1, 300, 8670, 65536}) {
        EXPECT_EQ(tasks_of(1, item_bytes), 1);
        EXPECT_EQ(tasks_of(most_bytes / item_bytes, item_bytes), 1);
    }
}

TEST(parallel, counts_narrow_elements_as_floats) {
    EXPECT_EQ(bytes_as_floats(2 * 100, 100), 8 * 100);
    EXPECT_EQ(bytes_as_floats(12 * 100, 100), 12 * 100);
}

TEST(parallel, gives_little_more_work_to_two_threads) {
    if (thread_count() == 1) GTEST_SKIP() << "one thread takes all work as one task";
    constexpr dim_t bytes = 193 << 10;
    for (const dim_t item_bytes : {1, 300, 8670})
        EXPECT_GE(tasks_of(divide_up(bytes, item_bytes), item_bytes), 2);
    EXPECT_EQ(tasks_of(2, bytes / 2), 2);
}

TEST(parallel, cuts_large_work_into_a_few_tasks_for_each_thread) {
    const dim_t most = thread_count() == 1 ? 1 : 4 * thread_count();
    for (const dim_t items : {most, 10 * most, 1000 * most})
        EXPECT_EQ(tasks_of(items, 1 << 20), most);
}

TEST(parallel, cuts_work_of_less_than_256_KiB_a_task_into_two_tasks_for_each_thread) {
    const dim_t threads = thread_count(), most = threads == 1 ? 1 : 2 * threads;
    for (const dim_t kibibytes : {64, 100, 256}) EXPECT_EQ(tasks_of(most * kibibytes, 1024), most);
}

TEST(parallel, gives_each_thread_as_many_tasks) {
    const dim_t threads = thread_count();
    for (dim_t tasks = 2 * threads; tasks <= 20 * threads; ++tasks)
        EXPECT_EQ(tasks_of(tasks * 65536, 1) % threads, 0) << tasks << " tasks of 64 KiB";
    EXPECT_EQ(tasks_of(24 * threads + 1, 1 << 18) % threads, 0);
}

TEST(parallel, reverses_the_order_of_tasks_in_the_share_of_each_thread) {
    for (const dim_t count : {1, 2, 3, 4, 7, 8, 25, 100}) {
        const dim_t threads = std::min(count, thread_count());
        std::vector<dim_t> places;
        for (dim_t task = 0; task < count; ++task) {
            places.push_back(reversed_in_share(task, count));
            EXPECT_EQ(places.back() * threads / count, task * threads / count) << "another share";
        }
        EXPECT_EQ(places.front(), divide_up(count, threads) - 1);
        std::ranges::sort(places);
        for (dim_t task = 0; task < count; ++task) EXPECT_EQ(places[task], task);
    }
}

TEST(parallel, shares_items_as_equally_as_possible_in_whole_units) {
    for (const dim_t items : {1, 7, 13, 100, 4097}) {
        for (const dim_t unit : {1, 4}) {
            const dim_t units = divide_up(items, unit);
            for (dim_t tasks = 1; tasks <= std::min(units, dim_t(9)); ++tasks) {
                const shares_t shares{items, tasks, unit};
                EXPECT_EQ(shares.begin(0), 0);
                EXPECT_EQ(shares.begin(tasks), items);
                for (dim_t task = 0; task < tasks; ++task) {
                    const dim_t begin = shares.begin(task), end = shares.begin(task + 1);
                    EXPECT_EQ(begin % unit, 0);
                    EXPECT_EQ(shares.task(begin), task);
                    const dim_t share = divide_up(end - begin, unit);
                    EXPECT_GE(share, units / tasks) << items << " items, " << tasks << " tasks";
                    EXPECT_LE(share, divide_up(units, tasks));
                }
            }
        }
    }
}

TEST(parallel, visits_each_item_of_shares_once) {
    for (const dim_t items : {0, 1, 7, 1000}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(items));
        const auto visit = [&](dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        };
        const shares_t shares = shares_of(items, 1 << 18);
        parallel_shares(shares, visit);
        parallel_shares_in_reverse(shares, visit);
        for (const std::atomic<int> &count : visits) EXPECT_EQ(count, 2);
    }
}

TEST(parallel, takes_work_without_items) { EXPECT_EQ(tasks_of(0, 100), 1); }

} // namespace
} // namespace kiln::cpu
