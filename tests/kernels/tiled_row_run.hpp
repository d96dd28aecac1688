// SPDX-License-Identifier: Apache-2.0
// One call of a kernel that walks rows of operands tile by tile: what it works on, and a comparison
// of its result with expected codes.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/isa.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/rows/tiled_row_kernel.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/rows_buffer.hpp"

namespace kiln::x64::test {

constexpr data_type_t row_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};
constexpr dim_t row_lines[] = {
        1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200, 1031};

/// Numbers of rows, gaps and placements differ from seed to seed.
struct tiled_row_case_t {
    /// length: of a part of the row; 0: all of it.
    tiled_row_case_t(dim_t line, dim_t length, uint64_t seed)
        : line(line)
        , length(length == 0 ? line : length)
        , seed(seed)
        , rows(static_cast<dim_t>(1 + seed % 4))
        , gap(static_cast<dim_t>(seed % 3 * 5))
        , placement(kiln::test::placements[seed / 3 % 2]) {}

    std::string details() const {
        const bool ends = placement == kiln::test::placement_t::ends_at_guard;
        return std::to_string(rows) + " rows of " + std::to_string(length) + " of "
               + std::to_string(line) + ", gap " + std::to_string(gap)
               + (ends ? ", ends" : ", begins") + " at guard";
    }

    dim_t line, length;
    uint64_t seed;
    dim_t rows, gap; // elements between rows
    kiln::test::placement_t placement;
};

/// Calls the kernel, and compares dst row by row with the expected codes, NaN with NaN, and the
/// gaps of all operands with what they held.
inline ::testing::AssertionResult run_tiled_rows(const jit::executable_code_t &code,
        const kiln::test::kernel_failure_t &failure, const tiled_row_case_t &c,
        const std::vector<const rows_buffer_t *> &operands, const rows_buffer_t &dst,
        data_type_t dst_type, const std::vector<uint32_t> &expected) {
    tiled_row_args_t args{.rows = c.rows, .length = c.length, .operands = {}, .pitches = {}};
    for (size_t i = 0; i < operands.size(); ++i) {
        args.operands[i] = operands[i]->data();
        args.pitches[i] = operands[i]->pitch();
    }
    code.entry<void (*)(tiled_row_args_t *)>()(&args);
    const auto elements = static_cast<dim_t>(expected.size()) / dst.rows(); // of a row of dst
    for (dim_t index = 0; index < dst.rows() * elements; ++index) {
        const uint32_t wanted = expected[static_cast<size_t>(index)];
        const float as_float = kiln::test::model_load(dst_type, wanted);
        const dim_t row = index / elements, column = index % elements;
        const bool are_nan = std::isnan(as_float) && std::isnan(dst.get(row, column));
        if (dst.code(row, column) != wanted && !are_nan)
            return failure.at(index, as_float, dst.get(row, column));
    }
    for (const rows_buffer_t *operand : operands)
        if (!operand->has_intact_gaps()) return failure("wrote outside its operands");
    return ::testing::AssertionSuccess();
}

class tiled_row_kernel_test : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    uint64_t next_seed() { return ++seed_; }

private:
    uint64_t seed_ = 0;
};

} // namespace kiln::x64::test
