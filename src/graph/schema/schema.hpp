// SPDX-License-Identifier: Apache-2.0
// Schemas: the inputs, outputs, data types and attributes of each kind of operation. The table of
// all kinds is operations/schema_table.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "common/memory/type_set.hpp"
#include "graph/op/names.hpp"

namespace kiln::graph {

/// Inputs and outputs of one group have one data type, an element of the group's set.
enum type_group_t { T1, T2, T3, T4, type_group_count };

enum class presence_t {
    required,
    may_be_absent, ///< an output that the program may replace by a tensor of data type undef
};

/// An input or an output.
struct parameter_t {
    const char *name = nullptr;
    type_group_t types = T1;
    presence_t presence = presence_t::required;
};

/// The value of an attribute that is not set; monostate: it has no default.
using default_value_t = std::variant<std::monostate, float, int64_t, bool, const char *>;

/// An attribute in a schema.
struct attribute_t {
    op_attr_t name{};
    bool is_required = false;
    default_value_t default_value{};
    double lowest = -std::numeric_limits<double>::infinity(); ///< of a number, or of each in a list
    bool is_positive = false;                                 ///< the number is above 0 and finite
    std::span<const char *const> allowed{};                   ///< strings; empty: any
};

/// A check that the table cannot express; it reports the reason of a refusal.
using op_check_t = status_t (*)(const op_t &op);
/// Inputs of the schema that an operation does not have although it has later ones: `count` of them
/// from position `first` on. The operation's later inputs move up by `count`.
struct skipped_inputs_t {
    int first = 0;
    int count = 0;
};
using find_skipped_inputs_t = skipped_inputs_t (*)(const op_t &op);
/// Infers the shapes of outputs from those of inputs; see infer_shapes().
using infer_t = status_t (*)(const op_t &op, std::span<const logical_tensor_t> inputs,
        std::span<logical_tensor_t> outputs);

/// Schemas are constants of the program: to read one takes no memory.
struct schema_t {
    op_kind_t kind;
    const char *name;
    /// By position; the last one of a variadic operation repeats.
    std::span<const parameter_t> inputs;
    std::span<const parameter_t> outputs;
    std::array<type_set_t, type_group_count> types;
    infer_t infer;
    std::span<const attribute_t> attributes;
    std::span<const op_check_t> checks;
    /// The allowed numbers of inputs; empty: `inputs.size()` alone. A variadic operation has any
    /// number from the first of these to `most_inputs`.
    std::span<const size_t> input_counts;
    std::span<const size_t> output_counts; ///< likewise
    find_skipped_inputs_t skipped_inputs;  ///< null: an operation lacks only the last inputs
    size_t most_inputs;                    ///< 0 unless the operation is variadic
    size_t most_outputs;
};

/// The schema of a kind; null for a value that is not in the enumeration.
const schema_t *find_schema(op_kind_t kind);
/// All schemas, ordered by kind.
std::span<const schema_t> schemas();

/// The name of a kind in a graph; null for a value that is not in the enumeration.
const char *name_of(op_kind_t kind);
std::optional<op_kind_t> op_kind_of(std::string_view name);

/// How a program says that it does not want an output; for messages.
#define KILN_UNWANTED_OUTPUT                                                                       \
    "an output that is not wanted is a logical tensor of data type undef (C: one that is "         \
    "initialized with {0}, C++: logical_tensor())"

/// Compares an operation with its schema. dnnl_invalid_graph_op, with a reason in verbose mode, if
/// they differ. Attributes with a default need not be set.
status_t check_op(const op_t &op);
/// A copy of an operation that check_op() accepts, with the defaults of its attributes.
status_t copy_checked(const op_t &op, op_ptr_t &copy);
/// The default of an attribute; empty if it has none.
std::optional<attr_value_t> default_of(const attribute_t &attribute);
/// Sets the attributes that have a default and are not set. The functions below need that.
void fill_default_attributes(op_t &op);

/// Whether use_affine is set to `value`: true requires gamma; with false, gamma and beta have no
/// meaning.
bool has_use_affine(const op_t &op, bool value);

/// The position of an input or output by its name in the schema ("gamma"); -1 if the operation does
/// not have it, or the output is absent.
int find_input(const op_t &op, std::string_view name);
int find_output(const op_t &op, std::string_view name);
/// The same as a pointer into the operation; null instead of -1.
const logical_tensor_t *input_of(const op_t &op, std::string_view name);
const logical_tensor_t *output_of(const op_t &op, std::string_view name);

/// Whether data_format says that channels are the second axis (NCX), not the last (NXC).
bool has_channels_second(const op_t &op);

} // namespace kiln::graph
