// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/describe.hpp"

#include <cstdio>

#include "common/verbose/describe.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/fusion/rule.hpp"
#include "graph/op/names.hpp"
#include "graph/schema/schema.hpp"

namespace kiln::graph {
namespace {

std::string joined(std::span<const dim_t> numbers, const char *separator) {
    std::string text;
    for (size_t i = 0; i < numbers.size(); ++i)
        text += (i ? separator : "") + std::to_string(numbers[i]);
    return text;
}

/// "in0_f32:1:strided:variable:2x64:64s1"
std::string describe(const logical_tensor_t &lt, const char *side, size_t position) {
    std::string text = side + std::to_string(position) + "_" + dnnl_dt2str(lt.data_type) + ":"
                       + std::to_string(lt.id) + ":" + name_of(lt.layout_type) + ":"
                       + name_of(lt.property) + ":" + joined(dims_of(lt), "x") + ":";
    const auto ndims = static_cast<size_t>(std::max(lt.ndims, 0));
    return text
           + (is_opaque(lt) ? std::to_string(lt.layout.layout_id)
                            : joined({lt.layout.strides, ndims}, "s"));
}

/// "data:NCX;;": the data_format of each operation; empty if no operation has the attribute.
std::string describe_formats(const partition_t &partition) {
    std::string text;
    bool has_any = false;
    for (const op_ptr_t &op : partition.ops) {
        if (!text.empty()) text += ";";
        if (!op->has_attr(dnnl_graph_op_attr_data_format)) continue;
        text += op->attr<std::string>(dnnl_graph_op_attr_data_format);
        has_any = true;
    }
    return has_any ? "data:" + text : "";
}

/// The anchor and the rules that are applied, or the operations if they are not fused.
std::string describe_operations(const compilation_t &compilation) {
    std::string text;
    if (!compilation.is_fused) {
        for (const op_ptr_t &op : compilation.partition->ops)
            text += (text.empty() ? "" : ";") + std::string(name_of(op->kind));
        return text;
    }
    const group_t &group = *compilation.partition->group;
    text = name_of(group.anchor->kind);
    for (const fusion_t &fusion : group.fusions) text += std::string("+") + fusion.rule->name;
    return text;
}

/// The operations, the number of primitives and their implementations.
std::string describe_group(const compilation_t &compilation) {
    std::string text = describe_operations(compilation);
    const auto &steps = compilation.program->steps;
    text += ":" + std::to_string(steps.size());
    for (size_t i = 0; i < steps.size(); ++i)
        text += (i ? ";" : ":") + std::string(steps[i].primitive->pd->implementation_name());
    return text;
}

} // namespace

std::string describe(const compilation_t &compilation) {
    const partition_t &partition = *compilation.partition;
    std::string names, tensors;
    for (const op_ptr_t &op : partition.ops) names += (names.empty() ? "" : ";") + op->name;
    for (size_t i = 0; i < compilation.inputs.size(); ++i)
        tensors += describe(compilation.inputs[i], "in", i) + " ";
    for (size_t i = 0; i < compilation.outputs.size(); ++i)
        tensors += (i ? " " : "") + describe(compilation.outputs[i], "out", i);
    return std::string(dnnl_engine_kind2str(partition.engine_kind)) + ","
           + std::to_string(partition.id) + "," + name_of(partition.group->anchor->kind) + ","
           + names + "," + describe_formats(partition) + "," + tensors
           + ",fpm:" + dnnl_fpmath_mode2str(partition.fpmath.mode)
           + (partition.fpmath.apply_to_int ? ":true" : "")
           + ",scratchpad:" + std::to_string(compilation.program->scratchpad_bytes()) + ","
           + describe_group(compilation) + ",kiln";
}

void print_graph_profile(
        const char *event, const compilation_t &compilation, double begin_ms, double end_ms) {
    char time[32];
    std::snprintf(time, sizeof(time), ",%g", end_ms - begin_ms);
    verbose::print_line(
            std::string("graph,") + event + "," + describe(compilation) + time, begin_ms);
}

} // namespace kiln::graph
