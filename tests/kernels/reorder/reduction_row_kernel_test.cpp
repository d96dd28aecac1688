// SPDX-License-Identifier: Apache-2.0
// The kernel of reductions along rows and columns, on every ISA level of the machine, between
// unmapped pages.
// Values are small integers, so that sums are exact and results are compared bit by bit.
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/tiled_row_run.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::reduction::test {

namespace {

using namespace kiln::test;
using namespace x64::test;

/// The operands of a case with their values, and what dst should be.
class reduction_run_t {
public:
    reduction_run_t(const row_reduction_spec_t &spec, const tiled_row_case_t &rows, bool has_nan)
        : spec_(spec)
        , t_(rows)
        , details_(rows.details() + ", " + std::to_string(spec.src_stride) + " and "
                   + std::to_string(spec.dst_stride) + " apart" + (has_nan ? ", with NaN" : ""))
        , src_(spec.src_type, t_.rows, t_.length, t_.gap, t_.placement, spec.src_stride)
        , dst_(results_of(spec.dst_type, spec.dst_stride))
        , added_(results_of(dnnl_f32, 1)) {
        random_values_t random(t_.seed);
        for (dim_t row = 0; row < t_.rows; ++row) {
            for (dim_t i = 0; i < t_.length; ++i) src_.set(row, i, term_value(random));
            if (has_nan && row % 2 == 0)
                src_.set(row, static_cast<dim_t>(random.between(0, double(t_.length))),
                        std::numeric_limits<float>::quiet_NaN());
        }
        for (dim_t index = 0; index < (spec.makes_row ? t_.length : t_.rows); ++index) {
            const auto [row, column] = place_of(index);
            added_.set(row, column, static_cast<float>(std::floor(random.between(0, 5))));
            dst_.set(row, column, static_cast<float>(std::floor(random.between(0, 5))));
            expected_.push_back(model_store(spec.dst_type, result(index)));
        }
    }

    ::testing::AssertionResult is_right() {
        const jit::executable_code_t code = row_reduction_kernel_t(spec_).finish();
        const kernel_failure_t failure(spec_.name(), details_, t_.seed, {code.data(), code.size()});
        return run_tiled_rows(
                code, failure, t_, {&src_, &dst_, &added_, &dst_}, dst_, spec_.dst_type, expected_);
    }

private:
    /// One element for each row, or one row.
    rows_buffer_t results_of(data_type_t type, dim_t stride) const {
        return spec_.makes_row ? rows_buffer_t(type, 1, t_.length, 0, t_.placement, stride)
                               : rows_buffer_t(type, t_.rows, 1, 0, t_.placement);
    }
    /// Where a result lies.
    std::pair<dim_t, dim_t> place_of(dim_t index) const {
        return spec_.makes_row ? std::pair(dim_t(0), index) : std::pair(index, dim_t(0));
    }

    /// Products of 1, -1 and a few 2 are exact, too.
    float term_value(random_values_t &random) const {
        const bool has_sign = spec_.src_type != dnnl_u8;
        if (spec_.combine != combine_t::product)
            return static_cast<float>(std::floor(random.between(has_sign ? -9 : 0, 10)));
        if (random.between(0, 40) < 1) return 2;
        return has_sign && random.between(0, 2) < 1 ? -1 : 1;
    }

    float result(dim_t index) const {
        const row_reduction_spec_t &spec = spec_;
        double combined = spec.combine == combine_t::sum ? 0 : 1;
        bool has_nan = false;
        for (dim_t i = 0; i < (spec.makes_row ? t_.rows : t_.length); ++i) {
            const double x = spec.makes_row ? term(i, index) : term(index, i);
            has_nan |= std::isnan(x);
            switch (spec.combine) {
            case combine_t::max: combined = i == 0 ? x : std::max(combined, x); break;
            case combine_t::min: combined = i == 0 ? x : std::min(combined, x); break;
            case combine_t::sum: combined += x; break;
            case combine_t::product: combined *= x; break;
            }
        }
        float value = has_nan ? std::numeric_limits<float>::quiet_NaN()
                              : static_cast<float>(combined) / spec.divisor;
        if (spec.epsilon_use == epsilon_use_t::added) value += spec.epsilon;
        if (spec.epsilon_use == epsilon_use_t::least && value < spec.epsilon) value = spec.epsilon;
        if (spec.takes_root) value = std::sqrt(value);
        if (spec.post_ops.empty()) return value;
        // As `with_post_ops` has them.
        value = std::isnan(value) ? value : std::max(value, 0.f);
        const auto [row, column] = place_of(index);
        return value + added_.get(row, column) + dst_.get(row, column);
    }

    double term(dim_t row, dim_t i) const {
        const double x = src_.get(row, i);
        switch (spec_.term) {
        case term_t::magnitude: return std::abs(x);
        case term_t::square: return x * x;
        default: return x;
        }
    }

    const row_reduction_spec_t spec_;
    const tiled_row_case_t t_;
    const std::string details_;
    rows_buffer_t src_, dst_, added_;
    std::vector<uint32_t> expected_;
};

/// A ReLU, the addition of an operand, and the addition of dst.
void with_post_ops(row_reduction_spec_t &spec) {
    spec.post_ops = {{.alg = dnnl_eltwise_relu},
            {.alg = dnnl_binary_add, .operands = {{dnnl_f32, spec.makes_row}}},
            {.alg = dnnl_binary_add,
                    .alpha = 1,
                    .operands = {{spec.dst_type, spec.makes_row,
                            spec.makes_row ? spec.dst_stride : 1}},
                    .is_sum = true}};
}

constexpr combine_t combines[] = {
        combine_t::max, combine_t::min, combine_t::sum, combine_t::product};

class reduction_row_kernel : public tiled_row_kernel_test {
protected:
    row_reduction_spec_t spec_of(data_type_t src, data_type_t dst, dim_t line) const {
        return {.isa = GetParam(), .line = line, .src_type = src, .dst_type = dst};
    }
    /// Of rows that are combined with each other.
    row_reduction_spec_t column_spec_of(data_type_t src, data_type_t dst, dim_t line) const {
        row_reduction_spec_t spec = spec_of(src, dst, line);
        spec.makes_row = true;
        return spec;
    }
    /// length: of a part of the row; 0: all of it.
    ::testing::AssertionResult is_right(
            const row_reduction_spec_t &spec, dim_t length = 0, bool has_nan = false) {
        return reduction_run_t(spec, {spec.line, length, next_seed()}, has_nan).is_right();
    }
};

TEST_P(reduction_row_kernel, combines_rows_of_any_length_and_type) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const combine_t combine : combines)
                for (const dim_t line : row_lines) {
                    row_reduction_spec_t spec = spec_of(src, dst, line);
                    spec.combine = combine;
                    ASSERT_TRUE(is_right(spec));
                }
}

