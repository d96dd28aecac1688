// SPDX-License-Identifier: Apache-2.0
// The kernels of matrix products, on every ISA level of the machine, between unmapped pages. Values
// are small integers, so that sums are exact and results are compared bit by bit.
#include "cpu/x64/matrix/tile_kernel.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "cpu/x64/matrix/dot_kernel.hpp"
#include "cpu/x64/matrix/pack_kernel.hpp"
#include "kernels/kernel_failure.hpp"
#include "support/marked_buffer.hpp"
#include "support/random_values.hpp"
#include "unit/element_model.hpp"

namespace kiln::x64::matrix::test {

namespace {

using namespace kiln::test;

int element_size(step_t step, data_type_t type) {
    return step == step_t::s16 ? 2 : model_size(type);
}

void put(std::byte *at, step_t step, data_type_t type, float value) {
    if (step == step_t::s16) {
        const auto integer = static_cast<int16_t>(value);
        std::memcpy(at, &integer, sizeof(integer));
    } else {
        write_code(at, 0, model_size(type), model_store(type, value));
    }
}

data_type_t type_of_a(const tile_spec_t &spec) {
    if (spec.step == step_t::f32) return dnnl_f32;
    return spec.step == step_t::bf16 ? dnnl_bf16 : spec.a_is_signed ? dnnl_s8 : dnnl_u8;
}

/// A matrix of rows at a pitch, with its values.
class matrix_t {
public:
    matrix_t(data_type_t type, step_t step, dim_t rows, dim_t columns, dim_t gap,
            placement_t placement)
        : type_(type)
        , step_(step)
        , size_(element_size(step, type))
        , rows_(rows)
        , columns_(columns)
        , pitch_((columns + gap) * size_)
        , buffer_(static_cast<size_t>((rows - 1) * pitch_ + columns * size_), placement) {}

