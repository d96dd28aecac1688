// SPDX-License-Identifier: Apache-2.0
// The dropout attribute by its definition. Random numbers come from Philox 4x32-10, which maps a
// counter of 128 bits and a key of 64 bits to four words, so an element's number follows from its
// index alone.

#include "cpu/reference/dropout.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace kiln::cpu::reference {
namespace {

using words_t = std::array<uint32_t, 4>;

constexpr uint32_t low(uint64_t bits) { return static_cast<uint32_t>(bits); }
constexpr uint32_t high(uint64_t bits) { return static_cast<uint32_t>(bits >> 32); }

words_t philox(words_t counter, uint64_t key) {
    uint32_t key0 = low(key), key1 = high(key);
    for (int round = 0; round < 10; ++round) {
        const uint64_t first = uint64_t{0xD2511F53} * counter[0];
        const uint64_t second = uint64_t{0xCD9E8D57} * counter[2];
        counter = {high(second) ^ counter[1] ^ key0, low(second), high(first) ^ counter[3] ^ key1,
                low(first)};
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
    return counter;
}

/// The random number of element `index`. With an offset, the counter is {offset, index / 4 * 4},
/// 64 bits each, and the number is word index % 4. Without, four neighbours have one number, which
/// is what oneDNN computes: of the low 32 bits of index and seed.
uint32_t random_number(uint64_t index, uint64_t seed, uint64_t offset) {
    const uint64_t first = index & ~uint64_t{3};
    if (offset != 0)
        return philox({low(offset), high(offset), low(first), high(first)}, seed)[index & 3];
    const uint32_t x = low(first);
    return philox({x, x + 1, x, x + 3}, uint64_t{low(seed)} << 32 | low(seed))[2];
}

int64_t integer(data_type_t type, const void *data) {
    int64_t wide = 0;
    int32_t narrow = 0;
    if (type == dnnl_s64) {
        std::memcpy(&wide, data, sizeof(wide));
        return wide;
    }
    std::memcpy(&narrow, data, sizeof(narrow));
    return narrow;
}

} // namespace

uint32_t random_word(uint64_t index, uint32_t seed) {
    return philox({low(index), high(index), 0, 0}, seed)[0];
}

dropout_filter_t::dropout_filter_t(const primitive_desc_t &pd)
    : ndims_(pd.md_of(DNNL_ARG_DST).ndims)
    , mask_(pd.attr().dropout.mask)
    , seed_type_(pd.attr().dropout.seed_type)
    , probability_slot_(pd.slot_of(DNNL_ARG_ATTR_DROPOUT_PROBABILITY))
    , seed_slot_(pd.slot_of(DNNL_ARG_ATTR_DROPOUT_SEED))
    , offset_slot_(pd.slot_of(DNNL_ARG_ATTR_DROPOUT_OFFSET))
    , mask_slot_(pd.slot_of(DNNL_ARG_ATTR_DROPOUT_MASK)) {
    std::copy_n(pd.md_of(DNNL_ARG_DST).dims, ndims_, dims_);
}

double dropout_filter_t::apply(double value, const dim_t *position, const exec_ctx_t &ctx) const {
    float probability = 0;
    std::memcpy(&probability, ctx.input(probability_slot_), sizeof(probability));
    const int64_t seed = integer(seed_type_, ctx.input(seed_slot_));
    const int64_t offset = offset_slot_ < 0 ? 0 : integer(dnnl_s64, ctx.input(offset_slot_));
    dim_t index = 0;
    for (int d = 0; d < ndims_; ++d) index = index * dims_[d] + position[d];
    probability = std::clamp(probability, 0.f, 1.f);
    const bool is_kept =
            random_number(static_cast<uint64_t>(index), static_cast<uint64_t>(seed),
                    static_cast<uint64_t>(offset))
            > double{std::numeric_limits<uint32_t>::max()} * static_cast<double>(probability);
    if (mask_slot_ >= 0) {
        const layout_t &layout = mask_.layout();
        dim_t place = layout.offset0();
        for (int d = 0; d < ndims_; ++d) place += layout.axis(d)(position[d]);
        mask_.store(ctx.output(mask_slot_), place, is_kept ? 1 : 0);
    }
    return is_kept ? value * static_cast<double>(1.f / (1.f - probability)) : 0.;
}

} // namespace kiln::cpu::reference
