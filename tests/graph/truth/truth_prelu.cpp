// SPDX-License-Identifier: Apache-2.0
#include "graph/truth/truth_prelu.hpp"

namespace kiln::test {

namespace {

/// The place of an element's slope: the slope is aligned with src at the last axis or, if it has a
/// number for each channel and channels are second, along axis 1.
size_t place_of(const truth_request_t &op, const array_t &slope, const dims_t &index) {
    const bool is_per_channel = op.kind == kind_t::PReLUBackward
                                || op.attr<bool>(attr_name_t::per_channel_broadcast, true);
    const bool is_second = op.attr<std::string>(attr_name_t::data_format, "NXC") == "NCX";
    if (slope.values.size() == 1) return 0;
    if (slope.dims.size() == 1 && is_per_channel && is_second && index.size() > 1)
        return static_cast<size_t>(index[1]);
    size_t place = 0;
    for (size_t d = 0; d < slope.dims.size(); ++d) {
        const auto extent = static_cast<size_t>(slope.dims[d]);
        const auto at = static_cast<size_t>(index[index.size() - slope.dims.size() + d]);
        place = place * extent + (extent == 1 ? 0 : at);
    }
    return place;
}

} // namespace

std::vector<array_t> truth_of_prelu(const truth_request_t &op, const std::vector<array_t> &inputs) {
    if (op.kind != kind_t::PReLU && op.kind != kind_t::PReLUBackward) return {};
    const bool is_forward = op.kind == kind_t::PReLU;
    const array_t &src = inputs[0], &slope = inputs[1];
    array_t result = src, diff_slope = slope;
    for (double &x : diff_slope.values) x = 0;
    size_t at = 0;
    for_each_index(src.dims, [&](const dims_t &index) {
        const size_t place = place_of(op, slope, index);
        const double x = src.values[at], from = is_forward ? x : inputs[2].values[at];
        result.values[at] = x > 0 ? from : slope.values[place] * from;
        if (x < 0) diff_slope.values[place] += x * from;
        ++at;
    });
    if (is_forward) return {result};
    return {result, diff_slope};
}

} // namespace kiln::test