    std::byte *data() const { return buffer_.data(); }
    dim_t pitch() const { return pitch_; }
    std::byte *at(dim_t row, dim_t column) const { return data() + row * pitch_ + column * size_; }
    uint32_t code(dim_t row, dim_t column) const { return read_code(at(row, column), 0, size_); }
    float get(dim_t row, dim_t column) const { return model_load(type_, code(row, column)); }
    /// The same for the step's elements, which may be integers of 16 bits.
    float value(dim_t row, dim_t column) const {
        return step_ == step_t::s16 ? static_cast<int16_t>(code(row, column)) : get(row, column);
    }
    void set(dim_t row, dim_t column, float value) { put(at(row, column), step_, type_, value); }
    bool has_intact_gaps() const {
        if (!buffer_.slack_is_untouched()) return false;
        for (dim_t row = 0; row + 1 < rows_; ++row)
            if (std::any_of(at(row, columns_), at(row + 1, 0),
                        [](std::byte byte) { return byte != marked_buffer_t::mark; }))
                return false;
        return true;
    }

private:
    const data_type_t type_;
    const step_t step_;
    const int size_;
    const dim_t rows_, columns_, pitch_;
    const marked_buffer_t buffer_;
};

/// Elements of rows x columns by chance.
std::vector<float> drawn(random_values_t &random, dim_t count, bool has_sign) {
    std::vector<float> values(static_cast<size_t>(count));
    for (float &value : values)
        value = static_cast<float>(std::floor(random.between(has_sign ? -3 : 0, 4)));
    return values;
}

class tile_run_t {
public:
    tile_run_t(const tile_spec_t &spec, dim_t steps, dim_t panels, uint64_t seed)
        : spec_(spec)
        , seed_(seed)
        , steps_(steps)
        , panels_(panels)
        , depth_(steps * depth_of(spec.step))
        , columns_(panels * spec.width() + spec.tail)
        , gap_(static_cast<dim_t>(seed % 3 * 5))
        , placement_(placements[seed % 2])
        , random_(seed)
        , a_(type_of_a(spec), spec.step, spec.rows, depth_, gap_, placement_)
        , dst_(spec.dst_type, step_t::f32, spec.rows, columns_, gap_, placement_)
        , partial_(is_integer(spec.step) ? dnnl_s32 : dnnl_f32, step_t::f32, spec.rows, columns_, 2,
                  placement_)
        , bias_(dnnl_bf16, step_t::f32, 1, columns_, 0, placement_)
        , added_(dnnl_f32, step_t::f32, spec.rows, columns_, gap_, placement_)
        , scale_(dnnl_f32, step_t::f32, 1, 1, 0, placement_)
        , subtracted_(dnnl_s32, step_t::f32, 1, columns_, 0, placement_) {
        assert(columns_ > 0);
        a_values_ =
                drawn(random_, spec.rows * depth_, spec.step != step_t::u8s8 || spec.a_is_signed);
        b_values_ = drawn(random_, depth_ * columns_, spec.b_type != dnnl_u8);
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t k = 0; k < depth_; ++k) a_.set(row, k, a_value(row, k));
        fill_b();
        if (spec.copies_b)
            copy_.emplace(dnnl_f32, step_t::f32, divide_up<dim_t>(columns_, spec.width()) * steps,
                    spec.width(), 0, placement_);
        scale_.set(0, 0, 0.5f);
        for (dim_t i = 0; i < columns_; ++i) {
            bias_.set(0, i, static_cast<float>(i % 5));
            subtracted_.set(0, i, static_cast<float>(i % 11) - 5);
            for (dim_t row = 0; row < spec.rows; ++row) {
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
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t i = 0; i < columns_; ++i) expected.push_back(result(row, i));
        const dim_t first = spec.has_blocks ? steps_ / 2 : steps_;
        call(code, 0, first, !spec.has_blocks);
        if (spec.has_blocks) call(code, first, steps_ - first, true);
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t i = 0; i < columns_; ++i) {
                const uint32_t wanted = expected[static_cast<size_t>(row * columns_ + i)];
                if (dst_.code(row, i) != wanted)
                    return failure.at(row * columns_ + i, model_load(spec.dst_type, wanted),
                            dst_.get(row, i));
            }
        for (const matrix_t *matrix :
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
        const dim_t width = spec_.width(), panels = divide_up(columns_, width);
        b_.emplace(type_of_b(), spec_.step, std::max<dim_t>(1, panels * steps_), width * depth, 0,
                placement_);
        for (dim_t row = 0; row < panels * steps_; ++row)
            for (dim_t i = 0; i < width; ++i) {
                const dim_t column = row / steps_ * width + i;
                for (int d = 0; d < depth; ++d)
                    b_->set(row, i * depth + d,
                            column < columns_ ? b_value(row % steps_ * depth + d, column) : 0);
            }
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
        args.a = a_.at(0, elements);
        args.a_pitch = a_.pitch();
        args.b = spec_.is_packed ? b_->at(first, 0) : b_->at(elements, 0);
        args.b_ahead = args.b;
        args.b_pitch = b_->pitch();
        args.b_panel = spec_.is_packed ? steps_ * b_->pitch()
                                       : spec_.width() * element_size(spec_.step, spec_.b_type);
        if (copy_) args.copy = copy_->at(first, 0);
        args.copy_panel = steps_ * spec_.width() * 4;
        args.a_ahead = spec_.rows * a_.pitch();
        args.steps = steps;
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
        int32_t zeros[rows_of_group];
        for (int32_t row = 0; row < rows_of_group; ++row) zeros[row] = row % 3 - 1;
        args.a_zeros = zeros;
        int32_t sums[rows_of_group] = {};
        for (dim_t row = 0; row < spec_.rows; ++row)
            for (dim_t k = elements; k < elements + steps * depth_of(spec_.step); ++k)
                sums[row] += static_cast<int32_t>(a_value(row, k));
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
        if (spec_.subtracts) sum -= static_cast<float>(row % 3 - 1) * subtracted_.get(0, column);
        if (!spec_.epilogue.empty()) {
            sum = sum * scale_.get(0, 0) + bias_.get(0, column) + added_.get(row, column);
            sum = std::max(sum, 0.f) + dst_.get(row, column);
        }
        return model_store(spec_.dst_type, sum);
    }
    std::string details() const {
        return std::to_string(spec_.rows) + " rows, " + std::to_string(panels_) + " panels of "
               + std::to_string(spec_.width()) + " and " + std::to_string(spec_.tail) + " columns, "
               + std::to_string(steps_) + " steps" + (spec_.is_packed ? ", packed" : ", plain")
               + (spec_.has_blocks ? ", in blocks" : "")
               + (spec_.epilogue.empty() ? "" : ", epilogue");
    }

