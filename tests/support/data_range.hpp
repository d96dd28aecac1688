// SPDX-License-Identifier: Apache-2.0
// How the tests of normalizations fill src: sets of values that share their statistics.
#pragma once

#include <cstdint>

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln::test {

enum class data_t {
    ordinary,   ///< sets of different means and deviations, all of the order of 1
    large_mean, ///< a mean of 1e4 and a deviation of 1
    constant,   ///< sets of equal values
};

/// Where the values of a set lie.
struct range_t {
    double low;
    double high;
};

/// Integers take their whole range, whatever `data` says.
range_t range_of_set(data_t data, dnnl_data_type_t type, int64_t set);

} // namespace kiln::test
