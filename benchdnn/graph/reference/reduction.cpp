// SPDX-License-Identifier: Apache-2.0
// Reductions over axes.
#include <algorithm>
#include <set>

#include "graph/reference/step.hpp"
#include "reduction/reference.hpp"

namespace benchdnn::graph {

namespace {

struct row_t {
    const char *kind;
    reduction::formula_t formula;
};

constexpr row_t rows[] = {
        {"ReduceL1", {dnnl_reduction_norm_lp_power_p_sum, 1, 0}},
        {"ReduceL2", {dnnl_reduction_norm_lp_sum, 2, 0}},
        {"ReduceMax", {dnnl_reduction_max, 0, 0}},
        {"ReduceMean", {dnnl_reduction_mean, 0, 0}},
        {"ReduceMin", {dnnl_reduction_min, 0, 0}},
        {"ReduceProd", {dnnl_reduction_mul, 0, 0}},
        {"ReduceSum", {dnnl_reduction_sum, 0, 0}},
};

// The reduced axes, and the kept ones, as nested loops.
struct loop_t {
    dim_t extent, stride;
};

dim_t offset_of(dim_t index, const std::vector<loop_t> &loops) {
    dim_t offset = 0;
    for (size_t i = loops.size(); i-- > 0; index /= loops[i].extent)
        offset += index % loops[i].extent * loops[i].stride;
    return offset;
}

} // namespace

void compute_reduction(const step_t &step) {
    const value_t &src = *step.inputs[0];
    value_t &dst = *step.outputs[0];
    const auto ndims = static_cast<int64_t>(src.dims.size());
    std::set<int64_t> reduced;
    for (const int64_t axis : step.op.get<std::vector<int64_t>>("axes", {}))
        reduced.insert(axis < 0 ? axis + ndims : axis);
    const dims_t strides = dense_strides(src.dims);
    std::vector<loop_t> inner, outer;
    dim_t size = 1;
    for (int64_t axis = 0; axis < ndims; ++axis) {
        const bool is_reduced = reduced.count(axis) != 0;
        (is_reduced ? inner : outer).push_back({src.dims[axis], strides[axis]});
        if (is_reduced) size *= src.dims[axis];
    }
    const row_t &row = *std::find_if(std::begin(rows), std::end(rows),
            [&](const row_t &candidate) { return step.op.kind == candidate.kind; });
    const auto reduce = [&](dim_t i) {
        const dim_t begin = offset_of(i, outer);
        reduction::accumulator_t result(row.formula);
        for (dim_t k = 0; k < size; ++k) result.add(src.elements[begin + offset_of(k, inner)]);
        dst.elements[i] = size > 0 ? result.result() : estimate_t();
    };
    for_each_index(dst.count(), reduce, size);
}

} // namespace benchdnn::graph