    const tile_spec_t spec_;
    const uint64_t seed_;
    const dim_t steps_, panels_, depth_, columns_, gap_;
    const placement_t placement_;
    random_values_t random_;
    std::vector<float> a_values_, b_values_;
    matrix_t a_, dst_, partial_, bias_, added_, scale_, subtracted_;
    std::optional<matrix_t> b_, copy_;
};

/// A scale, a bias of bf16, the addition of a tensor, a ReLU, and the addition of dst.
std::vector<jit::post_op_link_t> epilogue_of(data_type_t dst_type) {
    return {{.alg = dnnl_binary_mul, .operands = {{dnnl_f32, false}}},
            {.alg = dnnl_binary_add, .operands = {{dnnl_bf16, true}}},
            {.alg = dnnl_binary_add, .operands = {{dnnl_f32, true}}}, {.alg = dnnl_eltwise_relu},
            {.alg = dnnl_binary_add, .alpha = 1, .operands = {{dst_type, true}}, .is_sum = true}};
}

class matrix_tile_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    ::testing::AssertionResult is_right(const tile_spec_t &spec, dim_t steps, dim_t panels) {
        return tile_run_t(spec, steps, panels, ++seed_).is_right();
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_tile_kernel, multiplies_any_number_of_rows_columns_and_steps) {
    for (int vectors = 1; vectors <= most_vectors(GetParam(), step_t::f32, 1); ++vectors)
        for (int rows = 1; rows <= most_rows(GetParam(), step_t::f32, vectors); ++rows)
            for (const bool is_packed : {false, true}) {
                tile_spec_t spec{.isa = GetParam(),
                        .rows = rows,
                        .vectors = vectors,
                        .is_packed = is_packed};
                for (const int tail : {0, 1, spec.width() - 1, spec.width() / 2}) {
                    spec.tail = tail;
                    spec.fetches_b = rows % 2 == 0;
                    for (const dim_t steps : {1 + rows % 3, 4, 9})
                        ASSERT_TRUE(is_right(spec, steps, tail == 0 ? 1 + rows % 2 : tail % 3));
                }
            }
}

TEST_P(matrix_tile_kernel, takes_every_width_of_the_last_panel) {
    for (const int rows : {1, 2, 5})
        for (const bool is_packed : {false, true})
            for (const bool has_epilogue : {false, true}) {
                tile_spec_t spec{
                        .isa = GetParam(), .rows = rows, .vectors = 2, .is_packed = is_packed};
                if (has_epilogue) spec.epilogue = epilogue_of(dnnl_f32);
                for (spec.tail = 1; spec.tail < spec.width(); ++spec.tail)
                    ASSERT_TRUE(is_right(spec, 5, spec.tail % 2));
            }
}

TEST_P(matrix_tile_kernel, converts_elements_of_b_and_results) {
    for (const data_type_t b_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8})
        for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s32, dnnl_s8})
            for (const bool is_packed : {false, true})
                for (const bool has_epilogue : {false, true})
                    for (const int vectors : {1, 2, 3}) {
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = most_rows(GetParam(), step_t::f32, vectors),
                                .vectors = vectors,
                                .b_type = b_type,
                                .is_packed = is_packed,
                                .dst_type = dst_type};
                        if (has_epilogue) spec.epilogue = epilogue_of(dst_type);
                        spec.tail = static_cast<int>(seed_ % static_cast<uint64_t>(spec.width()));
                        ASSERT_TRUE(is_right(spec, 6, 1));
                    }
}

TEST_P(matrix_tile_kernel, packs_the_b_that_it_reads) {
    for (const data_type_t b_type : {dnnl_f32, dnnl_bf16, dnnl_f16})
        for (const bool has_blocks : {false, true})
            for (const int vectors : {1, 2, 3, 4})
                for (const int rows : {1, 2, most_rows(GetParam(), step_t::f32, vectors)})
                    for (const dim_t steps : {3, 37}) {
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = rows,
                                .vectors = vectors,
                                .b_type = b_type,
                                .is_packed = false,
                                .fetches_b = true,
                                .copies_b = true,
                                .has_blocks = has_blocks};
                        spec.tail =
                                static_cast<int>(seed_ * 3 % static_cast<uint64_t>(spec.width()));
                        ASSERT_TRUE(is_right(spec, steps, 2));
                    }
}

