// SPDX-License-Identifier: Apache-2.0
// Kernels of normalization backward on rows, on every ISA the machine has, between unmapped pages,
// against arithmetic in double.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "kernels/row_backward_run.hpp"
#include "kernels/row_forward_run.hpp"
#include "kernels/row_model.hpp"
#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::x64::layer_normalization::test {

namespace {

using kiln::test::random_values_t;
using kiln::test::rounded;

constexpr dim_t row_lengths[]{
        1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 128, 129, 255, 768, 1031};
constexpr dim_t row_counts[]{1, 2, 3, 4, 5, 7, 9};
constexpr data_type_t data_types[]{dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr data_type_t weight_types[]{dnnl_data_type_undef, dnnl_f32, dnnl_bf16, dnnl_f16};
constexpr placement_t placements[]{placement_t::ends_at_guard, placement_t::begins_at_guard};

constexpr uint64_t seed = 1;

/// Operands of a case with their values, and what should come of them.
class checked_run_t {
public:
    explicit checked_run_t(const backward_case_t &tested)
        : run_(tested)
        , t_(tested) {
        random_values_t random(seed);
        const dim_t count = t_.rows * t_.cols;
        src_ = fill(run_.src, t_.src_type, random.many(count, -2, 4));
        diff_dst_ = fill(run_.diff_dst, t_.diff_dst_type, random.many(count, -3, 2));
        if (t_.nan_col >= 0) {
            constexpr double nan = kiln::test::full_nan;
            run_.diff_dst.set(t_.rows / 2, t_.nan_col, nan);
            diff_dst_[at(t_.rows / 2, t_.nan_col)] = nan;
        }
        // A kernel takes the statistics as they are given: they need not be those of src.
        if (!t_.is_rms) mean_ = fill(run_.mean, t_.stat_type, random.many(t_.rows, 0, 2));
        mean_.resize(static_cast<size_t>(t_.rows), 0);
        variance_ = fill(run_.variance, t_.stat_type, random.many(t_.rows, 1, 4));
        for (dim_t row = 0; t_.recomputes_statistics && row < t_.rows; ++row) recompute(row);
        scale_.assign(static_cast<size_t>(t_.cols), 1);
        if (t_.scale_type != dnnl_data_type_undef)
            scale_ = fill(run_.scale, t_.scale_type, random.many(t_.cols, -2, 2));
        diff_scale_ = fill(run_.diff_scale, dnnl_f32, random.many(t_.cols, -1, 1));
        diff_shift_ = fill(run_.diff_shift, dnnl_f32, random.many(t_.cols, -1, 1));
        for (const backward_post_op_t &post_op : t_.post_ops) {
            if (post_op.operand_type == dnnl_data_type_undef) continue;
            const dim_t size =
                    (post_op.is_same_of_rows ? 1 : t_.rows) * (post_op.per_lane ? t_.cols : 1);
            operands_.push_back(fill(run_.operands[operands_.size()], post_op.operand_type,
                    random.many(size, -2, 2)));
        }
    }

    backward_run_t &run() { return run_; }

    ::testing::AssertionResult is_right() {
        if (!run_.has_intact_gaps()) return run_.failure(seed, "wrote beside its results");
        for (dim_t row = 0; t_.has_diff_src && row < t_.rows; ++row)
            if (const auto right = has_right_diff_src(row); !right) return right;
        for (dim_t col = 0; col < t_.cols; ++col)
            if (const auto right = has_right_weight_gradients(col); !right) return right;
        return ::testing::AssertionSuccess();
    }

private:
    void recompute(dim_t row) {
        double sum = 0, squares = 0;
        for (dim_t col = 0; col < t_.cols; ++col) sum += src_[at(row, col)];
        const double mean = t_.is_rms ? 0 : sum / static_cast<double>(t_.cols);
        for (dim_t col = 0; col < t_.cols; ++col) squares += std::pow(src_[at(row, col)] - mean, 2);
        mean_[static_cast<size_t>(row)] = mean;
        variance_[static_cast<size_t>(row)] = squares / static_cast<double>(t_.cols);
    }
    /// How far off the mean and, relatively, the variance of a row may be that are computed: each
    /// of the sums has up to C / 4 roundings in a lane and a few after, of deviations within a
    /// range of 6, or of squares four times as large as those about the mean.
    double roundings_of_sums() const {
        return t_.recomputes_statistics ? unit * (static_cast<double>(t_.cols) / 4 + 20) : 0;
    }
    double mean_error() const { return t_.is_rms ? 0 : 6 * roundings_of_sums(); }
    double variance_error() const { return 4 * roundings_of_sums(); }

    size_t at(dim_t row, dim_t col) const { return static_cast<size_t>(row * t_.cols + col); }

    double r(dim_t row) const {
        return 1 / std::sqrt(variance_[static_cast<size_t>(row)] + static_cast<double>(t_.epsilon));
    }
    double xhat(dim_t row, dim_t col) const {
        return (src_[at(row, col)] - mean_[static_cast<size_t>(row)]) * r(row);
    }
    double g(dim_t row, dim_t col) const {
        return diff_dst_[at(row, col)] * scale_[static_cast<size_t>(col)];
    }

    /// diff_src = r * (g - mean(g) - xhat * mean(g * xhat)). To first order in `unit`: a lane adds
    /// at most C / 8 terms, folding makes less than 6 roundings, and each term has 5 of its own (d,
    /// dy * d, the scale's) or of what it is multiplied with (r to three powers, 3 roundings each,
    /// two products): less than 26 in all. The sum in brackets is rounded three times, no
    /// intermediate result being larger than its terms together; r once more.
    ::testing::AssertionResult has_right_diff_src(dim_t row) {
        double sum_g = 0, sum_gx = 0, abs_g = 0, abs_gx = 0;
        for (dim_t col = 0; !t_.has_constant_statistics && col < t_.cols; ++col) {
            const double gx = g(row, col) * xhat(row, col);
            if (!t_.is_rms) sum_g += g(row, col), abs_g += std::abs(g(row, col));
            sum_gx += gx, abs_gx += std::abs(gx);
        }
        const auto count = static_cast<double>(t_.cols);
        const double roundings = count / 8 + 26;
        for (dim_t col = 0; col < t_.cols; ++col) {
            const double x = xhat(row, col);
            const double terms = (abs_g + std::abs(x) * abs_gx) / count;
            const double error = roundings * terms + 8 * (std::abs(g(row, col)) + terms);
            // What statistics that are off do to first order.
            const double off = r(row) * mean_error() * (abs_gx + std::abs(x) * abs_g) / count
                               + 2 * variance_error() * (std::abs(g(row, col)) + terms);
            const double value = r(row) * (g(row, col) - (sum_g + x * sum_gx) / count);
            const estimate_t wanted = stored(t_.diff_src_type,
                    after_post_ops({value, r(row) * (error * unit + off)}, row, col));
            const double got = run_.diff_src().get(row, col);
            if (!is_near(got, wanted))
                return run_.failure(seed, wrong("diff_src", row, col, wanted, got));
        }
        return ::testing::AssertionSuccess();
    }

    /// Rows are added one after another to what was there; a row's term has 6 roundings.
    ::testing::AssertionResult has_right_weight_gradients(dim_t col) {
        double scale = diff_scale_[static_cast<size_t>(col)];
        double shift = diff_shift_[static_cast<size_t>(col)];
        double abs_scale = std::abs(scale), abs_shift = std::abs(shift), off = 0;
        const double roundings = static_cast<double>(t_.rows) + 6;
        for (dim_t row = 0; row < t_.rows; ++row) {
            const double dy = diff_dst_[at(row, col)];
            scale += dy * xhat(row, col), abs_scale += std::abs(dy * xhat(row, col));
            shift += dy, abs_shift += std::abs(dy);
            off += std::abs(dy) * r(row) * mean_error();
            off += std::abs(dy * xhat(row, col)) * variance_error();
        }
        const estimate_t diff_scale{scale, roundings * abs_scale * unit + off};
        const estimate_t diff_shift{shift, roundings * abs_shift * unit};
        const double got_scale = run_.diff_scale.get(0, col);
        if (t_.has_diff_scale && !is_near(got_scale, diff_scale))
            return run_.failure(seed, wrong("diff_scale", 0, col, diff_scale, got_scale));
        const double got_shift = run_.diff_shift.get(0, col);
        if (t_.has_diff_shift && !is_near(got_shift, diff_shift))
            return run_.failure(seed, wrong("diff_shift", 0, col, diff_shift, got_shift));
        return ::testing::AssertionSuccess();
    }

    /// Each post-op rounds once or twice.
    estimate_t after_post_ops(estimate_t y, dim_t row, dim_t col) const {
        size_t index = 0;
        for (const backward_post_op_t &post_op : t_.post_ops) {
            double operand = 0;
            if (post_op.operand_type != dnnl_data_type_undef) {
                const dim_t width = post_op.per_lane ? t_.cols : 1;
                const dim_t place =
                        (post_op.is_same_of_rows ? 0 : row * width) + (post_op.per_lane ? col : 0);
                operand = operands_[index++][static_cast<size_t>(place)];
            }
            switch (post_op.alg) {
            case dnnl_binary_add: y.value += operand; break;
            case dnnl_binary_mul: y.value *= operand, y.error *= std::abs(operand); break;
            case dnnl_eltwise_relu: y.value = std::max(y.value, 0.); break;
            default: // dnnl_eltwise_linear
                y.value = static_cast<double>(post_op.alpha) * y.value
                          + static_cast<double>(post_op.beta);
                y.error = std::abs(static_cast<double>(post_op.alpha)) * y.error
                          + unit * std::abs(static_cast<double>(post_op.beta));
            }
            y.error += 2 * unit * (std::abs(y.value) + std::abs(operand));
        }
        return y;
    }

    backward_run_t run_;
    const backward_case_t t_;
    std::vector<double> src_, diff_dst_, mean_, variance_, scale_, diff_scale_, diff_shift_;
    std::vector<std::vector<double>> operands_;
};

::testing::AssertionResult gives_what_it_should(const backward_case_t &tested) {
    checked_run_t checked(tested);
    checked.run().run();
    return checked.is_right();
}

// ---- Right results, and no byte beside them

TEST(row_backward_kernel, every_number_of_rows_of_every_length) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const bool is_rms : {false, true})
                    for (const placement_t placement : placements) {
                        backward_case_t tested;
                        tested.isa = isa;
                        tested.rows = rows;
                        tested.cols = cols;
                        tested.is_rms = is_rms;
                        tested.scale_type = dnnl_f32;
                        tested.placement = placement;
                        if (placement == placement_t::ends_at_guard) tested.rows_unit = rows;
                        ASSERT_TRUE(gives_what_it_should(tested));
                    }
}

