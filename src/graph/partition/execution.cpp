// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/execution.hpp"

#include <algorithm>

#include "common/primitive/scratchpad.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/memory/constant_cache.hpp"

namespace kiln::graph {
namespace {

constexpr const char *component = "graph";

/// The base addresses of an execution's buffers; no allocation unless there are many.
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

/// Finds the tensor of a port, at `position` or by its id, and sets `base` to its address.
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
                "no tensor is given for %s %zu", what, port.id);
        tensor = *at;
    }
    KILN_REQUIRE_EXEC(bytes == 0 || tensor->handle != nullptr, dnnl_invalid_arguments, component,
            "the handle of %s %zu is null", what, port.id);
    KILN_REQUIRE_EXEC(tensor->bytes >= bytes, dnnl_invalid_arguments, component,
            "the buffer of %s %zu has %zu bytes, not at least %zu", what, port.id, tensor->bytes,
            bytes);
    base = tensor->handle;
    return dnnl_success;
}

/// The scratchpad of one execution: the program's tensor, memory from the program's allocator, or a
/// lease of the thread's scratchpad.
class scratchpad_t {
public:
    status_t take(const engine_t &engine, const dnnl_graph_tensor *tensor, size_t bytes) {
        if (bytes == 0) return dnnl_success;
        if (tensor) {
            KILN_REQUIRE_EXEC(tensor->handle && tensor->bytes >= bytes + slack,
                    dnnl_invalid_arguments, component,
                    "the scratchpad has %zu bytes, not at least %zu",
                    tensor->handle ? tensor->bytes : 0, bytes + slack);
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

    /// Additional bytes of buffers whose alignment the program chooses.
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

/// Sets the base of constants: a block of the cache, or a part of the scratchpad in which they are
/// computed for this execution.
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

size_t user_scratchpad_bytes(const compilation_t &compilation) {
    const size_t bytes = compilation.program->scratchpad_bytes();
    return bytes == 0 ? 0 : bytes + scratchpad_t::slack;
}

} // namespace kiln::graph
