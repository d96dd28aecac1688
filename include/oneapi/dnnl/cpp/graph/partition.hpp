// SPDX-License-Identifier: Apache-2.0
// dnnl::graph::partition, operations of a graph that are compiled and executed together.

#ifndef ONEAPI_DNNL_CPP_GRAPH_PARTITION_HPP
#define ONEAPI_DNNL_CPP_GRAPH_PARTITION_HPP

#include "oneapi/dnnl/cpp/graph/compiled_partition.hpp"
#include "oneapi/dnnl/cpp/graph/op.hpp"

namespace dnnl {

template <>
struct handle_traits<dnnl_graph_partition_t>
    : public detail::destroyed_by<dnnl_graph_partition_t, dnnl_graph_partition_destroy> {};

namespace graph {

/// An element of graph::get_partitions(). It remains valid when the graph is destroyed.
class partition : public handle<dnnl_graph_partition_t> {
public:
    /// How a graph is divided into partitions.
    enum class policy {
        /// Fused operations form one partition.
        fusion = dnnl_graph_partition_policy_fusion,
        /// Each operation is a partition.
        debug = dnnl_graph_partition_policy_debug,
    };

    /// An empty partition.
    partition() = default;

    /// Takes ownership of a C partition.
    partition(dnnl_graph_partition_t c_partition)
        : handle(c_partition) {}

    /// A partition of one operation without a graph. Throws as graph::add_op() does.
    partition(const op &aop, engine::kind ekind) {
        dnnl_graph_partition_t result = nullptr;
        error::wrap_c_api(
                dnnl_graph_partition_create_with_op(&result, aop.get(), convert_to_c(ekind)),
                "cannot make a partition of an operation; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// Unique within the process.
    size_t get_id() const {
        return counted(dnnl_graph_partition_get_id, "cannot get the id of a partition");
    }

    size_t get_ops_num() const {
        return counted(
                dnnl_graph_partition_get_op_num, "cannot count the operations of a partition");
    }

    /// Ids of the operations.
    std::vector<size_t> get_ops() const {
        std::vector<size_t> ids(get_ops_num());
        error::wrap_c_api(dnnl_graph_partition_get_ops(get(), ids.size(), ids.data()),
                "cannot get the operations of a partition");
        return ids;
    }

    /// Whether the library can compile it. The caller has to compute unsupported partitions.
    bool is_supported() const {
        uint8_t supported = 0;
        error::wrap_c_api(dnnl_graph_partition_is_supported(get(), &supported),
                "cannot tell whether a partition is supported");
        return supported != 0;
    }

    /// The tensors that it reads, each once.
    std::vector<logical_tensor> get_input_ports() const {
        return ports(dnnl_graph_partition_get_input_ports_num, dnnl_graph_partition_get_input_ports,
                "cannot get the inputs of a partition");
    }

    /// The tensors that it writes, without intermediate ones.
    std::vector<logical_tensor> get_output_ports() const {
        return ports(dnnl_graph_partition_get_output_ports_num,
                dnnl_graph_partition_get_output_ports, "cannot get the outputs of a partition");
    }

    engine::kind get_engine_kind() const {
        dnnl_engine_kind_t result;
        error::wrap_c_api(dnnl_graph_partition_get_engine_kind(get(), &result),
                "cannot tell what kind of engine a partition is for");
        return static_cast<engine::kind>(result);
    }

    /// Compiles for these tensors, which are matched with the ports by id; execution takes tensors
    /// in the order given here. Inputs have known dims and strided or opaque layouts; both may be
    /// unknown for outputs. Throws dnnl_invalid_arguments if the partition is not supported or a
    /// port is missing, dnnl_invalid_shape if shapes contradict each other, and dnnl_unimplemented
    /// if no implementation supports them; ONEDNN_VERBOSE=all reports the reason.
    compiled_partition compile(const std::vector<logical_tensor> &inputs,
            const std::vector<logical_tensor> &outputs, const engine &e) const {
        if (!is_supported())
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "the partition is not supported");
        dnnl_graph_compiled_partition_t compiled = nullptr;
        error::wrap_c_api(dnnl_graph_compiled_partition_create(&compiled, get()),
                "cannot make a compiled partition; ONEDNN_VERBOSE=all says why");
        compiled_partition result(compiled);
        auto c_inputs = detail::c_structs_of(inputs);
        auto c_outputs = detail::c_structs_of(outputs);
        error::wrap_c_api(dnnl_graph_partition_compile(get(), compiled, c_inputs.size(),
                                  c_inputs.data(), c_outputs.size(), c_outputs.data(), e.get()),
                "cannot compile a partition; ONEDNN_VERBOSE=all says why");
        return result;
    }

private:
    using ask_number_f = dnnl_status_t (*)(const_dnnl_graph_partition_t, size_t *);
    using ask_ports_f = dnnl_status_t (*)(
            const_dnnl_graph_partition_t, size_t, dnnl_graph_logical_tensor_t *);

    size_t counted(ask_number_f ask, const char *message) const {
        size_t result = 0;
        error::wrap_c_api(ask(get(), &result), message);
        return result;
    }

    std::vector<logical_tensor> ports(
            ask_number_f ask_number, ask_ports_f ask_ports, const char *message) const {
        std::vector<dnnl_graph_logical_tensor_t> c_ports(counted(ask_number, message));
        if (!c_ports.empty())
            error::wrap_c_api(ask_ports(get(), c_ports.size(), c_ports.data()), message);
        return std::vector<logical_tensor>(c_ports.begin(), c_ports.end());
    }
};

} // namespace graph
} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_GRAPH_PARTITION_HPP
