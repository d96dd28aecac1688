// SPDX-License-Identifier: Apache-2.0
// What attributes do to an operation's result on its way to dst, a row at a time: source scale,
// post-operations, destination scale.
#pragma once

#include <vector>

#include "common/arguments.hpp"
#include "common/attributes.hpp"
#include "common/estimate.hpp"

namespace benchdnn {

// Keeps a row's operands: one object a thread.
class output_pipeline_t {
public:
    // dims: dst's; its last axis is the row.
    output_pipeline_t(
            const attributes_t &attributes, const arguments_t &arguments, const dims_t &dims);
    void apply(dim_t row, std::vector<estimate_t> &values);

private:
    void apply_binary(
            const post_op_t &op, size_t index, dim_t row, std::vector<estimate_t> &values);
    // One value for each column; an operand of extent 1 along an axis is the same all along it.
    const std::vector<double> &operand_row(int argument, dim_t row, std::vector<double> &values);

    const attributes_t &attributes_;
    const arguments_t &arguments_;
    dims_t dims_;
    std::vector<double> operand_, condition_;
};

} // namespace benchdnn
