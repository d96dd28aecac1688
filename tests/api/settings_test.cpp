// SPDX-License-Identifier: Apache-2.0
// Process-wide settings: the version, the default fpmath mode, what is done with generated code.
#include <cstdio>
#include <string>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
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

constexpr scenario_t scenarios[] = {
        {"print_fpmath_mode", print_fpmath_mode},
        {"set_and_print_fpmath_mode", set_and_print_fpmath_mode},
};

TEST(version, names_the_interface_and_the_runtimes) {
    const dnnl_version_t *version = dnnl_version();
    ASSERT_NE(version, nullptr);
    EXPECT_EQ(version->major, DNNL_VERSION_MAJOR);
    EXPECT_EQ(version->minor, DNNL_VERSION_MINOR);
    EXPECT_EQ(version->patch, DNNL_VERSION_PATCH);
    EXPECT_EQ(version->cpu_runtime, DNNL_RUNTIME_TBB);
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

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
