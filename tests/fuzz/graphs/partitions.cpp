// SPDX-License-Identifier: Apache-2.0
#include "graphs/partitions.hpp"

#include "support/guarded.hpp"

namespace kiln::fuzz {

namespace {

using compiled_handle_t =
        test::handle_t<dnnl_graph_compiled_partition_t, dnnl_graph_compiled_partition_destroy>;
using tensor_handle_t = test::handle_t<dnnl_graph_tensor_t, dnnl_graph_tensor_destroy>;

size_t bytes_of(const logical_tensor_t &lt) {
    size_t bytes = 0;
    succeeded(dnnl_graph_logical_tensor_get_mem_size(&lt, &bytes), "get_mem_size",
            verdict_t::success);
    return bytes;
}

/// For the check that gaps are not written; null where the layout is not one of strides.
memory_desc_handle_t desc_of(const logical_tensor_t &lt) {
    memory_desc_handle_t desc;
    if (lt.ndims <= 0 || lt.layout_type != dnnl_graph_layout_type_strided) return desc;
    const auto type = lt.data_type == dnnl_boolean ? dnnl_u8 : lt.data_type;
    succeeded(dnnl_memory_desc_create_with_strides(
                      desc.out(), lt.ndims, lt.dims, type, lt.layout.strides),
            "a compiled tensor's descriptor", verdict_t::success);
    return desc;
}

/// Owners of execution's arguments.
struct arguments_t {
    std::vector<tensor_handle_t> owners;
    std::vector<const_dnnl_graph_tensor_t> list;

    void add(const logical_tensor_t &lt, std::byte *data) {
        owners.emplace_back();
        const bool is_scalar = lt.property == dnnl_graph_tensor_property_host_scalar;
        succeeded(is_scalar ? dnnl_graph_tensor_create_scalar(owners.back().out(), &lt, data)
                            : dnnl_graph_tensor_create(
                                    owners.back().out(), &lt, test::cpu_engine(), data),
                "tensor_create", verdict_t::success);
        list.push_back(owners.back());
    }
};

} // namespace

bool partitions_t::find_ports(
        dnnl_graph_partition_t partition, tensors_t &inputs, tensors_t &outputs) {
    size_t input_count = 0, output_count = 0;
    const auto ask = [](dnnl_status_t status) { succeeded(status, "ports", verdict_t::success); };
    ask(dnnl_graph_partition_get_input_ports_num(partition, &input_count));
    ask(dnnl_graph_partition_get_output_ports_num(partition, &output_count));
    // Without ports there may be no array.
    inputs.resize(std::max<size_t>(input_count, 1));
    outputs.resize(std::max<size_t>(output_count, 1));
    ask(dnnl_graph_partition_get_input_ports(partition, input_count, inputs.data()));
    ask(dnnl_graph_partition_get_output_ports(partition, output_count, outputs.data()));
    inputs.resize(input_count), outputs.resize(output_count);
    for (logical_tensor_t &lt : inputs) {
        const auto known = known_.find(lt.id);
        if (known == known_.end()) return false;
        lt = known->second;
    }
    return true;
}

void partitions_t::run(dnnl_graph_partition_t partition) {
    uint8_t is_supported = 0;
    succeeded(dnnl_graph_partition_is_supported(partition, &is_supported), "is_supported",
            verdict_t::success);
    EXPECT_THAT(is_supported || !must_compile_, "an elementwise operation is not supported");
    tensors_t inputs, outputs;
    const bool are_known = find_ports(partition, inputs, outputs);
    if (!are_known && !input_.one_in(8)) return;
    compiled_handle_t compiled;
    succeeded(dnnl_graph_compiled_partition_create(compiled.out(), partition),
            "compiled_partition_create", verdict_t::success);
    std::vector<const logical_tensor_t *> in, out;
    for (const auto &lt : inputs) in.push_back(&lt);
    for (const auto &lt : outputs) out.push_back(&lt);
    if (input_.one_in(32) && !in.empty()) in.pop_back();
    const bool is_complete = are_known && in.size() == inputs.size();
    const auto verdict = !is_supported                  ? verdict_t::refusal
                         : must_compile_ && is_complete ? verdict_t::success
                                                        : verdict_t::unknown;
    if (!succeeded(dnnl_graph_partition_compile(partition, compiled, in.size(), in.data(),
                           out.size(), out.data(), test::cpu_engine()),
                "partition_compile", verdict))
        return;
    for (auto *list : {&inputs, &outputs})
        for (logical_tensor_t &lt : *list) {
            // An input that compilation did not need was not given.
            if (dnnl_graph_compiled_partition_query_logical_tensor(compiled, lt.id, &lt)
                    != dnnl_success)
                return;
            known_[lt.id] = lt;
        }
    execute(compiled, inputs, outputs);
}

void partitions_t::execute(const_dnnl_graph_compiled_partition_t compiled, const tensors_t &inputs,
        const tensors_t &outputs) {
    logical_tensor_t scratchpad;
    succeeded(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(compiled, &scratchpad),
            "get_scratchpad_logical_tensor", verdict_t::success);
    for (const auto *list : {&inputs, &outputs})
        for (const logical_tensor_t &lt : *list)
            if (bytes_of(lt) > most_bytes) return;
    if (bytes_of(scratchpad) > most_bytes) return;

    size_t pair_count = 0;
    const dnnl_graph_inplace_pair_t *pairs = nullptr;
    succeeded(dnnl_graph_compiled_partition_get_inplace_ports(compiled, &pair_count, &pairs),
            "get_inplace_ports", verdict_t::success);
    buffers_t buffers(input_);
    arguments_t in, out, pad;
    std::map<size_t, std::byte *> data;
    for (const logical_tensor_t &lt : inputs) {
        data[lt.id] = buffers.add_input(bytes_of(lt), lt.data_type);
        in.add(lt, data[lt.id]);
    }
    for (const logical_tensor_t &lt : outputs) {
        const memory_desc_handle_t desc = desc_of(lt);
        std::byte *place = nullptr;
        for (size_t i = 0; i < pair_count && !place; ++i)
            if (pairs[i].output_id == lt.id && input_.one_in(3)) {
                place = data.at(pairs[i].input_id);
                EXPECT_THAT(bytes_of(lt) <= most_bytes, "an output in place");
                buffers.overwrite(place, desc);
            }
        out.add(lt, place ? place : buffers.add_output(bytes_of(lt), desc));
    }
    const bool has_pad = bytes_of(scratchpad) > 0 && input_.one_in(2);
    if (has_pad) pad.add(scratchpad, buffers.add_output(bytes_of(scratchpad)));
    succeeded(dnnl_graph_compiled_partition_execute_v2(compiled, test::cpu_stream(), in.list.size(),
                      in.list.data(), out.list.size(), out.list.data(),
                      has_pad ? pad.list[0] : nullptr),
            "compiled_partition_execute", verdict_t::success);
    buffers.expect_intact();
}

} // namespace kiln::fuzz
