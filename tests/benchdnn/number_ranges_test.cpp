// SPDX-License-Identifier: Apache-2.0
// Every number of the command line: which values are taken, and what the refusal of others says.
#include "command_lines.hpp"

namespace benchdnn {

namespace {

struct number_t {
    const char *driver;        // "": a knob of the run
    std::string before, after; // the text around the number
    std::string range;         // as messages print it
    words_t taken, refused;    // at the ends of the range and beyond them
};

const char *const f32_range = "a number from -3.40282e+38 to 3.40282e+38";
const char *const f32_from_0_range = "a number from 0 to 3.40282e+38";
const char *const count_range = "an integer from 0 to 1000000000";
const char *const count_from_1_range = "an integer from 1 to 1000000000";
const char *const mask_range = "an integer from 0 to 4095";
const char *const s32_range = "an integer from -2147483648 to 2147483647";
const char *const s64_range = "an integer from -9223372036854775808 to 9223372036854775807";
const char *const extent_range = "an integer from 0 to 9223372036854775807";

const words_t f32_taken{"0", "-3.4e38", "3.4e38"}, f32_refused{"-3.5e38", "3.5e38"};
const words_t f32_from_0_taken{"0", "3.4e38"}, f32_from_0_refused{"-1e-9", "3.5e38"};
const words_t counts_taken{"0", "1000000000"}, counts_refused{"-1", "1000000001", "1.5"};
const words_t counts_from_1_taken{"1", "1000000000"}, counts_from_1_refused{"0", "1000000001"};
const words_t masks_taken{"0", "4095"}, masks_refused{"-1", "4096"};
const words_t s32_taken{"-2147483648", "2147483647"}, s32_refused{"-2147483649", "2147483648"};
const words_t s64_taken{"-9223372036854775808", "9223372036854775807"};
const words_t s64_refused{"-9223372036854775809", "9223372036854775808"};
const words_t extents_taken{"0", "9223372036854775807"};
const words_t extents_refused{"-1", "9223372036854775808"};

const number_t numbers[] = {
        {"", "--max-ms-per-prb=", "", "a number from 10 to 60000", {"10", "60000", "10.5"},
                {"-1", "0", "9.99", "60001"}},
        {"", "--fix-times-per-prb=", "", count_range, counts_taken, counts_refused},
        {"", "--repeats-per-prb=", "", count_from_1_range, counts_from_1_taken,
                counts_from_1_refused},
        {"", "--start=", "", count_range, counts_taken, counts_refused},
        {"", "--num-streams=", "", count_from_1_range, counts_from_1_taken, counts_from_1_refused},
        {"", "--verbose=", "", "an integer from 0 to 1000", {"0", "1000"}, {"-1", "1001"}},
        {"", "-v", "", "an integer from 0 to 1000", {"0", "1000"}, {"-1", "1001"}},
        {"", "--threads=", "", "an integer from 1 to 4096", {"1", "4096"}, {"0", "-1", "4097"}},
        {"", "--ctx-init=", "", "an integer from 1 to 4096", {"1", "4096"}, {"0", "4097"}},
        {"", "--ctx-exe=2:", "", "an integer from 0 to 4096", {"0", "4096"}, {"-1", "4097"}},
        {"", "--ctx-exe=auto:auto:", "", "an integer from 1 to 4096", {"1", "4096"}, {"0", "4097"}},
        {"", "--cold-cache=all+tlb:", "M", "a number from 0.000976562 to 1.04858e+06",
                {"0.001", "1048576"}, {"0", "-1", "1048577"}},
        {"lnorm", "--eps=", "", f32_from_0_range, f32_from_0_taken, f32_from_0_refused},
        {"lnorm", "--strides=", "x1:", extent_range, extents_taken, extents_refused},
        {"lnorm", "--attr-scales=src:", "", mask_range, masks_taken, masks_refused},
        {"lnorm", "--attr-scales=src:common:", "", f32_from_0_range, f32_from_0_taken,
                f32_from_0_refused},
        {"lnorm", "--attr-scales=msrc", ":common", "an integer from 0 to 1023", {"0", "1023"},
                {"-1", "1024"}},
        {"lnorm", "--attr-scales=src:per_tensor:f32:", "x1", extent_range, extents_taken,
                extents_refused},
        {"lnorm", "--attr-zero-points=dst:common:", "", s32_range, s32_taken, s32_refused},
        {"lnorm", "--attr-precomputed-reductions=src:", ":s32:1x4", mask_range, masks_taken,
                masks_refused},
        {"lnorm", "--attr-precomputed-reductions=src:per_tensor:s32:", "x4", extent_range,
                extents_taken, extents_refused},
        {"lnorm", "--attr-dropout=", "", "a number from 0 to 1", {"0", "1"}, {"-0.1", "1.1"}},
        {"lnorm", "--attr-dropout=0.5:", "", s64_range, s64_taken, s64_refused},
        {"lnorm", "--attr-dropout=0.5:1:undef:", "", extent_range, extents_taken, extents_refused},
        {"lnorm", "--attr-rounding-mode=dst:stochastic:", "", s64_range, s64_taken, s64_refused},
        {"lnorm", "--attr-post-ops=linear:", "", f32_range, f32_taken, f32_refused},
        {"lnorm", "--attr-post-ops=linear:1:", "", f32_range, f32_taken, f32_refused},
        {"lnorm", "--attr-post-ops=sum:", "", f32_range, f32_taken, f32_refused},
        {"lnorm", "--attr-post-ops=sum:1:", "", s32_range, s32_taken, s32_refused},
        {"lnorm", "--attr-post-ops=add:f32:", "", mask_range, masks_taken, masks_refused},
        {"lnorm", "--attr-post-ops=prelu:", "", mask_range, masks_taken, masks_refused},
        {"lnorm", "--attr-post-ops=add:f32:common:any:", "x1", extent_range, extents_taken,
                extents_refused},
        {"lnorm", "--attr-post-ops=dw:k", "s1p1", "an integer from 1 to 2147483647",
                {"1", "2147483647"}, {"0", "2147483648"}},
        {"lnorm", "--attr-post-ops=dw:k3s", "p1", "an integer from 1 to 2147483647",
                {"1", "2147483647"}, {"0", "2147483648"}},
        {"lnorm", "--attr-post-ops=dw:k3s1p", "", "an integer from 0 to 2147483647",
                {"0", "2147483647"}, {"-1", "2147483648"}},
        {"lnorm", "4x", "", extent_range, extents_taken, extents_refused},
        {"bnorm", "--mb=", "", count_range, counts_taken, counts_refused},
        {"bnorm", "ic8mb", "", extent_range, extents_taken, extents_refused},
        {"bnorm", "ic8eps", "", f32_from_0_range, f32_from_0_taken, f32_from_0_refused},
        {"gnorm", "--mb=", "", count_range, counts_taken, counts_refused},
        {"gnorm", "ic8g", "", extent_range, {"1", "9223372036854775807"}, extents_refused},
        {"reduction", "--p=", "", f32_range, f32_taken, f32_refused},
        {"reduction", "--eps=", "", f32_range, f32_taken, f32_refused},
        {"reduction", "4x8:4x", "", extent_range, {"1", "8"}, extents_refused},
        {"reorder", "--runtime-dim-mask=", "", mask_range, masks_taken, masks_refused},
        {"reorder", "--oflag=zp_comp:", "", mask_range, masks_taken, masks_refused},
        {"eltwise", "--alpha=", "", f32_range, f32_taken, f32_refused},
        {"eltwise", "--beta=", "", f32_range, f32_taken, f32_refused},
        {"eltwise", "--mb=", "", count_range, counts_taken, counts_refused},
        {"shuffle", "--group=", "", count_from_1_range, {"1", "2"}, counts_from_1_refused},
        {"shuffle", "--axis=", "", "an integer from 0 to 11", {"0", "1"}, {"-1", "12"}},
        {"sum", "--scales=", "", f32_range, f32_taken, f32_refused},
        {"concat", "--axis=", "", "an integer from 0 to 11", {"0", "1"}, {"-1", "12"}},
        {"graph", "--mb=", "", count_range, counts_taken, counts_refused},
        {"graph", "--expected-n-partitions=", "", count_range, counts_taken, counts_refused},
        {"graph", "--in-shapes=", ":4x8", extent_range, extents_taken, extents_refused},
};

std::string refusal_with(const number_t &number, const std::string &value) {
    const words_t words{number.before + value + number.after};
    return refusal_of(*number.driver ? with_driver(number.driver, words) : words);
}

TEST(numbers_of_the_command_line, are_taken_up_to_both_ends_of_their_range) {
    for (const number_t &number : numbers)
        for (const std::string &value : number.taken)
            EXPECT_EQ(refusal_with(number, value), "") << number.before << value;
}

TEST(numbers_of_the_command_line, are_refused_beyond_with_a_message_that_says_the_range) {
    for (const number_t &number : numbers)
        for (const std::string &value : number.refused)
            EXPECT_NE(refusal_with(number, value).find(number.range), std::string::npos)
                    << number.before << value << ": " << refusal_with(number, value);
}

TEST(numbers_of_the_command_line, are_numbers_as_a_whole) {
    const words_t wrong{"?", "1?", " 1", "nan", "inf", "-inf", "--1", "1e999", "0x",
            std::string("1\0", 2), "99999999999999999999999", "-99999999999999999999999"};
    for (const number_t &number : numbers)
        for (const std::string &value : wrong) {
            const bool fits = number.range == f32_range || number.range == f32_from_0_range;
            if (fits && value.find("9999999") != std::string::npos) continue;
            EXPECT_NE(refusal_with(number, value), "") << number.before << value;
        }
}

// A knob that is missing in the list above would take this number. Digits after a point or in an
// exponent are left out, and the knobs whose values a graph's file completes
// (graph_command_line_test).
TEST(numbers_of_the_command_line, in_the_examples_of_all_knobs_have_a_greatest_value) {
    const std::string digits = "0123456789";
    const auto expect_refused = [&](const std::string &driver, const knob_t &knob) {
        const std::string &example = knob.example;
        for (size_t at = 0; (at = example.find_first_of(digits, at)) != std::string::npos;) {
            const size_t end = std::min(example.find_first_not_of(digits, at), example.size());
            std::string word = example;
            word.replace(at, end - at, std::string(60, '9'));
            const words_t words = driver.empty() ? words_t{word} : with_driver(driver, {word});
            const bool is_whole = at > 0 && example[at - 1] != '.' && example[at - 1] != '-';
            if (is_whole) {
                EXPECT_NE(refusal_of(words), "") << word;
            }
            at = end;
        }
    };
    options_t options;
    knob_set_t of_the_run;
    add_run_knobs(of_the_run, options);
    for (const knob_t &knob : of_the_run.all()) expect_refused("", knob);
    for (const auto &driver : make_drivers())
        for (const knob_t &knob : driver->knobs().all())
            if (knob.name != "in-shapes" && knob.name != "op-attrs")
                expect_refused(driver->name(), knob);
}

TEST(numbers_of_elements, that_do_not_fit_64_bits_are_the_greatest_number) {
    EXPECT_EQ(product({INT64_MAX, 2}), INT64_MAX);
    EXPECT_EQ(product({INT64_MAX, INT64_MAX, 0}), 0);
    EXPECT_EQ(product({3, 4, 5}), 60);
}

} // namespace

} // namespace benchdnn
