// SPDX-License-Identifier: Apache-2.0
// The kernel of reorders that compute, on every ISA level of the machine, between unmapped pages,
// against the same arithmetic on single floats, bit by bit.
#include "cpu/x64/reorder/row_reorder_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <limits>

#include "cpu/x64/store_policy.hpp"
#include "kernels/tiled_row_run.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::reorder::test {

namespace {

using namespace kiln::test;
using namespace x64::test;

std::string details_of(const row_reorder_spec_t &spec, const tiled_row_case_t &rows) {
    const char *const names[] = {
            "dst", "src", "src zero point", "src scale", "dst scale", "dst zero point"};
    std::string text = rows.details();
    for (size_t i = src_operand; i < first_post_op_operand; ++i)
        if (spec.operands[i].type != dnnl_data_type_undef)
            text += std::string(", ") + names[i] + " " + model_name(spec.operands[i].type)
                    + (spec.operands[i].per_lane ? " for each element" : " for the row");
    return text + ", " + std::to_string(spec.post_ops.size()) + " post-ops"
           + (spec.is_non_temporal ? ", non-temporal" : "");
}

/// The operands of a case with their values, and what dst should be.
class reorder_run_t {
public:
    reorder_run_t(const row_reorder_spec_t &spec, const tiled_row_case_t &rows, bool has_specials)
        : spec_(spec)
        , t_(rows)
        , random_(rows.seed) {
        for (const jit::post_op_operand_t &operand : spec_.operands) add(operand);
        for (const jit::post_op_operand_t &operand : post_op_operands_) add(operand);
        if (has_specials) add_specials();
        for (dim_t row = 0; row < t_.rows; ++row)
            for (dim_t i = 0; i < t_.length; ++i)
                expected_.push_back(model_store(spec_.dst_type(), result(row, i)));
    }

    ::testing::AssertionResult is_right() {
        const jit::executable_code_t code = row_reorder_kernel_t(spec_).finish();
        const kernel_failure_t failure(
                spec_.name(), details_of(spec_, t_), t_.seed, {code.data(), code.size()});
        std::vector<const rows_buffer_t *> operands;
        for (const rows_buffer_t &operand : operands_) operands.push_back(&operand);
        return run_tiled_rows(
                code, failure, t_, operands, operands_[dst_operand], spec_.dst_type(), expected_);
    }

private:
    /// Values that no scale or divisor makes infinite.
    void add(const jit::post_op_operand_t &operand) {
        const bool is_absent = operand.type == dnnl_data_type_undef;
        const dim_t elements = operand.per_lane ? t_.length : 1;
        rows_buffer_t &buffer = operands_.emplace_back(is_absent ? dnnl_f32 : operand.type, t_.rows,
                elements, operand.per_lane ? t_.gap : 0, t_.placement);
        const bool is_scale = operands_.size() == src_scale_operand + 1
                              || operands_.size() == dst_scale_operand + 1;
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
                operands_[src_operand].set(row, i, specials[next++ % std::size(specials)]);
    }

    float value(size_t operand, dim_t row, dim_t i) const {
        const jit::post_op_operand_t &o =
                operand < first_post_op_operand
                        ? spec_.operands[operand]
                        : post_op_operands_[operand - first_post_op_operand];
        return operands_[operand].get(row, o.per_lane ? i : 0);
    }

    float result(dim_t row, dim_t i) const {
        const auto has = [&](size_t o) { return spec_.operands[o].type != dnnl_data_type_undef; };
        float x = value(src_operand, row, i);
        if (has(src_zero_point_operand)) x -= value(src_zero_point_operand, row, i);
        if (has(src_scale_operand)) x *= value(src_scale_operand, row, i);
        size_t operand = first_post_op_operand;
        for (const jit::post_op_link_t &link : spec_.post_ops) {
            if (link.alg == dnnl_eltwise_relu)
                x = std::max(x, 0.f);
            else if (link.alg == dnnl_binary_mul)
                x *= value(operand++, row, i);
            else
                x += value(operand++, row, i);
        }
        if (has(dst_scale_operand)) x /= value(dst_scale_operand, row, i);
        if (has(dst_zero_point_operand)) x += value(dst_zero_point_operand, row, i);
        return x;
    }

