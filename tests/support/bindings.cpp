// SPDX-License-Identifier: Apache-2.0
// Keeps the tensors of one execution.
#include "support/bindings.hpp"

#include <algorithm>

#include "support/data_type.hpp"

namespace kiln::test {

tensor_t &bindings_t::add_input(int arg, const std::string &name, const_dnnl_memory_desc_t desc,
        const std::vector<double> &values) {
    auto &tensor = add_output(arg, name, desc);
    bindings_.back().is_input = true;
    refill(arg, values);
    return tensor;
}

tensor_t &bindings_t::add_output(int arg, const std::string &name, const_dnnl_memory_desc_t desc) {
    bindings_.push_back({arg, name, tensor_t(desc, placement_), false, {}});
    return bindings_.back().tensor;
}

void bindings_t::add_in_place(int arg, int source) { in_place_.emplace_back(arg, source); }

void bindings_t::add_scale(int arg, dnnl_data_type_t type, double value, bool is_on_host) {
    const int scale_arg = DNNL_ARG_ATTR_SCALES | arg;
    if (is_on_host)
        host_scalars_.emplace_back(scale_arg, make_host_scalar(type, value));
    else
        add_input(scale_arg, "scale of argument " + std::to_string(arg), make_desc({1}, type),
                {value});
}

void bindings_t::add_scratchpad(const_dnnl_primitive_desc_t primitive_desc) {
    const auto *const desc =
            dnnl_primitive_desc_query_md(primitive_desc, dnnl_query_scratchpad_md, 0);
    if (desc && dnnl_memory_desc_get_size(desc) > 0)
        add_output(DNNL_ARG_SCRATCHPAD, "scratchpad", desc);
}

bool bindings_t::has(int arg) const {
    return std::any_of(bindings_.begin(), bindings_.end(),
            [&](const auto &binding) { return binding.arg == arg; });
}

std::vector<int> bindings_t::outputs() const {
    std::vector<int> outputs;
    for (const auto &binding : bindings_)
        if (!binding.is_input && binding.arg != DNNL_ARG_SCRATCHPAD) outputs.push_back(binding.arg);
    for (const auto &[alias, source] : in_place_) outputs.push_back(alias);
    return outputs;
}

const bindings_t::binding_t &bindings_t::find(int arg) const {
    for (const auto &[alias, source] : in_place_)
        if (alias == arg) return find(source);
    for (const auto &binding : bindings_)
        if (binding.arg == arg) return binding;
    throw std::logic_error("no tensor is bound to argument " + std::to_string(arg));
}

void bindings_t::refill(int arg, const std::vector<double> &values) {
    auto &binding = find(arg);
    binding.tensor.fill(values);
    binding.given = binding.tensor.bits();
}

bool bindings_t::is_overwritten(int arg) const {
    return std::any_of(in_place_.begin(), in_place_.end(),
            [&](const auto &alias_and_source) { return alias_and_source.second == arg; });
}

arguments_t bindings_t::arguments() const {
    arguments_t arguments;
    for (const auto &binding : bindings_) arguments.add(binding.arg, binding.tensor.memory());
    for (const auto &[alias, source] : in_place_)
        arguments.add(alias, find(source).tensor.memory());
    for (const auto &[arg, memory] : host_scalars_) arguments.add(arg, memory);
    return arguments;
}

testing::AssertionResult bindings_t::are_intact() const {
    for (const auto &binding : bindings_) {
        if (binding.arg == DNNL_ARG_SCRATCHPAD) continue;
        const auto tidy = binding.tensor.is_tidy();
        if (!tidy) return testing::AssertionFailure() << binding.name << ": " << tidy.message();
        if (binding.is_input && !is_overwritten(binding.arg)
                && !binding.tensor.has_bits(binding.given))
            return testing::AssertionFailure() << binding.name << " is an input, but was changed";
    }
    return testing::AssertionSuccess();
}

memory_handle_t make_host_scalar(dnnl_data_type_t type, double value) {
    memory_desc_handle_t desc;
    require(dnnl_memory_desc_create_host_scalar(desc.out(), type),
            "dnnl_memory_desc_create_host_scalar");
    std::byte place[8];
    encode(type, value, place);
    memory_handle_t memory;
    require(dnnl_memory_create_host_scalar(memory.out(), desc, place),
            "dnnl_memory_create_host_scalar");
    return memory;
}

} // namespace kiln::test
