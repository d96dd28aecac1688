// SPDX-License-Identifier: Apache-2.0
// What an operation has to look like: its inputs, outputs, their data types, its attributes. The
// table of all operations is schema_table.cpp. It must not know what can be executed.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "common/memory/type_set.hpp"
#include "graph/op/names.hpp"

namespace kiln::graph {

/// Parameters of one group have one data type; the group's set says which it may be.
enum type_group_t { T1, T2, T3, T4, type_group_count };

enum class presence_t {
    wanted,
    may_be_absent, ///< an output whose place a tensor of undef data type may keep
};

/// An input or an output.
struct parameter_t {
    const char *name;
    type_group_t types;
    presence_t presence = presence_t::wanted;
};

/// An attribute an operation may have. `lowest` bounds each number of it; `allowed` lists strings.
struct attribute_t {
    op_attr_t name;
    bool is_required = false;
    std::optional<attr_value_t> default_value{};
    double lowest = -std::numeric_limits<double>::infinity();
    std::vector<const char *> allowed{};
};

/// What the table cannot say; prints the reason of a refusal itself.
using op_check_t = status_t (*)(const op_t &op);
/// Fills in outputs from inputs whose shapes are known.
using infer_t = status_t (*)(const op_t &op, std::span<const logical_tensor_t> inputs,
        std::span<logical_tensor_t> outputs);

struct schema_t {
    op_kind_t kind;
    const char *name;
    std::vector<parameter_t> inputs; ///< by position; the last one repeats where it is variadic
    std::vector<parameter_t> outputs;
    std::array<type_set_t, type_group_count> types{};
    infer_t infer;
    std::vector<attribute_t> attributes{};
    std::vector<op_check_t> checks{};
    /// How many inputs there may be: one of these, without any all of them. A variadic operation
    /// has from the first of these to `most_inputs`.
    std::vector<size_t> input_counts{};
    std::vector<size_t> output_counts{}; ///< likewise
    size_t most_inputs = 0;
    size_t most_outputs = 0;
};

/// The operation's schema; null for a number that is no operation.
const schema_t *find_schema(op_kind_t kind);
/// All schemas, by kind.
std::span<const schema_t> schemas();

/// Checks an operation against its schema: dnnl_invalid_graph_op, with a reason in verbose mode.
status_t check_op(const op_t &op);
/// Sets what has a default and was not set.
void fill_default_attributes(op_t &op);

/// Infers the shapes of outputs. Inputs are in the operation's order, with known shapes; outputs
/// carry what is known of them already: that is checked, the rest filled in, row-major strides
/// included where the layout is strided. dnnl_invalid_shape where shapes contradict each other,
/// dnnl_unimplemented where data would have to be read.
status_t infer_shapes(const op_t &op, std::span<const logical_tensor_t> inputs,
        std::span<logical_tensor_t> outputs);

/// The position of an input or output by the schema's name for it ("gamma"); -1 if the operation
/// does not have it, or the output is absent. This is where positional rules stand: which inputs
/// of LayerNormBackward are statistics.
int find_input(const op_t &op, std::string_view name);
int find_output(const op_t &op, std::string_view name);

} // namespace kiln::graph
