// SPDX-License-Identifier: Apache-2.0
// How the tests of normalizations fill src.
#include "support/data_range.hpp"

namespace kiln::test {

range_t range_of_set(data_t data, dnnl_data_type_t type, int64_t set) {
    if (type == dnnl_s8) return {-128, 127};
    if (type == dnnl_u8) return {0, 255};
    if (data == data_t::large_mean) return {1e4 - 1.75, 1e4 + 1.75};
    const double mean = 0.75 * static_cast<double>(set % 7 - 3);
    const double reach = 1 + 0.5 * static_cast<double>(set % 5);
    if (data == data_t::constant) return {mean + 0.1, mean + 0.1};
    return {mean - reach, mean + reach};
}

} // namespace kiln::test
