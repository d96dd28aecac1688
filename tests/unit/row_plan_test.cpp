// SPDX-License-Identifier: Apache-2.0
// The plan of work on rows: which axes are walked as one, where each row lies in each operand.
#include "cpu/x64/layout/row_plan.hpp"

#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl.h"

namespace kiln::x64::test {

namespace {

using dims_t = std::vector<dim_t>;

struct layout_t {
    dims_t dims;
    dims_t strides;
    dim_t offset0 = 0;
};

memory_desc_t make(const layout_t &layout) {
    dnnl_memory_desc_t made = nullptr;
    EXPECT_EQ(dnnl_memory_desc_create_with_strides(&made, static_cast<int>(layout.dims.size()),
                      layout.dims.data(), dnnl_f32, layout.strides.data()),
            dnnl_success);
    memory_desc_t md = *made;
    dnnl_memory_desc_destroy(made);
    md.offset0 = layout.offset0;
    return md;
}

/// A plan over the first `ndims` axes, and what it must agree with.
class planned_t {
public:
    planned_t(int ndims, const std::vector<layout_t> &layouts)
        : ndims_(ndims)
        , layouts_(layouts)
        , plan_(plan_of(ndims, layouts)) {}

    const row_plan_t &plan() const { return plan_; }

    std::vector<row_run_t> runs(dim_t begin, dim_t end) const {
        std::vector<row_run_t> found;
        plan_.for_each_run(begin, end, [&](const row_run_t &run) { found.push_back(run); });
        return found;
    }

    /// The lengths of the runs of rows [begin, end).
    dims_t counts(dim_t begin, dim_t end) const {
        dims_t found;
        for (const row_run_t &run : runs(begin, end)) found.push_back(run.count);
        return found;
    }

    /// Where the rows lie in each operand, one after another.
    std::vector<dims_t> offsets(dim_t begin, dim_t end) const {
        std::vector<dims_t> rows;
        for (const row_run_t &run : runs(begin, end))
            for (dim_t i = 0; i < run.count; ++i) {
                rows.emplace_back();
                for (size_t operand = 0; operand < layouts_.size(); ++operand)
                    rows.back().push_back(run.offsets[operand] + i * plan_.pitches()[operand]);
            }
        return rows;
    }

    /// The same by counting through the axes in the order given, outermost first.
    std::vector<dims_t> offsets_in_order(const std::vector<size_t> &axes) const {
        std::vector<dims_t> rows;
        dims_t at(static_cast<size_t>(ndims_), 0);
        const auto visit = [&](const auto &self, size_t depth) -> void {
            if (depth == axes.size()) return rows.push_back(offsets_at(at));
            const size_t axis = axes[depth];
            for (at[axis] = 0; at[axis] < layouts_.front().dims[axis]; ++at[axis])
                self(self, depth + 1);
        };
        visit(visit, 0);
        return rows;
    }

private:
    static row_plan_t plan_of(int ndims, const std::vector<layout_t> &layouts) {
        std::vector<memory_desc_t> mds;
        for (const layout_t &layout : layouts) mds.push_back(make(layout));
        std::vector<const memory_desc_t *> operands;
        for (const memory_desc_t &md : mds) operands.push_back(&md);
        return {ndims, operands};
    }

    dims_t offsets_at(const dims_t &at) const {
        dims_t offsets;
        for (const layout_t &layout : layouts_) {
            offsets.push_back(layout.offset0);
            for (size_t axis = 0; axis < at.size(); ++axis)
                if (layout.dims[axis] != 1) offsets.back() += at[axis] * layout.strides[axis];
        }
        return offsets;
    }

