// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::graph: operations, which are divided into partitions.

#ifndef ONEAPI_DNNL_CPP_GRAPH_GRAPH_HPP
#define ONEAPI_DNNL_CPP_GRAPH_GRAPH_HPP

#include "oneapi/dnnl/cpp/graph/partition.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_graph_t>
    : public detail::destroyed_by<dnnl_graph_graph_t, dnnl_graph_graph_destroy> {};

namespace graph {

/// Used in this order: add_op() for each operation, finalize(), get_partitions().
class graph : public handle<dnnl_graph_graph_t> {
public:
    /// An empty graph for engines of this kind.
    graph(engine::kind engine_kind) {
        dnnl_graph_graph_t result = nullptr;
        error::wrap_c_api(dnnl_graph_graph_create(&result, convert_to_c(engine_kind)),
                "cannot make a graph; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// The same with a math mode: the narrower types that f32 computations may use.
    graph(engine::kind engine_kind, fpmath_mode mode) {
        dnnl_graph_graph_t result = nullptr;
        error::wrap_c_api(dnnl_graph_graph_create_with_fpmath_mode(
                                  &result, convert_to_c(engine_kind), convert_to_c(mode)),
                "cannot make a graph with an fpmath mode; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// Sets the math mode. With apply_to_int, integers may be converted to its types, too.
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(dnnl_graph_graph_set_fpmath_mode(get(), convert_to_c(mode), apply_to_int),
                "cannot set the fpmath mode of a graph; ONEDNN_VERBOSE=all says why");
    }

    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        dnnl_fpmath_mode_t c_mode;
        int c_apply_to_int = 0;
        error::wrap_c_api(dnnl_graph_graph_get_fpmath_mode(get(), &c_mode, &c_apply_to_int),
                "cannot get the fpmath mode of a graph");
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply_to_int != 0;
    }

    /// Adds a copy of an operation. status::invalid_graph if the graph is finalized,
    /// status::invalid_graph_op if the operation does not match its schema; thrown if
    /// allow_exception is true, else returned.
    status add_op(const op &aop, bool allow_exception = true) {
        const dnnl_status_t result = dnnl_graph_add_op(get(), aop.get());
        if (allow_exception)
            error::wrap_c_api(
                    result, "cannot add an operation to a graph; ONEDNN_VERBOSE=all says why");
        return static_cast<status>(result);
    }

    /// Completes the graph. Throws dnnl_invalid_graph if it is inconsistent or has a cycle.
    void finalize() {
        error::wrap_c_api(dnnl_graph_graph_finalize(get()),
                "cannot finalize a graph; ONEDNN_VERBOSE=all says why");
    }

    bool is_finalized() const {
        uint8_t finalized = 0;
        error::wrap_c_api(dnnl_graph_graph_is_finalized(get(), &finalized),
                "cannot tell whether a graph is finalized");
        return finalized != 0;
    }

    /// Divides the graph into partitions and returns them in an execution order. Each operation is
    /// in one partition. Throws dnnl_invalid_graph if the graph is not finalized.
    std::vector<partition> get_partitions(partition::policy policy = partition::policy::fusion) {
        if (!is_finalized()) DNNL_THROW_ERROR(dnnl_invalid_graph, "the graph is not finalized yet");
        const auto c_policy = static_cast<dnnl_graph_partition_policy_t>(policy);
        error::wrap_c_api(dnnl_graph_graph_filter(get(), c_policy),
                "cannot cut a graph into partitions; ONEDNN_VERBOSE=all says why");
        size_t count = 0;
        error::wrap_c_api(dnnl_graph_graph_get_partition_num(get(), &count),
                "cannot count the partitions of a graph");
        std::vector<dnnl_graph_partition_t> handles(count);
        if (count != 0)
            error::wrap_c_api(dnnl_graph_graph_get_partitions(get(), count, handles.data()),
                    "cannot get the partitions of a graph");
        return std::vector<partition>(handles.begin(), handles.end());
    }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_GRAPH_HPP
