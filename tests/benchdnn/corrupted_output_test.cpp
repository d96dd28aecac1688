// SPDX-License-Identifier: Apache-2.0
// The library's results pass, and every corruption of them is noticed.
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "common/tensor/data_type.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

struct output_case_t {
    std::vector<std::string> words;
    int argument;
};

std::ostream &operator<<(std::ostream &stream, const output_case_t &value) {
    for (const std::string &word : value.words) stream << word << " ";
    return stream << argument_name(value.argument);
}

class corrupted_output : public testing::TestWithParam<output_case_t> {
protected:
    executed_problem_t executed{GetParam().words};
    tensor_t &output = executed.arguments.at(GetParam().argument);
    const dim_t count = output.layout().elements();

    // What an element holds that the library does not write: NaN, or an integer.
    double garbage() const {
        tensor_t copy = output.copy();
        copy.spoil();
        return copy.load(0);
    }
    void replace(dim_t index, double value) {
        output.store(index, value);
        ASSERT_EQ(executed.verdict(), verdict_t::failed) << "element " << index;
    }
};

TEST_P(corrupted_output, untouched_passes) {
    EXPECT_EQ(executed.verdict(), verdict_t::passed);
    EXPECT_EQ(executed.arguments.damage(), "");
}

TEST_P(corrupted_output, nan_in_the_first_element_fails) { replace(0, garbage()); }

TEST_P(corrupted_output, nan_in_the_last_element_fails) { replace(count - 1, garbage()); }

TEST_P(corrupted_output, infinity_fails) {
    replace(count / 2, std::numeric_limits<double>::infinity()); // the largest integer
}

TEST_P(corrupted_output, zero_in_one_element_fails) { replace(count / 3, 0); }

TEST_P(corrupted_output, one_percent_off_in_one_element_fails) {
    const double value = output.load(count / 2);
    replace(count / 2, is_integer_type(output.layout().data_type()) ? value + 1 : 1.01 * value);
}

TEST_P(corrupted_output, an_unwritten_element_fails) { replace(count - 2, garbage()); }

TEST_P(corrupted_output, two_neighbours_swapped_fail) {
    // The first two that differ by more than the type's rounding.
    dim_t at = 0;
    while (std::fabs(output.load(at) / output.load(at + 1) - 1) < 0.05) ++at;
    const double first = output.load(at), second = output.load(at + 1);
    output.store(at, second);
    replace(at + 1, first);
}

