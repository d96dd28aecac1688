// SPDX-License-Identifier: Apache-2.0
// Products by AMX between unmapped pages, on machines that have it. Values are small integers, so
// that sums are exact and are compared bit by bit.
#include "cpu/x64/matrix/amx_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/amx_results_case.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

struct extents_t {
    dim_t rows, panels, k;
    bool has_last = false; // a panel of spec.last_columns follows
};

struct types_t {
    data_type_t a, b;
};
constexpr types_t all_types[] = {{dnnl_bf16, dnnl_bf16}, {dnnl_u8, dnnl_s8}, {dnnl_u8, dnnl_u8},
        {dnnl_s8, dnnl_s8}, {dnnl_s8, dnnl_u8}};

/// Of zero points of A and of B.
constexpr std::array<amx_offset_t, amx_offset_count> all_offsets[] = {{}, {{{dnnl_s32, true}, {}}},
        {{{dnnl_s32, false}, {dnnl_data_type_undef, true}}}, {{{}, {dnnl_s8, true}}},
        {{{dnnl_s32, true}, {dnnl_s32, true}}}};

class matrix_amx_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine has no AMX";
    }

    ::testing::AssertionResult is_right(
            amx_spec_t spec, const extents_t &extents, epilogue_t epilogue = epilogue_t::none) {
        const placement_t placement = placements[++seed_ % 2];
        random_values_t random(seed_);
        const step_t step = spec.step();
        const int depth = depth_of(step), row_elements = amx_depth(step);
        const dim_t whole = extents.k / row_elements, rest = extents.k % row_elements;
        const dim_t steps = (whole + (rest != 0)) * amx_rows;
        const dim_t width = spec.vectors * amx_columns;
        const dim_t all_panels = extents.panels + extents.has_last;
        const dim_t columns =
                extents.panels * width
                + (extents.has_last ? round_up<dim_t>(spec.last_columns, amx_columns) : 0);
        const auto gap = static_cast<dim_t>(seed_ % 3 * 4);
        guarded_matrix_t a(spec.a_type, step_t::f32, extents.rows, extents.k, gap, placement);
        guarded_matrix_t a_rest(spec.a_type, step_t::f32, extents.rows, row_elements, 0, placement);
        guarded_matrix_t b(
                spec.b_type, step_t::f32, all_panels * steps, width * depth, 0, placement);
        guarded_matrix_t sums(is_integer(step) ? dnnl_s32 : dnnl_f32, step_t::f32, extents.rows,
                columns, gap, placement);
        const auto value = [&](data_type_t type) {
            const float least = type == dnnl_u8 ? 0 : -100, most = type == dnnl_bf16 ? 100 : 120;
            return static_cast<float>(std::floor(random.between(least, most)));
        };
        const auto fill = [&](guarded_matrix_t &matrix, data_type_t type) {
            for (dim_t row = 0; row < matrix.rows(); ++row)
                for (dim_t i = 0; i < matrix.columns(); ++i) matrix.set(row, i, value(type));
        };
        fill(a, spec.a_type);
        fill(b, spec.b_type);
        fill(sums, dnnl_s8);
        for (dim_t row = 0; row < extents.rows; ++row)
            for (dim_t i = 0; i < row_elements; ++i)
                a_rest.set(row, i, i < rest ? a.get(row, extents.k - rest + i) : 0);
        const bool adds = seed_ % 2 != 0;
        std::vector<float> expected;
        for (dim_t row = 0; row < extents.rows; ++row)
            for (dim_t i = 0; i < columns; ++i) {
                double sum = adds ? sums.get(row, i) : 0;
                for (dim_t k = 0; k < extents.k; ++k)
                    sum += static_cast<double>(a.get(row, k))
                           * b.get(i / width * steps + k / depth, i % width * depth + k % depth);
                expected.push_back(static_cast<float>(sum));
            }
        std::optional<results_case_t> results;
        if (spec.results.exist()) {
            spec.results.epilogue = links_of(epilogue);
            results.emplace(spec.results, epilogue, extents.rows, columns_of_dst(spec, extents),
                    gap, placement, random);
            spec.results.pitches = results->pitches();
        }
        const jit::executable_code_t code = amx_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(extents.rows) + " rows, " + std::to_string(columns) + " columns, K "
                        + std::to_string(extents.k),
                seed_, {code.data(), code.size()});
        // One run of steps, whose sums are results or pass to them.
        const bool share_place =
                spec.results.exist() && !adds && whole <= near_amx_steps && seed_ % 4 != 0;
        amx_args_t args{.a = a.data(),
                .a_pitch = a.pitch(),
                .a_rest = a_rest.data(),
                .b = b.data(),
                .b_panel = steps * width * 4,
                .steps = whole,
                .has_rest = rest != 0,
                .panels = extents.panels,
                .has_last = extents.has_last,
                .sums = sums.data(),
                .sums_pitch = sums.pitch(),
                .sums_panel = share_place ? 0 : spec.width() * 4,
                .adds = adds,
                .configures = true,
                .releases = true};
        args.set_rows(extents.rows);
        if (results) {
            args.results.finishes = 1;
            args.results.rows_of_step = 1 + static_cast<dim_t>(seed_ % 5);
            args.results.dst_pitch = results->dst_pitch();
            args.results.next = results->place(0);
            args.releases = args.results.ends = !extents.has_last;
            args.has_last = 0;
        }
        code(args);
        if (results && extents.has_last) { // finishes what is pending, too
            args.a = a.data();
            args.b = b.at(extents.panels * steps, 0);
            args.steps = whole;
            args.panels = 0;
            args.has_last = 1;
            args.sums = sums.at(0, share_place ? 0 : extents.panels * width);
            args.adds = adds;
            args.configures = 0;
            args.results.next = results->place(extents.panels * width);
            args.releases = args.results.ends = 1;
            code(args);
        }
        for (dim_t row = 0; results && row < extents.rows; ++row)
            for (dim_t i = 0; i < columns_of_dst(spec, extents); ++i) {
                const float wanted =
                        results->expected(row, i, expected[static_cast<size_t>(row * columns + i)]);
                const float got = results->got(row, i);
                if (got != wanted) return failure.at(row * columns + i, wanted, got);
            }
        if (results && !results->has_intact_gaps()) return failure("wrote outside dst");
        for (dim_t row = 0; !share_place && row < extents.rows; ++row)
            for (dim_t i = 0; i < columns; ++i) {
                const dim_t index = row * columns + i;
                const float wanted = expected[static_cast<size_t>(index)];
                if (sums.get(row, i) != wanted) return failure.at(index, wanted, sums.get(row, i));
            }
        return a.has_intact_gaps() && b.has_intact_gaps() && sums.has_intact_gaps()
                       ? ::testing::AssertionSuccess()
                       : failure("wrote outside its sums");
    }

    static dim_t columns_of_dst(const amx_spec_t &spec, const extents_t &extents) {
        return extents.panels * spec.width() + (extents.has_last ? spec.last_columns : 0);
    }

    uint64_t seed_ = 0;
};