TEST_P(matrix_tile_kernel, fetches_rows_of_the_next_tile) {
    for (const int vectors : {1, 2, 3, 4})
        for (const int rows : {1, 3, most_rows(GetParam(), step_t::f32, vectors)})
            for (const dim_t steps : {1, 16, 37}) {
                tile_spec_t spec{
                        .isa = GetParam(), .rows = rows, .vectors = vectors, .fetches_a = true};
                ASSERT_TRUE(is_right(spec, steps, 2));
            }
}

TEST_P(matrix_tile_kernel, adds_blocks_of_k) {
    for (const data_type_t dst_type : {dnnl_f32, dnnl_bf16})
        for (const bool has_epilogue : {false, true})
            for (const int vectors : {1, 2, 4})
                for (const dim_t steps : {1, 2, 13}) {
                    tile_spec_t spec{.isa = GetParam(),
                            .rows = most_rows(GetParam(), step_t::f32, vectors),
                            .vectors = vectors,
                            .has_blocks = true,
                            .dst_type = dst_type};
                    if (has_epilogue) spec.epilogue = epilogue_of(dst_type);
                    spec.tail = static_cast<int>(seed_ * 5 % static_cast<uint64_t>(spec.width()));
                    ASSERT_TRUE(is_right(spec, steps, 2));
                }
}

TEST_P(matrix_tile_kernel, multiplies_pairs_and_quadruples_of_elements) {
    struct multiplied_t {
        step_t step;
        data_type_t b_type;
        bool a_is_signed;
    };
    for (const auto &[step, b_type, a_is_signed] :
            {multiplied_t{step_t::bf16, dnnl_f32, false}, {step_t::u8s8, dnnl_s8, false},
                    {step_t::u8s8, dnnl_u8, false}, {step_t::u8s8, dnnl_s8, true},
                    {step_t::u8s8, dnnl_u8, true}, {step_t::s16, dnnl_f32, false}}) {
        if (!has_step(GetParam(), step)) continue;
        for (const data_type_t dst_type : {dnnl_f32, dnnl_s32, dnnl_s8, dnnl_bf16})
            for (const bool has_epilogue : {false, true})
                for (const int vectors : {1, 2, 3, 4})
                    for (const bool has_blocks : {false, true}) {
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = most_rows(GetParam(), step, vectors),
                                .vectors = vectors,
                                .step = step,
                                .a_is_signed = a_is_signed,
                                .b_type = b_type,
                                .has_blocks = has_blocks,
                                .dst_type = dst_type};
                        if (has_epilogue) spec.epilogue = epilogue_of(dst_type);
                        spec.tail =
                                static_cast<int>(seed_ * 7 % static_cast<uint64_t>(spec.width()));
                        spec.subtracts = is_integer(step) && vectors % 2 == 0;
                        ASSERT_TRUE(is_right(spec, 7, 1));
                    }
    }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_tile_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

// ---- Scalar products

class matrix_dot_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    ::testing::AssertionResult is_right(dot_spec_t spec, dim_t k, dim_t columns) {
        const placement_t placement = placements[++seed_ % 2];
        random_values_t random(seed_);
        const int lanes = jit::lanes_of(spec.isa);
        spec.tail = static_cast<int>(k % lanes);
        matrix_t a(dnnl_f32, step_t::f32, spec.rows, k, 3, placement);
        matrix_t b(spec.b_type, step_t::f32, columns, k, static_cast<dim_t>(seed_ % 3), placement);
        matrix_t sums(dnnl_f32, step_t::f32, spec.rows, columns, 1, placement);
        const auto fill = [&](matrix_t &matrix, dim_t rows) {
            for (dim_t row = 0; row < rows; ++row)
                for (dim_t i = 0; i < k; ++i)
                    matrix.set(row, i, static_cast<float>(std::floor(random.between(-3, 4))));
        };
        fill(a, spec.rows);
        fill(b, columns);
        const jit::executable_code_t code = dot_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(spec.rows) + " rows, " + std::to_string(columns) + " columns of "
                        + std::to_string(k),
                seed_, {code.data(), code.size()});
        dot_args_t args{.a = reinterpret_cast<const float *>(a.data()),
                .a_pitch = a.pitch(),
                .b = b.data(),
                .b_pitch = b.pitch(),
                .vectors = k / lanes,
                .sums = reinterpret_cast<float *>(sums.data()),
                .sums_pitch = sums.pitch()};
        args.set_columns(spec, columns);
        code(args);
        for (dim_t row = 0; row < spec.rows; ++row)
            for (dim_t column = 0; column < columns; ++column) {
                float wanted = 0;
                for (dim_t i = 0; i < k; ++i) wanted += a.get(row, i) * b.get(column, i);
                if (sums.get(row, column) != wanted)
                    return failure.at(row * columns + column, wanted, sums.get(row, column));
            }
        return a.has_intact_gaps() && b.has_intact_gaps() && sums.has_intact_gaps()
                       ? ::testing::AssertionSuccess()
                       : failure("wrote outside its sums");
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_dot_kernel, multiplies_any_number_of_rows_columns_and_elements) {
    for (int rows = 1; rows <= most_dot_rows; ++rows)
        for (const data_type_t type : {dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8})
            for (const dim_t k : {1, 7, 16, 33, 50})
                for (dim_t columns = 1; columns <= 17; columns += 1 + columns / 4)
                    ASSERT_TRUE(is_right(
                            {.isa = GetParam(), .rows = rows, .b_type = type}, k, columns));
}

