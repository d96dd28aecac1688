// SPDX-License-Identifier: Apache-2.0
// Shapes of normalizations in tests of their execution.
#pragma once

#include "graph/call.hpp"
#include "support/implementations.hpp"

namespace kiln::test {

const dims_t cube{3, 4, 40};

inline dims_t in_front_of(const dims_t &dims, int64_t axis) {
    const int64_t end = axis < 0 ? axis + static_cast<int64_t>(dims.size()) : axis;
    return {dims.begin(), dims.begin() + end};
}

inline dims_t from(const dims_t &dims, int64_t axis) {
    return {dims.begin() + static_cast<int64_t>(in_front_of(dims, axis).size()), dims.end()};
}

/// Expects right results by generated code alone.
inline void expect_generated(const network_t &net) {
    const auto outcome = expect_right(net);
    const std::string &plan = outcome.parts.at(0).plan;
    EXPECT_TRUE(!generates_kernels() || plan.find("ref:") == std::string::npos) << plan;
}

const std::vector<dims_t> orders_of_cube{
        {160, 40, 1}, {160, 1, 4}, {40, 120, 1}, {1, 3, 12}, {256, 64, 1}};

const std::vector<dims_t> weight_shapes{{}, {1}, {40}, {4, 1}, {1, 40}, {4, 40}, {3, 1, 1},
        {3, 1, 40}, {1, 4, 1}, {1, 1, 40}, {3, 4, 1}, {3, 4, 40}};

/// All shapes that gamma and beta may have.
inline std::vector<dims_t> shapes_of_weights(int64_t axis) {
    std::vector<dims_t> shapes = weight_shapes;
    if (axis < 2) shapes.push_back({volume(from(cube, axis))});
    return shapes;
}

} // namespace kiln::test
