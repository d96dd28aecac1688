// SPDX-License-Identifier: Apache-2.0
// Shapes of images with channels in benchdnn's spelling: mb64ic512ih28n"name", and g32 if channels
// are normalized in groups.
#pragma once

#include <string>

#include "common/tensor/dims.hpp"

namespace benchdnn::normalization {

struct channel_shape_t {
    dim_t groups = 0; // 0: the operation has none
    dim_t images = 2, channels = 0;
    dims_t space; // up to three extents: depth, height, width
    float epsilon = 1.f / 16;
    std::string name; // with its quotes

    dims_t dims() const;
};

// Pieces may have any order, each followed by an optional _. A square or a cube needs only its
// first extent. bad_value_t for anything else.
channel_shape_t parse_channel_shape(const std::string &text, bool has_groups);

// full: including the pieces that may be left out.
std::string channel_shape_text(const channel_shape_t &shape, bool full);

} // namespace benchdnn::normalization
