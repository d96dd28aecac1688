// SPDX-License-Identifier: Apache-2.0
// The sums of weights that a reorder stores behind them.

#include "cpu/reference/compensation.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// Adds `factor` times the sum of the elements at each position along the axes of `mask` to `sums`.
void add_sums(
        const memory_desc_t &dst, const int8_t *elements, int mask, int32_t factor, void *sums) {
    const layout_t layout(dst), places(compensation_desc(dst, mask));
    dims_t kept, summed;
    dim_t count = 1, terms = 1;
    for (int d = 0; d < dst.ndims; ++d) {
        const bool is_kept = mask >> d & 1;
        count *= kept[d] = is_kept ? dst.dims[d] : 1;
        terms *= summed[d] = is_kept ? 1 : dst.dims[d];
    }
    parallel_chunks(count, items_of_task(terms), [&](dim_t begin, dim_t end) {
        // Of a part of a sum's elements, from the first one.
        std::array<dim_t, 512> offsets;
        const auto most = static_cast<dim_t>(offsets.size());
        odometer_t term(dst.ndims, summed, 0);
        for (dim_t first = 0; first < terms; first += most) {
            const auto part =
                    std::span(offsets).first(static_cast<size_t>(std::min(most, terms - first)));
            for (dim_t &offset : part) {
                offset = term.offset(layout) - layout.offset0();
                term.next();
            }
            odometer_t at(dst.ndims, kept, begin);
            for (dim_t i = begin; i < end; ++i, at.next()) {
                const int8_t *const from = elements + at.offset(layout);
                int32_t sum = 0;
                for (const dim_t offset : part) sum += from[offset];
                const dim_t place = at.offset(places);
                const auto total = load_element<uint32_t>(sums, place);
                store_element(total + static_cast<uint32_t>(factor * sum), sums, place);
            }
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
        add_sums(dst, elements, extra.compensation_mask, -128, sums);
        sums += byte_size(compensation_desc(dst, extra.compensation_mask));
    }
    if (extra.flags & has_zero_point_compensation)
        add_sums(dst, elements, extra.asymm_compensation_mask, -1, sums);
}

} // namespace kiln::cpu::reference
