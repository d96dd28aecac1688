// SPDX-License-Identifier: Apache-2.0
// Operations that run as one primitive: an anchor, and what rules have fused to it.
#pragma once

#include <vector>

#include "graph/edges.hpp"

namespace kiln::graph {

struct rule_t;

/// What one rule has found: its operations, in an order of execution.
struct fusion_t {
    const rule_t *rule;
    std::vector<const op_t *> ops;
};

struct group_t {
    const op_t *anchor;              ///< says what the primitive is
    std::vector<fusion_t> fusions{}; ///< in the order in which they were found
    size_t result;                   ///< the tensor at the end of it

    bool contains(const op_t *op) const {
        if (op == anchor) return true;
        for (const fusion_t &fusion : fusions)
            for (const op_t *fused : fusion.ops)
                if (fused == op) return true;
        return false;
    }
};

} // namespace kiln::graph
