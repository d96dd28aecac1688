// SPDX-License-Identifier: Apache-2.0
// Building a program from values and from primitives that read and write them.
#pragma once

#include <map>
#include <unordered_map>

#include "graph/lowering/program.hpp"
#include "graph/op/logical_tensor.hpp"

namespace kiln::graph {

/// The number of a piece of memory that steps read and write. Each step binds it with a memory
/// descriptor of its own.
using value_t = size_t;

class program_builder_t {
public:
    /// `tensors`: all tensors of the partition by id, with known shapes and layouts.
    program_builder_t(engine_t *engine, std::span<const logical_tensor_t> inputs,
            std::span<const logical_tensor_t> outputs,
            const std::unordered_map<size_t, logical_tensor_t> &tensors);

    engine_t *engine() const { return engine_; }
    const logical_tensor_t &tensor(size_t id) const { return tensors_.at(id); }
    memory_desc_t md_of_tensor(size_t id) const { return md_of(tensor(id)); }

    /// Whether the tensor is an output of the partition.
    bool is_output(size_t tensor) const;
    /// The value of a tensor: an input, an output or a temporary.
    value_t value_of(size_t tensor);
    value_t temporary(size_t bytes);
    /// A value with given contents.
    value_t literal(const void *data, size_t bytes);
    template <typename T> value_t literal(const std::vector<T> &elements) {
        return literal(elements.data(), elements.size() * sizeof(T));
    }

    /// Adds a step: the primitive of a descriptor with its arguments (DNNL_ARG_*).
    template <typename desc_t>
    status_t add(const desc_t &desc, const primitive_attr_t &attr,
            const std::map<int, value_t> &arguments) {
        std::shared_ptr<const primitive_desc_t> pd;
        KILN_TRY(operation_pd_t<desc_t>::find(engine_, desc, &attr, nullptr, 0, pd));
        return add(pd, arguments);
    }
    /// dnnl_invalid_shape if an argument needs more bytes than its value has.
    status_t add(const std::shared_ptr<const primitive_desc_t> &pd,
            const std::map<int, value_t> &arguments);
    /// Adds a reorder. `arguments` are those of the attributes.
    status_t copy(value_t from, const memory_desc_t &from_md, value_t to,
            const memory_desc_t &to_md, const primitive_attr_t &attr = {},
            std::map<int, value_t> arguments = {});

    /// Lets the output have the input's buffer, if both are ports of the partition and only one
    /// step accesses them.
    void allow_sharing(value_t input, value_t output);

    /// The finished program.
    std::shared_ptr<const program_t> finish();

private:
    enum class kind_t { input, output, temporary, constant, literal };
    struct held_t {
        kind_t kind;
        size_t position; // of an input or output; else the offset
        size_t bytes;    // of its buffer, at least
        bool is_placed = false;
        bool is_constant = false;
    };

    value_t hold(const held_t &value);
    void place(value_t value, bool as_constant);
    place_t place_of(const held_t &value) const;
    bool is_for_one_step(const shared_place_t &shared) const;

    engine_t *const engine_;
    const std::unordered_map<size_t, logical_tensor_t> &tensors_;
    std::vector<held_t> values_;
    std::unordered_map<size_t, value_t> value_of_tensor_;
    std::vector<std::byte> literals_;
    std::shared_ptr<program_t> program_ = std::make_shared<program_t>();
};

} // namespace kiln::graph
