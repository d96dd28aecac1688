// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers chunks of bytes, executed on every ISA level of the machine between
// unmapped pages.
#include "cpu/x64/shuffle/chunk_kernel.hpp"

#include <algorithm>
#include <vector>

#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "support/random_values.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::shuffle::test {

namespace {

using kiln::test::kernel_failure_t;
using kiln::test::marked_buffer_t;
using kiln::test::placement_t;
using kiln::test::placements;
using kiln::test::random_values_t;
using ::testing::AssertionResult;

/// Which byte of src a byte of dst is; -1: none, it is 0.
using picks_t = std::vector<int64_t>;

struct chunk_case_t {
    chunk_spec_t spec;
    int64_t rows, rows_of_part;
    placement_t placement;
    uint64_t seed;

    std::string details() const {
        return std::to_string(rows) + " positions in parts of " + std::to_string(rows_of_part)
               + ", elements of " + std::to_string(spec.size) + " bytes"
               + (placement == placement_t::ends_at_guard ? ", ends" : ", begins") + " at guard";
    }
    int64_t sources() const { return spec.sources; }
};

/// A chunk at `dst` of a position: each element comes from a random element of a random source, or
/// from none. Sources are the chunks of a position of src.
chunk_t make_chunk(const chunk_case_t &c, int64_t dst, random_values_t &random, picks_t &picks) {
    const chunk_spec_t &spec = c.spec;
    const auto elements = spec.bytes / spec.size;
    const auto below = [&](int64_t end) {
        return std::min(end - 1, static_cast<int64_t>(random.between(0, static_cast<double>(end))));
    };
    chunk_t chunk;
    chunk.dst = dst;
    for (auto &pattern : chunk.patterns) pattern.fill(spec.is_by_byte() ? no_byte : uint8_t{0});
    for (int64_t source = 0; source < c.sources(); ++source)
        chunk.sources[static_cast<size_t>(source)] = source * spec.bytes;
    const auto pattern = [&](int64_t source, int64_t index) -> uint8_t & {
        return chunk.patterns[static_cast<size_t>(source)][static_cast<size_t>(index)];
    };
    for (int64_t e = 0; e < elements; ++e) {
        const int64_t from = below(c.sources() + 1) - 1, i = below(elements);
        for (int64_t source = 0; source < c.sources() && !spec.is_by_byte(); ++source)
            pattern(source, e) = static_cast<uint8_t>(source == from ? elements + i : e);
        for (int64_t b = 0; b < spec.size; ++b) {
            picks[static_cast<size_t>(dst + e * spec.size + b)] =
                    from < 0 ? -1 : from * spec.bytes + i * spec.size + b;
            if (from >= 0 && spec.is_by_byte())
                pattern(from, e * spec.size + b) = static_cast<uint8_t>(i * spec.size + b);
        }
        if (from >= 0) chunk.kept |= uint64_t{1} << e;
    }
    return chunk;
}

AssertionResult is_right(const chunk_case_t &c) {
    const chunk_spec_t &spec = c.spec;
    random_values_t random(c.seed);
    constexpr int64_t chunks_of_row = 3;
    const int64_t src_row = c.sources() * spec.bytes, dst_row = chunks_of_row * spec.bytes;
    picks_t picks(static_cast<size_t>(dst_row));
    const auto description = static_cast<size_t>(spec.description_bytes());
    std::vector<std::byte> chunks(chunks_of_row * description);
    for (size_t i = 0; i < chunks_of_row; ++i)
        make_chunk(c, static_cast<int64_t>(i) * spec.bytes, random, picks)
                .write(spec, chunks.data() + i * description);
    marked_buffer_t src(static_cast<size_t>(c.rows * src_row), c.placement);
    const marked_buffer_t dst(static_cast<size_t>(c.rows * dst_row), c.placement);
    for (size_t i = 0; i < src.size(); ++i)
        src.data()[i] = static_cast<std::byte>(1 + static_cast<int>(random.between(0, 200)));
    const auto code = chunk_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), c.seed, {code.data(), code.size()});
    chunk_args_t args{.src = src.data(),
            .dst = dst.data(),
            .chunks = chunks.data(),
            .count = chunks_of_row,
            .rows = c.rows,
            .rows_of_part = c.rows_of_part,
            .src_pitch = src_row,
            .dst_pitch = dst_row};
    code.entry<void (*)(chunk_args_t *)>()(&args);
    for (int64_t row = 0; row < c.rows; ++row)
        for (int64_t i = 0; i < dst_row; ++i) {
            const int64_t from = picks[static_cast<size_t>(i)];
            const int expected = from < 0 ? 0 : static_cast<int>(src.data()[row * src_row + from]);
            const int got = static_cast<int>(dst.data()[row * dst_row + i]);
            if (got != expected) return failure.at(row * dst_row + i, expected, got);
        }
    if (!dst.slack_is_untouched()) return failure("wrote outside dst");
    return ::testing::AssertionSuccess();
}

TEST(shuffle_chunk_kernel, gathers_elements_of_every_size_from_any_number_of_sources) {
    uint64_t seed = 0;
    for (const isa_t isa : machine_levels())
        for (const dim_t bytes : {8, 16, 32, 64})
            for (const dim_t size : {1, 2, 4})
                for (int sources = 1; sources <= most_sources; ++sources)
                    for (const int64_t rows : {1, 7, 20})
                        for (const auto placement : placements) {
                            const bool is_wide = bytes > most_bytes_by_byte;
                            if (is_wide && (size == 1 || !has(isa, feature_t::avx512_core)))
                                continue;
                            ASSERT_TRUE(is_right(
                                    {.spec = {.isa = isa,
                                             .sources = sources,
                                             .bytes = bytes,
                                             .size = size,
                                             .is_non_temporal =
                                                     rows == 20 && bytes > least_chunk_bytes},
                                            .rows = rows,
                                            .rows_of_part = rows == 7 ? 3 : 20,
                                            .placement = placement,
                                            .seed = ++seed}));
                        }
}

} // namespace
} // namespace kiln::x64::shuffle::test
