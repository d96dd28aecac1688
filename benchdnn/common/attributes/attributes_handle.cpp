// SPDX-License-Identifier: Apache-2.0
// From parsed attributes to the library's attribute object and its run-time arguments.
#include "common/attributes/attributes_handle.hpp"

#include <cstring>
#include <vector>

#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/fill.hpp"

namespace benchdnn {

namespace {

dims_t operand_dims(const broadcast_t &broadcast, const attribute_target_t &target) {
    const int mask = broadcast.mask(static_cast<int>(target.dims.size()), target.channel_axis);
    dims_t dims = target.dims;
    for (size_t axis = 0; axis < dims.size(); ++axis)
        if (!(mask & (1 << axis))) dims[axis] = 1;
    return dims;
}

void append_binary(
        const post_op_t &op, const attribute_target_t &target, const post_ops_handle_t &handle) {
    const dims_t dims = operand_dims(op.broadcast, target);
    const memory_desc_t operand = op.strides.empty()
                                          ? make_descriptor(dims, op.data_type, op.tag)
                                          : make_strided_descriptor(dims, op.data_type, op.strides);
    if (!op.has_condition()) {
        require_success(dnnl_post_ops_append_binary(handle.get(), op.algorithm, operand.get()),
                "dnnl_post_ops_append_binary");
        return;
    }
    const memory_desc_t condition = make_descriptor(target.dims, dnnl_s8, "any");
    require_success(dnnl_post_ops_append_binary_v2(
                            handle.get(), op.algorithm, operand.get(), condition.get()),
            "dnnl_post_ops_append_binary_v2");
}

void append(
        const post_op_t &op, const attribute_target_t &target, const post_ops_handle_t &handle) {
    const int ndims = static_cast<int>(target.dims.size());
    switch (op.kind) {
    case post_op_t::kind_t::eltwise:
        require_success(dnnl_post_ops_append_eltwise(handle.get(), op.algorithm, op.alpha, op.beta),
                "dnnl_post_ops_append_eltwise");
        break;
    case post_op_t::kind_t::binary: append_binary(op, target, handle); break;
    case post_op_t::kind_t::sum:
        require_success(dnnl_post_ops_append_sum(
                                handle.get(), op.sum_scale, op.sum_zero_point, op.data_type),
                "dnnl_post_ops_append_sum");
        break;
    case post_op_t::kind_t::prelu:
        require_success(dnnl_post_ops_append_prelu(
                                handle.get(), op.broadcast.mask(ndims, target.channel_axis)),
                "dnnl_post_ops_append_prelu");
        break;
    case post_op_t::kind_t::depthwise:
        require_success(dnnl_post_ops_append_dw(handle.get(), dnnl_f32, dnnl_f32,
                                op.data_type == dnnl_data_type_undef ? dnnl_f32 : op.data_type,
                                op.kernel, op.stride, op.padding),
                "dnnl_post_ops_append_dw");
        break;
    }
}

void set_post_ops(const post_ops_t &ops, const attribute_target_t &target, const attr_t &attr) {
    if (ops.chain.empty()) return;
    post_ops_handle_t handle;
    require_success(dnnl_post_ops_create(handle.out()), "dnnl_post_ops_create");
    for (const post_op_t &op : ops.chain) append(op, target, handle);
    require_success(dnnl_primitive_attr_set_post_ops(attr.get(), handle.get()),
            "dnnl_primitive_attr_set_post_ops");
}

void set_quantization(
        const attributes_t &attributes, const attribute_target_t &target, const attr_t &attr) {
    const int ndims = static_cast<int>(target.dims.size());
    const auto group_count = [](const quantization_entry_t &entry) {
        return static_cast<int>(entry.groups.size());
    };
    for (const quantization_entry_t &entry : attributes.scales.entries)
        require_success(
                dnnl_primitive_attr_set_scales_v2(attr.get(), entry.argument,
                        entry.broadcast.mask(ndims, target.axis_of(entry.argument)),
                        group_count(entry), entry.groups.data(), entry.data_type, entry.on_host()),
                "dnnl_primitive_attr_set_scales_v2");
    for (const quantization_entry_t &entry : attributes.zero_points.entries)
        require_success(
                dnnl_primitive_attr_set_zero_points_v2(attr.get(), entry.argument,
                        entry.broadcast.mask(ndims, target.axis_of(entry.argument)),
                        group_count(entry), entry.groups.data(), entry.data_type, entry.on_host()),
                "dnnl_primitive_attr_set_zero_points_v2");
}

void set_reductions(
        const attributes_t &attributes, const attribute_target_t &target, const attr_t &attr) {
    const int ndims = static_cast<int>(target.dims.size());
    for (const quantization_entry_t &entry : attributes.precomputed_reductions.entries)
        require_success(dnnl_primitive_attr_set_precomputed_reductions(attr.get(), entry.argument,
                                entry.broadcast.mask(ndims, target.channel_axis),
                                static_cast<int>(entry.groups.size()), entry.groups.data(),
                                entry.data_type),
                "dnnl_primitive_attr_set_precomputed_reductions");
}

void set_dropout(const dropout_t &dropout, const attribute_target_t &target, const attr_t &attr) {
    if (dropout.text.empty()) return;
    const bool has_mask = dropout.mask_tag != "undef";
    const memory_desc_t mask = has_mask ? make_descriptor(target.dims, dnnl_u8, dropout.mask_tag)
                                        : make_empty_descriptor();
    require_success(dnnl_primitive_attr_set_dropout_v2(
                            attr.get(), mask.get(), dnnl_s64, dropout.offset != 0, dropout.on_host),
            "dnnl_primitive_attr_set_dropout_v2");
}

void add_quantization(const quantization_entry_t &entry, int kind,
        const primitive_desc_t &primitive_desc, uint64_t seed, arguments_t &arguments) {
    const int id = kind | entry.argument;
    if (entry.on_host()) {
        arguments.add_host_scalar(id, entry.data_type, entry.value);
        return;
    }
    if (entry.broadcast.is_single_value()) {
        const memory_desc_t descriptor = make_descriptor({1}, entry.data_type, "a");
        const double value = entry.value;
        arguments.add(id, arguments_t::role_t::input, descriptor.get()).store_row(0, &value);
        return;
    }
    const_dnnl_memory_desc_t descriptor = argument_descriptor(primitive_desc, id);
    memory_desc_t own;
    if (is_empty_descriptor(descriptor)) {
        // Some libraries do not return the descriptor; then there are as many values as the mask
        // gives.
        if (!arguments.has(entry.argument)) return;
        const attribute_target_t target{arguments.at(entry.argument).layout().dims(), 0};
        own = make_descriptor(
                {product(operand_dims(entry.broadcast, target))}, entry.data_type, "a");
        descriptor = own.get();
    }
    tensor_t &tensor = arguments.add(id, arguments_t::role_t::input, descriptor);
    fill_quantities(tensor, seed ^ static_cast<uint64_t>(id));
}

// Sums of groups of the argument's elements, without its scales and zero points.
void add_reductions(const quantization_entry_t &entry, const primitive_desc_t &primitive_desc,
        arguments_t &arguments) {
    const int id = DNNL_ARG_ATTR_PRECOMPUTED_REDUCTIONS | entry.argument;
    tensor_t &sums =
            arguments.add(id, arguments_t::role_t::input, argument_descriptor(primitive_desc, id));
    if (!arguments.wants_data()) return;
    const tensor_t &summands = arguments.at(entry.argument);
    const dims_t &dims = summands.layout().dims(), &groups = sums.layout().dims();
    std::vector<double> totals(static_cast<size_t>(sums.layout().elements()));
    for (dim_t i = 0; i < summands.layout().elements(); ++i) {
        const dims_t position = position_of(i, dims);
        dim_t group = 0;
        for (size_t axis = 0; axis < dims.size(); ++axis)
            group = group * groups[axis] + position[axis] / (dims[axis] / groups[axis]);
        totals[static_cast<size_t>(group)] += summands.load(i);
    }
    fill_elements(sums, [&](dim_t index) { return totals[static_cast<size_t>(index)]; });
}

// An input of one value of 4 or 8 bytes.
void add_value(
        int id, dnnl_data_type_t type, bool on_host, const void *value, arguments_t &arguments) {
    if (on_host) {
        arguments.add_host_scalar(id, type, value);
        return;
    }
    const memory_desc_t descriptor = make_descriptor({1}, type, "a");
    tensor_t &tensor = arguments.add(id, arguments_t::role_t::input, descriptor.get());
    std::memcpy(tensor.data(), value, data_type_size(type));
}

void add_dropout(
        const dropout_t &dropout, const primitive_desc_t &primitive_desc, arguments_t &arguments) {
    if (dropout.text.empty()) return;
    const auto add = [&](int id, dnnl_data_type_t type, const void *value) {
        add_value(id, type, dropout.on_host, value, arguments);
    };
    const auto probability = static_cast<float>(dropout.probability);
    add(DNNL_ARG_ATTR_DROPOUT_PROBABILITY, dnnl_f32, &probability);
    add(DNNL_ARG_ATTR_DROPOUT_SEED, dnnl_s64, &dropout.seed);
    if (dropout.offset != 0) add(DNNL_ARG_ATTR_DROPOUT_OFFSET, dnnl_s64, &dropout.offset);
    if (dropout.mask_tag != "undef")
        arguments.add(DNNL_ARG_ATTR_DROPOUT_MASK, arguments_t::role_t::output,
                argument_descriptor(primitive_desc, DNNL_ARG_ATTR_DROPOUT_MASK));
}

// The weights of a prelu post-op, channels innermost. Some libraries do not return their
// descriptor.
void add_weights(const post_op_t &op, int id, const primitive_desc_t &primitive_desc, uint64_t seed,
        arguments_t &arguments) {
    const_dnnl_memory_desc_t descriptor = argument_descriptor(primitive_desc, id);
    memory_desc_t own;
    if (is_empty_descriptor(descriptor)) {
        const dims_t &dims = arguments.at(DNNL_ARG_DST).layout().dims();
        const attribute_target_t target{dims, dims.size() > 1 ? 1 : 0};
        own = make_descriptor(operand_dims(op.broadcast, target), dnnl_f32, "axb");
        descriptor = own.get();
    }
    fill_operand(arguments.add(id, arguments_t::role_t::input, descriptor),
            seed ^ static_cast<uint64_t>(id));
}

} // namespace

attr_t make_attr(const attributes_t &attributes, const attribute_target_t &target) {
    attr_t attr;
    require_success(dnnl_primitive_attr_create(attr.out()), "dnnl_primitive_attr_create");
    set_quantization(attributes, target, attr);
    set_post_ops(attributes.post_ops, target, attr);
    const auto check = [](dnnl_status_t status) {
        require_success(status, "an attribute's setter");
    };
    check(dnnl_primitive_attr_set_scratchpad_mode(
            attr.get(), attributes.scratchpad.value_or(dnnl_scratchpad_mode_library)));
    check(dnnl_primitive_attr_set_fpmath_mode_v2(
            attr.get(), attributes.fpmath.mode, attributes.fpmath.apply_to_integers));
    check(dnnl_primitive_attr_set_accumulation_mode(attr.get(), attributes.accumulation));
    check(dnnl_primitive_attr_set_deterministic(attr.get(), attributes.deterministic));
    set_reductions(attributes, target, attr);
    set_dropout(attributes.dropout, target, attr);
    for (const rounding_t::entry_t &entry : attributes.rounding.entries)
        check(dnnl_primitive_attr_set_rounding(attr.get(), entry.argument, entry.mode));
    return attr;
}

void add_attribute_arguments(const attributes_t &attributes, const primitive_desc_t &primitive_desc,
        uint64_t seed, arguments_t &arguments) {
    for (const quantization_entry_t &entry : attributes.scales.entries)
        add_quantization(entry, DNNL_ARG_ATTR_SCALES, primitive_desc, seed, arguments);
    for (const quantization_entry_t &entry : attributes.zero_points.entries)
        add_quantization(entry, DNNL_ARG_ATTR_ZERO_POINTS, primitive_desc, seed, arguments);
    for (const quantization_entry_t &entry : attributes.precomputed_reductions.entries)
        add_reductions(entry, primitive_desc, arguments);
    add_dropout(attributes.dropout, primitive_desc, arguments);
    for (const rounding_t::entry_t &entry : attributes.rounding.entries)
        if (entry.mode == dnnl_rounding_mode_stochastic)
            add_value(DNNL_ARG_ATTR_ROUNDING_SEED, dnnl_s32, false, &entry.seed, arguments);
    for (size_t i = 0; i < attributes.post_ops.chain.size(); ++i) {
        const post_op_t &op = attributes.post_ops.chain[i];
        if (op.kind == post_op_t::kind_t::prelu)
            add_weights(op, weights_argument(i), primitive_desc, seed, arguments);
        if (op.kind != post_op_t::kind_t::binary) continue;
        for (const int id : {operand_argument(i), condition_argument(i)}) {
            const_dnnl_memory_desc_t descriptor = argument_descriptor(primitive_desc, id);
            if (is_empty_descriptor(descriptor)) continue;
            if (id == condition_argument(i) && !op.has_condition()) continue;
            tensor_t &tensor = arguments.add(id, arguments_t::role_t::input, descriptor);
            const uint64_t own_seed = seed ^ static_cast<uint64_t>(id);
            id == operand_argument(i) ? fill_operand(tensor, own_seed)
                                      : fill_condition(tensor, own_seed);
        }
    }
    const_dnnl_memory_desc_t scratchpad =
            dnnl_primitive_desc_query_md(primitive_desc.get(), dnnl_query_scratchpad_md, 0);
    if (attributes.scratchpad == dnnl_scratchpad_mode_user && !is_empty_descriptor(scratchpad))
        arguments.add(DNNL_ARG_SCRATCHPAD, arguments_t::role_t::output, scratchpad);
}

} // namespace benchdnn
