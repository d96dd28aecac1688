// SPDX-License-Identifier: Apache-2.0
// One call of the kernel of matrix products between unmapped pages, compared with products of
// integers. Values are small integers, so that sums are exact and results are compared bit by bit.
#pragma once

#include "cpu/x64/matrix/tile_kernel.hpp"

#include <cassert>
#include <cmath>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/kernel_failure.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {

inline data_type_t type_of_a(const tile_spec_t &spec) {
    if (spec.step == step_t::f32) return dnnl_f32;
    return spec.step == step_t::bf16 ? dnnl_bf16 : spec.a_is_signed ? dnnl_s8 : dnnl_u8;
}

/// Elements of rows x columns by chance.
inline std::vector<float> drawn(random_values_t &random, dim_t count, bool has_sign) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
        value = static_cast<float>(std::floor(random.between(has_sign ? -3 : 0, 4)));
    return values;
}

/// The operands of a call of the kernel with their values, and what the results should be.
class tile_run_t {
public:
    tile_run_t(const tile_spec_t &spec, dim_t steps, dim_t panels, uint64_t seed)
        : spec_(spec)
        , seed_(seed)
        , strips_(spec.copies_b ? 1 : 1 + static_cast<dim_t>(seed / 3 % most_strips))
        , rows_(strips_ * spec.rows)
        , steps_(steps)
        , panels_(panels)
        , depth_((steps - (spec.rest != 0)) * depth_of(spec.step) + spec.rest)
        , columns_(panels * spec.width() + spec.tail)
        , gap_(static_cast<dim_t>(seed % 3 * 5))
        , placement_(placements[seed % 2])
        , a_(type_of_a(spec), spec.step, spec.a_is_transposed ? depth_ : rows_,
                  spec.a_is_transposed ? rows_ : depth_, gap_, placement_)
        , dst_(spec.dst_type, step_t::f32, rows_, columns_, gap_, placement_)
        , partial_(is_integer(spec.step) ? dnnl_s32 : dnnl_f32, step_t::f32, rows_, columns_, 2,
                  placement_)
        , bias_(dnnl_bf16, step_t::f32, 1, columns_, 0, placement_)
        , added_(dnnl_f32, step_t::f32, rows_, columns_, gap_, placement_)
        , scale_(dnnl_f32, step_t::f32, 1, 1, 0, placement_)
        , subtracted_(dnnl_s32, step_t::f32, 1, columns_, 0, placement_) {
        assert(columns_ > 0);
        random_values_t random(seed);
        a_values_ = drawn(random, rows_ * depth_, spec.step != step_t::u8s8 || spec.a_is_signed);
        b_values_ = drawn(random, depth_ * columns_, spec.b_type != dnnl_u8);
        for (dim_t row = 0; row < rows_; ++row)
            for (dim_t k = 0; k < depth_; ++k)
                a_.set(spec.a_is_transposed ? k : row, spec.a_is_transposed ? row : k,
                        a_value(row, k));
        fill_b();
        if (spec.copies_b)
            copy_.emplace(dnnl_f32, step_t::f32, divide_up<dim_t>(columns_, spec.width()) * steps,
                    spec.width(), 0, placement_);
        scale_.set(0, 0, 0.5f);
        for (dim_t i = 0; i < columns_; ++i) {
            bias_.set(0, i, static_cast<float>(i % 5));
            subtracted_.set(0, i, static_cast<float>(i % 11) - 5);
            for (dim_t row = 0; row < rows_; ++row) {
                added_.set(row, i, static_cast<float>(i % 3 + row));
                dst_.set(row, i, static_cast<float>(i % 7));
            }
        }
    }

