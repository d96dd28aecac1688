// SPDX-License-Identifier: Apache-2.0
// The kernel of reductions along rows, on every ISA level of the machine, between unmapped pages.
// Values are small integers, so that sums are exact and results are compared bit by bit.
#include "cpu/x64/reduction/row_reduction_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "kernels/kernel_failure.hpp"
#include "kernels/rows_buffer.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::reduction::test {

namespace {

using namespace kiln::test;
using x64::test::rows_buffer_t;

constexpr data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8};

struct reduction_case_t {
    row_reduction_spec_t spec;
    dim_t rows = 1;
    dim_t length = 0; // of a part of the row; 0: all of it
    dim_t gap = 0;    // elements between rows
    bool has_nan = false;
    placement_t placement = placement_t::ends_at_guard;

    dim_t elements() const { return length != 0 ? length : spec.line; }
    std::string details() const {
        return std::to_string(rows) + " rows of " + std::to_string(elements()) + " of "
               + std::to_string(spec.line) + ", gap " + std::to_string(gap)
               + (has_nan ? ", with NaN" : "")
               + (placement == placement_t::ends_at_guard ? ", ends" : ", begins") + " at guard";
    }
};

/// The operands of a case with their values, and what dst should be.
class reduction_run_t {
public:
    reduction_run_t(const reduction_case_t &tested, uint64_t seed)
        : t_(tested)
        , src_(t_.spec.src_type, t_.rows, t_.elements(), t_.gap, t_.placement)
        , dst_(t_.spec.dst_type, t_.rows, 1, 0, t_.placement)
        , added_(dnnl_f32, t_.rows, 1, 0, t_.placement)
        , seed_(seed) {
        random_values_t random(seed);
        const double low = t_.spec.src_type == dnnl_u8 ? 0 : -9;
        for (dim_t row = 0; row < t_.rows; ++row) {
            for (dim_t i = 0; i < t_.elements(); ++i)
                src_.set(row, i, static_cast<float>(std::floor(random.between(low, 10))));
            if (t_.has_nan && row % 2 == 0)
                src_.set(row, static_cast<dim_t>(random.between(0, double(t_.elements()))),
                        std::numeric_limits<float>::quiet_NaN());
            added_.set(row, 0, static_cast<float>(std::floor(random.between(0, 5))));
            dst_.set(row, 0, static_cast<float>(std::floor(random.between(0, 5))));
            expected_.push_back(model_store(t_.spec.dst_type, result(row)));
        }
    }

    ::testing::AssertionResult is_right() {
        const jit::executable_code_t code = row_reduction_kernel_t(t_.spec).finish();
        const kernel_failure_t failure(
                t_.spec.name(), t_.details(), seed_, {code.data(), code.size()});
        tiled_row_args_t args{
                .rows = t_.rows, .length = t_.elements(), .operands = {}, .pitches = {}};
        const rows_buffer_t *const operands[] = {&src_, &dst_, &added_, &dst_};
        for (size_t i = 0; i < std::size(operands); ++i) {
            args.operands[i] = operands[i]->data();
            args.pitches[i] = operands[i]->pitch();
        }
        code.entry<void (*)(tiled_row_args_t *)>()(&args);
        for (dim_t row = 0; row < t_.rows; ++row) {
            const uint32_t got = dst_.code(row, 0), expected = expected_[static_cast<size_t>(row)];
            const float as_float = model_load(t_.spec.dst_type, expected);
            if (got != expected && !(std::isnan(as_float) && std::isnan(dst_.get(row, 0))))
                return failure.at(row, as_float, dst_.get(row, 0));
        }
        for (const auto *buffer : {&src_, &dst_, &added_})
            if (!buffer->has_intact_gaps()) return failure("wrote outside its operands");
        return ::testing::AssertionSuccess();
    }

private:
    float result(dim_t row) const {
        const row_reduction_spec_t &spec = t_.spec;
        double combined = spec.combine == combine_t::sum ? 0 : term(row, 0);
        bool has_nan = false;
        for (dim_t i = 0; i < t_.elements(); ++i) {
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
        switch (t_.spec.term) {
        case term_t::magnitude: return std::abs(x);
        case term_t::square: return x * x;
        default: return x;
        }
    }

    const reduction_case_t t_;
    rows_buffer_t src_, dst_, added_;
    std::vector<uint32_t> expected_;
    const uint64_t seed_;
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

class reduction_row_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }

