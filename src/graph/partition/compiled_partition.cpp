// SPDX-License-Identifier: Apache-2.0
// Executing compiled partitions, and their C entries.

#include "graph/partition/compiled_partition.hpp"

#include <algorithm>

#include "common/primitive/scratchpad.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/describe.hpp"
#include "graph/partition/constant_cache.hpp"

namespace kiln::graph {
namespace {

constexpr const char *component = "graph";

/// Buffers of an execution: on the stack unless there are many.
class bases_t {
public:
    explicit bases_t(size_t count)
        : count_(count) {
        if (count > few) {
            many_.resize(count);
            first_ = many_.data();
        }
    }
    void *&operator[](size_t i) { return first_[i]; }
    std::span<void *const> all() const { return {first_, count_}; }

private:
    static constexpr size_t few = 24;
    void *on_stack_[few];
    std::vector<void *> many_;
    void **first_ = on_stack_;
    size_t count_;
};

status_t bind(const logical_tensor_t &port, const char *what,
        std::span<const dnnl_graph_tensor *const> tensors, size_t position, size_t bytes,
        void *&base) {
    const auto has_id = [&](const dnnl_graph_tensor *tensor) {
        return tensor && tensor->lt.id == port.id;
    };
    const dnnl_graph_tensor *tensor = position < tensors.size() ? tensors[position] : nullptr;
    if (!has_id(tensor)) {
        const auto at = std::find_if(tensors.begin(), tensors.end(), has_id);
        KILN_REQUIRE_EXEC(at != tensors.end(), dnnl_invalid_arguments, component,
                "%s %zu is missing", what, port.id);
        tensor = *at;
    }
    KILN_REQUIRE_EXEC(bytes == 0 || tensor->handle != nullptr, dnnl_invalid_arguments, component,
            "%s %zu has no buffer", what, port.id);
    KILN_REQUIRE_EXEC(tensor->bytes >= bytes, dnnl_invalid_arguments, component,
            "%s %zu has %zu bytes of %zu", what, port.id, tensor->bytes, bytes);
    base = tensor->handle;
    return dnnl_success;
}

/// Working memory of one execution, from wherever it is to come.
class scratchpad_t {
public:
    status_t take(const engine_t &engine, const dnnl_graph_tensor *tensor, size_t bytes) {
        if (bytes == 0) return dnnl_success;
        if (tensor) {
            KILN_REQUIRE_EXEC(tensor->handle && tensor->bytes >= bytes + slack,
                    dnnl_invalid_arguments, component, "a scratchpad of less than %zu bytes",
                    bytes + slack);
            data_ = aligned(tensor->handle);
        } else if (has_own_allocator(engine)) {
            owned_ = allocate(engine, bytes + slack);
            data_ = aligned(owned_.get());
        } else {
            data_ = lease_.take(bytes);
        }
        return dnnl_success;
    }
    void *data() const { return data_; }

    /// What buffers that others align are longer by.
    static constexpr size_t slack = scratchpad_alignment - 1;

private:
    static void *aligned(void *buffer) {
        const auto address = reinterpret_cast<uintptr_t>(buffer);
        return static_cast<std::byte *>(buffer) + (-address & slack);
    }

