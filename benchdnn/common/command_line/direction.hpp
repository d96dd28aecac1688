// SPDX-License-Identifier: Apache-2.0
// --dir: the propagation kinds by benchdnn's names.
#pragma once

#include <string>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

struct direction_t {
    const char *name;
    dnnl_prop_kind_t prop_kind; // BWD_W is dnnl_backward, like BWD_DW
    bool is_forward() const {
        return prop_kind == dnnl_forward_training || prop_kind == dnnl_forward_inference;
    }
    bool is_inference() const { return prop_kind == dnnl_forward_inference; }
    bool gives_weights() const { return prop_kind == dnnl_backward; }
};

inline constexpr direction_t directions[] = {
        {"FWD_D", dnnl_forward_training},
        {"FWD_I", dnnl_forward_inference},
        {"FWD_B", dnnl_forward_training},
        {"BWD_D", dnnl_backward_data},
        {"BWD_DW", dnnl_backward},
        {"BWD_W", dnnl_backward},
        {"BWD_WB", dnnl_backward},
};

inline direction_t parse_direction(const std::string &text) {
    std::vector<std::string> names;
    for (const direction_t &direction : directions) {
        if (lowercase(text) == lowercase(direction.name)) return direction;
        names.push_back(direction.name);
    }
    throw bad_value_t(text, "not a direction", names);
}

} // namespace benchdnn
