// SPDX-License-Identifier: Apache-2.0
// Products by AMX between unmapped pages, on machines that have it. Values are small integers, so
// that sums are exact and are compared bit by bit.
#include "cpu/x64/matrix/amx_kernel.hpp"

#include <cmath>

#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

struct extents_t {
    dim_t rows, panels, k;
    bool has_last = false; // a panel of spec.last_vectors follows
};

struct types_t {
    data_type_t a, b;
};
constexpr types_t all_types[] = {{dnnl_bf16, dnnl_bf16}, {dnnl_u8, dnnl_s8}, {dnnl_u8, dnnl_u8},
        {dnnl_s8, dnnl_s8}, {dnnl_s8, dnnl_u8}};

class matrix_amx_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine has no AMX";
    }

    ::testing::AssertionResult is_right(const amx_spec_t &spec, const extents_t &extents) {
        const placement_t placement = placements[++seed_ % 2];
        random_values_t random(seed_);
        const step_t step = spec.step();
        const int depth = depth_of(step), row_elements = amx_depth(step);
        const dim_t whole = extents.k / row_elements, rest = extents.k % row_elements;
        const dim_t steps = (whole + (rest != 0)) * amx_rows;
        const dim_t width = spec.vectors * amx_columns;
        const dim_t all_panels = extents.panels + extents.has_last;
        const dim_t columns =
                extents.panels * width + (extents.has_last ? spec.last_vectors * amx_columns : 0);
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
        const jit::executable_code_t code = amx_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(extents.rows) + " rows, " + std::to_string(columns) + " columns, K "
                        + std::to_string(extents.k),
                seed_, {code.data(), code.size()});
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
                .adds = adds,
                .configures = true,
                .releases = true};
        args.set_rows(extents.rows);
        code(args);
        for (dim_t row = 0; row < extents.rows; ++row)
            for (dim_t i = 0; i < columns; ++i) {
                const dim_t index = row * columns + i;
                const float wanted = expected[static_cast<size_t>(index)];
                if (sums.get(row, i) != wanted) return failure.at(index, wanted, sums.get(row, i));
            }
        return a.has_intact_gaps() && b.has_intact_gaps() && sums.has_intact_gaps()
                       ? ::testing::AssertionSuccess()
                       : failure("wrote outside its sums");
    }

    uint64_t seed_ = 0;
};

TEST_P(matrix_amx_kernel, multiplies_any_number_of_rows) {
    for (const auto &[a_type, b_type] : all_types)
        for (dim_t rows = 1; rows <= most_amx_rows; ++rows)
            ASSERT_TRUE(is_right({GetParam(), a_type, b_type, 2, 1}, {rows, 1, 150, true}));
}

TEST_P(matrix_amx_kernel, multiplies_panels_of_any_width) {
    for (const auto &[a_type, b_type] : all_types)
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (int last = 1; last <= vectors; ++last)
                for (const dim_t panels : {0, 1, 3})
                    for (const dim_t rows : {3, 16, 20})
                        ASSERT_TRUE(is_right({GetParam(), a_type, b_type, vectors, last},
                                {rows, panels, 96, panels != 1 || last != vectors}));
}

TEST_P(matrix_amx_kernel, multiplies_any_number_of_elements) {
    for (const auto &[a_type, b_type] : all_types)
        for (dim_t k = 1; k <= 200; k += 1 + k / 7)
            for (const dim_t rows : {7, 32})
                ASSERT_TRUE(is_right({GetParam(), a_type, b_type, 2, 2}, {rows, 2, k}));
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_amx_kernel, testing::Values(isa_t::avx512_core_amx),
        [](const auto &info) { return std::string(isa_name(info.param)); });

} // namespace
} // namespace kiln::x64::matrix::test
