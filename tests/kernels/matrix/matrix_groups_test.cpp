// SPDX-License-Identifier: Apache-2.0
// Groups of steps with scales and zero points in the kernel of matrix products, and steps that
// convert integers of B, on every ISA level of the machine, between unmapped pages. Values are
// small integers and scales powers of two, so that results are compared bit by bit.
#include <cmath>

#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/matrix/tile_kernel.hpp"
#include "kernels/kernel_failure.hpp"
#include "support/random_values.hpp"
#include "unit/jit/element_model.hpp"
#include "unit/jit/marked_buffer.hpp"

namespace kiln::x64::matrix::test {
namespace {

using namespace kiln::test;

bool is_half(data_type_t type) { return type == dnnl_s4 || type == dnnl_u4; }

/// An array whose last byte, or whose first one, is beside an unmapped page.
class array_t {
public:
    array_t(data_type_t type, dim_t count, placement_t placement)
        : type_(type)
        , buffer_(static_cast<size_t>(is_half(type) ? (count + 1) / 2 : count * model_size(type)),
                  placement) {}

    std::byte *data() const { return buffer_.data(); }
    void set(dim_t index, float value) const {
        const auto i = static_cast<size_t>(index);
        if (!is_half(type_))
            return write_code(data(), i, model_size(type_), model_store(type_, value));
        const auto bits = static_cast<uint32_t>(static_cast<int>(value) & 15);
        const uint32_t byte = read_code(data(), i / 2, 1);
        write_code(data(), i / 2, 1, i % 2 ? (byte & 15) | bits << 4 : (byte & 0xf0) | bits);
    }
    uint32_t code(dim_t index) const {
        return read_code(data(), static_cast<size_t>(index), model_size(type_));
    }
    bool is_intact() const { return buffer_.slack_is_untouched(); }

private:
    const data_type_t type_;
    const marked_buffer_t buffer_;
};

class group_run_t {
public:
    group_run_t(const tile_spec_t &spec, dim_t groups, dim_t steps, uint64_t seed)
        : spec_(spec)
        , seed_(seed)
        , groups_(groups)
        , steps_(steps)
        , columns_(spec.width() + spec.tail)
        , k_(groups * steps * depth_of(spec.step))
        , random_(seed) {}

    ::testing::AssertionResult is_right() {
        const placement_t placement = placements[seed_ % 2];
        const auto &groups = spec_.groups;
        const dim_t rows = spec_.rows, extent = k_ / groups_;
        const step_t base = base_of(spec_.step);
        a_ = drawn(rows * k_, base == step_t::u8s8 && !spec_.a_is_signed ? 0 : -3);
        b_ = drawn(k_ * columns_, is_unsigned(spec_.b_type) ? 0 : -4);
        scales_ = drawn(groups_ * columns_, 0);
        for (float &scale : scales_) scale = std::exp2(scale);
        zeros_ = drawn(groups_ * columns_, is_unsigned(groups.b_zero.type) ? 0 : -3);
        row_scales_ = drawn(groups_ * rows_of_group, 0);
        const std::vector<float> subtracted = drawn(groups_ * columns_, -9);

        // Integers of 16 bits have the size of bf16.
        const data_type_t a_type = base == step_t::f32                           ? dnnl_f32
                                   : base == step_t::bf16 || base == step_t::s16 ? dnnl_bf16
                                   : spec_.a_is_signed                           ? dnnl_s8
                                                                                 : dnnl_u8;
        const array_t a(a_type, rows * k_ * a_copies(spec_.step), placement);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t k = 0; k < k_; ++k) {
                if (has_digits(spec_.step)) {
                    set_digits(a, row, k);
                    continue;
                }
                const dim_t at = row * k_ + place_of(k);
                if (base == step_t::s16)
                    write_code(a.data(), static_cast<size_t>(at), 2,
                            static_cast<uint16_t>(static_cast<int16_t>(a_at(row, k))));
                else
                    a.set(at, a_at(row, k));
            }
        const array_t b(spec_.b_type, b_elements(), placement);
        place(b);
        const array_t scales(groups.b_scale.exists() ? groups.b_scale.type : dnnl_f32,
                groups_ * columns_, placement);
        const array_t zeros(groups.b_zero.exists() ? groups.b_zero.type : dnnl_u8,
                groups_ * columns_, placement);
        for (dim_t i = 0; i < groups_ * columns_; ++i) {
            scales.set(i, scales_[static_cast<size_t>(i)]);
            zeros.set(i, zeros_[static_cast<size_t>(i)]);
        }
        const array_t minus(dnnl_s32, groups_ * columns_, placement);
        for (dim_t i = 0; i < groups_ * columns_; ++i)
            minus.set(i, subtracted[static_cast<size_t>(i)]);
        const data_type_t sum_type = spec_.has_integer_groups() ? dnnl_s32 : dnnl_f32;
        const array_t sums(sum_type, groups_ * rows_of_group, placement);
        for (dim_t group = 0; group < groups_; ++group)
            for (dim_t row = 0; row < rows; ++row)
                sums.set(group * rows_of_group + row, sum_of(row, group));
        const array_t dst(spec_.dst_type, rows * columns_, placement);

