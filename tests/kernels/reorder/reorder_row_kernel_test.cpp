// SPDX-License-Identifier: Apache-2.0
// The kernel of reorders that compute, on every ISA level of the machine, between unmapped pages,
// against the same arithmetic on single floats, bit by bit.
#include "cpu/x64/rows/elementwise_kernel.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>

#include "cpu/x64/store_policy.hpp"
#include "kernels/tiled_row_run.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "support/random_values.hpp"

namespace kiln::x64::test {

namespace {

using namespace kiln::test;

std::string details_of(const elementwise_spec_t &spec, const tiled_row_case_t &rows) {
    std::string text = rows.details() + (spec.src.per_lane ? "" : ", one src for the row");
    for (const jit::post_op_link_t &link : spec.chain) {
        text += std::string(", ") + dnnl_alg_kind2str(link.alg);
        for (const jit::post_op_operand_t &operand : link.operands)
            text += std::string(" ") + dnnl_dt2str(operand.type)
                    + (operand.per_lane ? " for each element" : " for the row")
                    + (operand.is_strided() ? ", apart" : "");
    }
    return text + (spec.is_non_temporal ? ", non-temporal" : "");
}

/// The operands of a case with their values, and what dst should be.
class reorder_run_t {
public:
    reorder_run_t(const elementwise_spec_t &spec, const tiled_row_case_t &rows, bool has_specials)
        : spec_(spec)
        , t_(rows)
        , random_(rows.seed) {
        add(spec_.dst, false);
        add(spec_.src, false);
        for (const jit::post_op_link_t &link : spec_.chain)
            for (const jit::post_op_operand_t &operand : link.operands)
                add(operand, is_scale(link, operand));
        if (has_specials) add_specials();
        for (dim_t row = 0; row < t_.rows; ++row)
            for (dim_t i = 0; i < t_.length; ++i)
                expected_.push_back(model_store(spec_.dst.type, result(row, i)));
    }

    ::testing::AssertionResult is_right() {
        const jit::executable_code_t code = elementwise_kernel_t(spec_).finish();
        const kernel_failure_t failure(
                spec_.name(), details_of(spec_, t_), t_.seed, {code.data(), code.size()});
        std::vector<const rows_buffer_t *> operands;
        for (const rows_buffer_t &operand : operands_) operands.push_back(&operand);
        return run_tiled_rows(
                code, failure, t_, operands, operands_[elementwise_dst], spec_.dst.type, expected_);
    }

private:
    /// Factors and divisors, and what scales a second source.
    static bool is_scale(const jit::post_op_link_t &link, const jit::post_op_operand_t &operand) {
        return link.alg == dnnl_binary_mul || link.alg == dnnl_binary_div
               || (link.is_scaled && &operand == &link.operands.back());
    }

    /// Values that no scale or divisor makes infinite.
    void add(const jit::post_op_operand_t &operand, bool is_scale) {
        const dim_t elements = operand.per_lane ? t_.length : 1;
        rows_buffer_t &buffer = operands_.emplace_back(operand.type, t_.rows, elements,
                operand.per_lane ? t_.gap : 0, t_.placement, operand.stride);
        is_per_lane_.push_back(operand.per_lane);
        for (dim_t row = 0; row < t_.rows; ++row)
            for (dim_t i = 0; i < elements; ++i)
                buffer.set(row, i,
                        static_cast<float>(
                                is_scale ? random_.between(1, 3) : random_.between(-90, 150)));
    }

    /// Every third element of src: values that are not finite, ties, limits, subnormals.
    void add_specials() {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        // NaN that shall stay NaN in narrower types: of the first bits only, of all, of the last.
        const float specials[] = {std::bit_cast<float>(0x7fc00000),
                std::bit_cast<float>(0x7fffffff), std::bit_cast<float>(0xffffffff),
                std::bit_cast<float>(0x7f800001), infinity, -infinity, -0.f, 0.5f, -2.5f, 127.5f,
                -128.5f, 255.5f, 65519.f, 65520.f, 3.4e38f, 1e-40f, -1e-42f, 6e-8f};
        size_t next = 0;
        for (dim_t row = 0; row < t_.rows; ++row)
            for (dim_t i = row % 3; i < t_.length; i += 3)
                operands_[elementwise_src].set(row, i, specials[next++ % std::size(specials)]);
    }

    float value(size_t operand, dim_t row, dim_t i) const {
        return operands_[operand].get(row, is_per_lane_[operand] ? i : 0);
    }

    float result(dim_t row, dim_t i) const {
        float x = value(elementwise_src, row, i);
        size_t operand = first_chain_operand;
        for (const jit::post_op_link_t &link : spec_.chain) {
            if (link.operands.empty()) {
                x = std::max(x, 0.f); // the only elementwise function of these tests
                continue;
            }
            float y = value(operand++, row, i);
            if (link.is_scaled) y *= value(operand++, row, i);
            switch (link.alg) {
            case dnnl_binary_sub: x -= y; break;
            case dnnl_binary_mul: x *= y; break;
            case dnnl_binary_div: x /= y; break;
            default: x += y;
            }
        }
        return x;
    }

