// SPDX-License-Identifier: Apache-2.0
// Process-wide settings: the version, the default fpmath mode, what is done with generated code,
// and values of the environment that are not understood.
#include <cstdio>
#include <regex>
#include <string>

#include "kiln/version.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "oneapi/dnnl/dnnl_version.h"
#include "scenario.hpp"

namespace kiln::test {

namespace {

/// The default mode, as a program and as new attributes see it.
void print_fpmath_mode() {
    dnnl_fpmath_mode_t mode;
    dnnl_fpmath_mode_t attr_mode;
    dnnl_primitive_attr_t attr;
    dnnl_get_default_fpmath_mode(&mode);
    dnnl_primitive_attr_create(&attr);
    dnnl_primitive_attr_get_fpmath_mode(attr, &attr_mode);
    dnnl_primitive_attr_destroy(attr);
    std::printf("%s %s\n", dnnl_fpmath_mode2str(mode), dnnl_fpmath_mode2str(attr_mode));
}

void set_and_print_fpmath_mode() {
    dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_bf16);
    print_fpmath_mode();
}

/// Reads each variable of the environment at least twice.
void use_every_setting() {
    using namespace dnnl;
    const engine cpu(engine::kind::cpu, 0);
    const memory::desc md({4, 8}, memory::data_type::f32, memory::format_tag::ab);
    for (int i = 0; i < 2; ++i) {
        const layer_normalization_forward forward(layer_normalization_forward::primitive_desc(
                cpu, prop_kind::forward_inference, md, md, 1e-5f, normalization_flags::none));
        using tensor_t = graph::logical_tensor;
        const auto tensor_of = [](size_t id) {
            return tensor_t(id, tensor_t::data_type::f32, tensor_t::dims{4, 8},
                    tensor_t::layout_type::strided);
        };
        graph::graph relu(engine::kind::cpu);
        relu.add_op(graph::op(0, graph::op::kind::ReLU, {tensor_of(0)}, {tensor_of(1)}, "relu"));
        relu.finalize();
        relu.get_partitions();
        graph::get_compiled_partition_cache_capacity();
        graph::get_constant_tensor_cache_capacity(engine::kind::cpu);
        dnnl_get_cpu_isa_hints();
        print_fpmath_mode();
    }
}

constexpr scenario_t scenarios[] = {
        {"use_every_setting", use_every_setting},
        {"print_fpmath_mode", print_fpmath_mode},
        {"set_and_print_fpmath_mode", set_and_print_fpmath_mode},
};

TEST(version, of_kiln_is_that_of_its_headers) {
    const kiln_version_t *version = kiln_version();
    ASSERT_NE(version, nullptr);
    EXPECT_EQ(version->major, KILN_VERSION_MAJOR);
    EXPECT_EQ(version->minor, KILN_VERSION_MINOR);
    EXPECT_EQ(version->patch, KILN_VERSION_PATCH);
    EXPECT_STREQ(version->hash, dnnl_version()->hash);
}

TEST(version, names_the_interface_and_the_runtimes) {
    const dnnl_version_t *version = dnnl_version();
    ASSERT_NE(version, nullptr);
    EXPECT_EQ(version->major, DNNL_VERSION_MAJOR);
    EXPECT_EQ(version->minor, DNNL_VERSION_MINOR);
    EXPECT_EQ(version->patch, DNNL_VERSION_PATCH);
    EXPECT_EQ(version->cpu_runtime, DNNL_CPU_RUNTIME);
    EXPECT_EQ(version->gpu_runtime, DNNL_RUNTIME_NONE);
    ASSERT_NE(version->hash, nullptr);
    EXPECT_STRNE(version->hash, "");
    EXPECT_EQ(dnnl_version(), version);
}

TEST(fpmath_mode, is_strict_unless_the_environment_says_otherwise) {
    const struct {
        const char *variable;
        const char *mode;
    } rows[] = {
            {"UNRELATED=1", "strict"},
            {"ONEDNN_DEFAULT_FPMATH_MODE=strict", "strict"},
            {"ONEDNN_DEFAULT_FPMATH_MODE=bf16", "bf16"},
            {"ONEDNN_DEFAULT_FPMATH_MODE=F16", "f16"},
            {"ONEDNN_DEFAULT_FPMATH_MODE=TF32", "tf32"},
            {"DNNL_DEFAULT_FPMATH_MODE=any", "any"},
            {"ONEDNN_DEFAULT_FPMATH_MODE=fast", "strict"},
    };
    for (const auto &row : rows) {
        const auto result = run_scenario("print_fpmath_mode", {row.variable});
        EXPECT_TRUE(result.succeeded);
        EXPECT_EQ(result.output, std::string(row.mode) + " " + row.mode + "\n") << row.variable;
    }
}

TEST(fpmath_mode, that_a_function_sets_outdoes_the_environment) {
    const auto result =
            run_scenario("set_and_print_fpmath_mode", {"ONEDNN_DEFAULT_FPMATH_MODE=any"});
    EXPECT_EQ(result.output, "bf16 bf16\n");
}

TEST(fpmath_mode, can_be_set_again_and_again) {
    for (const auto mode : {dnnl_fpmath_mode_bf16, dnnl_fpmath_mode_f16, dnnl_fpmath_mode_tf32,
                 dnnl_fpmath_mode_any, dnnl_fpmath_mode_strict}) {
        dnnl_fpmath_mode_t found;
        EXPECT_EQ(dnnl_set_default_fpmath_mode(mode), dnnl_success);
        EXPECT_EQ(dnnl_get_default_fpmath_mode(&found), dnnl_success);
        EXPECT_EQ(found, mode);
    }
}

TEST(fpmath_mode, that_does_not_exist_is_refused_and_changes_nothing) {
    dnnl_fpmath_mode_t mode;
    ASSERT_EQ(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_f16), dnnl_success);
    EXPECT_EQ(dnnl_set_default_fpmath_mode(static_cast<dnnl_fpmath_mode_t>(5)),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl_get_default_fpmath_mode(&mode), dnnl_success);
    EXPECT_EQ(mode, dnnl_fpmath_mode_f16);
    EXPECT_EQ(dnnl_get_default_fpmath_mode(nullptr), dnnl_invalid_arguments);
    dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict);
}

