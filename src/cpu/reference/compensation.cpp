// SPDX-License-Identifier: Apache-2.0
// The sums of weights that a reorder stores behind them.

#include "cpu/reference/compensation.hpp"

#include <cstring>
#include <vector>

#include "cpu/reference/tasks.hpp"
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
    std::vector<dim_t> offsets; // from the first element of a sum
    offsets.reserve(static_cast<size_t>(terms));
    odometer_t term(dst.ndims, summed, 0);
    for (dim_t i = 0; i < terms; ++i, term.next())
        offsets.push_back(term.offset(layout) - layout.offset0());
    parallel_chunks(count, items_of_task(terms), [&](dim_t begin, dim_t end) {
        odometer_t at(dst.ndims, kept, begin);
        for (dim_t i = begin; i < end; ++i, at.next()) {
            const int8_t *const first = elements + at.offset(layout);
            int64_t sum = 0;
            for (const dim_t offset : offsets) sum += first[offset];
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
