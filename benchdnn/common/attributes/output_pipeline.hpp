// SPDX-License-Identifier: Apache-2.0
// What attributes do to an operation's result on its way to dst, a part of a row at a time: source
// scale,
// post-operations, destination scale.
#pragma once

#include <vector>

#include "common/attributes/attributes.hpp"
#include "common/tensor/arguments.hpp"
#include "common/tensor/estimate.hpp"
#include "common/tensor/segments.hpp"

namespace benchdnn {

// Keeps a segment's operands: one object a thread.
class output_pipeline_t {
public:
    // dims: dst's.
    output_pipeline_t(
            const attributes_t &attributes, const arguments_t &arguments, const dims_t &dims);
    // values: as many as the segment has.
    void apply(const segment_t &segment, std::vector<estimate_t> &values);

private:
    void apply_binary(const post_op_t &op, size_t index, const segment_t &segment,
            std::vector<estimate_t> &values);
    // One value for each element; an operand of extent 1 along an axis is the same all along it.
    void load_operand(int argument, const segment_t &segment, std::vector<double> &values) const;

    const attributes_t &attributes_;
    const arguments_t &arguments_;
    dims_t dims_;
    std::vector<double> operand_, condition_;
};

} // namespace benchdnn
