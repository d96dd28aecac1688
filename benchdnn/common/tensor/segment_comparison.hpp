// SPDX-License-Identifier: Apache-2.0
// One output tensor against its reference, segments of rows shared among threads.
#pragma once

#include <vector>

#include "common/tensor/comparison.hpp"
#include "common/tensor/parallel.hpp"
#include "common/tensor/segments.hpp"

namespace benchdnn {

// empty: a comparison of this tensor in which nothing has been checked. Each worker has a copy of
// `expectation`, whose of(segment) returns the estimates of the segment's elements.
template <typename expectation_t>
comparison_t compare_segments(
        const tensor_t &got, const comparison_t &empty, const expectation_t &expectation) {
    std::vector<comparison_t> found(worker_count(), empty);
    std::vector<expectation_t> expected(worker_count(), expectation);
    parallel_segments(got.layout(), [&](int worker, const segment_t &segment) {
        const std::vector<estimate_t> &values = expected[worker].of(segment);
        std::vector<double> elements(segment.count);
        got.load_span(segment.row, segment.first, segment.count, elements.data());
        const dim_t index = segment.index(got.cols());
        for (dim_t i = 0; i < segment.count; ++i)
            found[worker].check(index + i, values[i], elements[i]);
    });
    for (size_t i = 1; i < found.size(); ++i) found[0].merge(found[i]);
    return found[0];
}

} // namespace benchdnn