TEST(jit_settings, take_the_documented_values) {
    for (const int enable : {1, 0, -1}) EXPECT_EQ(dnnl_set_jit_dump(enable), dnnl_success);
    for (const unsigned flags : {DNNL_JIT_PROFILE_NONE, DNNL_JIT_PROFILE_VTUNE,
                 DNNL_JIT_PROFILE_LINUX_PERFMAP, DNNL_JIT_PROFILE_LINUX_JITDUMP,
                 DNNL_JIT_PROFILE_LINUX_PERF, DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC, 14u, 15u})
        EXPECT_EQ(dnnl_set_jit_profiling_flags(flags), dnnl_success) << flags;
    for (const char *directory : {".", "/tmp", ""})
        EXPECT_EQ(dnnl_set_jit_profiling_jitdumpdir(directory), dnnl_success) << directory;
    EXPECT_EQ(dnnl_set_jit_profiling_jitdumpdir(nullptr), dnnl_success);
}

TEST(jit_settings, refuse_unknown_profiling_flags) {
    for (const unsigned flags : {16u, 17u, 0x80000000u})
        EXPECT_EQ(dnnl_set_jit_profiling_flags(flags), dnnl_invalid_arguments) << flags;
}

/// What is said about the environment.
std::vector<std::string> warnings_of(const std::vector<std::string> &variables) {
    const std::string prefix = "onednn_verbose,v1,common,warning,environment,";
    const auto result = run_scenario("use_every_setting", variables);
    EXPECT_TRUE(result.succeeded) << result.output;
    std::vector<std::string> warnings;
    for (const std::string &line : result.lines())
        if (line.starts_with(prefix)) warnings.push_back(line.substr(prefix.size()));
    return warnings;
}

using lines_t = std::vector<std::string>;

const struct {
    const char *name;
    std::string value, said; // "": the value is understood
} values_of_settings[] = {
        {"PRIMITIVE_CACHE_CAPACITY", "12", ""},
        {"PRIMITIVE_CACHE_CAPACITY", "12threads", "an integer; used: 12"},
        {"PRIMITIVE_CACHE_CAPACITY", "many", "an integer; used: 0"},
        {"PRIMITIVE_CACHE_CAPACITY", "99999999999", "an integer; used: 1024"},
        {"GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", "-1", ""},
        {"GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", "0x10", "an integer; used: 0"},
        {"GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY", "cpu:7", ""},
        {"GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY", "gpu:7;cpu:9;", ""},
        {"GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY", "7",
                "KIND:MEBIBYTES entries separated by semicolons; used: cpu:0"},
        {"GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY", "cpu:7x",
                "KIND:MEBIBYTES entries separated by semicolons; used: cpu:7"},
        {"GRAPH_DUMP", "none", ""},
        {"GRAPH_DUMP", "subgraph", ""},
        {"GRAPH_DUMP", "everything", "a list of graph and subgraph; used: none"},
        {"GRAPH_DUMP", "all,subgraph", "a list of graph and subgraph; used: subgraph"},
        {"MAX_CPU_ISA", "AVX2", ""},
        {"MAX_CPU_ISA", "default", ""},
        {"MAX_CPU_ISA", "avx3", "the name of an ISA level; used: default"},
        {"CPU_ISA_HINTS", "no_hints", ""},
        {"CPU_ISA_HINTS", "prefer_zmm", "no_hints or prefer_ymm; used: no_hints"},
        {"DEFAULT_FPMATH_MODE", "tf32", ""},
        {"DEFAULT_FPMATH_MODE", "fast", "strict or bf16 or f16 or tf32 or any; used: strict"},
        {"JIT_DUMP", "0", ""},
        {"JIT_DUMP", "no", "an integer; used: 0"},
        {"JIT_PROFILE", "15", ""},
        {"JIT_PROFILE", "16", "an integer from 0 to 15; used: 1"},
        {"JIT_PROFILE", "vtune", "an integer from 0 to 15; used: 0"},
        {"VERBOSE_TIMESTAMP", "0", ""},
        {"VERBOSE_TIMESTAMP", "off", "an integer; used: 0"},
        {"KILN_CHECK_ARGUMENTS", "1", ""},
        {"KILN_CACHE_SIZE", "64K", ""},
        {"KILN_CACHE_SIZE", "1g", ""},
};

