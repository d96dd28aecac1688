// SPDX-License-Identifier: Apache-2.0
// Integers of three digits for the floats of a row, between unmapped pages.
#include "cpu/x64/matrix/digit_kernel.hpp"

#include <cmath>
#include <limits>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "support/random_values.hpp"
#include "unit/jit/element_model.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::matrix::test {
namespace {

using namespace kiln::test;

constexpr isa_t level = isa_t::avx512_core_vnni;
constexpr int shift = 8;

/// A group of elements, and what the kernel makes of it.
class digit_run_t {
public:
    digit_run_t(data_type_t type, step_t step, std::vector<float> values, placement_t placement)
        : type_(type)
        , step_(step)
        , placement_(placement)
        , values_(std::move(values))
        , count_(static_cast<dim_t>(values_.size())) {
        for (float &x : values_) x = model_load(type_, model_store(type_, x)); // as it is stored
    }

    ::testing::AssertionResult is_right() {
        const marked_buffer_t src(
                values_.size() * static_cast<size_t>(model_size(type_)), placement_);
        for (size_t i = 0; i < values_.size(); ++i)
            write_code(src.data(), i, model_size(type_), model_store(type_, values_[i]));
        const dim_t padded = round_up<dim_t>(count_, 8);
        const marked_buffer_t dst(static_cast<size_t>(padded * digit_places), placement_);
        const marked_buffer_t scale(sizeof(float), placement_), sum(sizeof(float), placement_),
                of_shift(digit_places * sizeof(int32_t), placement_);
        const dim_t lanes = jit::lanes_of(level);
        const digit_spec_t spec{.isa = level,
                .src_type = type_,
                .step = step_,
                .shift = shift,
                .tail = static_cast<int>(count_ % lanes)};
        const jit::executable_code_t code = digit_kernel_t(spec).finish();
        digit_args_t args{.src = src.data(),
                .dst = dst.data(),
                .vectors = count_ / lanes,
                .has_tail = spec.tail != 0,
                .scale = reinterpret_cast<float *>(scale.data()),
                .sum = reinterpret_cast<float *>(sum.data()),
                .of_shift = reinterpret_cast<int32_t *>(of_shift.data())};
        code(args);

        const kernel_failure_t failure(
                spec.name(), std::to_string(count_) + " elements", 0, {code.data(), code.size()});
        if (!is_same(*args.scale, wanted_scale()))
            return failure.at(-1, wanted_scale(), *args.scale);
        int64_t total = 0;
        int32_t totals[digit_places] = {};
        for (dim_t i = 0; i < padded; ++i) {
            int64_t got = 0, power = 1;
            for (int digit = 0; digit < digit_places; ++digit, power *= 256) {
                const auto value = static_cast<int8_t>(dst.data()[place_of(i, digit)]);
                got += value * power;
                totals[digit] += value;
            }
            total += got;
            const int64_t wanted = i < count_ ? wanted_integer(values_[static_cast<size_t>(i)]) : 0;
            if (got != wanted) return failure.at(i, wanted, got);
        }
        if (*args.sum != static_cast<float>(total))
            return failure.at(-1, static_cast<float>(total), *args.sum);
        for (int digit = 0; digit < digit_places; ++digit)
            if (args.of_shift[digit] != -shift * totals[digit])
                return failure.at(-1, -shift * totals[digit], args.of_shift[digit]);
        for (const marked_buffer_t *const buffer : {&src, &dst, &scale, &sum, &of_shift})
            if (!buffer->slack_is_untouched()) return failure("wrote outside its results");
        return ::testing::AssertionSuccess();
    }

private:
    static bool is_same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }
    /// A lane of each digit of four elements: adjacent ones, or those at even, or odd, places.
    size_t place_of(dim_t element, int digit) const {
        const dim_t step = element / 8, within = element % 8;
        if (step_ == step_t::digits4)
            return static_cast<size_t>(element / 4 * 16 + digit * 4 + element % 4);
        return static_cast<size_t>(step * 32 + within % 2 * 16 + digit * 4 + within / 2);
    }
    float greatest() const {
        float greatest = 0;
        for (const float x : values_)
            if (!(std::fabs(x) <= greatest)) greatest = std::fabs(x);
        return greatest;
    }
    float wanted_scale() const {
        for (const float x : values_)
            if (std::isnan(x)) return x;
        const float most = greatest();
        if (std::isinf(most)) return most;
        const int exponent = most == 0 ? -1000 : std::ilogb(most * (129.0f / 256));
        return std::ldexp(1.0f, std::max(exponent, -105) - 21);
    }
    int64_t wanted_integer(float x) const {
        const float scale = wanted_scale();
        if (!std::isfinite(scale)) return std::isfinite(x) ? 0 : std::signbit(x) ? -1 : 1;
        return static_cast<int64_t>(std::nearbyint(static_cast<double>(x) / scale));
    }

    const data_type_t type_;
    const step_t step_;
    const placement_t placement_;
    std::vector<float> values_;
    const dim_t count_;
};

class matrix_digit_kernel : public testing::TestWithParam<data_type_t> {
protected:
    void SetUp() override {
        if (!has_isa(level)) GTEST_SKIP() << "the machine lacks VNNI for 512 bits";
    }
    static void expect_right(const std::vector<float> &values) {
        for (const step_t step : {step_t::digits4, step_t::digits8})
            for (const placement_t placement : placements)
                ASSERT_TRUE(digit_run_t(GetParam(), step, values, placement).is_right());
    }
};

TEST_P(matrix_digit_kernel, makes_integers_of_any_number_of_elements) {
    random_values_t random(1);
    for (dim_t count = 1; count <= 50; ++count) {
        std::vector<float> values;
        for (dim_t i = 0; i < count; ++i) // of unlike exponents
            values.push_back(static_cast<float>(
                    std::ldexp(random.between(-2, 2), static_cast<int>(random.between(-12, 12)))));
        expect_right(values);
    }
}

TEST_P(matrix_digit_kernel, takes_extreme_elements) {
    const auto limit = std::numeric_limits<float>::max();
    const auto infinity = std::numeric_limits<float>::infinity();
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::vector<float> &values : {std::vector<float>{0, -0.0f}, {1e-40f, -1e-44f},
                 {limit, -limit, 1}, {3e-38f, -1e-38f}, {65504, -1, 6e-8f},
                 {infinity, 5, -infinity}, {nan, 1, -infinity}, {1, 2, 3, -nan},
                 {1.99999988f, -1.99999988f}, {-1}, {256, 128}, {1.98f}, {1.99f}, {-127.5f}})
        expect_right(values);
}

INSTANTIATE_TEST_SUITE_P(
        types, matrix_digit_kernel, testing::Values(dnnl_f32, dnnl_bf16, dnnl_f16));

} // namespace
} // namespace kiln::x64::matrix::test
