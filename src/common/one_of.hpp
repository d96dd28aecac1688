// SPDX-License-Identifier: Apache-2.0
// Membership in a short list of values, enumerators mostly.
#pragma once

#include <algorithm>
#include <initializer_list>

namespace kiln {

inline bool one_of(int value, std::initializer_list<int> values) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace kiln
