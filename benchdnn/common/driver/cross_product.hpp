// SPDX-License-Identifier: Apache-2.0
// The cross product of the knobs' lists of values, the last list fastest.
#pragma once

#include <utility>
#include <vector>

namespace benchdnn {

// Replaces each spec by copies, each after assign(copy, value) for one of the values.
template <typename spec_t, typename values_t, typename assign_t>
void multiply_by(std::vector<spec_t> &specs, const values_t &values, assign_t &&assign) {
    std::vector<spec_t> next;
    for (const spec_t &spec : specs)
        for (const auto &value : values) {
            next.push_back(spec);
            assign(next.back(), value);
        }
    specs = std::move(next);
}

// The same for the values of a member (or of one of the base's).
template <typename spec_t, typename values_t, typename owner_t, typename member_t>
void multiply(std::vector<spec_t> &specs, const values_t &values, member_t owner_t::*member) {
    multiply_by(specs, values, [=](spec_t &spec, const auto &value) { spec.*member = value; });
}

} // namespace benchdnn
