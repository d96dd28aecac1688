// SPDX-License-Identifier: Apache-2.0
// The kernel of gradients of PReLU, executed on every ISA level of the machine between unmapped
// pages, against arithmetic in double.
#include "cpu/x64/prelu/row_backward_kernel.hpp"

#include <cmath>

#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "kernels/row_model.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::test {

namespace {

using namespace layer_normalization::test;
using kiln::test::kernel_failure_t;
using kiln::test::placements;
using kiln::test::random_values_t;
using ::testing::AssertionResult;

constexpr data_type_t floats[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr dim_t lines[]{1, 7, 8, 15, 16, 17, 31, 32, 33, 64, 100, 257};

size_t index(dim_t i) { return static_cast<size_t>(i); }

struct prelu_case_t {
    prelu_backward_spec_t spec;
    placement_t placement;
    dim_t rows = 5, gap = 3;
    size_t shift = 0; // bytes from the first row of diff_src to row 0
    uint64_t seed = 11;

    std::string details() const {
        return std::to_string(rows) + " rows of " + std::to_string(spec.line) + ", gap "
               + std::to_string(gap) + (spec.weight_per_lane ? "" : ", a weight a row") + ", terms "
               + std::to_string(static_cast<int>(spec.terms))
               + (spec.keeps_sums ? ", sums kept" : "")
               + (spec.is_shifted ? ", shifted by " + std::to_string(shift) : "")
               + (placement == placement_t::ends_at_guard ? ", ends" : ", begins") + " at guard";
    }
    row_tensor_t tensor(data_type_t type, dim_t columns) const {
        return {type, rows, columns,
                (columns + gap) * static_cast<dim_t>(kiln::test::size_of(type)), placement};
    }
};

/// diff_src is compared exactly but for one rounding; terms of diff_weights are added to 0.5 where
/// they are added. `found` gets the sums.
AssertionResult is_right(const prelu_case_t &c, std::vector<double> *found = nullptr) {
    const prelu_backward_spec_t &spec = c.spec;
    const bool is_stored = spec.terms == prelu_terms_t::stored;
    const data_type_t sums_type = is_stored ? spec.weights_type : dnnl_f32;
    // Rows that share their weights have one row of them, and one of sums.
    const auto shared = [&](dim_t row) { return spec.keeps_sums ? 0 : row; };
    const dim_t row_weights = spec.weight_per_lane ? spec.line : 1;
    const dim_t row_sums = spec.terms == prelu_terms_t::summed_up ? 1 : spec.line;
    row_tensor_t src = c.tensor(spec.type, spec.line), diff_dst = c.tensor(spec.type, spec.line);
    row_tensor_t weights = c.tensor(spec.weights_type, row_weights);
    row_tensor_t sums = c.tensor(sums_type, row_sums);
    const row_tensor_t diff_src = c.tensor(spec.type, spec.line);
    random_values_t random(c.seed);
    const auto x = fill(src, spec.type, random.many(c.rows * spec.line, -2, 2));
    const auto dy = fill(diff_dst, spec.type, random.many(c.rows * spec.line, -2, 2));
    const auto w = fill(weights, spec.weights_type, random.many(c.rows * row_weights, -1, 1));
    constexpr double before = 0.5;
    if (!is_stored) fill(sums, sums_type, std::vector<double>(index(c.rows * row_sums), before));
    const jit::executable_code_t code = prelu_backward_kernel_t(spec).finish();
    const kernel_failure_t failure(spec.name(), c.details(), c.seed, {code.data(), code.size()});
    prelu_backward_args_t args{{.rows = c.rows, .length = spec.line, .operands = {}, .pitches = {}},
            reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(diff_src.data()) - c.shift)};
    const auto bind = [&](size_t operand, const row_tensor_t &tensor, bool is_shared) {
        args.of_rows.operands[operand] = tensor.data();
        args.of_rows.pitches[operand] = is_shared ? 0 : tensor.pitch();
    };
    bind(prelu_diff_src, diff_src, false);
    bind(prelu_src, src, false);
    bind(prelu_diff_dst, diff_dst, false);
    bind(prelu_weights, weights, spec.keeps_sums);
    bind(prelu_diff_weights, sums, spec.keeps_sums);
    code.entry<void (*)(prelu_backward_args_t *)>()(&args);
    std::vector<estimate_t> expected(index(c.rows * row_sums), {is_stored ? 0 : before, 0});
    for (dim_t row = 0; row < c.rows; ++row)
        for (dim_t i = 0; i < spec.line; ++i) {
            const size_t at = index(row * spec.line + i);
            const double weight =
                    w[index(shared(row) * row_weights + (spec.weight_per_lane ? i : 0))];
            const double dx = x[at] > 0 ? dy[at] : weight * dy[at];
            const estimate_t near = stored(spec.type, {dx, unit * std::abs(dx)});
            if (!is_near(diff_src.get(row, i), near))
                return failure.at(static_cast<int64_t>(at), dx, diff_src.get(row, i));
            const double term = x[at] > 0 ? 0 : x[at] * dy[at];
            estimate_t &sum = expected[index(shared(row) * row_sums + i % row_sums)];
            sum.value += term;
            sum.error += unit * (std::abs(term) * 20 + 1);
        }
    for (dim_t row = 0; row < (spec.keeps_sums ? 1 : c.rows); ++row)
        for (dim_t i = 0; i < row_sums; ++i) {
            const estimate_t near = stored(sums_type, expected[index(row * row_sums + i)]);
            if (!is_near(sums.get(row, i), near))
                return failure.at(row * row_sums + i, near.value, sums.get(row, i));
            if (found != nullptr) found->push_back(sums.get(row, i));
        }
    if (!diff_src.has_intact_gaps() || !sums.has_intact_gaps())
        return failure("wrote outside its operands");
    return ::testing::AssertionSuccess();
}

TEST(prelu_backward_kernel, is_right_for_rows_of_any_length_and_type) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : floats)
            for (const data_type_t weights : floats)
                for (const dim_t line : lines)
                    for (const auto placement : placements)
                        for (const auto terms : {prelu_terms_t::stored, prelu_terms_t::added,
                                     prelu_terms_t::summed_up}) {
                            const prelu_backward_spec_t spec{.isa = isa,
                                    .line = line,
                                    .type = type,
                                    .weights_type = weights,
                                    .weight_per_lane = terms != prelu_terms_t::summed_up,
                                    .terms = terms};
                            ASSERT_TRUE(is_right({.spec = spec, .placement = placement}));
                        }
}

