// SPDX-License-Identifier: Apache-2.0
// The group: operations that are fused into one primitive, an anchor and the matches of rules.
#pragma once

#include "graph/op/edges.hpp"

namespace kiln::graph {

struct rule_t;

/// A match of a rule: its operations in an execution order.
struct fusion_t {
    const rule_t *rule;
    std::vector<const op_t *> ops;
};

struct group_t {
    const op_t *anchor;              ///< determines the primitive
    std::vector<fusion_t> fusions{}; ///< in the order of matching
    size_t result;                   ///< id of the output of the last operation

    bool contains(const op_t *op) const {
        if (op == anchor) return true;
        for (const fusion_t &fusion : fusions)
            for (const op_t *fused : fusion.ops)
                if (fused == op) return true;
        return false;
    }
};

} // namespace kiln::graph
