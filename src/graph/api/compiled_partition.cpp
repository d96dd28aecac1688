// SPDX-License-Identifier: Apache-2.0
// C entry points of compiled partitions.
#include "common/primitive/threadpool.hpp"
#include "graph/api/handles.hpp"
#include "graph/api/require.hpp"
#include "graph/partition/describe.hpp"
#include "graph/partition/execution.hpp"

using namespace kiln;
using namespace kiln::graph;

namespace {

status_t check_compiled(const_dnnl_graph_compiled_partition_t compiled_partition) {
    KILN_REQUIRE_POINTERS(compiled_partition);
    KILN_REQUIRE(compiled_partition->compilation, dnnl_invalid_arguments, "graph",
            "the partition is not compiled yet");
    return dnnl_success;
}

} // namespace

status_t dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition) {
    KILN_REQUIRE_POINTERS(compiled_partition, partition);
    return guarded([&] {
        *compiled_partition = new dnnl_graph_compiled_partition{partition->body};
        return dnnl_success;
    });
}

status_t dnnl_graph_compiled_partition_execute(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs) {
    return dnnl_graph_compiled_partition_execute_v2(
            compiled_partition, stream, num_inputs, inputs, num_outputs, outputs, nullptr);
}

status_t dnnl_graph_compiled_partition_execute_v2(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_stream_t stream,
        size_t num_inputs, const_dnnl_graph_tensor_t *inputs, size_t num_outputs,
        const_dnnl_graph_tensor_t *outputs, const_dnnl_graph_tensor_t scratchpad) {
    KILN_REQUIRE_EXEC(are_given(compiled_partition, stream) && (inputs || num_inputs == 0)
                              && (outputs || num_outputs == 0),
            dnnl_invalid_arguments, "graph",
            "null pointer: compiled_partition or stream or inputs or outputs");
    const auto *const compilation = compiled_partition->compilation.get();
    KILN_REQUIRE_EXEC(compilation, dnnl_invalid_arguments, "graph",
            "the partition must be compiled before it is executed");
    KILN_REQUIRE_EXEC(same_device(*stream->engine(), *compilation->engine.get()),
            dnnl_invalid_arguments, "graph",
            "the stream belongs to another engine than the one the partition is compiled for");
    return guarded([&]() -> status_t {
        const threadpool_use_t threads(*stream);
        const auto run = [&] {
            return execute(*compilation, {inputs, num_inputs}, {outputs, num_outputs}, scratchpad);
        };
        if (!verbose::enabled(verbose::exec_profile)) return run();
        const double start = verbose::now_ms();
        KILN_TRY(run());
        print_graph_profile("exec", *compilation, start, verbose::now_ms());
        return dnnl_success;
    });
}

status_t dnnl_graph_compiled_partition_destroy(dnnl_graph_compiled_partition_t compiled_partition) {
    delete compiled_partition;
    return dnnl_success;
}

status_t dnnl_graph_compiled_partition_query_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid,
        dnnl_graph_logical_tensor_t *lt) {
    KILN_TRY(check_compiled(compiled_partition));
    KILN_REQUIRE_POINTERS(lt);
    const compilation_t &compilation = *compiled_partition->compilation;
    for (const auto *list : {&compilation.inputs, &compilation.outputs})
        for (const logical_tensor_t &held : *list)
            if (held.id == tid) {
                *lt = held;
                return dnnl_success;
            }
    KILN_REQUIRE(false, dnnl_invalid_arguments, "graph",
            "the compiled partition has no input or output %zu", tid);
}

status_t dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs) {
    KILN_TRY(check_compiled(compiled_partition));
    KILN_REQUIRE_POINTERS(num_inplace_pairs, inplace_pairs);
    const auto &pairs = compiled_partition->compilation->inplace_pairs;
    *num_inplace_pairs = pairs.size();
    *inplace_pairs = pairs.data();
    return dnnl_success;
}

status_t dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_graph_logical_tensor_t *lt) {
    KILN_TRY(check_compiled(compiled_partition));
    KILN_REQUIRE_POINTERS(lt);
    const auto length = static_cast<dim_t>(user_scratchpad_bytes(*compiled_partition->compilation));
    return dnnl_graph_logical_tensor_init_with_dims(lt, SIZE_MAX, dnnl_u8, 1, &length,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable);
}