        const jit::executable_code_t code = tile_kernel_t(spec_).finish();
        const kernel_failure_t failure(spec_.name(),
                std::to_string(groups_) + " groups of " + std::to_string(steps_) + " steps", seed_,
                {code.data(), code.size()});
        tile_args_t args{};
        const dim_t panel = groups_ * steps_ * spec_.b_bytes(spec_.width());
        args.a = a.data();
        args.a_pitch = k_ * element_bytes(spec_.step);
        args.b = args.b_ahead = b.data();
        args.b_pitch = spec_.b_bytes(static_cast<int>(columns_));
        args.b_panel = spec_.is_packed ? panel : spec_.b_bytes(spec_.width());
        args.steps = steps_;
        args.strips = 1;
        args.panels = 1;
        args.has_tail = spec_.tail != 0;
        args.b_sums = reinterpret_cast<const int32_t *>(minus.data());
        args.b_sums_pitch = columns_ * 4;
        std::vector<int32_t> a_zeros(static_cast<size_t>(groups_ * rows_of_group));
        for (dim_t i = 0; i < groups_ * rows_of_group; ++i)
            a_zeros[static_cast<size_t>(i)] =
                    static_cast<int32_t>(a_zero(i / rows_of_group, i % rows_of_group));
        if (has_digits(spec_.step)) set_first_sums(a_zeros);
        args.a_zeros = a_zeros.data();
        args.groups = groups_;
        args.a_group = steps_ * a_bytes(spec_.step);
        args.b_group = steps_ * (spec_.is_packed ? spec_.b_bytes(spec_.width()) : args.b_pitch);
        args.b_scales = scales.data();
        args.b_zeros = zeros.data();
        const auto pitch = [&](const group_operand_t &operand) {
            if (!operand.exists()) return dim_t(0);
            const dim_t count = operand.per_lane ? columns_ : 1;
            return is_half(operand.type) ? count / 2 : count * model_size(operand.type);
        };
        args.b_scale_pitch = pitch(groups.b_scale);
        args.b_zero_pitch = pitch(groups.b_zero);
        args.b_scale_left = left(groups.b_scale);
        args.b_zero_left = left(groups.b_zero);
        args.a_sums = sums.data();
        args.a_scales = row_scales_.data();
        args.dst = dst.data();
        args.dst_pitch = columns_ * model_size(spec_.dst_type);
        code(args);

        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns_; ++i) {
                float wanted = 0;
                for (dim_t group = 0; group < groups_; ++group) {
                    double exact = 0;
                    for (dim_t k = group * extent; k < (group + 1) * extent; ++k)
                        exact += static_cast<double>(a_at(row, k)) * b_at(k, i);
                    if (groups.b_zero.exists())
                        exact -= static_cast<double>(of(zeros_, groups.b_zero, group, i))
                                 * sum_of(row, group);
                    auto sum = static_cast<float>(exact);
                    if (spec_.subtracts && groups.have_scales())
                        sum -= a_zero(group, row)
                               * subtracted[static_cast<size_t>(group * columns_ + i)];
                    if (groups.b_scale.exists()) sum *= of(scales_, groups.b_scale, group, i);
                    if (groups.has_a_scale)
                        sum *= row_scales_[static_cast<size_t>(group * rows_of_group + row)];
                    wanted += sum;
                }
                if (spec_.subtracts && !groups.have_scales())
                    wanted -= a_zero(0, row) * subtracted[static_cast<size_t>(i)];
                const uint32_t got = dst.code(row * columns_ + i);
                if (got != model_store(spec_.dst_type, wanted))
                    return failure.at(row * columns_ + i, wanted, model_load(spec_.dst_type, got));
            }
        return dst.is_intact() && b.is_intact() ? ::testing::AssertionSuccess()
                                                : failure("wrote outside dst");
    }

private:
    static float a_zero(dim_t group, dim_t row) { return static_cast<float>(group + row % 3 - 1); }
    static bool is_unsigned(data_type_t type) { return type == dnnl_u8 || type == dnnl_u4; }
    std::vector<float> drawn(dim_t count, int least) {
        std::vector<float> values(static_cast<size_t>(count));
        for (float &value : values)
            value = static_cast<float>(std::floor(random_.between(least, least == 0 ? 6 : 4)));
        return values;
    }
    float a_at(dim_t row, dim_t k) const {
        if (!has_digits(spec_.step)) return a_[static_cast<size_t>(row * k_ + k)];
        return digit_at(row, k, 0) + 256 * digit_at(row, k, 1) + 65536 * digit_at(row, k, 2);
    }
    float digit_at(dim_t row, dim_t k, int digit) const {
        const float x = a_[static_cast<size_t>(row * k_ + k)];
        const bool is_large = k % 8 == row % 8; // so few that sums are exact
        return digit == 0 ? x : digit == 1 ? 2 - x : is_large ? -x : 0;
    }
    /// What sums of digits begin with takes back what is added to elements of B.
    void set_first_sums(std::vector<int32_t> &sums) const {
        for (dim_t i = 0; i < std::ssize(sums); ++i) {
            const dim_t group = i / rows_of_group, row = i % rows_of_group / digit_places;
            const int digit = static_cast<int>(i % digit_places);
            float sum = 0;
            for (dim_t k = group * k_ / groups_; k < (group + 1) * k_ / groups_; ++k)
                if (row < spec_.rows) sum += digit_at(row, k, digit % digits_of_element);
            sums[static_cast<size_t>(i)] = -spec_.b_shift() * static_cast<int32_t>(sum);
        }
    }
    /// A lane of each digit of four elements: adjacent ones, or those at even, or odd, places.
    void set_digits(const array_t &a, dim_t row, dim_t k) const {
        const bool is_of_bytes = spec_.step == step_t::digits4;
        const dim_t four = is_of_bytes ? k / 4 : k / 8 * 2 + k % 2;
        const dim_t place = is_of_bytes ? k % 4 : k % 8 / 2;
        for (int digit = 0; digit < digits_of_element; ++digit)
            a.set((row * k_ + four * 4) * digit_places + digit * 4 + place,
                    digit_at(row, k, digit));
    }
    float b_at(dim_t k, dim_t column) const {
        return b_[static_cast<size_t>(k * columns_ + column)];
    }
    /// Groups of the first value.
    dim_t left(const group_operand_t &operand) const {
        return 1 + static_cast<dim_t>(seed_) % operand.run;
    }
    /// One for each column, or the first one.
    float of(const std::vector<float> &values, const group_operand_t &operand, dim_t group,
            dim_t column) const {
        const dim_t row = (group + operand.run - left(operand)) / operand.run;
        return values[static_cast<size_t>(operand.per_lane ? row * columns_ + column : row)];
    }
    float sum_of(dim_t row, dim_t group) const {
        float sum = 0;
        const dim_t extent = k_ / groups_;
        for (dim_t k = group * extent; k < (group + 1) * extent; ++k) sum += a_at(row, k);
        return sum;
    }
    /// Where element k of a row of A is.
    dim_t place_of(dim_t k) const {
        constexpr dim_t of_words[] = {0, 2, 4, 6, 1, 3, 5, 7},
                        of_bytes[] = {0, 4, 1, 5, 2, 6, 3, 7};
        if (!has_octets(spec_.step)) return k;
        return k / 8 * 8 + (element_bytes(spec_.step) == 1 ? of_bytes : of_words)[k % 8];
    }
    dim_t b_elements() const {
        const dim_t panels = spec_.tail == 0 ? 1 : 2;
        return k_ * (spec_.is_packed ? panels * spec_.width() : columns_);
    }
    /// In panels of steps, whose columns' elements are adjacent; or in rows.
    void place(const array_t &b) const {
        const int depth = depth_of(spec_.step);
        const dim_t width = spec_.width();
        for (dim_t i = 0; i < b_elements(); ++i) b.set(i, 0);
        for (dim_t k = 0; k < k_; ++k)
            for (dim_t i = 0; i < columns_; ++i) {
                const dim_t step = i / width * (k_ / depth) + k / depth;
                b.set(spec_.is_packed ? (step * width + i % width) * depth + k % depth
                                      : k * columns_ + i,
                        b_at(k, i));
            }
    }

