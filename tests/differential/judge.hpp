// SPDX-License-Identifier: Apache-2.0
// Executes a problem by every implementation and compares outputs with the truth.
#pragma once

#include "differential/problem.hpp"
#include "differential/results.hpp"

namespace kiln::test::differential {

/// What is wrong, one line for each implementation that fails; empty if all is right.
///
/// The truth of an output is an interval for each element: what double arithmetic gives, and what
/// f32 arithmetic may be off. An element is right if it lies between the ends of the interval, each
/// rounded to the output's data type. What sums may be off is in support/roundings.hpp; other steps
/// may be off by the few roundings of their formula. See normalization/model.cpp,
/// support/post_op_functions.cpp and the problems of reorder and reduction.
std::string failures_of(problem_t &problem, uint64_t number, results_t &results);

} // namespace kiln::test::differential
