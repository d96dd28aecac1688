// SPDX-License-Identifier: Apache-2.0
// Adds up the sums that chunks of the work left.

#include "cpu/x64/normalization/chunk_sums.hpp"

#include <algorithm>

#include "common/data_type.hpp"

namespace kiln::x64::normalization {

void store_totals(const chunk_sums_t &sums, data_type_t type, void *to) {
    constexpr dim_t cols_at_once = 64;
    double totals[cols_at_once];
    with_type(type, [&]<typename T>(std::type_identity<T>) {
        for (dim_t begin = 0; begin < sums.cols; begin += cols_at_once) {
            const dim_t count = std::min(cols_at_once, sums.cols - begin);
            std::fill_n(totals, count, 0.);
            for (dim_t chunk = 0; chunk < sums.chunks; ++chunk)
                for (dim_t c = 0; c < count; ++c)
                    totals[c] += static_cast<double>(sums.first[chunk * sums.pitch + begin + c]);
            for (dim_t c = 0; c < count; ++c)
                store_element<T>(saturate_cast<T>(totals[c]), to, begin + c);
        }
    });
}

} // namespace kiln::x64::normalization
