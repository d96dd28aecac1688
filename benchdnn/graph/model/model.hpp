// SPDX-License-Identifier: Apache-2.0
// A graph as data: operations with attributes, and the logical tensors between them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "common/tensor/dims.hpp"
#include "oneapi/dnnl/dnnl_graph_types.h"

namespace benchdnn::graph {

struct logical_tensor_t {
    size_t id = 0;
    dnnl_data_type_t type = dnnl_data_type_undef; // undef: an absent tensor
    dims_t dims;                                  // {}: a scalar; below 0: unknown
    dims_t strides;
    dnnl_graph_tensor_property_t property = dnnl_graph_tensor_property_undef;

    bool exists() const { return type != dnnl_data_type_undef; }
    bool has_unknown_dims() const;
    dim_t elements() const { return product(dims); }
    // Sets dims and dense strides; the axes keep the memory order of the old strides if their
    // number is the same.
    void reshape(dims_t new_dims);
};

dims_t dense_strides(const dims_t &dims);

using attribute_t =
        std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

struct op_t {
    size_t id = 0;
    std::string name, kind;
    std::map<std::string, attribute_t> attributes;
    std::vector<size_t> inputs, outputs; // ids of logical tensors

    // The value of an attribute, or the default if it is not given. bad_value_t if it has another
    // type.
    template <typename value_t> value_t get(const std::string &attribute, value_t standard) const {
        const auto found = attributes.find(attribute);
        if (found == attributes.end()) return standard;
        if (const auto *value = std::get_if<value_t>(&found->second)) return *value;
        refuse(attribute);
    }
    std::string text(const std::string &attribute, const char *standard) const {
        return get<std::string>(attribute, standard);
    }
    // An attribute that is one of ndims axes; negative values count from the last.
    int axis(const std::string &attribute, int64_t standard, size_t ndims) const;
    bool is_channels_last() const { return text("data_format", "NXC") == "NXC"; }

private:
    [[noreturn]] void refuse(const std::string &attribute) const;
};

// The operations that produce and consume a tensor.
struct place_t {
    const op_t *op;
    size_t port;
};

struct graph_t {
    std::vector<op_t> ops; // after rewriting, each after its producers
    std::map<size_t, logical_tensor_t> tensors;
    std::string fpmath_mode = "strict";
    bool fpmath_for_integers = false;

    const logical_tensor_t &tensor(size_t id) const { return tensors.at(id); }
    const op_t *op(size_t id) const;
    const op_t *producer(size_t id) const;
    std::vector<place_t> consumers(size_t id) const;
    bool is_input(size_t id) const { return tensor(id).exists() && !producer(id); }
    // bad_value_t if they form a cycle.
    void sort_ops();
};

} // namespace benchdnn::graph
