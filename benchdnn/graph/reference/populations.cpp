// SPDX-License-Identifier: Apache-2.0
// The populations of a normalization's src, whose elements share statistics.
#include "graph/reference/populations.hpp"

#include <numeric>

#include "common/command_line/usage_error.hpp"

namespace benchdnn::graph {

namespace {

struct images_t {
    dim_t count, channels, space;
};

images_t images_of(const op_t &op, const dims_t &dims) {
    const dim_t channels = op.is_channels_last() ? dims.back() : dims.at(1);
    dim_t space = 1;
    for (size_t axis = 1; axis < dims.size(); ++axis) space *= dims[axis];
    return {dims[0], channels, channels > 0 ? space / channels : 0};
}

struct row_t {
    const char *kind;
    populations_t (*populations)(const op_t &op, const dims_t &dims);
};

constexpr row_t rows[] = {
        {"BatchNormForwardTraining", channel_populations},
        {"BatchNormInference", channel_populations},
        {"BatchNormTrainingBackward", channel_populations},
        {"GroupNorm", group_populations},
        {"LayerNorm", row_populations},
        {"LayerNormBackward", row_populations},
        {"RMSNorm", row_populations},
};

} // namespace

populations_t row_populations(const op_t &op, const dims_t &dims) {
    const int axis = op.axis("begin_norm_axis", -1, dims.size());
    const auto multiply = [](dim_t a, dim_t b) { return a * b; };
    const dim_t rows = std::accumulate(dims.begin(), dims.begin() + axis, dim_t(1), multiply);
    const dim_t cols = std::accumulate(dims.begin() + axis, dims.end(), dim_t(1), multiply);
    return {{rows, cols}, {}, {}, {cols, 1}};
}

populations_t channel_populations(const op_t &op, const dims_t &dims) {
    const images_t n = images_of(op, dims);
    if (op.is_channels_last()) return {{}, {n.channels, 1}, {}, {n.count * n.space, n.channels}};
    return {{}, {n.channels, n.space}, {n.count, n.channels * n.space}, {n.space, 1}};
}

populations_t group_populations(const op_t &op, const dims_t &dims) {
    const images_t n = images_of(op, dims);
    const dim_t groups = op.get<int64_t>("groups", 1);
    if (groups <= 0 || n.channels % groups != 0)
        throw bad_value_t("groups", "they do not divide the channels");
    const dim_t own = n.channels / groups; // channels of a group
    const populations_t::loop_t images{n.count, n.channels * n.space};
    if (op.is_channels_last()) return {images, {groups, own}, {n.space, n.channels}, {own, 1}};
    return {images, {groups, own * n.space}, {}, {own * n.space, 1}};
}

bool is_normalization(const op_t &op) {
    for (const row_t &row : rows)
        if (op.kind == row.kind) return true;
    return false;
}

populations_t populations_of(const op_t &op, const dims_t &dims) {
    for (const row_t &row : rows)
        if (op.kind == row.kind) return row.populations(op, dims);
    throw bad_value_t(op.kind, "no normalization");
}

} // namespace benchdnn::graph