    scratchpad_lease_t lease_;
    graph_buffer_t owned_;
    void *data_ = nullptr;
};

/// Constants from the cache, or made anew in the scratchpad.
status_t provide_constants(
        const compilation_t &compilation, bases_t &bases, constant_cache_t::block_t &block) {
    const program_t &program = *compilation.program;
    const size_t base = program.constants_base();
    if (constant_cache().capacity() != 0) {
        constant_cache_t::key_t key{program.id, {}};
        for (const size_t input : program.constant_inputs) key.inputs.push_back(bases[input]);
        const auto make = [&](void *buffer) {
            bases[base] = buffer;
            return program.execute_constants(bases.all());
        };
        KILN_TRY(constant_cache().get(
                *compilation.engine.get(), key, program.constant_bytes, make, block));
        if (block) {
            bases[base] = block->get();
            return dnnl_success;
        }
    }
    bases[base] =
            static_cast<std::byte *>(bases[program.scratchpad_base()]) + program.temporary_bytes;
    return program.execute_constants(bases.all());
}

} // namespace

status_t execute(const compilation_t &compilation, std::span<const dnnl_graph_tensor *const> inputs,
        std::span<const dnnl_graph_tensor *const> outputs, const dnnl_graph_tensor *scratchpad) {
    const program_t &program = *compilation.program;
    bases_t bases(program.base_count());
    for (size_t i = 0; i < program.input_count; ++i)
        KILN_TRY(bind(
                compilation.inputs[i], "input", inputs, i, compilation.input_bytes[i], bases[i]));
    for (size_t i = 0; i < program.output_count; ++i)
        KILN_TRY(bind(compilation.outputs[i], "output", outputs, i, compilation.output_bytes[i],
                bases[program.input_count + i]));
    scratchpad_t taken;
    KILN_TRY(taken.take(*compilation.engine.get(), scratchpad, program.scratchpad_bytes()));
    bases[program.scratchpad_base()] = taken.data();
    bases[program.literals_base()] = program.literals.get();
    bases[program.constants_base()] = nullptr;
    constant_cache_t::block_t constants;
    if (program.constant_bytes != 0) KILN_TRY(provide_constants(compilation, bases, constants));
    return program.execute(bases.all());
}

} // namespace kiln::graph

using namespace kiln;
using namespace kiln::graph;

status_t dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition) {
    if (compiled_partition == nullptr || partition == nullptr) return dnnl_invalid_arguments;
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
    if (compiled_partition == nullptr || stream == nullptr || (inputs == nullptr && num_inputs > 0)
            || (outputs == nullptr && num_outputs > 0))
        return dnnl_invalid_arguments;
    const auto *const compilation = compiled_partition->compilation.get();
    KILN_REQUIRE_EXEC(compilation, dnnl_invalid_arguments, "graph",
            "a partition that is not compiled is executed");
    KILN_REQUIRE_EXEC(same_device(*stream->engine(), *compilation->engine.get()),
            dnnl_invalid_arguments, "graph", "the stream belongs to another engine");
    return guarded([&]() -> status_t {
        const auto run = [&] {
            return execute(*compilation, {inputs, num_inputs}, {outputs, num_outputs}, scratchpad);
        };
        if (!verbose::enabled(verbose::exec_profile)) return run();
        const double start = verbose::now_ms();
        KILN_TRY(run());
        const double end = verbose::now_ms();
        print_graph_profile("exec", *compilation, start, end);
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
    if (compiled_partition == nullptr || lt == nullptr || !compiled_partition->compilation)
        return dnnl_invalid_arguments;
    const compilation_t &compilation = *compiled_partition->compilation;
    for (const auto *list : {&compilation.inputs, &compilation.outputs})
        for (const logical_tensor_t &held : *list)
            if (held.id == tid) {
                *lt = held;
                return dnnl_success;
            }
    KILN_REQUIRE(false, dnnl_invalid_arguments, "graph", "no tensor %zu", tid);
}

status_t dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs) {
    if (compiled_partition == nullptr || num_inplace_pairs == nullptr || inplace_pairs == nullptr
            || !compiled_partition->compilation)
        return dnnl_invalid_arguments;
    const auto &pairs = compiled_partition->compilation->inplace_pairs;
    *num_inplace_pairs = pairs.size();
    *inplace_pairs = pairs.data();
    return dnnl_success;
}

status_t dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, dnnl_graph_logical_tensor_t *lt) {
    if (compiled_partition == nullptr || lt == nullptr || !compiled_partition->compilation)
        return dnnl_invalid_arguments;
    const size_t bytes = compiled_partition->compilation->program->scratchpad_bytes();
    const auto length = static_cast<dim_t>(bytes == 0 ? 0 : bytes + scratchpad_t::slack);
    return dnnl_graph_logical_tensor_init_with_dims(lt, SIZE_MAX, dnnl_u8, 1, &length,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable);
}
