// SPDX-License-Identifier: Apache-2.0
// The operands of a problem by their argument: descriptors and values. Values are the same in every
// run, of sizes that make errors visible in the data types of the problem.
#pragma once

#include "normalization/model.hpp"
#include "normalization/problem.hpp"

namespace kiln::test::normalization {

/// What the problem says of an operand and, where it leaves the layout to the library, what the
/// primitive descriptor answers. Throws if that has another shape or type.
memory_desc_handle_t operand_desc(
        const problem_t &problem, const_dnnl_primitive_desc_t primitive_desc, int arg);

/// Values of an operand other than the statistics, in row-major order. The sets of src differ in
/// mean and deviation. Scale and shift are large where dst is an integer, so that it takes many
/// values and saturates at some.
std::vector<double> operand_values(const problem_t &problem, int arg);

struct stat_values_t {
    std::vector<double> mean;
    std::vector<double> variance;
};

/// With use_global_stats any numbers; else those of src, as the backward pass expects them.
/// `operands` has all but the statistics.
stat_values_t stat_values(const problem_t &problem, const operands_t &operands);

/// The model's view of a problem, without any values.
operands_t empty_operands(const problem_t &problem);

} // namespace kiln::test::normalization