TEST_P(corrupted_output, elements_shifted_by_one_fail) {
    for (dim_t i = 0; i + 1 < count; ++i) output.store(i, output.load(i + 1));
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST_P(corrupted_output, a_block_of_eight_repeated_fails) {
    ASSERT_GE(count, 16);
    for (dim_t i = 0; i < 8; ++i) output.store(8 + i, output.load(i));
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

const std::vector<output_case_t> cases = {
        {{"--lnorm", "--flags=CH", "40x50"}, DNNL_ARG_DST},
        {{"--lnorm", "40x50"}, DNNL_ARG_MEAN},
        {{"--lnorm", "40x50"}, DNNL_ARG_VARIANCE},
        {{"--lnorm", "--flags=CM", "40x50"}, DNNL_ARG_VARIANCE},
        {{"--lnorm", "--dt=bf16", "--dir=FWD_I", "--flags=CM", "40x50"}, DNNL_ARG_DST},
        {{"--lnorm", "--dt=f16", "--tag=axb", "--flags=GCH", "4x10x50"}, DNNL_ARG_DST},
        {{"--lnorm", "--inplace=true", "--flags=CH", "40x50"}, DNNL_ARG_DST},
        {{"--lnorm", "--dir=BWD_DW", "--flags=CH", "40x50"}, DNNL_ARG_DIFF_SRC},
        {{"--lnorm", "--dir=BWD_DW", "--flags=CH", "40x50"}, DNNL_ARG_DIFF_SCALE},
        {{"--lnorm", "--dir=BWD_DW", "--flags=CH", "40x50"}, DNNL_ARG_DIFF_SHIFT},
        {{"--lnorm", "--dir=BWD_DW", "--flags=CM", "--dt=bf16", "40x50"}, DNNL_ARG_DIFF_SRC},
        {{"--lnorm", "--dir=BWD_D", "--inplace=true", "40x50"}, DNNL_ARG_DIFF_SRC},
};

INSTANTIATE_TEST_SUITE_P(lnorm, corrupted_output, testing::ValuesIn(cases));

const std::vector<output_case_t> bnorm_cases = {
        {{"--bnorm", "--flags=CH", "mb4ic20ih6"}, DNNL_ARG_DST},
        {{"--bnorm", "mb4ic37ih6"}, DNNL_ARG_MEAN},
        {{"--bnorm", "mb4ic37ih6"}, DNNL_ARG_VARIANCE},
        {{"--bnorm", "--dt=bf16", "--dir=FWD_I", "--tag=axb", "mb4ic20iw30"}, DNNL_ARG_DST},
        {{"--bnorm", "--dt=f16", "--tag=aBx8b", "--flags=GCH", "mb4ic20id3"}, DNNL_ARG_DST},
        {{"--bnorm", "--inplace=true", "--flags=CH", "mb40ic50"}, DNNL_ARG_DST},
        {{"--bnorm", "--dir=BWD_DW", "--flags=CH", "mb4ic20ih6"}, DNNL_ARG_DIFF_SRC},
        {{"--bnorm", "--dir=BWD_DW", "--flags=CH", "mb4ic37ih6"}, DNNL_ARG_DIFF_SCALE},
        {{"--bnorm", "--dir=BWD_DW", "--flags=CH", "mb4ic37ih6"}, DNNL_ARG_DIFF_SHIFT},
        {{"--bnorm", "--dir=BWD_DW", "--flags=CHR", "mb4ic37ih6"}, DNNL_ARG_DIFF_SRC},
        {{"--bnorm", "--dir=BWD_DW", "--flags=CHA", "mb4ic37ih6"}, DNNL_ARG_DIFF_SCALE},
        {{"--bnorm", "--dir=BWD_D", "--dt=bf16", "--inplace=true", "mb4ic20ih6"},
                DNNL_ARG_DIFF_SRC},
};

INSTANTIATE_TEST_SUITE_P(bnorm, corrupted_output, testing::ValuesIn(bnorm_cases));

const std::vector<output_case_t> gnorm_cases = {
        {{"--gnorm", "--flags=CH", "g4mb4ic20ih6"}, DNNL_ARG_DST},
        {{"--gnorm", "g12mb4ic36ih6"}, DNNL_ARG_MEAN},
        {{"--gnorm", "g12mb4ic36ih6"}, DNNL_ARG_VARIANCE},
        {{"--gnorm", "--dt=f32:bf16", "--dir=FWD_I", "--tag=axb", "g5mb4ic20iw30"}, DNNL_ARG_DST},
        {{"--gnorm", "--inplace=true", "--flags=GCH", "g10mb40ic50"}, DNNL_ARG_DST},
        {{"--gnorm", "--dir=BWD_DW", "--flags=CH", "g1mb4ic20ih6"}, DNNL_ARG_DIFF_SRC},
        {{"--gnorm", "--dir=BWD_DW", "--flags=CH", "g12mb4ic36ih6"}, DNNL_ARG_DIFF_SCALE},
        {{"--gnorm", "--dir=BWD_DW", "--flags=CH", "g36mb4ic36ih6"}, DNNL_ARG_DIFF_SHIFT},
};

INSTANTIATE_TEST_SUITE_P(gnorm, corrupted_output, testing::ValuesIn(gnorm_cases));

const std::vector<output_case_t> reduction_cases = {
        {{"--reduction", "--alg=sum", "30x70:30x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=sum", "--stag=axb", "3x20x30:3x20x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=sum", "--stag=aBx16b", "3x20x30:1x20x30"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=mean", "--sdt=bf16", "3x20x30:3x20x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=max", "30x70:30x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=min", "--sdt=bf16", "30x70:1x70"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=mul", "30x70:1x70"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=norm_lp_sum", "--p=2", "--eps=0.5", "30x70:30x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=norm_lp_power_p_max", "--p=3.5", "30x70:1x70"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=sum", "--sdt=s8", "--ddt=s32", "30x70:30x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=max", "--sdt=u8", "--ddt=u8", "30x70:30x1"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=mean", "--sdt=s8", "--ddt=s8", "30x70:1x70"}, DNNL_ARG_DST},
        {{"--reduction", "--alg=sum", "--attr-post-ops=sum:0.5+add:f32:per_oc", "3x20x30:3x20x1"},
                DNNL_ARG_DST},
};

INSTANTIATE_TEST_SUITE_P(reduction, corrupted_output, testing::ValuesIn(reduction_cases));

// Errors that an implementation could make; each is small, or the same in all elements.
TEST(wrong_formula, statistics_off_by_the_unbiased_factor_fail) {
    executed_problem_t executed({"--lnorm", "1500x1024"});
    tensor_t &variance = executed.arguments.at(DNNL_ARG_VARIANCE);
    for (dim_t i = 0; i < variance.layout().elements(); ++i)
        variance.store(i, variance.load(i) * 1024 / 1023);
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(wrong_formula, a_gradient_sum_without_one_row_fails) {
    executed_problem_t executed({"--lnorm", "--dir=BWD_DW", "--flags=CH", "20000x16"});
    tensor_t &diff_shift = executed.arguments.at(DNNL_ARG_DIFF_SHIFT);
    const tensor_t &diff_dst = executed.arguments.at(DNNL_ARG_DIFF_DST);
    ASSERT_EQ(executed.verdict(), verdict_t::passed);
    for (dim_t c = 0; c < 16; ++c)
        diff_shift.store(c, diff_shift.load(c) - diff_dst.load(19999 * 16 + c));
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

// oneDNN's RMS gradient also subtracts the average of scale * diff_dst.
TEST(wrong_formula, an_rms_gradient_with_the_mean_term_fails) {
    const dim_t rows = 30, cols = 200;
    executed_problem_t executed({"--lnorm", "--dir=BWD_D", "--flags=M", "30x200"});
    tensor_t &diff_src = executed.arguments.at(DNNL_ARG_DIFF_SRC);
    const tensor_t &diff_dst = executed.arguments.at(DNNL_ARG_DIFF_DST);
    ASSERT_EQ(executed.verdict(), verdict_t::passed);
    for (dim_t r = 0; r < rows; ++r) {
        double sum = 0;
        for (dim_t c = 0; c < cols; ++c) sum += diff_dst.load(r * cols + c);
        const double variance = executed.arguments.at(DNNL_ARG_VARIANCE).load(r);
        const double term = sum / cols / std::sqrt(variance + 1. / 16);
        for (dim_t c = 0; c < cols; ++c)
            diff_src.store(r * cols + c, diff_src.load(r * cols + c) - term);
    }
    EXPECT_EQ(executed.verdict(), verdict_t::failed);
}

TEST(memory_around_the_tensor, a_written_gap_is_damage) {
    executed_problem_t executed({"--lnorm", "--strides=40x1:44x1", "16x32"});
    ASSERT_EQ(executed.arguments.damage(), "");
    executed.arguments.at(DNNL_ARG_DST).data()[4 * 32] = 0;
    EXPECT_NE(executed.arguments.damage().find("dst: the gap at offset 32"), std::string::npos);
}

TEST(memory_around_the_tensor, padding_that_is_not_zero_is_damage) {
    executed_problem_t executed({"--lnorm", "--tag=aBx8b", "3x5x7"});
    ASSERT_EQ(executed.arguments.damage(), "");
    executed.arguments.at(DNNL_ARG_DST).data()[4 * 5] = 1;
    EXPECT_NE(executed.arguments.damage().find("padding at offset 5"), std::string::npos);
}

// Bytes on the tensor's pages; a write farther away is a fault.
TEST(memory_around_the_tensor, a_byte_before_or_behind_is_damage) {
    const std::pair<placement_t, int> cases[] = {
            {placement_t::ends_at_guard, -1}, {placement_t::begins_at_guard, 40 * 50 * 4}};
    for (const auto &[placement, at] : cases) {
        executed_problem_t executed({"--lnorm", "40x50"});
        executed.arguments.restore(placement);
        ASSERT_EQ(executed.arguments.damage(), "");
        executed.arguments.at(DNNL_ARG_DST).data()[at] = 0;
        EXPECT_NE(
                executed.arguments.damage().find("dst: bytes before or after"), std::string::npos);
    }
}

TEST(memory_around_the_tensor, a_written_input_is_damage) {
    executed_problem_t executed({"--lnorm", "--flags=C", "40x50"});
    executed.arguments.at(DNNL_ARG_SCALE).data()[17] ^= 1;
    EXPECT_EQ(executed.arguments.damage(), "scale: an input was written");
}

} // namespace

} // namespace benchdnn