/// A case with everything but types and length drawn.
class draw_t {
public:
    backward_case_t operator()(data_type_t src, data_type_t diff_dst, data_type_t diff_src) {
        backward_case_t tested;
        tested.src_type = src;
        tested.diff_dst_type = diff_dst;
        tested.diff_src_type = diff_src;
        tested.rows = row_counts[below(std::size(row_counts))];
        tested.scale_type = weight_types[below(std::size(weight_types))];
        tested.is_rms = below(2);
        tested.stat_type = data_types[below(std::size(data_types))];
        tested.has_constant_statistics = below(3) == 0;
        const size_t outputs = 1 + below(7);
        tested.has_diff_src = outputs & 1;
        tested.has_diff_scale = outputs & 2;
        tested.has_diff_shift = outputs & 4;
        tested.is_streamed = below(2);
        tested.gap = static_cast<dim_t>(below(2) ? 0 : 1 + below(20));
        const size_t place = below(4);
        if (place == 0 && diff_src == src) tested.diff_src_place = place_t::of_src;
        if (place == 1 && diff_src == diff_dst) tested.diff_src_place = place_t::of_diff_dst;
        return tested;
    }

private:
    size_t below(size_t bound) { return engine_() % bound; }
    std::mt19937 engine_{3};
};

TEST(row_backward_kernel, nan_makes_its_row_and_its_columns_gradients_nan_and_no_others) {
    draw_t draw;
    for (const data_type_t type : data_types)
        for (const dim_t cols : row_lengths)
            for (const dim_t nan_col : {dim_t(0), cols / 2, cols - 1}) {
                backward_case_t tested = draw(type, type, dnnl_f32);
                tested.cols = cols;
                tested.nan_col = nan_col;
                for (const isa_t isa : machine_levels()) {
                    tested.isa = isa;
                    ASSERT_TRUE(gives_what_it_should(tested));
                }
            }
}

