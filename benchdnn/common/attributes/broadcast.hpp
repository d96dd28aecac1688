// SPDX-License-Identifier: Apache-2.0
// Along which axes an attribute's values vary: a policy's name or a bit mask.
#pragma once

#include <string>

namespace benchdnn {

class broadcast_t {
public:
    enum class policy_t {
        common,
        host_scalar,
        per_oc,
        per_ocic,
        per_dim_0,
        per_dim_1,
        per_dim_01,
        per_dim_2,
        per_dim_3,
        per_tensor,
        mx,
        dynamic_fp,
        mask
    };

    broadcast_t() = default;
    explicit broadcast_t(policy_t policy, int mask = 0)
        : policy_(policy)
        , mask_(mask) {}

    policy_t policy() const { return policy_; }
    bool is_single_value() const {
        return policy_ == policy_t::common || policy_ == policy_t::host_scalar
               || (policy_ == policy_t::mask && mask_ == 0);
    }
    // channel_axis: the axis that per_oc means for the operation.
    int mask(int ndims, int channel_axis) const;

private:
    policy_t policy_ = policy_t::common;
    int mask_ = 0;
};

broadcast_t parse_broadcast(const std::string &text);

} // namespace benchdnn
