// SPDX-License-Identifier: Apache-2.0
// The graph: operations that the program adds. Finalizing checks them as a whole, filtering divides
// them into partitions.
#pragma once

#include "common/attributes/attr.hpp"
#include "graph/partition/partition.hpp"

/// The C interface's opaque graph.
struct dnnl_graph_graph {
    dnnl_graph_graph(kiln::engine_kind_t engine_kind, dnnl_fpmath_mode_t fpmath_mode);

    kiln::engine_kind_t engine_kind() const { return engine_kind_; }
    const kiln::fpmath_t &fpmath() const { return fpmath_; }
    void set_fpmath(const kiln::fpmath_t &fpmath) { fpmath_ = fpmath; }
    bool is_finalized() const { return is_finalized_; }
    const std::vector<kiln::graph::partition_ptr_t> &partitions() const { return partitions_; }

    /// Ignores an operation whose id is in the graph already, as oneDNN does.
    kiln::status_t add_op(const kiln::graph::op_t &op);
    /// dnnl_invalid_graph if the operations cannot be connected.
    kiln::status_t finalize();
    void filter(dnnl_graph_partition_policy_t policy);

private:
    /// The id of each operation's partition.
    std::vector<size_t> partition_ids() const;

    const size_t id_;
    const kiln::engine_kind_t engine_kind_;
    kiln::fpmath_t fpmath_;
    bool is_finalized_ = false;
    std::vector<kiln::graph::op_ptr_t> ops_; ///< in an execution order once finalized
    kiln::graph::edges_t edges_;
    std::vector<kiln::graph::partition_ptr_t> partitions_;
};