    row_reduction_spec_t spec_of(data_type_t src, data_type_t dst, dim_t line) const {
        return {.isa = GetParam(), .line = line, .src_type = src, .dst_type = dst};
    }
    ::testing::AssertionResult is_right(reduction_case_t tested) {
        ++seed_;
        tested.rows = static_cast<dim_t>(1 + seed_ % 4);
        tested.gap = static_cast<dim_t>(seed_ % 3 * 5);
        tested.placement = placements[seed_ / 3 % 2];
        return reduction_run_t(tested, seed_).is_right();
    }

private:
    uint64_t seed_ = 0;
};

constexpr dim_t lines[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 200, 1031};

TEST_P(reduction_row_kernel, combines_rows_of_any_length_and_type) {
    for (const data_type_t src : types)
        for (const data_type_t dst : types)
            for (const combine_t combine : {combine_t::max, combine_t::min, combine_t::sum})
                for (const dim_t line : lines) {
                    row_reduction_spec_t spec = spec_of(src, dst, line);
                    spec.combine = combine;
                    ASSERT_TRUE(is_right({.spec = spec}));
                }
}

TEST_P(reduction_row_kernel, makes_means_and_norms) {
    for (const data_type_t src : types)
        for (const dim_t line : lines)
            for (const term_t term : {term_t::magnitude, term_t::square})
                for (const epsilon_use_t use : {epsilon_use_t::added, epsilon_use_t::least}) {
                    row_reduction_spec_t spec = spec_of(src, dnnl_f32, line);
                    spec.divisor = static_cast<float>(line);
                    ASSERT_TRUE(is_right({.spec = spec}));
                    spec.divisor = 1;
                    spec.term = term;
                    spec.epsilon_use = use;
                    spec.epsilon = 1.5f;
                    ASSERT_TRUE(is_right({.spec = spec}));
                    spec.takes_root = true;
                    ASSERT_TRUE(is_right({.spec = spec}));
                }
}

TEST_P(reduction_row_kernel, gives_nan_where_one_is_met) {
    for (const data_type_t src : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const combine_t combine : {combine_t::max, combine_t::min, combine_t::sum})
            for (const dim_t line : lines) {
                row_reduction_spec_t spec = spec_of(src, dnnl_f32, line);
                spec.combine = combine;
                ASSERT_TRUE(is_right({.spec = spec, .has_nan = true}));
            }
}

TEST_P(reduction_row_kernel, applies_post_ops) {
    for (const data_type_t dst : types)
        for (const dim_t line : lines) {
            row_reduction_spec_t spec = spec_of(dnnl_f32, dst, line);
            with_post_ops(spec);
            ASSERT_TRUE(is_right({.spec = spec}));
        }
}

TEST_P(reduction_row_kernel, takes_the_first_tiles_of_a_row) {
    for (const data_type_t src : types) {
        row_reduction_spec_t spec = spec_of(src, dnnl_f32, 1031);
        for (dim_t tiles = 1; tiles <= 3; ++tiles)
            ASSERT_TRUE(is_right({.spec = spec, .length = tiles * spec.tile_width()}));
        // The last part of the row.
        ASSERT_TRUE(is_right({.spec = spec, .length = 1031 % spec.tile_width()}));
    }
}

INSTANTIATE_TEST_SUITE_P(levels, reduction_row_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace

} // namespace kiln::x64::reduction::test
