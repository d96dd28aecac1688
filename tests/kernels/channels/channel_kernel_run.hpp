// SPDX-License-Identifier: Apache-2.0
// Operands, values and sums of a kernel on channels, in memory that touches unmapped pages.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/channels/channel_kernel.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/machine_levels.hpp"
#include "kernels/row_tensor.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::channel_normalization::test {

using kiln::test::kernel_failure_t;
using kiln::test::placement_t;
using kiln::test::random_values_t;
using tensor_t = layer_normalization::test::row_tensor_t;

/// What one call works on: `units` units (columns: one) of `rows` rows of `line` elements, `gap`
/// elements from the end of a row to the next, and a row that is not touched from unit to unit.
struct channel_case_t {
    isa_t isa;
    channel_rows_t kind;
    dim_t units, rows, line, gap;
    placement_t placement;
    bool is_streamed;
    bool has_nan; // an element of the operand that is normalized, or of its gradient, is NaN

    bool is_columns() const { return kind == channel_rows_t::columns; }
    dim_t channels() const { return is_columns() ? line : units; }
    dim_t channel(dim_t unit, dim_t column) const { return is_columns() ? column : unit; }
    channel_walk_t walk() const {
        const dim_t pitch = channels() + gap;
        return {isa, kind, line, pitch, is_columns() ? pitch : 1, 2, is_streamed, is_streamed};
    }
    std::string details() const {
        return std::to_string(units) + " units of " + std::to_string(rows) + " rows of "
               + std::to_string(line) + " elements, gap " + std::to_string(gap)
               + (is_streamed ? ", streamed" : "") + (has_nan ? ", with NaN" : "")
               + (placement == placement_t::ends_at_guard ? ", ends" : ", begins") + " at guard";
    }

    /// Calls `body(unit, row, column)` for all elements.
    template <typename body_t> void for_each_element(const body_t &body) const {
        for (dim_t unit = 0; unit < units; ++unit)
            for (dim_t row = 0; row < rows; ++row)
                for (dim_t column = 0; column < line; ++column) body(unit, row, column);
    }
};

/// Every case on every ISA level of the machine.
template <typename body_t> void for_each_case(const body_t &body) {
    using enum channel_rows_t;
    struct shape_t {
        channel_rows_t kind;
        dim_t units, rows, line, gap;
    };
    constexpr shape_t shapes[]{{columns, 1, 5, 17, 3}, {columns, 1, 70, 16, 0},
            {columns, 1, 19, 64, 16}, {columns, 1, 18, 133, 1}, {columns, 1, 1, 7, 0},
            {columns, 1, 67, 96, 0}, {columns, 1, 3, 141, 7}, {columns, 1, 3, 1040, 0},
            {columns, 1, 38, 1040, 2}, {planes, 3, 2, 7, 5}, {planes, 2, 1, 49, 1},
            {planes, 1, 3, 133, 9}, {planes, 4, 5, 16, 0}, {planes, 2, 3, 80, 16}};
    for (const isa_t isa : machine_levels())
        for (const shape_t &s : shapes)
            for (const auto placement : {placement_t::ends_at_guard, placement_t::begins_at_guard})
                for (const bool is_streamed : {false, true})
                    for (const bool has_nan : {false, true})
                        if (!has_nan || is_streamed == (placement == placement_t::ends_at_guard))
                            body(channel_case_t{isa, s.kind, s.units, s.rows, s.line, s.gap,
                                    placement, is_streamed, has_nan});
}

/// The rows of an operand.
class channel_tensor_t {
public:
    channel_tensor_t(const channel_case_t &c, const channel_operand_t &operand)
        : rows_(c.rows)
        , units_(c.units)
        , line_(c.line)
        , is_mask_(operand.is_mask)
        , type_(is_mask_ ? dnnl_u8 : operand.type)
        , pitch_((columns() + c.gap) * static_cast<dim_t>(kiln::test::size_of(type_)))
        , tensor_(type_, c.units * (c.rows + 1) - 1, columns(), pitch_, c.placement) {}

    void fill(random_values_t &random, double low, double high) {
        for (dim_t unit = 0; unit < units_; ++unit)
            for (dim_t row = 0; row < rows_; ++row)
                for (dim_t i = 0; i < columns(); ++i)
                    tensor_.set(row_of(unit, row), i, random.between(low, high));
    }
    /// Makes an element in the middle NaN, where the type has it.
    void spoil() {
        if (!kiln::test::is_integer(type_))
            tensor_.set(row_of(units_ / 2, rows_ / 2), columns() / 2, kiln::test::full_nan);
    }
    double get(dim_t unit, dim_t row, dim_t column) const {
        return tensor_.get(row_of(unit, row), column);
    }
    bool bit(dim_t unit, dim_t row, dim_t column) const {
        return static_cast<unsigned>(get(unit, row, column / 8)) >> column % 8 & 1;
    }
    /// Whether a ReLU passes where this operand says.
    bool passes(dim_t unit, dim_t row, dim_t column) const {
        return is_mask_ ? bit(unit, row, column) : get(unit, row, column) > 0;
    }
    void bind(channel_args_t &args, size_t index) const {
        args.rows.operands[index] = tensor_.data();
        args.rows.pitches[index] = args.pitches_of_units[index] = pitch_;
    }
    const std::byte *row(dim_t unit, dim_t row) const { return tensor_.at(row_of(unit, row), 0); }
    dim_t elements_between_units() const {
        return (rows_ + 1) * pitch_ / static_cast<dim_t>(kiln::test::size_of(type_));
    }

