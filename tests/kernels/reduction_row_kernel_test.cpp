// SPDX-License-Identifier: Apache-2.0
// The kernel of reductions along rows, on every ISA level of the machine, between unmapped pages.
// Values are small integers, so that sums are exact and results are compared bit by bit.
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

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
        , details_(rows.details() + (has_nan ? ", with NaN" : ""))
        , src_(spec.src_type, t_.rows, t_.length, t_.gap, t_.placement)
        , dst_(spec.dst_type, t_.rows, 1, 0, t_.placement)
        , added_(dnnl_f32, t_.rows, 1, 0, t_.placement) {
        random_values_t random(t_.seed);
        const double low = spec.src_type == dnnl_u8 ? 0 : -9;
        for (dim_t row = 0; row < t_.rows; ++row) {
            for (dim_t i = 0; i < t_.length; ++i)
                src_.set(row, i, static_cast<float>(std::floor(random.between(low, 10))));
            if (has_nan && row % 2 == 0)
                src_.set(row, static_cast<dim_t>(random.between(0, double(t_.length))),
                        std::numeric_limits<float>::quiet_NaN());
            added_.set(row, 0, static_cast<float>(std::floor(random.between(0, 5))));
            dst_.set(row, 0, static_cast<float>(std::floor(random.between(0, 5))));
            expected_.push_back(model_store(spec.dst_type, result(row)));
        }
    }

    ::testing::AssertionResult is_right() {
        const jit::executable_code_t code = row_reduction_kernel_t(spec_).finish();
        const kernel_failure_t failure(spec_.name(), details_, t_.seed, {code.data(), code.size()});
        return run_tiled_rows(
                code, failure, t_, {&src_, &dst_, &added_, &dst_}, dst_, spec_.dst_type, expected_);
    }

private:
    float result(dim_t row) const {
        const row_reduction_spec_t &spec = spec_;
        double combined = spec.combine == combine_t::sum ? 0 : term(row, 0);
        bool has_nan = false;
        for (dim_t i = 0; i < t_.length; ++i) {
            const double x = term(row, i);
            has_nan |= std::isnan(x);
            switch (spec.combine) {
            case combine_t::max: combined = std::max(combined, x); break;
            case combine_t::min: combined = std::min(combined, x); break;
            case combine_t::sum: combined += x; break;
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
        return value + added_.get(row, 0) + dst_.get(row, 0);
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
            {.alg = dnnl_binary_add, .operands = {{dnnl_f32, false}}},
            {.alg = dnnl_binary_add,
                    .alpha = 1,
                    .operands = {{spec.dst_type, false}},
                    .is_sum = true}};
}

class reduction_row_kernel : public tiled_row_kernel_test {
protected:
    row_reduction_spec_t spec_of(data_type_t src, data_type_t dst, dim_t line) const {
        return {.isa = GetParam(), .line = line, .src_type = src, .dst_type = dst};
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
            for (const combine_t combine : {combine_t::max, combine_t::min, combine_t::sum})
                for (const dim_t line : row_lines) {
                    row_reduction_spec_t spec = spec_of(src, dst, line);
                    spec.combine = combine;
                    ASSERT_TRUE(is_right(spec));
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
                }
}

TEST_P(reduction_row_kernel, gives_nan_where_one_is_met) {
    for (const data_type_t src : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const combine_t combine : {combine_t::max, combine_t::min, combine_t::sum})
            for (const data_type_t dst : row_types)
                for (const dim_t line : row_lines) {
                    row_reduction_spec_t spec = spec_of(src, dst, line);
                    spec.combine = combine;
                    ASSERT_TRUE(is_right(spec, 0, true));
                }
}

TEST_P(reduction_row_kernel, applies_post_ops) {
    for (const data_type_t dst : row_types)
        for (const dim_t line : row_lines) {
            row_reduction_spec_t spec = spec_of(dnnl_f32, dst, line);
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
    }
}

INSTANTIATE_TEST_SUITE_P(levels, reduction_row_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace

} // namespace kiln::x64::reduction::test