/// Scales are powers of two, sums and zero points small integers, so results are exact.
TEST_P(matrix_dot_kernel, apply_scales_and_zero_points_of_groups) {
    struct operands_t {
        group_operand_t scale, zero;
    };
    constexpr operands_t all[] = {{{dnnl_f32, true}, {}}, {{dnnl_f16, true}, {dnnl_u8, true}},
            {{dnnl_bf16, false}, {dnnl_s32, true}}, {{}, {dnnl_s8, false}},
            {{dnnl_f32, true}, {dnnl_s8, true}}};
    const int lanes = jit::lanes_of(GetParam());
    for (const auto &[scale, zero] : all)
        for (int rows = 1; rows <= most_dot_rows_of_groups; ++rows)
            for (const data_type_t type : {dnnl_s8, dnnl_u8})
                for (const dim_t columns : {1, 5, 19}) {
                    const dot_spec_t spec{.isa = GetParam(),
                            .rows = rows,
                            .b_type = type,
                            .scale = scale,
                            .zero = zero};
                    const dim_t groups = 1 + static_cast<dim_t>(seed_ % 3), vectors = 2,
                                k = groups * vectors * lanes;
                    const placement_t placement = placements[++seed_ % 2];
                    const auto type_or = [](const group_operand_t &operand) {
                        return operand.exists() ? operand.type : dnnl_f32;
                    };
                    const auto count = [&](const group_operand_t &operand) {
                        return operand.per_lane ? columns : 1;
                    };
                    matrix_t a(dnnl_f32, step_t::f32, rows, k, 3, placement);
                    matrix_t b(type, step_t::f32, columns, k, 0, placement);
                    matrix_t sums(dnnl_f32, step_t::f32, rows, columns, 1, placement);
                    matrix_t scales(
                            type_or(scale), step_t::f32, groups, count(scale), 1, placement);
                    matrix_t zeros(type_or(zero), step_t::f32, groups, count(zero), 1, placement);
                    const auto fill = [](matrix_t &matrix, dim_t of_rows, dim_t width,
                                              const auto &value) {
                        for (dim_t row = 0; row < of_rows; ++row)
                            for (dim_t i = 0; i < width; ++i)
                                matrix.set(row, i, static_cast<float>(value(row, i)));
                    };
                    fill(a, rows, k, [](dim_t row, dim_t i) { return (row + i * 3) % 7 - 3; });
                    fill(b, columns, k, [](dim_t row, dim_t i) { return (row * 5 + i) % 9; });
                    fill(scales, groups, count(scale),
                            [](dim_t row, dim_t i) { return 1 << (row + i) % 4; });
                    fill(zeros, groups, count(zero),
                            [](dim_t row, dim_t i) { return (row * 2 + i) % 5; });
                    dot_args_t args{.a = reinterpret_cast<const float *>(a.data()),
                            .a_pitch = a.pitch(),
                            .b = b.data(),
                            .b_pitch = b.pitch(),
                            .vectors = k / lanes,
                            .sums = reinterpret_cast<float *>(sums.data()),
                            .sums_pitch = sums.pitch()};
                    args.set_columns(spec, columns);
                    args.groups = groups;
                    args.group_vectors = vectors;
                    args.scales = scales.data();
                    args.zeros = zeros.data();
                    args.scale_pitch = scales.pitch();
                    args.zero_pitch = zeros.pitch();
                    const jit::executable_code_t code = dot_kernel_t(spec).finish();
                    code(args);
                    for (dim_t row = 0; row < rows; ++row)
                        for (dim_t column = 0; column < columns; ++column) {
                            const auto of = [&](const matrix_t &matrix,
                                                    const group_operand_t &operand, dim_t group) {
                                return matrix.get(group, operand.per_lane ? column : 0);
                            };
                            float wanted = 0;
                            for (dim_t i = 0; i < k; ++i) {
                                const dim_t group = i / (vectors * lanes);
                                const float y = b.get(column, i)
                                                - (zero.exists() ? of(zeros, zero, group) : 0);
                                wanted += a.get(row, i) * y
                                          * (scale.exists() ? of(scales, scale, group) : 1);
                            }
                            ASSERT_EQ(sums.get(row, column), wanted)
                                    << spec.name() << " " << row << " " << column;
                        }
                    ASSERT_TRUE(a.has_intact_gaps() && b.has_intact_gaps() && sums.has_intact_gaps()
                                && scales.has_intact_gaps() && zeros.has_intact_gaps());
                }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_dot_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

// ---- Packing

data_type_t type_of_packed(const pack_spec_t &spec) {
    return spec.step == step_t::f32    ? dnnl_f32
           : spec.step == step_t::bf16 ? dnnl_bf16
                                       : spec.src_type;
}

class matrix_pack_kernel : public testing::TestWithParam<isa_t> {
protected:
    void SetUp() override {
        if (!has_isa(GetParam())) GTEST_SKIP() << "the machine lacks this level";
    }
    /// dst[panel][step][column] of the elements of `rows` rows.
    ::testing::AssertionResult is_right(pack_spec_t spec, dim_t rows, dim_t panels) {
        ++seed_;
        const int depth = depth_of(spec.step), width = spec.width();
        const dim_t columns = panels * width + spec.tail, steps = rows / depth;
        spec.rest = static_cast<int>(rows % depth);
        const placement_t placement = placements[seed_ % 2];
        random_values_t random(seed_);
        matrix_t src(spec.src_type, step_t::f32, rows, columns, static_cast<dim_t>(seed_ % 3),
                placement);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns; ++i)
                src.set(row, i,
                        static_cast<float>(
                                std::floor(random.between(spec.src_type == dnnl_u8 ? 0 : -9, 9))));
        const dim_t all_steps = divide_up<dim_t>(rows, depth),
                    all_panels = divide_up<dim_t>(columns, width);
        const data_type_t dst_type = type_of_packed(spec);
        matrix_t dst(dst_type, spec.step, all_panels * all_steps, width * depth, 0, placement);
        const jit::executable_code_t code = pack_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(),
                std::to_string(rows) + " rows of " + std::to_string(columns), seed_,
                {code.data(), code.size()});
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = all_steps * dst.pitch(),
                .steps = steps,
                .has_rest = spec.rest != 0,
                .panels = panels,
                .has_tail = spec.tail != 0};
        code(args);
        const int lanes = jit::lanes_of(spec.isa);
        for (dim_t panel = 0; panel < all_panels; ++panel)
            for (dim_t k = 0; k < all_steps * depth; ++k)
                for (dim_t i = 0; i < width; ++i) {
                    const dim_t column = panel * width + i;
                    if (column >= round_up<dim_t>(columns, lanes)) continue;
                    const float wanted = column < columns && k < rows ? src.get(k, column) : 0;
                    std::byte *const at =
                            dst.at(panel * all_steps + k / depth, i * depth + k % depth);
                    float got;
                    if (spec.step == step_t::s16) {
                        int16_t integer;
                        std::memcpy(&integer, at, sizeof(integer));
                        got = integer;
                    } else {
                        got = model_load(dst_type, read_code(at, 0, model_size(dst_type)));
                    }
                    if (got != wanted) return failure.at(k * columns + column, wanted, got);
                }
        return src.has_intact_gaps() && dst.has_intact_gaps() ? ::testing::AssertionSuccess()
                                                              : failure("wrote outside dst");
    }
    /// dst[row][column], rounded up to whole vectors with zeros.
    ::testing::AssertionResult copies(pack_spec_t spec, dim_t rows, dim_t columns) {
        ++seed_;
        const placement_t placement = placements[seed_ % 2];
        random_values_t random(seed_);
        matrix_t src(spec.src_type, step_t::f32, rows, columns, 3, placement);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < columns; ++i)
                src.set(row, i,
                        static_cast<float>(std::floor(
                                random.between(spec.src_type == dnnl_u8 ? 0 : -99, 99))));
        const dim_t padded = round_up<dim_t>(columns, jit::lanes_of(spec.isa));
        spec.tail = static_cast<int>(columns % spec.width());
        const data_type_t dst_type = type_of_packed(spec);
        matrix_t dst(dst_type, spec.step, rows, padded, 2, placement);
        const jit::executable_code_t code = pack_kernel_t(spec).finish();
        const kernel_failure_t failure(spec.name(), std::to_string(columns) + " columns of A",
                seed_, {code.data(), code.size()});
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = spec.width() * element_bytes(spec.step),
                .steps = rows,
                .has_rest = 0,
                .panels = columns / spec.width(),
                .has_tail = spec.tail != 0};
        code(args);
        for (dim_t row = 0; row < rows; ++row)
            for (dim_t i = 0; i < padded; ++i) {
                const float wanted = i < columns ? src.get(row, i) : 0;
                const float got = dst.value(row, i);
                if (got != wanted) return failure.at(row * padded + i, wanted, got);
            }
        return src.has_intact_gaps() && dst.has_intact_gaps() ? ::testing::AssertionSuccess()
                                                              : failure("wrote outside dst");
    }
    uint64_t seed_ = 0;
};