TEST_P(matrix_amx_kernel, multiplies_any_number_of_rows) {
    for (const auto &[a_type, b_type] : all_types)
        for (dim_t rows = 1; rows <= most_amx_rows; ++rows)
            ASSERT_TRUE(is_right({GetParam(), a_type, b_type, 2, 16}, {rows, 1, 150, true}));
}

TEST_P(matrix_amx_kernel, multiplies_panels_of_any_width) {
    for (const auto &[a_type, b_type] : all_types)
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (int last = 1; last <= vectors; ++last)
                for (const dim_t panels : {0, 1, 3})
                    for (const dim_t rows : {3, 16, 20})
                        ASSERT_TRUE(
                                is_right({GetParam(), a_type, b_type, vectors, last * amx_columns},
                                        {rows, panels, 96, panels != 1 || last != vectors}));
}

TEST_P(matrix_amx_kernel, multiplies_any_number_of_elements) {
    for (const auto &[a_type, b_type] : all_types)
        for (dim_t k = 1; k <= 200; k += 1 + k / 7)
            for (const dim_t rows : {7, 32})
                ASSERT_TRUE(is_right({GetParam(), a_type, b_type, 2}, {rows, 2, k}));
}

/// Lanes of two terms, which rows of A have in both orders: sums of products of their sums.
TEST_P(matrix_amx_kernel, multiplies_sums_of_two_terms) {
    random_values_t random(1);
    for (const dim_t rows : {1, 16, 29})
        for (const dim_t steps : {1, 3, 11})
            for (const int vectors : {1, 2}) {
                constexpr dim_t panels = 2, lanes = amx_rows;
                const dim_t width = vectors * amx_columns, columns = panels * width;
                guarded_matrix_t a(
                        dnnl_bf16, step_t::f32, rows, 4 * steps * lanes, 3, placements[0]);
                guarded_matrix_t b(dnnl_bf16, step_t::f32, panels * steps * lanes, 2 * width, 0,
                        placements[1]);
                guarded_matrix_t sums(dnnl_f32, step_t::f32, rows, columns, 2, placements[1]);
                guarded_matrix_t elements(
                        dnnl_f32, step_t::f32, rows, steps * lanes, 0, placements[0]);
                const auto part = [&] { return std::floor(random.between(-20, 20)); };
                for (dim_t row = 0; row < rows; ++row)
                    for (dim_t i = 0; i < steps * lanes; ++i) {
                        const auto first = static_cast<float>(part()),
                                   second = static_cast<float>(part());
                        const dim_t at = i / lanes * 4 * lanes + i % lanes * 2;
                        a.set(row, at, first);
                        a.set(row, at + 1, second);
                        a.set(row, at + 2 * lanes, second);
                        a.set(row, at + 2 * lanes + 1, first);
                        elements.set(row, i, first + second);
                    }
                for (dim_t row = 0; row < b.rows(); ++row)
                    for (dim_t i = 0; i < b.columns(); ++i)
                        b.set(row, i, static_cast<float>(part()));
                const amx_spec_t spec{.isa = GetParam(),
                        .a_type = dnnl_bf16,
                        .b_type = dnnl_bf16,
                        .vectors = vectors,
                        .splits = true};
                amx_args_t args{.a = a.data(),
                        .a_pitch = a.pitch(),
                        .b = b.data(),
                        .b_panel = steps * lanes * width * 4,
                        .steps = steps,
                        .near_steps = near_amx_steps / 2,
                        .panels = panels,
                        .sums = sums.data(),
                        .sums_pitch = sums.pitch(),
                        .sums_panel = width * 4,
                        .configures = true,
                        .releases = true};
                args.set_rows(rows);
                amx_kernel_t(spec).finish()(args);
                for (dim_t row = 0; row < rows; ++row)
                    for (dim_t i = 0; i < columns; ++i) {
                        float wanted = 0;
                        for (dim_t k = 0; k < steps * lanes; ++k) {
                            const dim_t of_b = i / width * steps * lanes + k, at = i % width * 2;
                            wanted +=
                                    elements.get(row, k) * (b.get(of_b, at) + b.get(of_b, at + 1));
                        }
                        ASSERT_EQ(sums.get(row, i), wanted) << spec.name();
                    }
                ASSERT_TRUE(sums.has_intact_gaps());
            }
}

