// SPDX-License-Identifier: Apache-2.0
// Copies of transposed blocks, executed on every ISA level of the machine between unmapped pages.
#include "cpu/x64/rows/block_transposition.hpp"

#include <cstring>

#include "common/memory/data_type.hpp"
#include "kernels/machine_levels.hpp"
#include "support/random_values.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::test {

namespace {

using kiln::test::marked_buffer_t;
using kiln::test::placement_t;
using kiln::test::random_values_t;
using ::testing::AssertionResult;

/// A tensor of `line` columns, each of `run` adjacent elements, `gap` apart.
struct block_case_t {
    isa_t isa;
    data_type_t type;
    dim_t run, line, gap;
    placement_t placement;
    uint64_t seed;
};

AssertionResult is_right(const block_case_t &c) {
    constexpr dim_t extent = block_transposition_t::extent;
    const auto size = static_cast<dim_t>(data_type_size(c.type));
    const dim_t stride = c.run + c.gap;
    const block_transposition_t transposition(c.isa, c.type, stride, c.run, c.line);
    random_values_t random(c.seed);
    const marked_buffer_t src(
            static_cast<size_t>(((c.line - 1) * stride + c.run) * size), c.placement);
    for (size_t i = 0; i < src.size(); ++i)
        src.data()[i] = static_cast<std::byte>(static_cast<int>(random.between(0, 255)));
    for (dim_t row = 0; row < c.run; row += extent)
        for (dim_t column = 0; column < c.line; column += extent) {
            const dim_t rows = std::min(extent, c.run - row);
            const dim_t columns = std::min(extent, c.line - column);
            const marked_buffer_t dst(
                    static_cast<size_t>((rows - 1) * transposition.pitch() + columns * size),
                    c.placement);
            const auto place_of = [&](dim_t i, dim_t j) {
                return src.data() + ((column + j) * stride + row + i) * size;
            };
            transposition.copy(place_of(0, 0), dst.data(), rows, columns);
            for (dim_t i = 0; i < rows; ++i)
                for (dim_t j = 0; j < columns; ++j)
                    if (std::memcmp(dst.data() + i * transposition.pitch() + j * size,
                                place_of(i, j), static_cast<size_t>(size))
                            != 0)
                        return ::testing::AssertionFailure()
                               << isa_name(c.isa) << ", " << c.run << " rows of " << c.line
                               << " elements of " << size << " bytes, seed " << c.seed << ": row "
                               << row + i << ", column " << column + j << " is wrong";
            if (!dst.slack_is_untouched())
                return ::testing::AssertionFailure() << "wrote outside dst, seed " << c.seed;
        }
    return ::testing::AssertionSuccess();
}

TEST(block_transposition, copies_blocks_of_every_size) {
    uint64_t seed = 0;
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : {dnnl_f32, dnnl_bf16, dnnl_s8})
            for (const dim_t run : {8, 9, 15, 16, 31, 64, 77, 129})
                for (const dim_t line : {8, 13, 16, 33, 63, 64, 65, 130})
                    for (const auto placement : kiln::test::placements)
                        ASSERT_TRUE(is_right({.isa = isa,
                                .type = type,
                                .run = run,
                                .line = line,
                                .gap = run % 2 * 3,
                                .placement = placement,
                                .seed = ++seed}));
}

} // namespace
} // namespace kiln::x64::test