/// A setting of Kiln's own needs no prefix.
std::vector<std::string> prefixes_of(const std::string &name) {
    if (name.starts_with("KILN_")) return {"", "ONEDNN_", "DNNL_"};
    return {"ONEDNN_", "DNNL_"};
}

TEST(environment, says_once_which_values_are_not_understood_and_what_is_used) {
    for (const auto &row : values_of_settings)
        for (const std::string &prefix : prefixes_of(row.name)) {
            const std::string variable = prefix + row.name;
            const lines_t warnings =
                    warnings_of({"ONEDNN_VERBOSE=2", "HOME=/tmp", variable + "=" + row.value});
            const std::string value = std::regex_replace(row.value, std::regex(","), "\\x2c");
            const lines_t expected{variable + " is '" + value + "' instead of " + row.said};
            EXPECT_EQ(warnings, row.said.empty() ? lines_t() : expected);
        }
}

TEST(environment, says_which_size_of_the_cache_is_used_for_one_that_is_none) {
    for (const std::string value : {"0", "1", "1T", "large", "-1m"}) {
        const lines_t warnings = warnings_of({"ONEDNN_VERBOSE=2", "KILN_CACHE_SIZE=" + value});
        ASSERT_EQ(warnings.size(), 1u) << value;
        const std::regex said(
                "KILN_CACHE_SIZE is '" + value
                + R"(' instead of a number of bytes \(with K, M or G: of KiB, MiB or )"
                  R"(GiB\) from 64K to 1024G; used: [1-9]\d*)");
        EXPECT_TRUE(std::regex_match(warnings[0], said)) << warnings[0];
    }
}

TEST(environment, is_silent_about_values_unless_warnings_are_wanted) {
    for (const char *verbose : {"UNRELATED=1", "ONEDNN_VERBOSE=0", "ONEDNN_VERBOSE=profile"})
        EXPECT_EQ(warnings_of({verbose, "ONEDNN_MAX_CPU_ISA=avx3"}), lines_t()) << verbose;
}

TEST(environment, shows_values_without_commas_and_control_characters_and_not_too_long) {
    const auto said = [](const std::string &value) {
        const lines_t lines = warnings_of({"ONEDNN_VERBOSE=warn", "ONEDNN_MAX_CPU_ISA=" + value});
        return lines.size() == 1 ? lines[0].substr(0, lines[0].find(" instead of")) : "nothing";
    };
    EXPECT_EQ(said("a,b\n\x1b[2J\xff"), "ONEDNN_MAX_CPU_ISA is 'a\\x2cb\\x0a\\x1b[2J\\xff'");
    EXPECT_EQ(said(std::string(60, 'x')), "ONEDNN_MAX_CPU_ISA is '" + std::string(60, 'x') + "'");
    EXPECT_EQ(
            said(std::string(61, 'x')), "ONEDNN_MAX_CPU_ISA is '" + std::string(60, 'x') + "...'");
}

TEST(environment, says_which_words_of_the_verbose_mode_have_no_meaning) {
    const std::string head = "ONEDNN_VERBOSE has words without a meaning:";
    for (const auto &[value, words] : {std::pair("loud", " 'loud'"),
                 std::pair("3,profile,Louder", " '3' 'louder'"), std::pair("1,,debuginfo=3,", ""),
                 std::pair("profile_externals,filter=norm", ""), std::pair("loud,none", "")}) {
        const lines_t expected{head + words + "; used: the others"};
        EXPECT_EQ(warnings_of({std::string("ONEDNN_VERBOSE=") + value}),
                *words ? expected : lines_t());
    }
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