    const row_reorder_spec_t spec_;
    const tiled_row_case_t t_;
    const std::vector<jit::post_op_operand_t> post_op_operands_ = jit::operands_of(spec_.post_ops);
    std::deque<rows_buffer_t> operands_;
    std::vector<uint32_t> expected_;
    random_values_t random_;
};

class reorder_row_kernel : public tiled_row_kernel_test {
protected:
    row_reorder_spec_t spec_of(data_type_t src, data_type_t dst, dim_t line) const {
        row_reorder_spec_t spec{.isa = GetParam(), .line = line};
        spec.operands[dst_operand] = {dst, true};
        spec.operands[src_operand] = {src, true};
        return spec;
    }
    ::testing::AssertionResult is_right(
            const row_reorder_spec_t &spec, dim_t length = 0, bool has_specials = false) {
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

constexpr dim_t lines[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200, 1031};

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
                    row_reorder_spec_t spec = spec_of(src, dst, line);
                    for (size_t i = src_zero_point_operand; i < first_post_op_operand; ++i) {
                        if (!(present >> (i - src_zero_point_operand) & 1)) continue;
                        const bool is_scale = i == src_scale_operand || i == dst_scale_operand;
                        spec.operands[i] = {
                                is_scale ? scale_types[draw() % 3] : zero_point_types[draw() % 4],
                                draw() % 2 == 0};
                    }
                    ASSERT_TRUE(is_right(spec));
                }
}

TEST_P(reorder_row_kernel, applies_post_ops_with_more_operands_than_registers) {
    for (const data_type_t dst : row_types)
        for (const dim_t line : row_lines)
            for (const size_t links : {1, 3, 8}) {
                row_reorder_spec_t spec = spec_of(dnnl_f32, dst, line);
                spec.operands[src_scale_operand] = {dnnl_f32, draw() % 2 == 0};
                spec.operands[dst_scale_operand] = {dnnl_f32, draw() % 2 == 0};
                spec.post_ops.push_back({.alg = dnnl_eltwise_relu});
                for (size_t i = 0; i < links; ++i)
                    spec.post_ops.push_back({.alg = i == 1 ? dnnl_binary_mul : dnnl_binary_add,
                            .operands = {{row_types[draw() % 5], draw() % 2 == 0}}});
                ASSERT_TRUE(is_right(spec));
            }
}

TEST_P(reorder_row_kernel, takes_one_element_of_src_for_a_row) {
    for (const data_type_t dst : row_types)
        for (const dim_t line : row_lines) {
            row_reorder_spec_t spec = spec_of(dnnl_bf16, dst, line);
            spec.operands[src_operand].per_lane = false;
            ASSERT_TRUE(is_right(spec));
        }
}

TEST_P(reorder_row_kernel, takes_the_first_tiles_of_a_row) {
    for (const data_type_t dst : row_types) {
        const row_reorder_spec_t spec = spec_of(dnnl_f32, dst, 1031);
        for (dim_t tiles = 1; tiles <= 3; ++tiles)
            ASSERT_TRUE(is_right(spec, tiles * spec.tile_width()));
        ASSERT_TRUE(is_right(spec, 1031 % spec.tile_width()));
    }
}

TEST_P(reorder_row_kernel, stores_the_same_with_non_temporal_stores) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines) {
                row_reorder_spec_t spec = spec_of(src, dst, line);
                spec.is_non_temporal = spec.has_non_temporal_stores();
                ASSERT_TRUE(is_right(spec));
            }
}

INSTANTIATE_TEST_SUITE_P(levels, reorder_row_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace

} // namespace kiln::x64::reorder::test
