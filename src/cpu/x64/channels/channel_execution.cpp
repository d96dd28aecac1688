// SPDX-License-Identifier: Apache-2.0
// Runs two sweeps over the channels of a plan in parallel.

#include "cpu/x64/channels/channel_execution.hpp"

#include <algorithm>
#include <atomic>

#include "cpu/parallel.hpp"
#include "cpu/x64/cache_size.hpp"

namespace kiln::x64 {

status_t channel_sweeps_t::run() const {
    // The same number for each thread, or four: then 16 suffice for more threads, too.
    const dim_t threads = cpu::thread_count();
    const dim_t groups = channels_.units() / sharing_.units_per_statistics_group;
    const bool are_shared = groups % threads == 0 || groups >= std::min(dim_t(16), 4 * threads);
    KILN_TRY(are_shared ? run_groups(groups) : run_chunks());
    return complete();
}

void channel_sweeps_t::visit_chunks(sweep_t sweep, dim_t first_unit, dim_t begin, dim_t end) const {
    const bool is_first = sweep == sweep_t::first;
    const bool is_reversed = !is_first && has_sums();
    const auto visit = [&](const channel_chunk_t &chunk) { is_first ? sum(chunk) : apply(chunk); };
    // A unit that can be joined is one chunk. All are visited at a time or, where they exceed the
    // second-level cache, so few that the order of the visits can be reversed.
    if (channels_.joins_units()) {
        const auto cache_bytes = static_cast<dim_t>(second_level_cache_size());
        const dim_t units = (end - begin) * unit_bytes() <= cache_bytes
                                    ? end - begin
                                    : std::max(dim_t(1), cache_bytes / 16 / unit_bytes());
        for (dim_t i = begin; i < end; i += units) {
            const dim_t count = std::min(units, end - i);
            const dim_t place = is_reversed ? end - count - (i - begin) : i;
            visit(channels_.whole_units(first_unit + place, count));
        }
        return;
    }
    const dim_t chunks = channels_.chunks_per_unit();
    for (dim_t i = begin; i < end; ++i) {
        const dim_t place = is_reversed ? end - 1 - (i - begin) : i;
        visit(channels_.chunk(first_unit + place / chunks, place % chunks));
    }
}

cpu::shares_t channel_sweeps_t::shares_of(dim_t items, dim_t units) const {
    const dim_t elements = units * unit_elements() / items;
    return cpu::shares_of(
            items, cpu::bytes_as_floats(elements * sharing_.bytes_per_element, elements));
}

/// A thread takes both sweeps over a few groups, one after the other, so that the second sweep
/// finds them in the caches. With an exchange in between, it takes the last groups first.
status_t channel_sweeps_t::run_groups(dim_t groups) const {
    const dim_t group_bytes = sharing_.units_per_statistics_group * unit_bytes();
    const cpu::shares_t shares = shares_of(groups, groups * sharing_.units_per_statistics_group);
    // A sweep reads again what samples were taken of, the second one half to two thirds of all
    // bytes. Rows that are a multiple of a page apart use a fraction of the cache's sets.
    const auto bytes_at_once = static_cast<dim_t>(second_level_cache_size() / 8);
    const dim_t groups_at_once = std::max(dim_t(1), bytes_at_once / group_bytes);
    cpu::parallel_shares(shares, [=, this](dim_t begin, dim_t end) {
        for (dim_t first = begin; first < end; first += groups_at_once) {
            const dim_t last = std::min(first + groups_at_once, end);
            sum_groups(first, last);
            if (!has_exchange()) apply_groups(first, last);
        }
    });
    if (!has_exchange()) return dnnl_success;
    KILN_TRY(exchange());
    cpu::parallel_shares_in_reverse(
            shares, [this](dim_t begin, dim_t end) { apply_groups(begin, end); });
    return dnnl_success;
}

void channel_sweeps_t::sum_groups(dim_t first_group, dim_t end_group) const {
    const dim_t first = first_group * sharing_.units_per_statistics_group;
    const dim_t end = end_group * sharing_.units_per_statistics_group;
    begin(first, end);
    bool is_done = !has_sums();
    for (int attempt = 0; !is_done; ++attempt) {
        visit_chunks(sweep_t::first, first, 0, (end - first) * channels_.chunks_per_unit());
        const dim_t tasks = sharing_.tasks_per_statistics_group;
        is_done = finish(first_group * tasks, end_group * tasks, attempt);
    }
}

void channel_sweeps_t::apply_groups(dim_t first_group, dim_t end_group) const {
    const dim_t first = first_group * sharing_.units_per_statistics_group;
    const dim_t end = end_group * sharing_.units_per_statistics_group;
    prepare(first, end);
    visit_chunks(sweep_t::second, first, 0, (end - first) * channels_.chunks_per_unit());
}

/// One sweep after the other over all units, each on all threads.
status_t channel_sweeps_t::run_chunks() const {
    const dim_t units = channels_.units(), chunks = units * channels_.chunks_per_unit();
    const dim_t tasks =
            units / sharing_.units_per_statistics_group * sharing_.tasks_per_statistics_group;
    const cpu::shares_t chunk_shares = shares_of(chunks, units);
    constexpr dim_t bytes_of_sums = sizeof(float) * 2;
    const cpu::shares_t task_shares =
            cpu::shares_of(tasks, units * channels_.partials_per_unit() * channels_.packed_line()
                                          / tasks * bytes_of_sums);
    begin(0, units);
    bool is_done = !has_sums();
    for (int attempt = 0; !is_done; ++attempt) {
        cpu::parallel_shares(chunk_shares,
                [this](dim_t first, dim_t last) { visit_chunks(sweep_t::first, 0, first, last); });
        std::atomic<bool> is_repeated = false;
        cpu::parallel_shares(task_shares, [&](dim_t first, dim_t last) {
            if (!finish(first, last, attempt)) is_repeated = true;
        });
        is_done = !is_repeated;
    }
    KILN_TRY(exchange());
    prepare(0, units);
    const auto visit = [this](dim_t first, dim_t last) {
        visit_chunks(sweep_t::second, 0, first, last);
    };
    has_sums() ? cpu::parallel_shares_in_reverse(chunk_shares, visit)
               : cpu::parallel_shares(chunk_shares, visit);
    return dnnl_success;
}

} // namespace kiln::x64
