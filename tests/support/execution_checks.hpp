// SPDX-License-Identifier: Apache-2.0
// What holds for the executions of any operation: spoiled arguments are refused, others do no harm,
// outputs that may be left out are.
#pragma once

#include <gtest/gtest.h>

#include "support/primitive_case.hpp"

namespace kiln::test {

/// Executes and judges the case `make_case(i, placement)` of each implementation that is executed
/// here, with buffers that end and that begin at an unmapped page, and with unaligned ones. The
/// truth of the first case is that of all.
template <typename make_case_t>
void expect_right_everywhere(
        const std::vector<std::string> &implementations, const make_case_t &make_case) {
    std::vector<expected_t> truth;
    for (size_t i = 0; i < implementations.size(); ++i) {
        if (!is_executed_here(implementations, i)) continue;
        for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard,
                     placement_t::at_odd_address}) {
            const auto tested = make_case(i, placement);
            EXPECT_EQ(tested.execute(), dnnl_success) << tested.name();
            if (truth.empty()) truth = tested.expected();
            EXPECT_TRUE(tested.is_right(truth, tested.outputs()))
                    << implementations[i] << ": " << tested.name();
        }
    }
}

/// The same for the cases of a problem.
template <typename case_t, typename problem_t>
void expect_right_everywhere(const problem_t &problem) {
    expect_right_everywhere(implementations(problem),
            [&](size_t i, placement_t placement) { return case_t(problem, i, placement); });
}

/// Spoils each argument in every way, one after another; then the execution is right. Those in
/// `optional` may be absent.
void expect_refusals_of_spoiled_arguments(
        const primitive_case_t &tested, const std::vector<int> &optional = {});

/// Passes memory as arguments that are none of the operation's, and null as others.
void expect_unused_arguments_do_no_harm(const primitive_case_t &tested,
        const std::vector<int> &unused, const std::vector<int> &null = {});

/// Executes with each subset of the outputs, the others absent or passed as null.
void expect_any_subset_of_outputs(primitive_case_t &tested, bool passes_null = false);

/// All elements of all outputs.
void expect_zero_outputs(const primitive_case_t &tested);

} // namespace kiln::test
