// SPDX-License-Identifier: Apache-2.0
// How threads share two sweeps over the channels of a plan: a first one whose sums say what the
// second one does. It must not know what is computed.
#pragma once

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

#include "cpu/parallel.hpp"
#include "cpu/x64/channels/channel_sums.hpp"

namespace kiln::x64::normalization {

/// The work of both sweeps; bits of results do not depend on how it is shared. A team is the units
/// whose sums say together what the second sweep does.
template <typename begin_t, typename sum_t, typename finish_t, typename prepare_t, typename apply_t>
struct channel_sweeps_t {
    dim_t bytes_per_element; // of all tensors that the sweeps touch
    bool has_sums;           // else there is no first sweep
    dim_t units_per_team;
    dim_t parts_per_team; // in which its sums can be finished by different threads
    begin_t begin;        // (first unit, end): before anything else
    sum_t sum;            // (chunk): first sweep
    finish_t finish;   // (team, part, attempt): from sums to what apply() needs; false where they
                       // are to be made once more
    prepare_t prepare; // (first unit, end): when their teams are finished
    apply_t apply;     // (chunk): second sweep
};

/// How many parts of so many bytes make a task that is worth waking a thread.
inline dim_t parts_of_task(dim_t bytes) {
    constexpr dim_t least_bytes = 65536;
    return std::max(dim_t(1), least_bytes / std::max(dim_t(1), bytes));
}

/// Makes the sums of a chunk begin at zero.
inline float *cleared_sums(const channel_plan_t &plan, const channel_arrays_t &arrays,
        const channel_chunk_t &chunk, float *all_sums) {
    float *const sums = all_sums + chunk.unit * arrays.unit_sums + chunk.slot * arrays.slot_pitch;
    if (plan.rows_kind() == channel_rows_t::planes) {
        // Only units of one slot go together.
        std::fill_n(sums, chunk.units * arrays.slot_pitch, 0.f);
        return sums;
    }
    const dim_t count =
            plan.folds() > 1 ? plan.folded_line() : chunk.end_column - chunk.first_column;
    for (const dim_t sum : {0, 1})
        std::fill_n(sums + sum * arrays.sum_pitch + chunk.first_column, count, 0.f);
    return sums;
}

/// Calls `body` for the chunks of units [first, end), in order or from the end.
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

/// Some teams go through both sweeps at once, and are in the caches for the second one if they fit.
template <typename sweeps_t>
void sweep_teams(const channel_plan_t &plan, const sweeps_t &s, dim_t first_team, dim_t end_team) {
    const dim_t first = first_team * s.units_per_team, end = end_team * s.units_per_team;
    s.begin(first, end);
    bool is_done = !s.has_sums;
    for (int attempt = 0; !is_done; ++attempt) {
        for_each_chunk(plan, first, end, false, s.sum);
        is_done = true;
        for (dim_t team = first_team; team < end_team; ++team)
            for (dim_t part = 0; part < s.parts_per_team; ++part)
                is_done &= s.finish(team, part, attempt);
    }
    s.prepare(first, end);
    for_each_chunk(plan, first, end, true, s.apply);
}

/// All teams go through one sweep after the other, the second one from the end, where the caches
/// may still hold what the first one has read.
template <typename sweeps_t> void sweep_all(const channel_plan_t &plan, const sweeps_t &s) {
    const dim_t units = plan.units();
    const dim_t chunks = plan.chunks_per_unit(), all_chunks = units * chunks;
    const dim_t parts = s.parts_per_team, all_parts = units / s.units_per_team * parts;
    const dim_t chunk_bytes = units * plan.rows() * plan.line() / all_chunks * s.bytes_per_element;
    const dim_t chunks_per_task = parts_of_task(chunk_bytes);
    constexpr dim_t bytes_of_sums = sizeof(float) * 2;
    const dim_t parts_per_task = parts_of_task(
            units * plan.slots_per_unit() * plan.folded_line() / all_parts * bytes_of_sums);
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
        cpu::parallel_chunks(all_parts, parts_per_task, [&](dim_t begin, dim_t end) {
            for (dim_t i = begin; i < end; ++i)
                if (!s.finish(i / parts, i % parts, attempt)) is_repeated = true;
        });
        is_done = !is_repeated;
    }
    s.prepare(0, units);
    sweep_once(true, s.apply);
}

template <typename sweeps_t> void sweep(const channel_plan_t &plan, const sweeps_t &s) {
    // Some for each thread; 16 for any number of threads that pays.
    const dim_t enough_teams = std::min(16, 4 * tbb::this_task_arena::max_concurrency());
    const dim_t teams = plan.units() / s.units_per_team;
    if (teams < enough_teams) return sweep_all(plan, s);
    const dim_t team_bytes = s.units_per_team * plan.rows() * plan.line() * s.bytes_per_element;
    cpu::parallel_chunks(teams, parts_of_task(team_bytes),
            [&](dim_t begin, dim_t end) { sweep_teams(plan, s, begin, end); });
}

} // namespace kiln::x64::normalization
