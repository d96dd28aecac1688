// SPDX-License-Identifier: Apache-2.0
// Environment variables under both prefixes: which one counts, and what becomes of its value.
#include "common/environment.hpp"

#include <climits>
#include <cstdlib>
#include <utility>

#include <gtest/gtest.h>

namespace kiln::test {

namespace {

class environment : public testing::Test {
protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }

    static void set(const char *name, const char *value) { setenv(name, value, 1); }

private:
    static void clear() {
        unsetenv("ONEDNN_SAMPLE");
        unsetenv("DNNL_SAMPLE");
        unsetenv("KILN_SAMPLE");
        unsetenv("ONEDNN_KILN_SAMPLE");
    }
};

TEST_F(environment, has_no_value_where_nothing_is_set) {
    EXPECT_FALSE(environment_value("SAMPLE").has_value());
    EXPECT_EQ(environment_int("SAMPLE", 7), 7);
}

TEST_F(environment, is_read_under_either_prefix) {
    set("DNNL_SAMPLE", "second");
    EXPECT_EQ(environment_value("SAMPLE"), "second");
    set("ONEDNN_SAMPLE", "first");
    EXPECT_EQ(environment_value("SAMPLE"), "first");
}

TEST_F(environment, has_settings_without_a_prefix) {
    set("ONEDNN_KILN_SAMPLE", "prefixed");
    EXPECT_FALSE(environment_value("KILN_SAMPLE").has_value());
    set("KILN_SAMPLE", "own");
    EXPECT_EQ(environment_value("KILN_SAMPLE"), "own");
}

TEST_F(environment, takes_an_empty_variable_as_not_set) {
    set("ONEDNN_SAMPLE", "");
    EXPECT_FALSE(environment_value("SAMPLE").has_value());
    set("DNNL_SAMPLE", "other");
    EXPECT_EQ(environment_value("SAMPLE"), "other");
}

TEST_F(environment, gives_values_in_lower_case) {
    set("ONEDNN_SAMPLE", "AVX512_Core,Filter=[A-Z]");
    EXPECT_EQ(environment_value("SAMPLE"), "avx512_core,filter=[a-z]");
}

TEST_F(environment, reads_numbers) {
    const struct {
        const char *text;
        int number;
    } rows[] = {
            {"0", 0},
            {"14", 14},
            {"-3", -3},
            {"+5", 5},
            {"  8", 8},
            {"2147483647", INT_MAX},
            {"-2147483648", INT_MIN},
            {"12threads", 12},
            {"many", 0},
    };
    for (const auto &row : rows) {
        set("ONEDNN_SAMPLE", row.text);
        EXPECT_EQ(environment_int("SAMPLE", 77), row.number) << row.text;
    }
}

TEST_F(environment, takes_the_standard_for_numbers_outside_a_range) {
    for (const auto &[text, number] :
            {std::pair("3", 3), std::pair("15", 15), std::pair("16", 1), std::pair("-1", 1)}) {
        set("ONEDNN_SAMPLE", text);
        EXPECT_EQ(environment_int("SAMPLE", 1, int_range_t{0, 15}), number) << text;
    }
}

TEST_F(environment, takes_the_first_word_for_words_that_are_not_in_the_list) {
    constexpr setting_word_t<int> words[] = {{"strict", 4}, {"any", 7}};
    EXPECT_EQ(environment_word("SAMPLE", words), 4);
    for (const auto &[text, value] : {std::pair("strict", 4), std::pair("ANY", 7),
                 std::pair("anything", 4), std::pair(" any", 4)}) {
        set("ONEDNN_SAMPLE", text);
        EXPECT_EQ(environment_word("SAMPLE", words), value) << text;
    }
}

TEST_F(environment, does_not_take_numbers_beyond_an_int) {
    for (const char *text : {"2147483648", "-2147483649", "99999999999999999999999"}) {
        set("ONEDNN_SAMPLE", text);
        EXPECT_EQ(environment_int("SAMPLE", 77), 77) << text;
    }
}

} // namespace

} // namespace kiln::test
