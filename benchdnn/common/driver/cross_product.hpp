// SPDX-License-Identifier: Apache-2.0
// The cross product of the knobs' lists of values, the last list fastest.
#pragma once

#include <utility>
#include <vector>

namespace benchdnn {

// Replaces each spec by copies with each of the values in one of its members (or of its base's).
template <typename spec_t, typename values_t, typename owner_t, typename member_t>
void multiply(std::vector<spec_t> &specs, const values_t &values, member_t owner_t::*member) {
    std::vector<spec_t> next;
    for (const spec_t &spec : specs)
        for (const auto &value : values) {
            next.push_back(spec);
            next.back().*member = value;
        }
    specs = std::move(next);
}

} // namespace benchdnn
