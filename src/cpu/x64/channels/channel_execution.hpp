// SPDX-License-Identifier: Apache-2.0
// Runs two sweeps over the channels of a plan in parallel: the first one makes sums, from which
// steps between the sweeps compute what the second one needs.
#pragma once

#include "cpu/parallel.hpp"
#include "cpu/x64/channels/channel_plan.hpp"

namespace kiln::x64 {

/// How the work of an execution is shared.
struct channel_sharing_t {
    dim_t bytes_per_element; // of all tensors that the sweeps touch
    // A statistics group is a set of consecutive units whose sums give statistics together.
    dim_t units_per_statistics_group;
    dim_t tasks_per_statistics_group; // that finish its sums, independent of each other
};

/// One execution. Results are bit-identical for any number of threads: threads share chunks and
/// statistics groups, which depend on the problem alone.
class channel_sweeps_t {
public:
    /// Shares statistics groups among threads if there are enough of them, else the chunks of each
    /// sweep. Returns what exchange() or complete() does.
    status_t run() const;

protected:
    channel_sweeps_t(const channel_plan_t &plan, const channel_sharing_t &sharing)
        : channels_(plan)
        , sharing_(sharing) {}
    ~channel_sweeps_t() = default;

    /// Whether there is a first sweep.
    virtual bool has_sums() const = 0;
    /// Before the sweeps, for units [first, end).
    virtual void begin(dim_t first, dim_t end) const = 0;
    /// First sweep.
    virtual void sum(const channel_chunk_t &chunk) const = 0;
    /// Computes what apply() needs from the sums, in tasks [first, end) of those of all statistics
    /// groups. False: sums must be made again, with new pivots.
    virtual bool finish(dim_t first, dim_t end, int attempt) const = 0;
    /// Whether all groups must be finished before any is applied, with exchange() in between.
    virtual bool has_exchange() const { return false; }
    /// On the calling thread, when all groups are finished. Unless it succeeds, nothing is applied.
    virtual status_t exchange() const { return dnnl_success; }
    /// When the statistics groups of units [first, end) are finished and exchanged.
    virtual void prepare(dim_t first, dim_t end) const = 0;
    /// Second sweep.
    virtual void apply(const channel_chunk_t &chunk) const = 0;
    /// On the calling thread, after the second sweep.
    virtual status_t complete() const { return dnnl_success; }

    const channel_plan_t &channels_;

private:
    enum class sweep_t { first, second };

    status_t run_groups(dim_t groups) const;
    status_t run_chunks() const;
    /// A sweep over some statistics groups, on one thread.
    void sum_groups(dim_t first_group, dim_t end_group) const;
    void apply_groups(dim_t first_group, dim_t end_group) const;
    /// A sweep over chunks [begin, end) of those of units from `first_unit` on. The second one is
    /// in reverse order, since the caches may hold what the first one, if there is one, has read
    /// last.
    void visit_chunks(sweep_t sweep, dim_t first_unit, dim_t begin, dim_t end) const;

    dim_t unit_elements() const { return channels_.rows() * channels_.line(); }
    /// Bytes that a sweep reads and writes of a unit.
    dim_t unit_bytes() const { return unit_elements() * sharing_.bytes_per_element; }
    /// Shares of items that the elements of a number of units are divided into.
    cpu::shares_t shares_of(dim_t items, dim_t units) const;

    const channel_sharing_t sharing_;
};

} // namespace kiln::x64