    const tile_spec_t spec_;
    const uint64_t seed_;
    const dim_t groups_, steps_, columns_, k_;
    random_values_t random_;
    std::vector<float> a_, b_, scales_, zeros_, row_scales_;
};

struct multiplied_by_groups_t {
    step_t step;
    data_type_t b_type;
    bool is_packed;
    bool a_is_signed = false;
};
constexpr multiplied_by_groups_t multiplied_by_groups[] = {
        {step_t::f32x4, dnnl_s8, true},
        {step_t::f32x4, dnnl_u8, true},
        {step_t::f32x8, dnnl_s4, true},
        {step_t::f32x8, dnnl_u4, true},
        {step_t::bf16x8, dnnl_s4, true},
        {step_t::bf16x8, dnnl_u4, true},
        {step_t::f32, dnnl_s8, false},
        {step_t::f32, dnnl_u4, false},
        {step_t::f32, dnnl_s4, false},
        {step_t::u8s8, dnnl_s8, true},
        {step_t::u8s8, dnnl_u8, true},
        {step_t::u8s8, dnnl_s8, true, true},
        {step_t::u8s8, dnnl_u8, true, true},
        {step_t::u8s8x8, dnnl_s4, true},
        {step_t::u8s8x8, dnnl_u4, true},
        {step_t::u8s8x8, dnnl_s4, true, true},
        {step_t::u8s8x8, dnnl_u4, true, true},
        {step_t::s16x8, dnnl_s4, true},
        {step_t::s16x8, dnnl_u4, true},
        {step_t::digits8, dnnl_s4, true, true},
        {step_t::digits8, dnnl_u4, true, true},
        {step_t::digits4, dnnl_s8, true, true},
        {step_t::digits4, dnnl_u8, true, true},
};

