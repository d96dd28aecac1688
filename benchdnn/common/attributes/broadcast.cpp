// SPDX-License-Identifier: Apache-2.0
// Along which axes an attribute's values vary.
#include "common/attributes/broadcast.hpp"

#include "common/command_line/named_value.hpp"

namespace benchdnn {

namespace {

using policy_t = broadcast_t::policy_t;

constexpr named_value_t<policy_t> policies[] = {
        {"common", policy_t::common},
        {"host_scalar", policy_t::host_scalar},
        {"per_oc", policy_t::per_oc},
        {"per_ocic", policy_t::per_ocic},
        {"per_dim_0", policy_t::per_dim_0},
        {"per_dim_1", policy_t::per_dim_1},
        {"per_dim_01", policy_t::per_dim_01},
        {"per_dim_2", policy_t::per_dim_2},
        {"per_dim_3", policy_t::per_dim_3},
        {"per_tensor", policy_t::per_tensor},
        {"mx", policy_t::mx},
        {"dynamic_fp", policy_t::dynamic_fp},
};

} // namespace

int broadcast_t::mask(int ndims, int channel_axis) const {
    switch (policy_) {
    case policy_t::common:
    case policy_t::host_scalar: return 0;
    case policy_t::per_oc: return 1 << channel_axis;
    case policy_t::per_dim_0: return 1 << 0;
    case policy_t::per_dim_1: return 1 << 1;
    case policy_t::per_dim_2: return 1 << 2;
    case policy_t::per_dim_3: return 1 << 3;
    // The channels and the axis in front of them where they are last, as in matrix products.
    case policy_t::per_ocic: return ndims >= 2 && channel_axis == ndims - 1 ? 3 << (ndims - 2) : 3;
    case policy_t::per_dim_01: return 3;
    case policy_t::per_tensor:
    case policy_t::mx:
    case policy_t::dynamic_fp: return (1 << ndims) - 1;
    case policy_t::mask: return mask_;
    }
    return 0;
}

broadcast_t parse_broadcast(const std::string &text) {
    if (is_integer_text(text))
        return broadcast_t(policy_t::mask, static_cast<int>(parse_number(text, axis_masks)));
    return broadcast_t(value_named(policies, text));
}

} // namespace benchdnn
