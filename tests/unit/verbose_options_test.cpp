// SPDX-License-Identifier: Apache-2.0
// What the values of ONEDNN_VERBOSE ask for.
#include "common/verbose/verbose_options.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kiln::verbose::test {

namespace {

constexpr unsigned checks = create_check | exec_check;
constexpr unsigned profiles = create_profile | exec_profile;

TEST(verbose_options, keywords_choose_kinds_of_lines) {
    const struct {
        const char *value;
        unsigned flags;
    } rows[] = {
            {"", error},
            {"0", none},
            {"none", none},
            {"1", error | warning | exec_profile},
            {"2", error | warning | profiles},
            {"-1", error | warning | checks | create_dispatch | profiles},
            {"all", error | warning | checks | create_dispatch | profiles},
            {"error", error},
            {"warn", error | warning},
            {"check", error | checks},
            {"dispatch", error | create_dispatch},
            {"profile", error | profiles},
            {"profile_create", error | create_profile},
            {"profile_exec", error | exec_profile},
            {"profile_exec,dispatch", error | exec_profile | create_dispatch},
            {"check,none", none},
            {"none,check", checks},
            {"profile_externals,debuginfo=3,loud,,3", error},
            {"profile_exec,", error | exec_profile},
    };
    for (const auto &row : rows) EXPECT_EQ(parse_options(row.value).flags, row.flags) << row.value;
}

TEST(verbose_options, words_without_a_meaning_are_listed) {
    EXPECT_EQ(parse_options("1,loud,filter=x,,debuginfo=1,a b").unknown_words, " 'loud' 'a b'");
    EXPECT_EQ(parse_options("all,profile_externals,none,0").unknown_words, "");
}

TEST(verbose_options, without_a_filter_every_component_is_wanted) {
    const options_t options = parse_options("all");
    EXPECT_EQ(options.components, all_components);
    EXPECT_EQ(options.filter_notice, "");
}

TEST(verbose_options, a_filter_picks_components_by_regular_expression) {
    const options_t options = parse_options("profile_exec,filter=layer|^reorder");
    EXPECT_EQ(options.flags, error | exec_profile);
    EXPECT_NE(options.components & components_of(dnnl_layer_normalization), 0u);
    EXPECT_NE(options.components & components_of(dnnl_reorder), 0u);
    EXPECT_EQ(options.components & components_of(dnnl_batch_normalization), 0u);
    EXPECT_EQ(options.filter_notice,
            "common,info,filter format is enabled, hit components: reorder,layer_normalization");
}

TEST(verbose_options, the_component_primitive_means_all_of_them) {
    const components_t components = parse_options("filter=prim").components;
    for (const auto kind : {dnnl_reorder, dnnl_softmax, dnnl_group_normalization})
        EXPECT_NE(components & components_of(kind), 0u) << kind;
    EXPECT_EQ(parse_options("filter=graph").components & components_of(dnnl_reorder), 0u);
}

TEST(verbose_options, what_belongs_to_no_primitive_passes_every_filter) {
    EXPECT_NE(parse_options("filter=lrn").components & components_of(dnnl_undefined_primitive), 0u);
}

TEST(verbose_options, the_last_filter_that_can_be_applied_counts) {
    const components_t components = parse_options("filter=lrn,filter=sum").components;
    EXPECT_EQ(components & components_of(dnnl_lrn), 0u);
    EXPECT_NE(components & components_of(dnnl_sum), 0u);
}

TEST(verbose_options, a_filter_that_makes_no_sense_is_not_applied_and_says_so) {
    for (const char *value : {"filter=(", "filter=nothing_like_this"}) {
        const options_t options = parse_options(value);
        EXPECT_EQ(options.components, all_components) << value;
        EXPECT_EQ(
                options.filter_notice.rfind(
                        "common,error,filter format is ill-formed and is not applied, error: ", 0),
                0u)
                << value;
    }
    EXPECT_EQ(parse_options("filter=").filter_notice, "");
}

std::string repeated(const std::string &text, size_t count) {
    std::string result;
    for (size_t i = 0; i < count; ++i) result += text;
    return result;
}

TEST(verbose_options, a_filter_that_would_exhaust_the_stack_is_refused_with_the_reason) {
    const std::pair<std::string, const char *> rows[] = {
            {repeated("(", 60'000), "the pattern has 60000 characters"},
            {repeated("(", 60'000) + repeated(")", 60'000), "the pattern has 120000 characters"},
            {repeated("a", 513), "the pattern has 513 characters; at most 512 are supported"},
            {repeated("(", 33) + "lrn" + repeated(")", 33),
                    "groups are nested; at most 32 levels are supported"},
            {"(a?){30000}", "repetition by a count ({) is not supported"},
            {"(((a{999}){999}){999})", "repetition by a count ({) is not supported"},
    };
    for (const auto &[pattern, reason] : rows) {
        const options_t options = parse_options("filter=" + pattern);
        EXPECT_EQ(options.components, all_components) << reason;
        EXPECT_NE(options.filter_notice.find(reason), std::string::npos)
                << options.filter_notice.substr(0, 200);
    }
}

TEST(verbose_options, a_filter_within_the_bounds_is_matched_in_little_time) {
    // Each would take more than 2^60 steps of a matcher that tries all ways one after another.
    for (const std::string &pattern :
            {repeated("(.|.|.|.)*", 8) + "x", std::string("((((.*)*)*)*)*x"),
                    repeated("(.*)*", 90) + "x", repeated("(", 32) + "lrn" + repeated(")*", 32)})
        EXPECT_FALSE(parse_options("filter=" + pattern).filter_notice.empty()) << pattern;
}

} // namespace

} // namespace kiln::verbose::test