    ::testing::AssertionResult is_right() {
        tile_spec_t spec = spec_;
        if (!spec.epilogue.empty()) spec.pitches = {0, 0, added_.pitch(), dst_.pitch()};
        const jit::executable_code_t code = tile_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(), details(), seed_, {code.data(), code.size()});
        std::vector<uint32_t> expected;
        for (dim_t row = 0; row < rows_; ++row)
            for (dim_t i = 0; i < columns_; ++i) expected.push_back(result(row, i));
        const dim_t first = spec.has_blocks ? steps_ / 2 : steps_;
        call(code, 0, first, !spec.has_blocks);
        if (spec.has_blocks) call(code, first, steps_ - first, true);
        for (dim_t row = 0; row < rows_; ++row)
            for (dim_t i = 0; i < columns_; ++i) {
                const uint32_t wanted = expected[static_cast<size_t>(row * columns_ + i)];
                if (dst_.code(row, i) != wanted)
                    return failure.at(row * columns_ + i, model_load(spec.dst_type, wanted),
                            dst_.get(row, i));
            }
        for (const guarded_matrix_t *matrix :
                {&a_, &*b_, &dst_, &partial_, &bias_, &added_, &scale_, &subtracted_})
            if (!matrix->has_intact_gaps()) return failure("wrote outside its operands");
        if (copy_ && !has_packed_b()) return failure("did not pack B");
        return ::testing::AssertionSuccess();
    }

