// SPDX-License-Identifier: Apache-2.0
#include "graphs/values.hpp"

#include "support/expect.hpp"

namespace kiln::fuzz {

namespace {

constexpr int64_t most_elements = 1024;
constexpr size_t most_values = 200;

} // namespace

const value_t &values_t::new_input(dnnl_data_type_t type, const dims_t &dims) {
    const size_t id = values_.size();
    values_.push_back({{}, {}, dims, true, true});
    value_t &value = values_.back();
    const auto property = input_.one_in(16) ? dnnl_graph_tensor_property_constant
                                            : dnnl_graph_tensor_property_undef;
    const auto ndims = static_cast<int>(dims.size());
    if (ndims > 0 && input_.one_in(4)) {
        dims_t strides(dims.size());
        dnnl_dim_t stride = 1;
        for (const int axis : read_permutation(input_, ndims)) {
            const auto d = dims.size() - 1 - static_cast<size_t>(axis);
            strides[d] = stride;
            stride = stride * std::max<dnnl_dim_t>(dims[d], 1) + input_.between(0, 2);
        }
        succeeded(dnnl_graph_logical_tensor_init_with_strides(
                          &value.full, id, type, ndims, dims.data(), strides.data(), property),
                "init_with_strides", verdict_t::success);
    } else {
        succeeded(dnnl_graph_logical_tensor_init_with_dims(&value.full, id, type, ndims,
                          dims.data(), dnnl_graph_layout_type_strided, property),
                "init_with_dims", verdict_t::success);
    }
    value.declared = value.full;
    if (input_.one_in(8))
        succeeded(dnnl_graph_logical_tensor_init(&value.declared, id, type,
                          DNNL_GRAPH_UNKNOWN_NDIMS, dnnl_graph_layout_type_strided, property),
                "logical_tensor_init", verdict_t::success);
    return value;
}

const value_t &values_t::operand(dnnl_data_type_t type, const dims_t &dims) {
    if (!input_.one_in(3))
        for (auto value = values_.rbegin(); value != values_.rend(); ++value)
            if (value->declared.data_type == type && value->has_dims && value->dims == dims)
                return *value;
    return new_input(type, dims);
}

const value_t &values_t::source(dnnl_data_type_t type) {
    std::vector<size_t> fitting;
    for (size_t i = values_.size(); i-- > 0;)
        if (values_[i].declared.data_type == type && values_[i].has_dims) fitting.push_back(i);
    const bool is_old = !fitting.empty() && !input_.one_in(6);
    if (is_old || values_.size() >= most_values) {
        const size_t chosen = input_.one_in(3) ? input_.below(fitting.size()) : 0;
        if (!fitting.empty()) return values_[fitting[chosen]];
    }
    return new_input(type, read_dims(input_, input_.one_in(8) ? 0 : 2, 5, most_elements));
}

const value_t &values_t::result(dnnl_data_type_t type, const dims_t *dims) {
    const size_t id = values_.size();
    values_.push_back({{}, {}, dims ? *dims : dims_t(), false, dims != nullptr});
    value_t &value = values_.back();
    const auto layout = input_.pick({dnnl_graph_layout_type_strided, dnnl_graph_layout_type_any});
    constexpr auto property = dnnl_graph_tensor_property_undef;
    if (dims && input_.one_in(4))
        succeeded(dnnl_graph_logical_tensor_init_with_dims(&value.declared, id, type,
                          static_cast<int>(dims->size()), dims->data(), layout, property),
                "init_with_dims", verdict_t::success);
    else
        succeeded(dnnl_graph_logical_tensor_init(
                          &value.declared, id, type, DNNL_GRAPH_UNKNOWN_NDIMS, layout, property),
                "logical_tensor_init", verdict_t::success);
    return value;
}

void damage(input_t &input, logical_tensor_t &lt) {
    constexpr dnnl_dim_t most = std::numeric_limits<dnnl_dim_t>::max();
    const auto number = [&] {
        return input.pick({dnnl_dim_t(-1), dnnl_dim_t(0), most, most / 4, DNNL_GRAPH_UNKNOWN_DIM,
                dnnl_dim_t(7), input.any_s64()});
    };
    switch (input.below(7)) {
    case 0: lt.ndims = static_cast<int>(input.one_in(2) ? number() : input.between(-2, 14)); break;
    case 1: lt.dims[input.below(DNNL_MAX_NDIMS)] = number(); break;
    case 2: lt.layout.strides[input.below(DNNL_MAX_NDIMS)] = number(); break;
    case 3: lt.layout_type = static_cast<dnnl_graph_layout_type_t>(input.between(0, 5)); break;
    case 4: lt.property = static_cast<dnnl_graph_tensor_property_t>(input.between(0, 5)); break;
    case 5: lt.data_type = static_cast<dnnl_data_type_t>(input.between(0, 40)); break;
    default: lt.id = static_cast<size_t>(input.one_in(2) ? number() : input.between(0, 8));
    }
}

} // namespace kiln::fuzz