TEST(row_backward_kernel, statistics_of_its_own) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const bool is_rms : {false, true})
                    for (const data_type_t type : data_types)
                        for (const placement_t placement : placements) {
                            backward_case_t tested;
                            tested.isa = isa;
                            tested.rows = rows;
                            tested.cols = cols;
                            tested.is_rms = is_rms;
                            tested.recomputes_statistics = true;
                            tested.src_type = type;
                            tested.scale_type = dnnl_f32;
                            tested.is_streamed = rows % 2 == 0;
                            tested.gap = rows % 3;
                            tested.placement = placement;
                            ASSERT_TRUE(gives_what_it_should(tested));
                        }
}

/// The residual's gradient alone, and chains in which operands differ in type, and in whether they
/// vary along a row and from row to row.
std::vector<std::vector<backward_post_op_t>> post_op_chains(data_type_t type) {
    return {{{.alg = dnnl_binary_add, .operand_type = type, .per_lane = true}},
            {{.alg = dnnl_binary_mul,
                     .operand_type = type,
                     .per_lane = true,
                     .is_same_of_rows = true},
                    {.alg = dnnl_eltwise_linear, .alpha = -2, .beta = 0.5f},
                    {.alg = dnnl_binary_add, .operand_type = dnnl_f32, .per_lane = true}},
            {{.alg = dnnl_binary_add, .operand_type = type, .per_lane = false},
                    {.alg = dnnl_eltwise_relu},
                    {.alg = dnnl_binary_mul,
                            .operand_type = type,
                            .per_lane = false,
                            .is_same_of_rows = true}}};
}

