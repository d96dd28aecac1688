// SPDX-License-Identifier: Apache-2.0
// Quantization scales as tests ask for them: one value for a whole tensor.
#pragma once

#include <optional>
#include <string>

#include "oneapi/dnnl/dnnl.h"

namespace kiln::test {

struct scale_attr_t {
    double value;
    dnnl_data_type_t type = dnnl_f32;
    bool is_on_host = false;
};

std::string to_string(const scale_attr_t &scale);

/// Says in the attributes that the argument has a scale, if there is one.
void set_scale(dnnl_primitive_attr_t attr, int arg, const std::optional<scale_attr_t> &scale);

/// The value as an execution reads it; 1 for none.
long double factor_of(const std::optional<scale_attr_t> &scale);

} // namespace kiln::test
