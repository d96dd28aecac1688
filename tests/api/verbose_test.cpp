// SPDX-License-Identifier: Apache-2.0
// Verbose mode: which lines each setting prints, and the format of each field, since scripts read
// the lines.
#include <chrono>
#include <regex>
#include <string>
#include <vector>

#include "api/verbose_scenarios.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::test {

namespace {

const std::string prefix = "onednn_verbose,v1,";
const std::string milliseconds = R"((\d+(\.\d+)?(e[-+]\d+)?))";
const std::string place = R"(src/[a-z0-9_/]+\.[ch]pp:\d+)";
const std::string implementation = "(ref|jit|simple):[a-z0-9_:.]+";
const std::string forward_info =
        "cpu,layer_normalization," + implementation
        + ",forward_training,src:f32::blocked:ab::f0 dst:f32:a:blocked:ab::f0 "
          "stats:f32::blocked:a::f0 scale:f32::blocked:a::f0 shift:f32::blocked:a::f0,,"
          "flags:CH,4x16";
const std::string forward_exec = prefix + "primitive,exec," + forward_info + "," + milliseconds;
const std::string reorder_info =
        "cpu,reorder," + implementation
        + ",undef,src:f32::blocked:abcd::f0 dst:bf16:p:blocked:aBcd16b::f0,,,2x17x3x3";

bool matches(const std::string &line, const std::string &pattern) {
    return std::regex_match(line, std::regex(pattern));
}

using lines_t = std::vector<std::string>;

lines_t lines_of(const std::string &scenario, const lines_t &variables) {
    const auto result = run_scenario(scenario, variables);
    EXPECT_TRUE(result.succeeded) << result.output;
    return result.lines();
}

constexpr size_t header_size = 6;

/// The lines after the header.
lines_t body_of(const std::string &scenario, const lines_t &variables) {
    const lines_t lines = lines_of(scenario, variables);
    if (lines.size() < header_size) return {};
    return lines_t(lines.begin() + header_size, lines.end());
}

void expect_lines(const lines_t &lines, const lines_t &patterns) {
    EXPECT_EQ(lines.size(), patterns.size());
    for (size_t i = 0; i < lines.size() && i < patterns.size(); ++i)
        EXPECT_TRUE(matches(lines[i], patterns[i])) << lines[i] << "\nis not\n" << patterns[i];
    for (size_t i = patterns.size(); i < lines.size(); ++i)
        ADD_FAILURE() << "one line more: " << lines[i];
}

TEST(verbose, is_silent_by_default) {
    EXPECT_EQ(lines_of("execute_several", {}), lines_t());
    EXPECT_EQ(lines_of("execute_several", {"ONEDNN_VERBOSE=0"}), lines_t());
}

TEST(verbose, begins_with_the_header_once) {
    expect_lines(lines_of("execute_forward", {"ONEDNN_VERBOSE=1"}),
            {
                    prefix + R"(info,Kiln v\d+\.\d+\.\d+ \(commit [0-9A-Za-z/]+\),)"
                            + R"(interface:oneDNN v3\.13\.1)",
                    prefix + std::string("info,cpu,runtime:") + dnnl_runtime2str(DNNL_CPU_RUNTIME)
                            + R"(,nthr:[1-9]\d*)",
                    prefix + "info,cpu,isa:Intel .+",
                    prefix + "info,gpu,runtime:none",
                    prefix
                            + "primitive,info,template:operation,engine,primitive,implementation,"
                              "prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,"
                              "exec_time",
                    prefix
                            + "graph,info,template:operation,engine,partition_id,partition_kind,"
                              "op_names,data_formats,logical_tensors,fpmath_mode,implementation,"
                              "backend,exec_time",
                    forward_exec,
            });
}

TEST(verbose, names_the_isa_in_use) {
    const lines_t lines =
            lines_of("execute_forward", {"ONEDNN_VERBOSE=1", "ONEDNN_MAX_CPU_ISA=SSE41"});
    ASSERT_GT(lines.size(), 2u);
    EXPECT_EQ(lines[2], prefix + "info,cpu,isa:Intel SSE4.1");
}

TEST(verbose, profiles_execution) {
    for (const char *value : {"1", "profile_exec", "PROFILE_EXEC", "none,profile_exec"})
        expect_lines(body_of("execute_forward", {std::string("ONEDNN_VERBOSE=") + value}),
                {forward_exec});
    expect_lines(body_of("execute_forward", {"DNNL_VERBOSE=1"}), {forward_exec});
}

TEST(verbose, profiles_creation_and_tells_cache_hits) {
    const std::string miss =
            prefix + "primitive,create:cache_miss," + forward_info + "," + milliseconds;
    const std::string hit =
            prefix + "primitive,create:cache_hit," + forward_info + "," + milliseconds;
    expect_lines(body_of("create_forward_twice", {"ONEDNN_VERBOSE=profile_create"}), {miss, hit});
    expect_lines(body_of("execute_forward", {"ONEDNN_VERBOSE=profile"}), {miss, forward_exec});
    expect_lines(body_of("execute_forward", {"ONEDNN_VERBOSE=2"}), {miss, forward_exec});
}

TEST(verbose, describes_backward) {
    expect_lines(body_of("create_backward", {"ONEDNN_VERBOSE=profile_create"}),
            {prefix + "primitive,create:cache_miss,cpu,layer_normalization," + implementation
                    + ",backward,src:f32::blocked:bac::f0 dst:f32:a:blocked:bac::f0 "
                      "stats:f32::blocked:ba::f0 scale:f32::blocked:a::f0 "
                      "diff_src:f32:a:blocked:bac::f0 diff_scale:f32::blocked:a::f0,,flags:CM,"
                      "2x3x8,"
                    + milliseconds});
}

TEST(verbose, describes_batch_normalization) {
    const std::string begin =
            prefix + "primitive,create:cache_miss,cpu,batch_normalization," + implementation + ",";
    expect_lines(body_of("create_batch_normalization", {"ONEDNN_VERBOSE=profile_create"}),
            {begin + "forward_training,data:f32::blocked:acdb::f0,,flags:CHR,mb2ic16ih7iw5,"
                            + milliseconds,
                    begin
                            + "backward,data:f32::blocked:acdb::f0 diff:f32:a:blocked:acdb::f0,,"
                              "flags:CHR,mb2ic16ih7iw5,"
                            + milliseconds});
}

TEST(verbose, describes_group_normalization) {
    const std::string begin =
            prefix + "primitive,create:cache_miss,cpu,group_normalization," + implementation + ",";
    expect_lines(body_of("create_group_normalization", {"ONEDNN_VERBOSE=profile_create"}),
            {begin
                            + "forward_training,src:f32::blocked:acdb::f0 "
                              "dst:f32:a:blocked:acdb::f0,,"
                              "flags:C,g4mb2ic16ih7iw5,"
                            + milliseconds,
                    begin
                            + "backward_data,src:f32::blocked:acdb::f0 dst:f32:a:blocked:acdb::f0 "
                              "diff_src:f32:a:blocked:acdb::f0,,flags:C,g4mb2ic16ih7iw5,"
                            + milliseconds});
}

TEST(verbose, describes_attributes) {
    expect_lines(body_of("create_quantized", {"ONEDNN_VERBOSE=profile_create"}),
            {prefix + "primitive,create:cache_miss,cpu,layer_normalization," + implementation
                    + ",forward_inference,src:s8::blocked:ab::f0 dst:u8::blocked:ab::f0 "
                      "stats:f32::blocked:a::f0,"
                      R"(attr-scratchpad:user attr-scales:src0:0:f32\+dst:0:f32 )"
                      R"(attr-post-ops:eltwise_linear:0\.5:2\+eltwise_relu\+binary_add:f32:2)"
                      R"(\+binary_mul:f32:3:ba,flags:G,4x16,)"
                    + milliseconds});
}

TEST(verbose, describes_reorders) {
    expect_lines(body_of("execute_reorder", {"ONEDNN_VERBOSE=1"}),
            {prefix + "primitive,exec," + reorder_info + "," + milliseconds});
}

TEST(verbose, filters_by_component) {
    const lines_t both = {forward_exec, prefix + "primitive,exec," + reorder_info + ".*"};
    const auto notice = [](const std::string &names) {
        return prefix + "common,info,filter format is enabled, hit components: " + names;
    };
    expect_lines(body_of("execute_several", {"ONEDNN_VERBOSE=1,filter=layer"}),
            {notice("layer_normalization"), both[0]});
    expect_lines(body_of("execute_several", {"ONEDNN_VERBOSE=1,filter=^re"}),
            {notice("reorder,resampling,reduction"), both[1]});
    expect_lines(body_of("execute_several", {"ONEDNN_VERBOSE=1,filter=prim"}),
            {notice("primitive"), both[0], both[1]});
    EXPECT_EQ(lines_of("execute_several", {"ONEDNN_VERBOSE=1,filter=graph"}), lines_t());
    expect_lines(body_of("execute_several", {"ONEDNN_VERBOSE=1,filter=("}),
            {prefix + "common,error,filter format is ill-formed and is not applied, error: .+",
                    both[0], both[1]});
}

const std::string engine_error = prefix + "common,error,runtime,.+," + place;
const std::string memory_check = prefix + "common,create:check,memory,.+," + place;
const std::string lnorm_check = prefix + "primitive,create:check,lnorm,.+," + place;
const std::string refusal =
        prefix + "primitive,create:dispatch,layer_normalization," + forward_info + ",.+," + place;

TEST(verbose, prints_errors_unless_told_not_to) {
    expect_lines(body_of("refuse_everywhere", {}), {engine_error});
    expect_lines(body_of("refuse_everywhere", {"ONEDNN_VERBOSE=error"}), {engine_error});
    EXPECT_EQ(lines_of("refuse_everywhere", {"ONEDNN_VERBOSE=none"}), lines_t());
    EXPECT_EQ(lines_of("refuse_everywhere", {"ONEDNN_VERBOSE=0"}), lines_t());
}

TEST(verbose, gives_the_reasons_of_refused_arguments) {
    expect_lines(body_of("refuse_everywhere", {"ONEDNN_VERBOSE=check"}),
            {engine_error, memory_check, lnorm_check, lnorm_check});
    expect_lines(body_of("refuse_everywhere", {"ONEDNN_VERBOSE=none,check"}),
            {memory_check, lnorm_check, lnorm_check});
}

const std::string other_layout =
        prefix
        + "primitive,exec:check,primitive,the memory of DNNL_ARG_SRC has "
          "another data type, shape or layout than the descriptor: got:f32::blocked:ba::f0 4x6; "
          "described:f32::blocked:ab::f0 4x6,"
        + place;
const std::string other_type = prefix
                               + "primitive,exec:check,primitive,the memory of DNNL_ARG_SRC has "
                                 "another data type, shape or layout than the descriptor: "
                                 "got:s32::blocked:ab::f0 4x6; described:f32::blocked:ab::f0 "
                                 "4x6,"
                               + place;
const std::string other_size =
        prefix
        + "primitive,exec:check,primitive,the memory of DNNL_ARG_SRC is of data type f64; it must "
          "be of f32,"
        + place;

TEST(verbose, reports_memory_of_another_layout_or_type) {
    const char *const refused = "invalid_arguments";
    EXPECT_EQ(lines_of("execute_with_other_memory", {}),
            (lines_t{"success", "success", "success", refused}));
    expect_lines(body_of("execute_with_other_memory", {"ONEDNN_VERBOSE=check"}),
            {other_layout, other_type, other_size, "success", "success", "success", refused});
}

TEST(verbose, names_the_layout_that_the_environment_asks_to_refuse) {
    const char *const refused = "invalid_arguments";
    EXPECT_EQ(lines_of("execute_with_other_memory", {"KILN_CHECK_ARGUMENTS=1"}),
            (lines_t{"success", refused, refused, refused}));
    EXPECT_EQ(lines_of("execute_with_other_memory", {"KILN_CHECK_ARGUMENTS=0"}),
            (lines_t{"success", "success", "success", refused}));
    expect_lines(body_of("execute_with_other_memory",
                         {"ONEDNN_VERBOSE=check", "KILN_CHECK_ARGUMENTS=1"}),
            {other_layout, other_type, other_size, "success", refused, refused, refused});
}

TEST(verbose, gives_the_reasons_of_implementations_that_refuse) {
    const lines_t lines = body_of("try_every_implementation", {"ONEDNN_VERBOSE=dispatch"});
    EXPECT_GE(lines.size(), 1u); // at least that for empty tensors
    for (const std::string &line : lines) EXPECT_TRUE(matches(line, refusal)) << line;
}

TEST(verbose, prints_every_kind_of_line_where_all_are_asked_for) {
    for (const char *value : {"all", "-1", "ALL"}) {
        const lines_t variables = {std::string("ONEDNN_VERBOSE=") + value};
        expect_lines(body_of("refuse_everywhere", variables),
                {engine_error, memory_check, lnorm_check, lnorm_check});
        EXPECT_GE(body_of("try_every_implementation", variables).size(), 1u);
        const lines_t lines = body_of("execute_forward", variables);
        ASSERT_GE(lines.size(), 2u);
        EXPECT_TRUE(matches(lines[lines.size() - 2], prefix + "primitive,create:cache_miss,.*"));
        EXPECT_TRUE(matches(lines.back(), forward_exec));
    }
}

TEST(verbose, is_set_by_function_whatever_the_environment_says) {
    for (const char *variable : {"UNRELATED=1", "ONEDNN_VERBOSE=all"}) {
        const lines_t lines = lines_of("set_levels", {variable});
        lines_t seen;
        for (const std::string &line : lines)
            if (line.find(",info,") == std::string::npos) seen.push_back(line);
        expect_lines(seen, {"level 0", "level 1", forward_exec, "level 0", "level 2",
                                   prefix + "primitive,create:cache_hit,.*", forward_exec});
        EXPECT_EQ(lines.size(), seen.size() + header_size);
    }
}

TEST(verbose, stamps_lines_with_the_time_since_1970) {
    using clock_t = std::chrono::system_clock;
    const auto now = [] {
        return std::chrono::duration<double, std::milli>(clock_t::now().time_since_epoch()).count();
    };
    const double before = now();
    const lines_t lines =
            lines_of("execute_forward", {"ONEDNN_VERBOSE=1", "ONEDNN_VERBOSE_TIMESTAMP=1"});
    const double after = now();
    ASSERT_EQ(lines.size(), header_size + 1);
    EXPECT_TRUE(lines[4].starts_with(
            prefix + "primitive,info,template:timestamp,operation,engine,primitive,"))
            << lines[4];
    EXPECT_TRUE(lines[5].starts_with(prefix + "graph,info,template:timestamp,operation,engine,"))
            << lines[5];
    std::smatch match;
    ASSERT_TRUE(std::regex_match(
            lines[6], match, std::regex(prefix + R"((\d+\.\d{6}),primitive,exec,.*)")))
            << lines[6];
    const double stamp = std::stod(match[1]);
    EXPECT_GE(stamp, before - 1);
    EXPECT_LE(stamp, after + 1);
    expect_lines(body_of("execute_forward", {"ONEDNN_VERBOSE=1", "DNNL_VERBOSE_TIMESTAMP=0"}),
            {forward_exec});
}

TEST(verbose, measures_time_in_milliseconds) {
    const lines_t lines = body_of("execute_forward", {"ONEDNN_VERBOSE=1"});
    ASSERT_EQ(lines.size(), 1u);
    const double time = std::stod(lines[0].substr(lines[0].rfind(',') + 1));
    EXPECT_GE(time, 0.);
    EXPECT_LT(time, 10e3);
}

TEST(verbose, keeps_the_lines_of_threads_apart) {
    const lines_t lines = lines_of("execute_in_threads", {"ONEDNN_VERBOSE=1"});
    ASSERT_EQ(lines.size(), header_size + 100);
    for (size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(i < header_size, lines[i].find("info,") != std::string::npos) << lines[i];
        if (i >= header_size) {
            EXPECT_TRUE(matches(lines[i], forward_exec)) << lines[i];
        }
    }
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::verbose_scenarios());
}
