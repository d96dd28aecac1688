// SPDX-License-Identifier: Apache-2.0
// The tile of matrix products, on every ISA level of the machine, between unmapped pages. Values
// are small integers, so that sums are exact and results are compared bit by bit.
#include "cpu/x64/matrix/tile_kernel.hpp"

#include <cassert>
#include <cmath>
#include <optional>

#include "common/integers.hpp"
#include "cpu/x64/jit/code/executable_code.hpp"
#include "kernels/matrix/guarded_matrix.hpp"
#include "kernels/kernel_failure.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::matrix::test {
namespace {

data_type_t type_of_a(const tile_spec_t &spec) {
    if (spec.step == step_t::f32) return dnnl_f32;
    return spec.step == step_t::bf16 ? dnnl_bf16 : spec.a_is_signed ? dnnl_s8 : dnnl_u8;
}

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
        , strips_(spec.copies_b ? 1 : 1 + static_cast<dim_t>(seed / 3 % most_strips))
        , rows_(strips_ * spec.rows)
        , steps_(steps)
        , panels_(panels)
        , depth_((steps - (spec.rest != 0)) * depth_of(spec.step) + spec.rest)
        , columns_(panels * spec.width() + spec.tail)
        , gap_(static_cast<dim_t>(seed % 3 * 5))
        , placement_(placements[seed % 2])
        , a_(type_of_a(spec), spec.step, rows_, depth_, gap_, placement_)
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
            for (dim_t k = 0; k < depth_; ++k) a_.set(row, k, a_value(row, k));
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
        args.a = a_.at(0, elements);
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
        if (spec_.subtracts) sum -= static_cast<float>(a_zero(row)) * subtracted_.get(0, column);
        if (!spec_.epilogue.empty()) {
            sum = sum * scale_.get(0, 0) + bias_.get(0, column) + added_.get(row, column);
            sum = std::max(sum, 0.f) + dst_.get(row, column);
        }
        return model_store(spec_.dst_type, sum);
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

/// A scale, a bias of bf16, the addition of a tensor, a ReLU, and the addition of dst.
std::vector<jit::post_op_link_t> epilogue_of(data_type_t dst_type) {
    return {{.alg = dnnl_binary_mul, .operands = {{dnnl_f32, false}}},
            {.alg = dnnl_binary_add, .operands = {{dnnl_bf16, true}}},
            {.alg = dnnl_binary_add, .operands = {{dnnl_f32, true}}}, {.alg = dnnl_eltwise_relu},
            {.alg = dnnl_binary_add, .alpha = 1, .operands = {{dst_type, true}}, .is_sum = true}};
}

struct multiplied_t {
    step_t step;
    data_type_t b_type;
    bool a_is_signed;
};
constexpr multiplied_t multiplied[] = {{step_t::bf16, dnnl_f32, false},
        {step_t::u8s8, dnnl_s8, false}, {step_t::u8s8, dnnl_u8, false},
        {step_t::u8s8, dnnl_s8, true}, {step_t::u8s8, dnnl_u8, true},
        {step_t::s16, dnnl_f32, false}};

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

TEST_P(matrix_tile_kernel, fetches_the_next_block_of_b) {
    for (const int vectors : {1, 2, 3, 4})
        for (const int lines : {1, 3, 16})
            for (const bool fetches_more : {false, true})
                for (const dim_t steps : {1, 16, 37}) {
                    tile_spec_t spec{.isa = GetParam(),
                            .rows = most_rows(GetParam(), step_t::f32, vectors),
                            .vectors = vectors,
                            .fetches_b = fetches_more,
                            .lines_ahead = lines,
                            .fetches_a = fetches_more};
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

TEST_P(matrix_tile_kernel, reads_several_panels_of_a_layout_at_a_time) {
    for (const step_t step : {step_t::f32, step_t::bf16, step_t::u8s8})
        for (const data_type_t b_type : {dnnl_f32, dnnl_bf16, dnnl_s8}) {
            if (!has_step(GetParam(), step) || (step == step_t::u8s8) != (b_type == dnnl_s8))
                continue;
            for (const int streams : {2, 4})
                for (const int rows : {1, 2})
                    for (const int vectors : {streams, 2 * streams}) {
                        if (vectors > most_vectors(GetParam(), step, rows)) continue;
                        tile_spec_t spec{.isa = GetParam(),
                                .rows = rows,
                                .vectors = vectors,
                                .streams = streams,
                                .step = step,
                                .b_type = b_type};
                        for (const int tail : {0, 1, spec.width() / 2 + 1, spec.width() - 1})
                            for (const bool has_blocks : {false, true}) {
                                spec.tail = tail;
                                spec.has_blocks = has_blocks;
                                spec.fetches_b = seed_ % 2 == 0;
                                ASSERT_TRUE(is_right(spec, 9, tail == 0 ? 1 + rows % 2 : tail % 3));
                            }
                    }
        }
}

TEST_P(matrix_tile_kernel, multiplies_pairs_and_quadruples_of_elements) {
    for (const auto &[step, b_type, a_is_signed] : multiplied) {
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

TEST_P(matrix_tile_kernel, reads_the_elements_of_an_incomplete_last_step) {
    for (const auto &[step, b_type, a_is_signed] : multiplied)
        for (int rest = 1; has_step(GetParam(), step) && rest < depth_of(step); ++rest)
            for (const int vectors : {1, 2, 3, 4})
                for (const int rows : {1, 2, most_rows(GetParam(), step, vectors)})
                    for (const bool has_blocks : {false, true})
                        for (const dim_t steps : {1, 2, 6}) {
                            if (step == step_t::s16) continue;
                            tile_spec_t spec{.isa = GetParam(),
                                    .rows = rows,
                                    .vectors = vectors,
                                    .step = step,
                                    .rest = rest,
                                    .a_is_signed = a_is_signed,
                                    .b_type = b_type,
                                    .has_blocks = has_blocks};
                            ASSERT_TRUE(is_right(spec, steps, 2));
                        }
}

/// The shape decides which columns and elements along K remain, how far apart rows lie, and how
/// much of the next block is fetched. Panels, strips and steps are arguments. The last panel, and
/// the last step of each panel, have code of their own.
TEST_P(matrix_tile_kernel, has_code_that_does_not_grow_with_the_shape) {
    const auto size_of = [](const tile_spec_t &spec) {
        return tile_kernel_t(spec).finish().size();
    };
    constexpr size_t most_bytes = 16 << 10, few_bytes = 256;
    for (const step_t step : {step_t::f32, step_t::bf16, step_t::u8s8, step_t::s16})
        for (int vectors = 1;
                has_step(GetParam(), step) && vectors <= most_vectors(GetParam(), step, 1);
                ++vectors)
            for (const bool has_epilogue : {false, true}) {
                tile_spec_t spec{.isa = GetParam(),
                        .rows = most_rows(GetParam(), step, vectors),
                        .vectors = vectors,
                        .step = step,
                        .b_type = step == step_t::u8s8 ? dnnl_s8 : dnnl_f32,
                        .has_blocks = true};
                if (has_epilogue)
                    spec.epilogue = epilogue_of(dnnl_f32), spec.pitches = {0, 0, 64, 64};
                const size_t size = size_of(spec);
                spec.lines_ahead = 16;
                EXPECT_LE(size_of(spec), size + few_bytes) << spec.name();
                if (has_epilogue) spec.pitches = {0, 0, dim_t(1) << 36, dim_t(1) << 36};
                EXPECT_LE(size_of(spec), size + 2 * few_bytes) << spec.name();
                spec.rest = depth_of(step) - 1;
                for (const int tail : {1, spec.width() / 2, spec.width() - 1}) {
                    spec.tail = tail;
                    EXPECT_LE(size_of(spec), std::min(3 * size, most_bytes))
                            << spec.name() << " tail " << tail;
                }
            }
}

INSTANTIATE_TEST_SUITE_P(levels, matrix_tile_kernel, testing::ValuesIn(kernel_isas),
        [](const auto &tested) { return isa_name(tested.param); });

} // namespace
} // namespace kiln::x64::matrix::test
