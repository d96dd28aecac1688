// SPDX-License-Identifier: Apache-2.0
// What this machine multiplies in registers: independent chains of the instruction that products of
// a data type use.
#pragma once

#include <map>
#include <utility>

#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

enum class multiplication_t { none, f32, bf16, int8 };

// That of elements of two types; others are converted to f32.
multiplication_t multiplication_of(dnnl_data_type_t one, dnnl_data_type_t other);

class peak_t {
public:
    // Operations per second, a multiplication and an addition counted each, of so many threads with
    // the instructions that the library may use. It is measured when it is asked for first. 0 for
    // multiplication_t::none, and without AVX2.
    double operations_per_second(multiplication_t multiplication, int threads);

private:
    std::map<std::pair<multiplication_t, int>, double> peaks_;
};

} // namespace benchdnn