TEST(prelu_backward_kernel, keeps_the_sums_of_rows_that_share_weights) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : floats)
            for (const data_type_t weights : floats)
                for (const dim_t line : lines)
                    for (const bool are_adjacent : {false, true})
                        for (const dim_t rows : {1, 2, 5, 40}) {
                            const prelu_backward_spec_t spec{.isa = isa,
                                    .line = line,
                                    .type = type,
                                    .weights_type = weights,
                                    .terms = prelu_terms_t::added,
                                    .keeps_sums = true,
                                    .are_adjacent = are_adjacent};
                            if (line > spec.tile_width()) continue;
                            ASSERT_TRUE(is_right({.spec = spec,
                                    .placement = placements[rows % 2],
                                    .rows = rows,
                                    .gap = are_adjacent ? 0 : 3}));
                        }
}

/// Rows of floats with one weight, which begin anywhere.
prelu_backward_spec_t shifted_spec(isa_t isa, dim_t line) {
    return {.isa = isa,
            .line = line,
            .type = dnnl_f32,
            .weights_type = dnnl_f32,
            .weight_per_lane = false,
            .terms = prelu_terms_t::summed_up,
            .is_shifted = true};
}

TEST(prelu_backward_kernel, aligns_vectors_of_rows_that_begin_within_cache_lines) {
    for (const isa_t isa : machine_levels()) {
        if (!has(isa, feature_t::avx512_core)) continue;
        for (const dim_t line : {65, 81, 128, 196, 257})
            for (const dim_t gap : {0, 3, 5})
                for (const size_t shift : {0, 4, 36, 60})
                    for (const auto placement : placements) {
                        prelu_backward_spec_t spec = shifted_spec(isa, line);
                        spec.is_non_temporal =
                                placement == placement_t::begins_at_guard && shift == 0;
                        ASSERT_TRUE(is_right({.spec = spec,
                                .placement = placement,
                                .gap = gap,
                                .shift = shift}));
                    }
    }
}

/// The two placements begin at unlike places of a cache line.
TEST(prelu_backward_kernel, adds_in_the_same_order_at_any_address) {
    for (const isa_t isa : machine_levels()) {
        if (!has(isa, feature_t::avx512_core)) continue;
        for (const dim_t line : {65, 81, 196, 257}) {
            std::vector<double> sums[std::size(placements)];
            for (size_t i = 0; i < std::size(placements); ++i) {
                ASSERT_TRUE(is_right(
                        {.spec = shifted_spec(isa, line), .placement = placements[i], .gap = 0},
                        &sums[i]));
            }
            for (const auto &other : sums) EXPECT_EQ(other, sums[0]) << line;
        }
    }
}

} // namespace
} // namespace kiln::x64::test
