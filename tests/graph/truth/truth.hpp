// SPDX-License-Identifier: Apache-2.0
// The truth: each graph operation computed in double from its definition, without the library and
// without data types. The caller rounds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "oneapi/dnnl/dnnl_graph.hpp"
#include "support/layout.hpp"

namespace kiln::test {

using kind_t = dnnl::graph::op::kind;
using attr_name_t = dnnl::graph::op::attr;
using attr_value_t =
        std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;
using attributes_t = std::map<attr_name_t, attr_value_t>;

/// Numbers in row-major order.
struct array_t {
    dims_t dims;
    std::vector<double> values;
};

/// An operation to be computed. Quantization saturates to [lowest, highest].
struct truth_request_t {
    kind_t kind;
    attributes_t attributes;
    size_t output_count;
    double lowest, highest; ///< of the first output's type; infinite if that is no integer

    template <typename T> T attr(attr_name_t name, T otherwise) const {
        const auto at = attributes.find(name);
        return at == attributes.end() ? otherwise : std::get<T>(at->second);
    }
};

/// All outputs, including those that are not wanted. Quantized values are not rounded.
std::vector<array_t> truth_of(const truth_request_t &op, const std::vector<array_t> &inputs);

} // namespace kiln::test