    /// Whether nothing was written between rows, between units and beside the tensor.
    bool is_intact() const {
        for (dim_t unit = 0; unit + 1 < units_; ++unit)
            for (const std::byte value : tensor_.row_bits(row_of(unit, rows_)))
                if (value != tensor_t::mark) return false;
        return tensor_.has_intact_gaps();
    }

private:
    dim_t columns() const { return is_mask_ ? (line_ + 7) / 8 : line_; }
    dim_t row_of(dim_t unit, dim_t row) const { return unit * (rows_ + 1) + row; }

    dim_t rows_, units_, line_;
    bool is_mask_;
    data_type_t type_;
    dim_t pitch_;
    tensor_t tensor_;
};

/// Arrays of values of channels.
class channel_values_t {
public:
    channel_values_t(const channel_case_t &c, dim_t count)
        : tensor_(dnnl_f32, count, c.channels(),
                c.walk().value_pitch * static_cast<dim_t>(sizeof(float)), c.placement) {}

    void fill(
            random_values_t &random, const channel_case_t &c, int value, double low, double high) {
        for (dim_t i = 0; i < c.channels(); ++i) tensor_.set(value, i, random.between(low, high));
    }
    double get(int value, dim_t channel) const { return tensor_.get(value, channel); }
    const float *data() const { return reinterpret_cast<const float *>(tensor_.data()); }

private:
    tensor_t tensor_;
};

/// Two sums of each channel, which begin at 1 and 2, and its block sums if rows have them.
class channel_sums_t {
public:
    explicit channel_sums_t(const channel_case_t &c)
        : is_columns_(c.is_columns())
        , has_block_sums_(is_columns_ && has_block_sums(c.line))
        , channels_(c.channels())
        , tensor_(dnnl_f32, is_columns_ ? (has_block_sums_ ? 4 : 2) : 2 * c.units,
                  is_columns_ ? c.line : 1,
                  (is_columns_ ? c.walk().sum_pitch : 1) * static_cast<dim_t>(sizeof(float)),
                  c.placement) {
        for (dim_t channel = 0; channel < channels_; ++channel) {
            for (int sum : {0, 1}) tensor_.set(row(sum, channel), column(channel), 1 + sum);
            for (int sum : {2, 3})
                if (has_block_sums_) tensor_.set(row(sum, channel), column(channel), 0);
        }
    }

    /// What the kernel has added.
    double get(int sum, dim_t channel) const {
        return tensor_.get(row(sum, channel), column(channel)) - 1 - sum;
    }
    float *data() const { return reinterpret_cast<float *>(tensor_.data()); }
    bool is_intact() const {
        for (dim_t channel = 0; channel < channels_ && has_block_sums_; ++channel)
            for (int sum : {2, 3})
                if (tensor_.get(row(sum, channel), column(channel)) != 0) return false;
        return tensor_.has_intact_gaps();
    }

private:
    dim_t row(int sum, dim_t channel) const { return is_columns_ ? sum : 2 * channel + sum; }
    dim_t column(dim_t channel) const { return is_columns_ ? channel : 0; }

    bool is_columns_, has_block_sums_;
    dim_t channels_;
    tensor_t tensor_;
};

/// Sums in double with the sums of their terms' magnitudes, to which errors are compared.
class true_sums_t {
public:
    explicit true_sums_t(dim_t channels)
        : sums_(2 * static_cast<size_t>(channels))
        , magnitudes_(sums_.size()) {}

    void add(int sum, dim_t channel, double term) {
        const size_t i = 2 * static_cast<size_t>(channel) + static_cast<size_t>(sum);
        sums_[i] += term;
        magnitudes_[i] += std::abs(term);
    }
    ::testing::AssertionResult compare(
            const channel_sums_t &got, const kernel_failure_t &failure) const {
        constexpr double tolerance = 2e-6; // some hundred roundings of f32, most of which cancel
        for (size_t i = 0; i < sums_.size(); ++i) {
            const double value = got.get(static_cast<int>(i % 2), static_cast<dim_t>(i / 2));
            if (std::isnan(value) && std::isnan(sums_[i])) continue;
            if (!(std::abs(value - sums_[i]) <= tolerance * (magnitudes_[i] + 3)))
                return failure.at(static_cast<int64_t>(i), sums_[i], value);
        }
        if (!got.is_intact())
            return failure("a store outside of the sums, or block sums that are not 0");
        return ::testing::AssertionSuccess();
    }

private:
    std::vector<double> sums_, magnitudes_;
};

/// Runs a kernel.
inline void call(
        const jit::executable_code_t &code, const channel_case_t &c, channel_args_t &args) {
    args.units = c.units;
    args.rows.rows = c.rows;
    args.rows.length = c.line;
    code.entry<void (*)(channel_args_t *)>()(&args);
}

} // namespace kiln::x64::channel_normalization::test