    const elementwise_spec_t spec_;
    const tiled_row_case_t t_;
    std::deque<rows_buffer_t> operands_;
    std::vector<bool> is_per_lane_;
    std::vector<uint32_t> expected_;
    random_values_t random_;
};

class reorder_row_kernel : public tiled_row_kernel_test {
protected:
    elementwise_spec_t spec_of(data_type_t src, data_type_t dst, dim_t line) const {
        return {.operation = "elementwise_row",
                .isa = GetParam(),
                .line = line,
                .dst = {dst, true},
                .src = {src, true},
                .subnormals = jit::subnormals_t::kept};
    }
    ::testing::AssertionResult is_right(
            const elementwise_spec_t &spec, dim_t length = 0, bool has_specials = false) {
        tiled_row_case_t rows(spec.line, length, next_seed());
        if (spec.is_non_temporal) {
            // Rows of dst are aligned; a page's beginning is.
            rows.gap = (64 - spec.line % 64) % 64;
            rows.placement = placement_t::begins_at_guard;
        }
        return reorder_run_t(spec, rows, has_specials).is_right();
    }
    /// Numbers that change from case to case.
    uint64_t draw() { return ++drawn_ * 2654435761u >> 7; }

private:
    uint64_t drawn_ = 0;
};

TEST_P(reorder_row_kernel, converts_rows_of_any_length_between_all_types) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines) ASSERT_TRUE(is_right(spec_of(src, dst, line)));
}

TEST_P(reorder_row_kernel, converts_special_values) {
    for (const data_type_t src : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines)
                ASSERT_TRUE(is_right(spec_of(src, dst, line), 0, true));
}

TEST_P(reorder_row_kernel, applies_scales_and_zero_points_of_rows_and_of_elements) {
    constexpr data_type_t scale_types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};
    constexpr data_type_t zero_point_types[] = {dnnl_s32, dnnl_s8, dnnl_u8, dnnl_f32};
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines)
                for (int present = 1; present < 16; ++present) {
                    elementwise_spec_t spec = spec_of(src, dst, line);
                    spec.splits_stores = line % 2 != 0;
                    int bit = 0;
                    for (const auto alg :
                            {dnnl_binary_sub, dnnl_binary_mul, dnnl_binary_div, dnnl_binary_add}) {
                        if (!(present >> bit++ & 1)) continue;
                        const bool is_scale = alg == dnnl_binary_mul || alg == dnnl_binary_div;
                        const data_type_t type =
                                is_scale ? scale_types[draw() % 3] : zero_point_types[draw() % 4];
                        spec.chain.push_back({.alg = alg, .operands = {{type, draw() % 2 == 0}}});
                    }
                    ASSERT_TRUE(is_right(spec));
                }
}

TEST_P(reorder_row_kernel, scales_second_sources) {
    for (const data_type_t type : row_types)
        for (const dim_t line : row_lines)
            for (const auto alg : {dnnl_binary_add, dnnl_binary_sub}) {
                elementwise_spec_t spec = spec_of(type, dnnl_f32, line);
                spec.chain.push_back({.alg = alg,
                        .operands = {{type, draw() % 2 == 0}, {dnnl_f32, draw() % 2 == 0}},
                        .is_scaled = true});
                ASSERT_TRUE(is_right(spec));
            }
}

TEST_P(reorder_row_kernel, applies_post_ops_with_more_operands_than_registers) {
    for (const data_type_t dst : row_types)
        for (const dim_t line : row_lines)
            for (const size_t links : {1, 3, 8}) {
                elementwise_spec_t spec = spec_of(dnnl_f32, dst, line);
                spec.chain.push_back(
                        {.alg = dnnl_binary_mul, .operands = {{dnnl_f32, draw() % 2 == 0}}});
                spec.chain.push_back({.alg = dnnl_eltwise_relu});
                for (size_t i = 0; i < links; ++i)
                    spec.chain.push_back({.alg = i == 1 ? dnnl_binary_mul : dnnl_binary_add,
                            .operands = {{row_types[draw() % 5], draw() % 2 == 0}}});
                ASSERT_TRUE(is_right(spec));
            }
}

TEST_P(reorder_row_kernel, takes_one_element_of_src_for_a_row) {
    for (const data_type_t dst : row_types)
        for (const dim_t line : row_lines) {
            elementwise_spec_t spec = spec_of(dnnl_bf16, dst, line);
            spec.src.per_lane = false;
            ASSERT_TRUE(is_right(spec));
        }
}

TEST_P(reorder_row_kernel, takes_elements_that_lie_apart) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines)
                for (int apart = 1; apart < 8; ++apart) {
                    elementwise_spec_t spec = spec_of(src, dst, line);
                    if (apart & 1) spec.src.stride = 3;
                    if (apart & 2) spec.dst.stride = 5;
                    spec.chain.push_back({.alg = dnnl_binary_mul,
                            .operands = {{dnnl_f32, true, apart & 4 ? 17 : 1}}});
                    ASSERT_TRUE(is_right(spec));
                }
}

/// A call ends with a tile, or with the row. 64 elements are one tile or several at every level.
TEST_P(reorder_row_kernel, takes_the_first_tiles_of_a_row) {
    constexpr dim_t whole_tiles = 64;
    for (const data_type_t dst : row_types) {
        const elementwise_spec_t spec = spec_of(dnnl_f32, dst, 1031);
        for (dim_t tiles = 1; tiles <= 3; ++tiles)
            ASSERT_TRUE(is_right(spec, tiles * whole_tiles));
        ASSERT_TRUE(is_right(spec, 1031 % whole_tiles));
    }
}

TEST_P(reorder_row_kernel, stores_the_same_with_non_temporal_stores) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines) {
                elementwise_spec_t spec = spec_of(src, dst, line);
                spec.is_non_temporal = has_non_temporal_stores(spec.isa, dst);
                ASSERT_TRUE(is_right(spec));
            }
}

INSTANTIATE_TEST_SUITE_P(levels, reorder_row_kernel, testing::ValuesIn(float_kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace

} // namespace kiln::x64::test