TEST_P(matrix_pack_kernel, converts_and_interleaves_rows) {
    struct source_t {
        step_t step;
        data_type_t type;
    };
    for (const auto &[step, type] : {source_t{step_t::f32, dnnl_f32}, {step_t::f32, dnnl_bf16},
                 {step_t::f32, dnnl_f16}, {step_t::f32, dnnl_s8}, {step_t::bf16, dnnl_bf16},
                 {step_t::bf16, dnnl_f32}, {step_t::u8s8, dnnl_s8}, {step_t::u8s8, dnnl_u8},
                 {step_t::s16, dnnl_s8}, {step_t::s16, dnnl_u8}})
        for (int vectors = 1; vectors <= 4; ++vectors)
            for (dim_t rows = 1; rows <= 9; ++rows) {
                if (step == step_t::bf16 && type == dnnl_f32 && !has_step(GetParam(), step))
                    continue; // needs the conversion instruction
                pack_spec_t spec{
                        .isa = GetParam(), .src_type = type, .step = step, .vectors = vectors};
                ASSERT_TRUE(is_right(spec, rows, 2));
                spec.tail = 1 + static_cast<int>(seed_ * 3) % (spec.width() - 1);
                ASSERT_TRUE(is_right(spec, rows, rows % 2));
            }
}

