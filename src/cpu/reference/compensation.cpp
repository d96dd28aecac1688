// SPDX-License-Identifier: Apache-2.0
// The sums of weights that a reorder stores behind them.

#include "cpu/reference/compensation.hpp"

#include <cstring>

#include "cpu/parallel.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// Stores `factor` times the sum of the elements at each position along the axes of `mask`.
void store_sums(
        const memory_desc_t &dst, const int8_t *elements, int mask, int32_t factor, void *sums) {
    const layout_t layout(dst), places(compensation_desc(dst, mask));
    dims_t kept, summed;
    dim_t count = 1, terms = 1;
    for (int d = 0; d < dst.ndims; ++d) {
        const bool is_kept = mask >> d & 1;
        count *= kept[d] = is_kept ? dst.dims[d] : 1;
        terms *= summed[d] = is_kept ? 1 : dst.dims[d];
    }
    parallel_chunks(count, 1, [&](dim_t begin, dim_t end) {
        odometer_t at(dst.ndims, kept, begin);
        for (dim_t i = begin; i < end; ++i, at.next()) {
            odometer_t term(dst.ndims, summed, 0);
            int64_t sum = 0;
            for (dim_t k = 0; k < terms; ++k, term.next())
                sum += elements[at.offset(layout) + term.offset(layout) - layout.offset0()];
            store_element(static_cast<int32_t>(factor * sum), sums, at.offset(places));
        }
    });
}

} // namespace

void store_compensation(const memory_desc_t &dst, void *data) {
    const extra_desc_t &extra = dst.extra;
    std::byte *sums =
            static_cast<std::byte *>(data) + offset0_bytes(dst) + compensation_offset(dst);
    std::memset(sums, 0, compensation_bytes(dst));
    const auto *elements = static_cast<const int8_t *>(data);
    if (extra.flags & has_s8s8_compensation) {
        store_sums(dst, elements, extra.compensation_mask, -128, sums);
        sums += byte_size(compensation_desc(dst, extra.compensation_mask));
    }
    if (extra.flags & has_zero_point_compensation)
        store_sums(dst, elements, extra.asymm_compensation_mask, -1, sums);
}

} // namespace kiln::cpu::reference
