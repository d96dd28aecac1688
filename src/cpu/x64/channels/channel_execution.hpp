// SPDX-License-Identifier: Apache-2.0
// Runs two sweeps over the channels of a plan in parallel: the first one makes sums, from which the
// caller computes what the second one needs.
#pragma once

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

#include "cpu/parallel.hpp"
#include "cpu/x64/channels/channel_sums.hpp"

namespace kiln::x64 {

/// The steps of both sweeps. A statistics group is a set of consecutive units whose sums give
/// statistics together. Results are bit-identical for any number of threads: threads share chunks
/// and statistics groups, which depend on the problem alone.
template <typename begin_t, typename sum_t, typename finish_t, typename prepare_t, typename apply_t>
struct channel_sweeps_t {
    dim_t bytes_per_element; // of all tensors that the sweeps touch
    bool has_sums;           // false: there is no first sweep
    dim_t units_per_statistics_group;
    dim_t tasks_per_statistics_group; // that finish its sums, independent of each other
    begin_t begin;                    // (first unit, end): before the sweeps
    sum_t sum;                        // (chunk): first sweep
    finish_t finish;   // (statistics group, task, attempt): computes what apply() needs from sums;
                       // false: the sums must be made again, with new pivots
    prepare_t prepare; // (first unit, end): when their statistics groups are finished
    apply_t apply;     // (chunk): second sweep
};

/// The sums that a chunk adds to, set to zero.
inline float *cleared_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const channel_chunk_t &chunk, float *all_sums) {
    float *const sums =
            all_sums + chunk.unit * arrays.unit_sums + chunk.partial * arrays.partial_pitch;
    if (plan.rows_kind() == channel_rows_t::planes) {
        // A chunk has several units only if each has one partial sum.
        std::fill_n(sums, chunk.units * arrays.partial_pitch, 0.f);
        return sums;
    }
    const dim_t count =
            plan.packed_rows() > 1 ? plan.packed_line() : chunk.end_column - chunk.first_column;
    for (const dim_t sum : {0, 1})
        std::fill_n(sums + sum * arrays.sum_pitch + chunk.first_column, count, 0.f);
    return sums;
}

/// Calls `body` for the chunks of units [first, end), in order or in reverse order.
template <typename body_t>
void for_each_chunk(
        const channel_plan_t &plan, dim_t first, dim_t end, bool from_end, const body_t &body) {
    if (plan.joins_units()) return body(plan.whole_units(first, end - first));
    const dim_t chunks = plan.chunks_per_unit(), count = (end - first) * chunks;
    for (dim_t i = 0; i < count; ++i) {
        const dim_t place = from_end ? count - 1 - i : i;
        body(plan.chunk(first + place / chunks, place % chunks));
    }
}

/// Runs both sweeps over some statistics groups, on one thread. If they are small, the second sweep
/// finds them in the caches.
template <typename sweeps_t>
void sweep_groups(
        const channel_plan_t &plan, const sweeps_t &s, dim_t first_group, dim_t end_group) {
    const dim_t first = first_group * s.units_per_statistics_group;
    const dim_t end = end_group * s.units_per_statistics_group;
    s.begin(first, end);
    bool is_done = !s.has_sums;
    for (int attempt = 0; !is_done; ++attempt) {
        for_each_chunk(plan, first, end, false, s.sum);
        is_done = true;
        for (dim_t group = first_group; group < end_group; ++group)
            for (dim_t task = 0; task < s.tasks_per_statistics_group; ++task)
                is_done &= s.finish(group, task, attempt);
    }
    s.prepare(first, end);
    for_each_chunk(plan, first, end, true, s.apply);
}

/// Runs one sweep after the other over all units, each on all threads. The second one is in reverse
/// order, since the caches may hold what the first one has read last.
template <typename sweeps_t> void sweep_all(const channel_plan_t &plan, const sweeps_t &s) {
    const dim_t units = plan.units();
    const dim_t chunks = plan.chunks_per_unit(), all_chunks = units * chunks;
    const dim_t tasks = s.tasks_per_statistics_group;
    const dim_t all_tasks = units / s.units_per_statistics_group * tasks;
    const dim_t chunk_bytes = units * plan.rows() * plan.line() / all_chunks * s.bytes_per_element;
    const dim_t chunks_per_task = cpu::least_items_per_task(chunk_bytes);
    constexpr dim_t bytes_of_sums = sizeof(float) * 2;
    const dim_t tasks_at_once = cpu::least_items_per_task(
            units * plan.partials_per_unit() * plan.packed_line() / all_tasks * bytes_of_sums);
    const auto sweep_once = [&](bool from_end, const auto &visit) {
        cpu::parallel_chunks(all_chunks, chunks_per_task, [&](dim_t begin, dim_t end) {
            if (from_end) std::tie(begin, end) = std::pair(all_chunks - end, all_chunks - begin);
            if (plan.joins_units()) return visit(plan.whole_units(begin, end - begin));
            for (dim_t i = begin; i < end; ++i) {
                const dim_t place = from_end ? end - 1 - (i - begin) : i;
                visit(plan.chunk(place / chunks, place % chunks));
            }
        });
    };
    s.begin(0, units);
    bool is_done = !s.has_sums;
    for (int attempt = 0; !is_done; ++attempt) {
        sweep_once(false, s.sum);
        std::atomic<bool> is_repeated = false;
        cpu::parallel_chunks(all_tasks, tasks_at_once, [&](dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i)
                if (!s.finish(i / tasks, i % tasks, attempt)) is_repeated = true;
        });
        is_done = !is_repeated;
    }
    s.prepare(0, units);
    sweep_once(true, s.apply);
}

/// Shares statistics groups among threads if there are enough of them, else the chunks of each
/// sweep.
template <typename sweeps_t> void sweep(const channel_plan_t &plan, const sweeps_t &s) {
    // Four per thread; 16 suffice for more threads, too.
    const dim_t enough_groups = std::min(dim_t(16), 4 * cpu::thread_count());
    const dim_t groups = plan.units() / s.units_per_statistics_group;
    if (groups < enough_groups) return sweep_all(plan, s);
    const dim_t group_bytes =
            s.units_per_statistics_group * plan.rows() * plan.line() * s.bytes_per_element;
    cpu::parallel_chunks(groups, cpu::least_items_per_task(group_bytes),
            [&](dim_t begin, dim_t end) { sweep_groups(plan, s, begin, end); });
}

} // namespace kiln::x64