TEST_P(reduction_row_kernel, combines_columns_of_rows_of_any_length_and_type) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const combine_t combine : combines)
                for (const dim_t line : row_lines) {
                    row_reduction_spec_t spec = column_spec_of(src, dst, line);
                    spec.combine = combine;
                    ASSERT_TRUE(is_right(spec));
                }
}

TEST_P(reduction_row_kernel, takes_elements_that_lie_apart) {
    for (const data_type_t src : row_types)
        for (const data_type_t dst : row_types)
            for (const dim_t line : row_lines) {
                row_reduction_spec_t spec = spec_of(src, dst, line);
                spec.src_stride = 3;
                ASSERT_TRUE(is_right(spec));
                for (const dim_t src_stride : {1, 3})
                    for (const dim_t dst_stride : {1, 5}) {
                        spec = column_spec_of(src, dst, line);
                        spec.src_stride = src_stride;
                        spec.dst_stride = dst_stride;
                        with_post_ops(spec);
                        ASSERT_TRUE(is_right(spec));
                    }
            }
}

TEST_P(reduction_row_kernel, makes_means_and_norms) {
    for (const data_type_t src : row_types)
        for (const dim_t line : row_lines)
            for (const term_t term : {term_t::magnitude, term_t::square})
                for (const epsilon_use_t use : {epsilon_use_t::added, epsilon_use_t::least}) {
                    row_reduction_spec_t spec = spec_of(src, dnnl_f32, line);
                    spec.divisor = static_cast<float>(line);
                    ASSERT_TRUE(is_right(spec));
                    spec.divisor = 1;
                    spec.term = term;
                    spec.epsilon_use = use;
                    spec.epsilon = 1.5f;
                    ASSERT_TRUE(is_right(spec));
                    spec.takes_root = true;
                    ASSERT_TRUE(is_right(spec));
                    spec.makes_row = true;
                    ASSERT_TRUE(is_right(spec));
                }
}

TEST_P(reduction_row_kernel, gives_nan_where_one_is_met) {
    for (const data_type_t src : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const combine_t combine : combines)
            for (const data_type_t dst : row_types)
                for (const dim_t line : row_lines) {
                    row_reduction_spec_t spec = spec_of(src, dst, line);
                    spec.combine = combine;
                    ASSERT_TRUE(is_right(spec, 0, true));
                    spec.makes_row = true;
                    ASSERT_TRUE(is_right(spec, 0, true));
                }
}

TEST_P(reduction_row_kernel, applies_post_ops) {
    for (const data_type_t dst : row_types)
        for (const dim_t line : row_lines) {
            row_reduction_spec_t spec = spec_of(dnnl_f32, dst, line);
            with_post_ops(spec);
            ASSERT_TRUE(is_right(spec));
            spec = column_spec_of(dnnl_f32, dst, line);
            with_post_ops(spec);
            ASSERT_TRUE(is_right(spec));
        }
}

TEST_P(reduction_row_kernel, takes_the_first_tiles_of_a_row) {
    for (const data_type_t src : row_types) {
        row_reduction_spec_t spec = spec_of(src, dnnl_f32, 1031);
        for (dim_t tiles = 1; tiles <= 3; ++tiles)
            ASSERT_TRUE(is_right(spec, tiles * spec.tile_width()));
        // The last part of the row.
        ASSERT_TRUE(is_right(spec, 1031 % spec.tile_width()));
        spec.makes_row = true;
        ASSERT_TRUE(is_right(spec, spec.tile_width()));
        ASSERT_TRUE(is_right(spec, 1031 % spec.tile_width()));
    }
}

INSTANTIATE_TEST_SUITE_P(levels, reduction_row_kernel, testing::ValuesIn(float_kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace

} // namespace kiln::x64::reduction::test