TEST(row_backward_kernel, post_ops_on_diff_src) {
    for (const isa_t isa : machine_levels())
        for (const dim_t rows : row_counts)
            for (const dim_t cols : row_lengths)
                for (const data_type_t type : data_types)
                    for (const auto &post_ops : post_op_chains(type))
                        // All options with every number of rows, two with each length.
                        for (unsigned options = cols % 4; options < 8; options += 4) {
                            backward_case_t tested;
                            tested.isa = isa;
                            tested.rows = rows;
                            tested.cols = cols;
                            tested.diff_src_type = type;
                            tested.post_ops = post_ops;
                            tested.is_rms = options & 1;
                            tested.recomputes_statistics = options & 2;
                            tested.is_streamed = options & 4;
                            tested.scale_type = dnnl_f32;
                            tested.gap = rows % 3;
                            tested.placement = placements[cols % 2];
                            ASSERT_TRUE(gives_what_it_should(tested));
                        }
}

TEST(row_backward_kernel, diff_src_may_take_the_place_of_what_is_added) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : row_lengths)
            for (const data_type_t type : data_types)
                for (const auto place :
                        {place_t::of_operand, place_t::of_diff_dst, place_t::of_src})
                    for (const bool recomputes : {false, true}) {
                        backward_case_t tested;
                        tested.isa = isa;
                        tested.rows = 5;
                        tested.cols = cols;
                        tested.src_type = tested.diff_dst_type = tested.diff_src_type = type;
                        tested.post_ops = post_op_chains(type).front();
                        tested.diff_src_place = place;
                        tested.recomputes_statistics = recomputes;
                        tested.gap = 3;
                        ASSERT_TRUE(gives_what_it_should(tested));
                    }
}