private:
    float a_value(dim_t row, dim_t k) const {
        return a_values_[static_cast<size_t>(row * depth_ + k)];
    }
    float b_value(dim_t k, dim_t column) const {
        return b_values_[static_cast<size_t>(k * columns_ + column)];
    }
    static int32_t a_zero(dim_t row) { return static_cast<int32_t>(row % 3) - 1; }
    /// Where a value of a row is among those of all strips.
    dim_t value_of(dim_t row) const { return row / spec_.rows * rows_of_group + row % spec_.rows; }
    data_type_t type_of_b() const {
        return spec_.step == step_t::f32    ? spec_.b_type
               : spec_.step == step_t::bf16 ? dnnl_bf16
               : spec_.step == step_t::u8s8 ? spec_.b_type
                                            : dnnl_s8;
    }
    void fill_b() {
        if (!spec_.is_packed) {
            b_.emplace(spec_.b_type, spec_.step, std::max<dim_t>(1, depth_), columns_, gap_,
                    placement_);
            for (dim_t k = 0; k < depth_; ++k)
                for (dim_t i = 0; i < columns_; ++i) b_->set(k, i, b_value(k, i));
            return;
        }
        const int depth = depth_of(spec_.step);
        const dim_t width = spec_.stream_width(), panels = divide_up(columns_, width);
        b_.emplace(type_of_b(), spec_.step, std::max<dim_t>(1, panels * steps_), width * depth, 0,
                placement_);
        for (dim_t row = 0; row < panels * steps_; ++row)
            for (dim_t i = 0; i < width; ++i) {
                const dim_t column = row / steps_ * width + i;
                for (int d = 0; d < depth; ++d)
                    b_->set(row, i * depth + d, packed_value(row % steps_ * depth + d, column));
            }
    }
    float packed_value(dim_t k, dim_t column) const {
        return k < depth_ && column < columns_ ? b_value(k, column) : 0;
    }
    /// Whether the copy of B has each panel's columns, padded with zeros to whole vectors.
    bool has_packed_b() const {
        const int lanes = jit::lanes_of(spec_.isa);
        for (dim_t panel = 0; panel < divide_up<dim_t>(columns_, spec_.width()); ++panel)
            for (dim_t k = 0; k < steps_; ++k)
                for (dim_t i = 0; i < spec_.width(); ++i) {
                    const dim_t column = panel * spec_.width() + i;
                    if (column >= round_up<dim_t>(columns_, lanes)) continue;
                    const float wanted = column < columns_ ? b_value(k, column) : 0;
                    if (copy_->get(panel * steps_ + k, i) != wanted) return false;
                }
        return copy_->has_intact_gaps();
    }
    void call(const jit::executable_code_t &code, dim_t first, dim_t steps, bool is_last) {
        const dim_t elements = first * depth_of(spec_.step);
        tile_args_t args{};
        args.a = spec_.a_is_transposed ? a_.at(elements, 0) : a_.at(0, elements);
        args.a_pitch = a_.pitch();
        args.b = spec_.is_packed ? b_->at(first, 0) : b_->at(elements, 0);
        args.b_ahead = args.b;
        args.b_next = b_->at(0, 0);
        args.next_line = args.next_period = 64;
        args.next_panel = b_->pitch();
        const dim_t stream = steps_ * b_->pitch();
        args.b_pitch = spec_.streams > 1 ? stream : b_->pitch();
        args.b_panel =
                spec_.is_packed ? spec_.streams * stream : spec_.width() * b_->element_size();
        if (copy_) args.copy = copy_->at(first, 0);
        args.copy_panel = steps_ * spec_.width() * 4;
        args.a_ahead = spec_.rows * a_.pitch();
        args.steps = steps;
        args.has_rest = spec_.rest != 0 && first + steps == steps_;
        args.panels = panels_;
        args.has_tail = spec_.tail != 0;
        args.partial = partial_.data();
        args.partial_pitch = partial_.pitch();
        args.adds = first != 0;
        args.finishes = is_last;
        // The first block has no steps where there is but one.
        if (spec_.has_blocks && is_last) args.adds = true;
        args.dst = dst_.data();
        args.dst_pitch = dst_.pitch();
        args.b_sums = reinterpret_cast<const int32_t *>(subtracted_.data());
        int32_t zeros[most_strips * rows_of_group], sums[most_strips * rows_of_group] = {};
        for (dim_t row = 0; row < rows_; ++row) zeros[value_of(row)] = a_zero(row);
        args.strips = strips_;
        args.strip_values = rows_of_group * 4;
        args.a_zeros = zeros;
        for (dim_t row = 0; row < rows_; ++row)
            for (dim_t k = elements; k < std::min(depth_, elements + steps * depth_of(spec_.step));
                    ++k)
                sums[value_of(row)] += static_cast<int32_t>(a_value(row, k));
        args.a_sums = sums;
        args.operands[0] = scale_.data();
        args.operands[1] = bias_.data();
        args.operands[2] = added_.data();
        args.operands[3] = dst_.data();
        code(args);
    }
    uint32_t result(dim_t row, dim_t column) const {
        float sum = 0;
        for (dim_t k = 0; k < depth_; ++k) sum += a_value(row, k) * b_value(k, column);
        if (spec_.subtracts) sum -= static_cast<float>(a_zero(row)) * sum_of_b(column);
        if (!spec_.epilogue.empty()) {
            sum = sum * scale_.get(0, 0) + bias_.get(0, column) + added_.get(row, column);
            sum = std::max(sum, 0.f) + dst_.get(row, column);
        }
        return model_store(spec_.dst_type, sum);
    }
    /// By which a zero point of A is multiplied: given, or what the tile sums up. Elements of B as
    /// the step multiplies them have b_shift() more.
    float sum_of_b(dim_t column) const {
        if (!spec_.sums_b) return subtracted_.get(0, column);
        float sum = static_cast<float>(depth_ * spec_.b_shift());
        for (dim_t k = 0; k < depth_; ++k) sum += b_value(k, column);
        return sum;
    }
    std::string details() const {
        return std::to_string(strips_) + " strips of " + std::to_string(spec_.rows) + " rows, "
               + std::to_string(panels_) + " panels of " + std::to_string(spec_.width()) + " and "
               + std::to_string(spec_.tail) + " columns, " + std::to_string(steps_) + " steps"
               + (spec_.is_packed ? ", packed" : ", plain")
               + (spec_.has_blocks ? ", in blocks" : "")
               + (spec_.epilogue.empty() ? "" : ", epilogue");
    }

    const tile_spec_t spec_;
    const uint64_t seed_;
    static constexpr dim_t most_strips = 3;
    const dim_t strips_, rows_, steps_, panels_, depth_, columns_, gap_;
    const placement_t placement_;
    std::vector<float> a_values_, b_values_;
    guarded_matrix_t a_, dst_, partial_, bias_, added_, scale_, subtracted_;
    std::optional<guarded_matrix_t> b_, copy_;
};

} // namespace kiln::x64::matrix::test
