// SPDX-License-Identifier: Apache-2.0
// Dimensions in the spelling of problems.
#include "common/tensor/dims.hpp"

#include <algorithm>
#include <utility>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

dims_t parse_dims(const std::string &text) {
    dims_t dims;
    for (const std::string &piece : split(text, 'x'))
        dims.push_back(parse_number(piece, integers_from_0));
    if (dims.size() > DNNL_MAX_NDIMS)
        throw bad_value_t(text, formatted("at most %d dimensions", DNNL_MAX_NDIMS));
    return dims;
}

named_shapes_t parse_named_shapes(const std::string &descriptor) {
    named_shapes_t named;
    std::string text = descriptor;
    const size_t name_at = text.find('n');
    if (name_at != std::string::npos) {
        named.name = text.substr(name_at + 1);
        text.resize(name_at);
        if (!text.empty() && text.back() == '_') text.pop_back();
    }
    for (const std::string &piece : split(text, ':')) named.shapes.push_back(parse_dims(piece));
    return named;
}

named_dims_t parse_named_dims(const std::string &descriptor) {
    named_shapes_t named = parse_named_shapes(descriptor);
    if (named.shapes.size() != 1)
        throw bad_value_t(descriptor, "the dims of one tensor are expected");
    return {std::move(named.shapes[0]), std::move(named.name)};
}

std::string dims_text(const dims_t &dims) {
    std::vector<std::string> pieces;
    for (dim_t d : dims) pieces.push_back(std::to_string(d));
    return join(pieces, "x");
}

std::string named_dims_text(const named_dims_t &named) {
    return named_shapes_text({{named.dims}, named.name});
}

std::string named_shapes_text(const named_shapes_t &named) {
    std::vector<std::string> pieces;
    for (const dims_t &dims : named.shapes) pieces.push_back(dims_text(dims));
    return join(pieces, ":") + (named.name.empty() ? "" : "_n" + named.name);
}

dim_t product(const dims_t &dims) {
    if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
    dim_t elements = 1;
    for (dim_t d : dims)
        if (__builtin_mul_overflow(elements, d, &elements)) return INT64_MAX;
    return elements;
}

dims_t position_of(dim_t index, const dims_t &dims) {
    dims_t position(dims.size());
    for (size_t axis = dims.size(); axis-- > 0;) {
        position[axis] = index % dims[axis];
        index /= dims[axis];
    }
    return position;
}

} // namespace benchdnn