TEST(row_backward_kernel, every_mix_of_data_types_with_any_options) {
    draw_t draw;
    for (const dim_t cols : row_lengths)
        for (const data_type_t src_type : data_types)
            for (const data_type_t diff_dst_type : data_types)
                for (const data_type_t diff_src_type : data_types)
                    for (const placement_t placement : placements) {
                        auto tested = draw(src_type, diff_dst_type, diff_src_type);
                        tested.cols = cols;
                        tested.placement = placement;
                        for (const isa_t isa : machine_levels()) {
                            tested.isa = isa;
                            ASSERT_TRUE(gives_what_it_should(tested));
                        }
                    }
}

TEST(row_backward_kernel, every_subset_of_outputs) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {3, 33, 768})
            for (unsigned options = 0; options < 64; ++options) {
                backward_case_t tested;
                tested.isa = isa;
                tested.rows = 7;
                tested.cols = cols;
                tested.scale_type = dnnl_f32;
                tested.has_diff_src = options & 1;
                tested.has_diff_scale = options & 2;
                tested.has_diff_shift = options & 4;
                tested.is_rms = options & 8;
                tested.has_constant_statistics = options & 16;
                tested.is_streamed = options & 32;
                ASSERT_TRUE(gives_what_it_should(tested));
            }
}

TEST(row_backward_kernel, registers_suffice_for_every_spec) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t src_type : data_types)
            for (const data_type_t diff_src_type : data_types)
                for (const data_type_t scale_type : weight_types)
                    for (const dim_t cols : {37, 1000, 8195})
                        for (unsigned options = 0; options < 64; ++options) {
                            backward_case_t tested;
                            tested.isa = isa;
                            tested.rows = 9;
                            tested.cols = cols;
                            tested.src_type = src_type;
                            tested.diff_dst_type = diff_src_type;
                            tested.diff_src_type = diff_src_type;
                            tested.scale_type = scale_type;
                            tested.is_rms = options & 1;
                            tested.has_constant_statistics = options & 2;
                            tested.is_streamed = options & 4;
                            tested.has_diff_scale = tested.has_diff_shift = options & 8;
                            tested.recomputes_statistics = options & 16 && !(options & 2);
                            if (options & 32)
                                tested.post_ops = {{.alg = dnnl_eltwise_pow, .beta = 1.5f},
                                        {.alg = dnnl_eltwise_mish},
                                        {.alg = dnnl_binary_max,
                                                .operand_type = dnnl_f16,
                                                .per_lane = true}};
                            backward_spec_t spec = tested.spec();
                            if (options & 32) {
                                spec.post_ops.push_back({dnnl_binary_select, 0, 0,
                                        {{dnnl_bf16, true}, {dnnl_s8, false}}});
                                spec.operands.push_back({dnnl_bf16, 64});
                                spec.operands.push_back({dnnl_s8, 1});
                            }
                            ASSERT_NO_THROW(row_backward_kernel_t(spec).finish())
                                    << tested.describe();
                        }
}

// ---- The same bits in any row block

/// A value of the middle row that must not change the results of other rows.
struct oddity_t {
    std::optional<double> value;
    dim_t col = 0;
};

void run_in_calls(backward_run_t &run, dim_t rows_of_call, const oddity_t &odd) {
    const dim_t rows = run.tested().rows;
    if (odd.value) run.src.set(rows / 2, odd.col, *odd.value);
    for (dim_t row = 0; row < rows; row += rows_of_call)
        run.run(row, std::min(rows_of_call, rows - row));
}

