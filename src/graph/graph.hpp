// SPDX-License-Identifier: Apache-2.0
// The graph: operations as the program adds them, checked as a whole, then cut into partitions.
#pragma once

#include "common/attributes/attr.hpp"
#include "graph/edges.hpp"
#include "graph/partition/partition.hpp"

/// The C interface's opaque graph.
struct dnnl_graph_graph {
    dnnl_graph_graph(kiln::engine_kind_t engine_kind, dnnl_fpmath_mode_t fpmath_mode);

    kiln::engine_kind_t engine_kind() const { return engine_kind_; }
    const kiln::fpmath_t &fpmath() const { return fpmath_; }
    void set_fpmath(const kiln::fpmath_t &fpmath) { fpmath_ = fpmath; }
    bool is_finalized() const { return is_finalized_; }
    const std::vector<std::shared_ptr<const kiln::graph::partition_t>> &partitions() const {
        return partitions_;
    }

    /// An operation whose id is there already is left out, as in oneDNN.
    kiln::status_t add_op(const kiln::graph::op_t &op);
    /// dnnl_invalid_graph: one id for unlike tensors, a tensor made twice, a cycle.
    kiln::status_t finalize();
    void filter(dnnl_graph_partition_policy_t policy);

private:
    kiln::status_t check_tensors() const;
    /// The partition of each operation.
    std::vector<size_t> partition_ids() const;

    const size_t id_;
    const kiln::engine_kind_t engine_kind_;
    kiln::fpmath_t fpmath_;
    bool is_finalized_ = false;
    std::vector<kiln::graph::op_ptr_t> ops_; ///< in an order of execution once finalized
    kiln::graph::edges_t edges_;
    std::vector<std::shared_ptr<const kiln::graph::partition_t>> partitions_;
};
