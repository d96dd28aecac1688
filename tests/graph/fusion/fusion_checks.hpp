// SPDX-License-Identifier: Apache-2.0
// Whether a network is executed as one primitive.
#pragma once

#include <algorithm>
#include <string>

#include "graph/networks.hpp"
#include "oneapi/dnnl/dnnl.h"

namespace kiln::test {

/// Checks the results, and that the first partition ran as `steps` says with generated kernels.
inline void expect_fused(const network_t &network, const std::string &steps, size_t parts = 1) {
    const outcome_t outcome = expect_right(network);
    EXPECT_EQ(outcome.parts.size(), parts);
    EXPECT_EQ(steps_of(outcome.parts[0]), steps) << outcome.parts[0].plan;
    const bool has_kernels =
            (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2;
    const bool is_reference = outcome.parts[0].plan.find("ref:") != std::string::npos;
    EXPECT_FALSE(has_kernels && is_reference) << outcome.parts[0].plan;
}

/// Checks the results, and that the partition could not be fused into one primitive.
inline void expect_one_by_one(const network_t &network, size_t least_steps) {
    const outcome_t outcome = expect_right(network);
    ASSERT_EQ(outcome.parts.size(), 1U);
    const std::string steps = steps_of(outcome.parts[0]);
    EXPECT_GE(std::stoul(steps.substr(steps.find(':') + 1)), least_steps) << steps;
    EXPECT_EQ(std::count(steps.begin(), steps.end(), ';') + 1, outcome.parts[0].ops.size());
}

} // namespace kiln::test
