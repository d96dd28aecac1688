// SPDX-License-Identifier: Apache-2.0
// Reductions over axes.
#include <algorithm>
#include <cmath>
#include <set>

#include "common/tensor/data_type.hpp"
#include "graph/reference/step.hpp"

namespace benchdnn::graph {

namespace {

using terms_t = std::vector<estimate_t>;

// A sum of terms that have tolerances of their own. Sums in a narrow type are made in f32.
estimate_t sum_of(const terms_t &terms) {
    running_sum_t sum;
    double tolerance = 0;
    for (const estimate_t &term : terms) {
        sum.add(term.value);
        tolerance += term.tolerance;
    }
    return {sum.sum(), sum.tolerance() + tolerance};
}

template <typename function_t> terms_t each(const terms_t &terms, function_t &&f) {
    terms_t results;
    for (const estimate_t &term : terms) results.push_back(mapped(term, f, 2));
    return results;
}

estimate_t mean_of(const terms_t &terms) {
    const estimate_t sum = sum_of(terms);
    const auto count = static_cast<double>(terms.size());
    return {sum.value / count,
            sum.tolerance / count + 2 * f32_roundoff * std::fabs(sum.value / count)};
}

template <typename better_t> estimate_t extreme_of(const terms_t &terms, better_t &&better) {
    estimate_t best = terms.front();
    for (const estimate_t &term : terms) {
        best.tolerance = std::max(best.tolerance, term.tolerance);
        if (better(term.value, best.value)) best.value = term.value;
    }
    return best;
}

estimate_t greatest_of(const terms_t &terms) {
    return extreme_of(terms, [](double a, double b) { return a > b; });
}

estimate_t least_of(const terms_t &terms) {
    return extreme_of(terms, [](double a, double b) { return a < b; });
}

estimate_t product_of_all(const terms_t &terms) {
    estimate_t product{1, 0};
    for (const estimate_t &term : terms) product = product_of(product, term);
    return product;
}

estimate_t sum_of_magnitudes(const terms_t &terms) {
    return sum_of(each(terms, [](double x) { return std::fabs(x); }));
}

estimate_t root_of_squares(const terms_t &terms) {
    const estimate_t sum = sum_of(each(terms, [](double x) { return x * x; }));
    return mapped(
            sum, [](double x) { return std::sqrt(std::fmax(x, 0)); }, 2);
}

struct row_t {
    const char *kind;
    estimate_t (*function)(const terms_t &terms);
};

constexpr row_t rows[] = {
        {"ReduceL1", sum_of_magnitudes},
        {"ReduceL2", root_of_squares},
        {"ReduceMax", greatest_of},
        {"ReduceMean", mean_of},
        {"ReduceMin", least_of},
        {"ReduceProd", product_of_all},
        {"ReduceSum", sum_of},
};

// The axes that are reduced, and those that are kept, as nested loops.
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
    for_each_index(dst.count(), [&](dim_t i) {
        const dim_t begin = offset_of(i, outer);
        terms_t terms(size);
        for (dim_t k = 0; k < size; ++k) terms[k] = src.elements[begin + offset_of(k, inner)];
        dst.elements[i] = size > 0 ? row.function(terms) : estimate_t();
    });
}

} // namespace benchdnn::graph
