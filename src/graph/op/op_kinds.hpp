// SPDX-License-Identifier: Apache-2.0
// Sets of kinds of operations.
#pragma once

#include <bitset>
#include <initializer_list>

#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::graph {

/// It takes no memory, so that tables of sets cannot fail.
class op_kinds_t {
public:
    op_kinds_t() = default;
    op_kinds_t(std::initializer_list<dnnl_graph_op_kind_t> kinds) {
        for (const dnnl_graph_op_kind_t kind : kinds) add(kind);
    }

    void add(dnnl_graph_op_kind_t kind) { bits_.set(kind); }
    /// Any value may be asked about: one that is no kind is in no set.
    bool contains(dnnl_graph_op_kind_t kind) const {
        const auto index = static_cast<size_t>(kind);
        return index < bits_.size() && bits_[index];
    }
    friend op_kinds_t operator|(const op_kinds_t &lhs, const op_kinds_t &rhs) {
        op_kinds_t both;
        both.bits_ = lhs.bits_ | rhs.bits_;
        return both;
    }

private:
    std::bitset<dnnl_graph_op_last_symbol> bits_;
};

} // namespace kiln::graph
