// SPDX-License-Identifier: Apache-2.0
// Dimensions in the spelling of problems: "4096x768_n"name"".
#pragma once

#include <string>
#include <vector>

#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

using dim_t = dnnl_dim_t;
using dims_t = std::vector<dim_t>;

// Dims of one tensor and the optional name of the problem, with its quotes.
struct named_dims_t {
    dims_t dims;
    std::string name;
};

// Dims of several tensors, joined by a colon, and the name: "4x768:4x1_n"name"".
struct named_shapes_t {
    std::vector<dims_t> shapes;
    std::string name;
};

dims_t parse_dims(const std::string &text);
named_dims_t parse_named_dims(const std::string &descriptor);
named_shapes_t parse_named_shapes(const std::string &descriptor);

std::string dims_text(const dims_t &dims);
std::string named_dims_text(const named_dims_t &named);
std::string named_shapes_text(const named_shapes_t &named);

// The number of elements; the greatest dim_t if there are more.
dim_t product(const dims_t &dims);

// Position of a linear index in a tensor of these dims, last axis fastest.
dims_t position_of(dim_t index, const dims_t &dims);

} // namespace benchdnn
