// SPDX-License-Identifier: Apache-2.0
// Divisions of counts and sizes that round up.
#pragma once

namespace kiln {

/// The smallest number of parts of at most `part` items that hold `count` items.
template <typename count_t> constexpr count_t divide_up(count_t count, count_t part) {
    return (count + part - 1) / part;
}

/// The smallest multiple of `unit` that is not less than `count`.
template <typename count_t> constexpr count_t round_up(count_t count, count_t unit) {
    return divide_up(count, unit) * unit;
}

} // namespace kiln