/// Calls of any numbers of rows give the bits of one call; rows beside the odd one have the bits
/// that they have beside a usual one.
void expect_same_bits_in_any_block(const backward_case_t &tested, const oddity_t &odd) {
    checked_run_t together(tested);
    backward_run_t &whole = together.run();
    run_in_calls(whole, tested.rows, odd);
    for (const dim_t rows_of_call : {1, 2, 3, 5}) {
        checked_run_t in_calls(tested);
        backward_run_t &parts = in_calls.run();
        run_in_calls(parts, rows_of_call, odd);
        EXPECT_TRUE(parts.diff_src().bits() == whole.diff_src().bits()
                    && parts.diff_scale.bits() == whole.diff_scale.bits()
                    && parts.diff_shift.bits() == whole.diff_shift.bits())
                << tested.describe() << " in calls of " << rows_of_call << ", column " << odd.col
                << " odd";
    }
    checked_run_t usual(tested);
    usual.run().run();
    for (dim_t row = 0; row < tested.rows; ++row)
        if (row != tested.rows / 2) {
            EXPECT_TRUE(usual.run().diff_src().row_bits(row) == whole.diff_src().row_bits(row))
                    << tested.describe() << " row " << row << ", column " << odd.col << " odd";
        }
}

TEST(row_backward_kernel, a_row_has_the_same_bits_in_any_block) {
    for (const isa_t isa : machine_levels())
        for (const dim_t cols : {1, 3, 45, 129, 768})
            for (const bool is_rms : {false, true})
                for (unsigned options = 0; options < 8; ++options) {
                    backward_case_t tested;
                    tested.isa = isa;
                    tested.rows = 9;
                    tested.cols = cols;
                    tested.is_rms = is_rms;
                    tested.is_streamed = options & 1;
                    tested.recomputes_statistics = options & 2;
                    if (options & 4) tested.post_ops = post_op_chains(dnnl_f32)[cols % 3];
                    tested.scale_type = dnnl_f32;
                    expect_same_bits_in_any_block(tested, {});
                    for (const double value : {std::numeric_limits<double>::quiet_NaN(), 1e6})
                        for (const dim_t col : {dim_t(0), cols / 2, cols - 1})
                            expect_same_bits_in_any_block(tested, {value, col});
                }
}

TEST(row_backward_kernel, non_temporal_stores_give_the_same_bits) {
    for (const isa_t isa : machine_levels())
        for (const data_type_t type : data_types)
            for (const dim_t cols : {16, 37, 129, 768, 3000}) {
                backward_case_t tested;
                tested.isa = isa;
                tested.rows = 5;
                tested.cols = cols;
                tested.diff_src_type = type;
                tested.is_streamed = true;
                tested.placement = placement_t::begins_at_guard;
                checked_run_t past(tested), through(tested);
                ASSERT_TRUE(past.run().has_non_temporal_diff_src()) << tested.describe();
                past.run().run();
                through.run().may_use_non_temporal_stores = false;
                through.run().run();
                EXPECT_TRUE(past.is_right());
                EXPECT_TRUE(past.run().diff_src().bits() == through.run().diff_src().bits())
                        << tested.describe();
            }
}

// ---- Code that does not grow

TEST(row_backward_kernel, code_does_not_grow_with_the_row) {
    for (const isa_t isa : {isa_t::avx2, isa_t::avx512_core, isa_t::avx512_core_bf16})
        for (const data_type_t type : data_types)
            for (const bool is_rms : {false, true})
                for (const bool is_streamed : {false, true})
                    for (const dim_t rows : {1, 2, 1000}) {
                        backward_case_t tested;
                        tested.isa = isa;
                        tested.rows = rows;
                        tested.src_type = tested.diff_dst_type = tested.diff_src_type = type;
                        tested.scale_type = dnnl_f32;
                        tested.is_rms = is_rms;
                        tested.is_streamed = is_streamed;
                        const auto size_of = [&](dim_t cols) {
                            tested.cols = cols;
                            return row_backward_kernel_t(tested.spec()).finish().size();
                        };
                        const size_t size = size_of(8192);
                        EXPECT_LT(size, 16384u) << tested.describe();
                        EXPECT_EQ(size_of(1 << 20), size) << tested.describe();
                        // Blocks of fewer, longer rows have more copies of a loop's body.
                        EXPECT_LE(size, size_of(256) * 5 / 4) << tested.describe();
                    }
}

} // namespace

} // namespace kiln::x64::layer_normalization::test