/// The rows of a tile are finished while the next tile is multiplied, those of the last one in the
/// next call, or at the end.
TEST_P(matrix_amx_kernel, makes_results_of_every_type) {
    for (const auto &[a_type, b_type] : {all_types[0], all_types[1]})
        for (const data_type_t dst_type :
                {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8, dnnl_u8})
            for (const epilogue_t epilogue : {epilogue_t::none, epilogue_t::integers,
                         epilogue_t::tensors, epilogue_t::scales, epilogue_t::scales_and_relu})
                for (const auto &offsets : all_offsets)
                    for (const int last : {0, 23}) {
                        const bool are_integers = a_type != dnnl_bf16;
                        const bool are_scaled = epilogue == epilogue_t::scales
                                                || epilogue == epilogue_t::scales_and_relu;
                        if (are_scaled && offsets[0].exists() != offsets[1].exists()) continue;
                        const bool are_added = epilogue == epilogue_t::integers;
                        if (are_added && (!are_integers || dst_type != dnnl_s32)) continue;
                        if ((offsets[0].exists() || offsets[1].exists()) && !are_integers) continue;
                        amx_spec_t spec{GetParam(), a_type, b_type, last == 0 ? 3 : 2, last};
                        spec.results = {.dst_type = dst_type,
                                .are_integers = are_integers,
                                .offsets = offsets,
                                .fetches_dst = last != 0};
                        // Steps of two runs, or one, and a rest.
                        const int steps = are_scaled ? 1 : near_amx_steps + 1;
                        const dim_t long_k = steps * amx_depth(spec.step()) + 4;
                        for (const dim_t rows : {1, 29})
                            ASSERT_TRUE(is_right(spec,
                                    {rows, 2, rows == 1 ? dim_t(20) : long_k, last != 0},
                                    epilogue));
                    }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_amx_kernel, testing::Values(isa_t::avx512_core_amx),
        [](const auto &info) { return std::string(isa_name(info.param)); });

} // namespace
} // namespace kiln::x64::matrix::test