/// Digits have scales of A's rows, and no zero points of A.
bool takes(isa_t isa, step_t step, bool has_a_scale) {
    if (!has_digits(step)) return has_step(isa, step);
    return has_a_scale && has_step(isa, step) && has(isa, feature_t::avx512_core);
}

class matrix_groups : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    /// For each number of vectors the most rows, and one; tails of even numbers of columns.
    void expect_right(tile_spec_t spec) {
        for (spec.vectors = 1; spec.vectors <= 4; ++spec.vectors)
            for (const int rows : {1, most_rows(GetParam(), spec.step, spec.vectors)}) {
                spec.rows = rows;
                spec.fetches_b = rows == 1;
                const auto width = static_cast<uint64_t>(spec.width());
                spec.tail = static_cast<int>(++seed_ * 6 % width);
                ASSERT_TRUE(group_run_t(spec, 1 + dim_t(seed_ % 3), 1 + dim_t(seed_ % 5), seed_)
                                    .is_right());
            }
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_groups, have_scales_and_zero_points_of_every_type) {
    struct operands_t {
        group_operand_t scale, zero;
    };
    constexpr operands_t operands[] = {
            {{dnnl_f32, true}, {}},
            {{dnnl_f16, true}, {dnnl_s8, true}},
            {{dnnl_bf16, true}, {dnnl_u4, true}},
            {{dnnl_f32, false}, {dnnl_s4, true}},
            {{}, {dnnl_u8, false}},
            {{dnnl_f32, true}, {dnnl_s32, true}},
            {{dnnl_f32, true, 2}, {dnnl_s8, true}},
            {{dnnl_bf16, true}, {dnnl_u4, true, 3}},
            {{dnnl_f32, false, 3}, {dnnl_s32, true, 2}},
    };
    for (const auto &[step, b_type, is_packed, a_is_signed] : multiplied_by_groups)
        for (const auto &[scale, zero] : operands)
            for (const bool has_a_scale : {false, true}) {
                if (!takes(GetParam(), step, has_a_scale)) continue;
                expect_right({.isa = GetParam(),
                        .step = step,
                        .a_is_signed = a_is_signed,
                        .b_type = b_type,
                        .is_packed = is_packed,
                        .subtracts = is_integer(step) && !has_digits(step) && has_a_scale,
                        .groups = {scale, zero, has_a_scale}});
            }
}

TEST_P(matrix_groups, of_integers_without_scales_are_integers) {
    for (const auto &[step, b_type, is_packed, a_is_signed] : multiplied_by_groups)
        for (const auto type : {dnnl_s8, dnnl_s32})
            for (const bool subtracts : {false, true}) {
                if (!is_integer(step) || !takes(GetParam(), step, false)) continue;
                expect_right({.isa = GetParam(),
                        .step = step,
                        .a_is_signed = a_is_signed,
                        .b_type = b_type,
                        .is_packed = is_packed,
                        .subtracts = subtracts,
                        .groups = {.b_zero = {type, true}},
                        .dst_type = dnnl_s32});
            }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_groups, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace
} // namespace kiln::x64::matrix::test