TEST_P(matrix_pack_kernel, copies_rows_of_a) {
    struct source_t {
        step_t step;
        data_type_t type;
    };
    for (const auto &[step, type] : {source_t{step_t::f32, dnnl_f32}, {step_t::f32, dnnl_f16},
                 {step_t::f32, dnnl_bf16}, {step_t::bf16, dnnl_bf16}, {step_t::bf16, dnnl_f32},
                 {step_t::u8s8, dnnl_u8}, {step_t::s16, dnnl_s8}, {step_t::s16, dnnl_u8}})
        for (int columns = 1; columns < 2 * jit::lanes_of(GetParam()); ++columns) {
            pack_spec_t spec{.isa = GetParam(), .src_type = type, .step = step, .vectors = 1};
            spec.is_a = true;
            ASSERT_TRUE(copies(spec, 3, columns));
        }
}

TEST_P(matrix_pack_kernel, orders_octets) {
    constexpr int columns = 40;
    constexpr int order_of_words[] = {0, 4, 1, 5, 2, 6, 3, 7};
    constexpr int order_of_bytes[] = {0, 2, 4, 6, 1, 3, 5, 7};
    for (const auto &[step, type] :
            {std::pair{step_t::bf16, dnnl_bf16}, {step_t::bf16, dnnl_f32}, {step_t::u8s8, dnnl_u8},
                    {step_t::u8s8, dnnl_s8}, {step_t::s16, dnnl_u8}, {step_t::s16, dnnl_s8}}) {
        if (!has_step(GetParam(), step)) continue;
        const int bytes = element_bytes(step);
        const int *const order = bytes == 1 ? order_of_bytes : order_of_words;
        const data_type_t dst_type = step == step_t::bf16 ? dnnl_bf16 : type;
        pack_spec_t spec{
                .isa = GetParam(), .src_type = type, .step = step, .is_a = true, .in_octets = true};
        spec.tail = columns % spec.width();
        matrix_t src(type, step_t::f32, 2, columns, 3, placements[0]);
        matrix_t dst(dst_type, step, 2, round_up(columns, spec.width()), 0, placements[0]);
        for (dim_t row = 0; row < 2; ++row)
            for (dim_t i = 0; i < columns; ++i) src.set(row, i, static_cast<float>(row * 50 + i));
        pack_args_t args{.src = src.data(),
                .src_pitch = src.pitch(),
                .dst = dst.data(),
                .dst_pitch = dst.pitch(),
                .dst_panel = spec.width() * bytes,
                .steps = 2,
                .has_rest = 0,
                .panels = columns / spec.width(),
                .has_tail = spec.tail != 0};
        const jit::executable_code_t code = pack_kernel_t(spec).finish();
        code(args);
        for (dim_t row = 0; row < 2; ++row)
            for (dim_t i = 0; i < columns; ++i)
                ASSERT_EQ(
                        dst.value(row, i), static_cast<float>(row * 50 + i / 8 * 8 + order[i % 8]));
    }
}