    int ndims_;
    std::vector<layout_t> layouts_;
    row_plan_t plan_;
};

dims_t pitches(const row_plan_t &plan, size_t operands) {
    return {plan.pitches().begin(), plan.pitches().begin() + static_cast<ptrdiff_t>(operands)};
}

TEST(row_plan, dense_axes_become_one) {
    const planned_t planned(3, {{{3, 4, 5, 10}, {200, 50, 10, 1}}, {{3, 4, 5}, {20, 5, 1}}});
    EXPECT_EQ(planned.plan().rows(), 60);
    EXPECT_EQ(planned.plan().run_length(), 60);
    EXPECT_EQ(pitches(planned.plan(), 2), (dims_t{10, 1}));
    EXPECT_EQ(planned.counts(0, 60), (dims_t{60}));
    EXPECT_EQ(planned.offsets(0, 60), planned.offsets_in_order({0, 1, 2}));
}

TEST(row_plan, a_pitch_larger_than_the_row_is_still_one_run) {
    const planned_t planned(2, {{{3, 4, 10}, {52, 13, 1}}, {{3, 4}, {8, 2}}});
    EXPECT_EQ(planned.plan().run_length(), 12);
    EXPECT_EQ(pitches(planned.plan(), 2), (dims_t{13, 2}));
}

// src's axes continue each other, those of dst do not: no operand may be walked wrongly.
TEST(row_plan, axes_join_only_where_they_do_in_every_operand) {
    const planned_t planned(
            2, {{{3, 4, 10}, {40, 10, 1}}, {{3, 4, 10}, {64, 16, 1}}, {{3, 4, 10}, {100, 10, 1}}});
    EXPECT_EQ(planned.plan().rows(), 12);
    EXPECT_EQ(planned.plan().run_length(), 4);
    EXPECT_EQ(pitches(planned.plan(), 3), (dims_t{10, 16, 10}));
    EXPECT_EQ(planned.offsets(0, 12), planned.offsets_in_order({0, 1}));
}

TEST(row_plan, inner_axes_join_under_one_that_does_not) {
    const planned_t planned(3, {{{2, 3, 4, 8}, {1000, 32, 8, 1}}, {{2, 3, 4}, {12, 4, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 12);
    EXPECT_EQ(planned.offsets(0, 24), planned.offsets_in_order({0, 1, 2}));
}

TEST(row_plan, outer_axes_join_over_one_that_does_not) {
    const planned_t planned(3, {{{2, 3, 4, 8}, {300, 100, 8, 1}}, {{2, 3, 4}, {12, 4, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 4);
    EXPECT_EQ(planned.counts(0, 24), dims_t(6, 4));
    EXPECT_EQ(planned.offsets(0, 24), planned.offsets_in_order({0, 1, 2}));
}

TEST(row_plan, rows_follow_the_first_operand_through_memory) {
    const planned_t planned(2, {{{3, 4, 10}, {10, 30, 1}}, {{3, 4, 10}, {40, 10, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 3);
    EXPECT_EQ(pitches(planned.plan(), 2), (dims_t{10, 40}));
    EXPECT_EQ(planned.offsets(0, 12), planned.offsets_in_order({1, 0}));
}

TEST(row_plan, operands_that_are_permuted_alike_join) {
    const planned_t planned(2, {{{3, 4, 10}, {10, 30, 1}}, {{3, 4}, {1, 3}}});
    EXPECT_EQ(planned.plan().run_length(), 12);
    EXPECT_EQ(planned.offsets(0, 12), planned.offsets_in_order({1, 0}));
}

TEST(row_plan, operands_that_do_not_vary_along_an_axis_stand_still) {
    const planned_t planned(
            2, {{{3, 4, 10}, {40, 10, 1}}, {{1, 4, 10}, {40, 10, 1}}, {{3, 1, 1}, {7, 7, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 4);
    EXPECT_EQ(pitches(planned.plan(), 3), (dims_t{10, 10, 0}));
    EXPECT_EQ(planned.offsets(0, 12), planned.offsets_in_order({0, 1}));
}

TEST(row_plan, one_value_for_all_rows_keeps_axes_joined) {
    const planned_t planned(2, {{{3, 4, 10}, {40, 10, 1}}, {{1, 1, 10}, {10, 10, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 12);
    EXPECT_EQ(pitches(planned.plan(), 2), (dims_t{10, 0}));
}

// Whatever strides an axis of extent 1 is given, and however many there are.
TEST(row_plan, axes_of_one_element_count_for_nothing) {
    const planned_t planned(
            4, {{{1, 3, 1, 4, 10}, {999, 40, 777, 10, 1}}, {{1, 3, 1, 4}, {5, 4, 3, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 12);
    EXPECT_EQ(planned.offsets(0, 12), planned.offsets_in_order({0, 1, 2, 3}));
}

TEST(row_plan, a_single_row_is_a_run) {
    const planned_t planned(2, {{{1, 1, 10}, {10, 10, 1}, 5}, {{1, 1}, {1, 1}, 2}});
    EXPECT_EQ(planned.plan().rows(), 1);
    EXPECT_EQ(planned.plan().run_length(), 1);
    EXPECT_EQ(planned.offsets(0, 1), (std::vector<dims_t>{{5, 2}}));
}

TEST(row_plan, rows_begin_where_their_tensors_do) {
    const planned_t planned(2,
            {{{3, 4, 10}, {64, 16, 1}, 7}, {{3, 4, 10}, {40, 10, 1}, 0}, {{3, 4}, {4, 1}, 1001}});
    EXPECT_EQ(planned.offsets(0, 12), planned.offsets_in_order({0, 1}));
    EXPECT_EQ(planned.runs(0, 1).front().offsets[0], 7);
    EXPECT_EQ(planned.runs(0, 1).front().offsets[2], 1001);
}

// As threads cut them.
TEST(row_plan, parts_of_the_rows_lie_where_they_do_in_the_whole) {
    const planned_t planned(3, {{{3, 4, 5, 8}, {777, 100, 11, 1}, 3},
                                       {{3, 4, 5, 8}, {160, 40, 8, 1}}, {{3, 1, 5}, {5, 5, 1}, 9}});
    const auto all = planned.offsets(0, 60);
    ASSERT_EQ(all, planned.offsets_in_order({0, 1, 2}));
    for (dim_t begin = 0; begin <= 60; ++begin)
        for (dim_t end = begin; end <= 60; ++end) {
            const std::vector<dims_t> part(all.begin() + begin, all.begin() + end);
            EXPECT_EQ(planned.offsets(begin, end), part) << begin << " to " << end;
        }
}

TEST(row_plan, runs_end_at_the_inner_axis_ends) {
    const planned_t planned(2, {{{3, 5, 8}, {100, 8, 1}}});
    EXPECT_EQ(planned.counts(0, 15), (dims_t{5, 5, 5}));
    EXPECT_EQ(planned.counts(3, 12), (dims_t{2, 5, 2}));
    EXPECT_EQ(planned.counts(6, 8), (dims_t{2}));
    EXPECT_EQ(planned.counts(5, 10), (dims_t{5}));
    EXPECT_EQ(planned.counts(7, 7), dims_t{});
}

TEST(row_plan, short_runs_go_by_a_part_of_the_next_loop_that_is_near) {
    // Blocks of 16 channels to pixels of 64 channels: 4 blocks of a pixel follow each other in dst.
    const std::vector<row_mode_t> loops{
            {4, {16, 784 * 16}}, {784, {64, 16}}, {3, {784 * 64, 784 * 64}}};
    const auto runs_of = [&](dim_t least, dim_t near) {
        row_plan_t plan(2, loops, {});
        plan.lengthen_runs(least, near);
        EXPECT_EQ(plan.rows(), 3 * 784 * 4);
        std::set<std::pair<dim_t, dim_t>> places;
        plan.for_each_run(0, plan.rows(), [&](const row_run_t &run) {
            for (dim_t i = 0; i < run.count; ++i)
                places.emplace(run.offsets[0] + i * plan.pitches()[0],
                        run.offsets[1] + i * plan.pitches()[1]);
        });
        EXPECT_EQ(places.size(), size_t(plan.rows()));
        return plan.run_length();
    };
    EXPECT_EQ(runs_of(4, 4096), 4);
    EXPECT_EQ(runs_of(16, 4096), 56); // the greatest divisor of 784 up to 64
    EXPECT_EQ(runs_of(16, 1), 16);    // what is nearer than the least number of rows
    EXPECT_EQ(runs_of(16, 1 << 20), 784);
    EXPECT_EQ(runs_of(15, 64 * 15), 784); // no divisor
    EXPECT_EQ(runs_of(1000, 1 << 20), 4); // no loop is so long
}

TEST(row_plan, offsets_beyond_32_bits) {
    const dim_t large = dim_t(1) << 33;
    const planned_t planned(2, {{{3, 4, 8}, {4 * large, large, 1}}, {{3, 4}, {4, 1}}});
    EXPECT_EQ(planned.plan().run_length(), 12);
    EXPECT_EQ(planned.offsets(11, 12), (std::vector<dims_t>{{11 * large, 11}}));
}

TEST(row_plan, dense_rows_are_those_without_gaps_inside) {
    EXPECT_TRUE(has_dense_rows(make({{3, 4, 10}, {40, 10, 1}})));
    EXPECT_TRUE(has_dense_rows(make({{3, 4, 10}, {999, 64, 1}, 3})));
    EXPECT_TRUE(has_dense_rows(make({{3, 4, 10}, {10, 30, 1}})));
    EXPECT_TRUE(has_dense_rows(make({{3, 4, 1}, {20, 5, 3}})));
    EXPECT_FALSE(has_dense_rows(make({{3, 4, 10}, {80, 20, 2}})));
    EXPECT_FALSE(has_dense_rows(make({{3, 4, 10}, {40, 1, 4}})));
}

} // namespace

} // namespace kiln::x64::test
