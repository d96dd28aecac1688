// SPDX-License-Identifier: Apache-2.0
// What the settings for generated code are, by function and by environment, as code that obeys them
// reads them.
#include "common/settings.hpp"

#include <cstdio>

#include "scenario.hpp"

namespace kiln::test {

namespace {

void print_settings() {
    std::printf("%d %u %s\n", jit_dump_enabled(), jit_profiling_flags(),
            jit_profiling_jitdumpdir().c_str());
}

void set_and_print_settings() {
    dnnl_set_jit_dump(0);
    dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERFMAP);
    dnnl_set_jit_profiling_jitdumpdir("/set");
    print_settings();
    dnnl_set_jit_dump(3);
    dnnl_set_jit_profiling_flags(1u << 30);
    dnnl_set_jit_profiling_jitdumpdir(nullptr);
    print_settings();
}

constexpr scenario_t scenarios[] = {
        {"print_settings", print_settings},
        {"set_and_print_settings", set_and_print_settings},
};

TEST(jit_settings, have_defaults) {
    EXPECT_EQ(run_scenario("print_settings").output, "0 1 .\n");
    EXPECT_EQ(run_scenario("print_settings", {"HOME=/home"}).output, "0 1 /home\n");
}

TEST(jit_settings, are_read_from_the_environment) {
    EXPECT_EQ(run_scenario("print_settings", {"ONEDNN_JIT_DUMP=1", "DNNL_JIT_PROFILE=14",
                                                     "JITDUMPDIR=/Dumps", "HOME=/home"})
                      .output,
            "1 14 /Dumps\n");
    EXPECT_EQ(run_scenario("print_settings", {"ONEDNN_JIT_DUMP=0", "ONEDNN_JIT_PROFILE=0"}).output,
            "0 0 .\n");
}

TEST(jit_settings, that_functions_set_outdo_the_environment) {
    EXPECT_EQ(run_scenario("set_and_print_settings",
                      {"ONEDNN_JIT_DUMP=1", "ONEDNN_JIT_PROFILE=6", "JITDUMPDIR=/dumps"})
                      .output,
            "0 2 /set\n1 2 /dumps\n");
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