/// Eight rows of half bytes become lanes; those of rows that are missing are zero.
TEST_P(matrix_pack_kernel, gathers_half_bytes_of_columns) {
    for (const step_t step : {step_t::u8s8x8, step_t::s16x8})
        for (int rows = 1; rows <= 17; ++rows)
            for (const int vectors : {1, 2, 4}) {
                pack_spec_t spec{
                        .isa = GetParam(), .src_type = dnnl_u4, .step = step, .vectors = vectors};
                spec.tail = rows % 2 == 0 ? 0 : 2 * (rows % (spec.width() / 2));
                spec.rest = rows % 8;
                const int columns = spec.width() + spec.tail, steps = (rows + 7) / 8;
                matrix_t src(
                        dnnl_u8, step_t::f32, rows, columns / 2, rows % 3, placements[rows % 2]);
                const auto code = [](int row, int column) { return (row * 7 + column * 3) % 16; };
                for (int row = 0; row < rows; ++row)
                    for (int i = 0; i < columns; i += 2)
                        src.set(row, i / 2,
                                static_cast<float>(code(row, i) + code(row, i + 1) * 16));
                const int panels = spec.tail == 0 ? 1 : 2;
                matrix_t dst(dnnl_f32, step_t::f32, panels * steps, spec.width(), 0,
                        placements[rows % 2]);
                pack_args_t args{.src = src.data(),
                        .src_pitch = src.pitch(),
                        .dst = dst.data(),
                        .dst_pitch = dst.pitch(),
                        .dst_panel = steps * dst.pitch(),
                        .steps = rows / 8,
                        .has_rest = spec.rest != 0,
                        .panels = 1,
                        .has_tail = spec.tail != 0};
                const jit::executable_code_t kernel = pack_kernel_t(spec).finish();
                kernel(args);
                for (int step_index = 0; step_index < steps; ++step_index)
                    for (int i = 0; i < columns; ++i) {
                        uint32_t wanted = 0;
                        for (int row = step_index * 8; row < std::min(rows, step_index * 8 + 8);
                                ++row)
                            wanted |= static_cast<uint32_t>(code(row, i)) << row % 8 * 4;
                        const int panel = i / spec.width();
                        ASSERT_EQ(dst.code(panel * steps + step_index, i % spec.width()), wanted)
                                << spec.name() << " " << rows << " rows, column " << i;
                    }
                ASSERT_TRUE(src.has_intact_gaps() && dst.has_intact_gaps());
            }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_pack_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace

} // namespace kiln::x64::matrix::test
