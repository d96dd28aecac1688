// SPDX-License-Identifier: Apache-2.0
// Control of the ISA: the levels of the processor, the limit that a user sets, and until when it
// can be set. The expected levels come from the compiler's CPU detection.
#include <algorithm>
#include <cctype>
#include <cpuid.h>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "oneapi/dnnl/dnnl.h"
#include "scenario.hpp"

namespace kiln::test {

namespace {

void print_effective_isa() { std::printf("%#x\n", dnnl_get_effective_cpu_isa()); }

void set_twice() {
    std::printf("%d ", dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
    std::printf("%d ", dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2));
    print_effective_isa();
}

void set_after_get() {
    dnnl_get_effective_cpu_isa();
    std::printf("%d\n", dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
}

void set_after_refusal() {
    std::printf("%d ", dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(2)));
    std::printf("%d ", dnnl_set_max_cpu_isa(dnnl_cpu_isa_sse41));
    print_effective_isa();
}

void print_hints() { std::printf("%d\n", dnnl_get_cpu_isa_hints()); }

void set_hints_twice() {
    std::printf("%d ", dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm));
    std::printf("%d ", dnnl_set_cpu_isa_hints(dnnl_cpu_isa_no_hints));
    print_hints();
}

void set_hints_after_get() {
    dnnl_get_cpu_isa_hints();
    std::printf("%d\n", dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm));
}

void set_hints_after_refusal() {
    std::printf("%d ", dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(2)));
    std::printf("%d ", dnnl_set_cpu_isa_hints(dnnl_cpu_isa_prefer_ymm));
    print_hints();
}

/// Limits the ISA to the level whose value is in a variable that only this test uses.
void set_level_from_environment() {
    const auto isa = static_cast<dnnl_cpu_isa_t>(std::stoul(std::getenv("KILN_TEST_ISA")));
    std::printf("%d ", dnnl_set_max_cpu_isa(isa));
    print_effective_isa();
}

constexpr scenario_t scenarios[] = {
        {"print_effective_isa", print_effective_isa},
        {"set_twice", set_twice},
        {"set_after_get", set_after_get},
        {"set_after_refusal", set_after_refusal},
        {"print_hints", print_hints},
        {"set_hints_twice", set_hints_twice},
        {"set_hints_after_get", set_hints_after_get},
        {"set_hints_after_refusal", set_hints_after_refusal},
        {"set_level_from_environment", set_level_from_environment},
};

struct level_t {
    dnnl_cpu_isa_t isa;
    const char *names[2];
};

constexpr level_t levels[] = {
        {dnnl_cpu_isa_sse41, {"SSE41"}},
        {dnnl_cpu_isa_avx, {"AVX"}},
        {dnnl_cpu_isa_avx2, {"AVX2"}},
        {dnnl_cpu_isa_avx2_vnni, {"AVX2_VNNI"}},
        {dnnl_cpu_isa_avx2_vnni_2, {"AVX2_VNNI_2"}},
        {dnnl_cpu_isa_avx512_core, {"AVX512_CORE"}},
        {dnnl_cpu_isa_avx512_core_vnni, {"AVX512_CORE_VNNI"}},
        {dnnl_cpu_isa_avx512_core_bf16, {"AVX512_CORE_BF16"}},
        {dnnl_cpu_isa_avx10_1_512, {"AVX10_1_512", "AVX512_CORE_FP16"}},
        {dnnl_cpu_isa_avx10_1_512_amx, {"AVX10_1_512_AMX", "AVX512_CORE_AMX"}},
        {dnnl_cpu_isa_avx10_1_512_amx_fp16, {"AVX10_1_512_AMX_FP16", "AVX512_CORE_AMX_FP16"}},
        {dnnl_cpu_isa_avx10_2, {"AVX10_2", "AVX10_2_512"}},
        {dnnl_cpu_isa_avx10_2_amx_2, {"AVX10_2_AMX_2", "AVX10_2_512_AMX_2"}},
};

std::string hexadecimal(unsigned value) {
    char text[16];
    std::snprintf(text, sizeof(text), "%#x", value);
    return text;
}

/// The levels of the processor, of those that the compiler can detect.
dnnl_cpu_isa_t machine_isa_up_to(dnnl_cpu_isa_t limit) {
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                            && __builtin_cpu_supports("avx512vl")
                            && __builtin_cpu_supports("avx512dq");
    const bool has_vnni = has_avx512 && __builtin_cpu_supports("avx512vnni");
    const struct {
        dnnl_cpu_isa_t isa;
        bool has;
    } rows[] = {
            {dnnl_cpu_isa_avx512_core_vnni, has_vnni},
            {dnnl_cpu_isa_avx512_core, has_avx512},
            {dnnl_cpu_isa_avx2, bool(__builtin_cpu_supports("avx2"))},
            {dnnl_cpu_isa_avx, bool(__builtin_cpu_supports("avx"))},
            {dnnl_cpu_isa_sse41, bool(__builtin_cpu_supports("sse4.1"))},
    };
    for (const auto &row : rows)
        if (row.has && (row.isa & ~limit) == 0) return row.isa;
    return dnnl_cpu_isa_default;
}

std::string effective_isa_under(const std::string &variable) {
    const auto result = run_scenario("print_effective_isa", {variable});
    EXPECT_TRUE(result.succeeded) << variable;
    return result.output;
}

unsigned unlimited_isa() {
    return static_cast<unsigned>(std::stoul(effective_isa_under("UNRELATED=1"), nullptr, 16));
}

TEST(max_cpu_isa, without_a_limit_is_one_of_the_public_levels_and_has_what_the_machine_has) {
    const unsigned isa = unlimited_isa();
    const auto is_it = [&](const level_t &level) { return unsigned(level.isa) == isa; };
    EXPECT_TRUE(std::any_of(std::begin(levels), std::end(levels), is_it)) << isa;
    const unsigned least = machine_isa_up_to(dnnl_cpu_isa_avx512_core_vnni);
    EXPECT_EQ(isa & least, least);
}

TEST(max_cpu_isa, limits_to_what_the_machine_has_below_it) {
    for (const auto limit : {dnnl_cpu_isa_sse41, dnnl_cpu_isa_avx, dnnl_cpu_isa_avx2,
                 dnnl_cpu_isa_avx512_core, dnnl_cpu_isa_avx512_core_vnni}) {
        const auto *level = std::find_if(std::begin(levels), std::end(levels),
                [&](const level_t &row) { return row.isa == limit; });
        EXPECT_EQ(effective_isa_under(std::string("ONEDNN_MAX_CPU_ISA=") + level->names[0]),
                hexadecimal(machine_isa_up_to(limit)) + "\n")
                << level->names[0];
    }
}

/// The documented name, the same in lower case, and with a capital first letter.
std::vector<std::string> spellings(const std::string &name) {
    std::string lower = name;
    for (char &c : lower) c = static_cast<char>(std::tolower(c));
    return {name, lower, name[0] + lower.substr(1)};
}

TEST(max_cpu_isa, means_the_same_by_every_name_in_any_case_and_by_function) {
    for (const level_t &level : levels) {
        const auto by_function = run_scenario(
                "set_level_from_environment", {"KILN_TEST_ISA=" + std::to_string(level.isa)});
        for (const char *name : level.names) {
            if (name == nullptr) continue;
            for (const std::string &spelling : spellings(name))
                EXPECT_EQ("0 " + effective_isa_under("ONEDNN_MAX_CPU_ISA=" + spelling),
                        by_function.output)
                        << spelling;
        }
    }
}

/// AVX-VNNI by CPUID. A processor may have it beside AVX-512, whose levels do not include it.
bool machine_has_avx_vnni() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax >> 4 & 1);
}

TEST(max_cpu_isa, does_not_add_what_the_machine_lacks) {
    const unsigned machine =
            unlimited_isa() | (machine_has_avx_vnni() ? unsigned(dnnl_cpu_isa_avx2_vnni) : 0u);
    for (const level_t &level : levels) {
        const auto found = static_cast<unsigned>(
                std::stoul(effective_isa_under(std::string("ONEDNN_MAX_CPU_ISA=") + level.names[0]),
                        nullptr, 16));
        EXPECT_EQ(found & ~machine, 0u) << level.names[0];
        if ((machine & unsigned(level.isa)) == unsigned(level.isa)) {
            EXPECT_EQ(found, unsigned(level.isa)) << level.names[0];
        }
    }
}

TEST(max_cpu_isa, is_no_limit_where_it_is_default_unknown_or_empty) {
    const std::string unlimited = effective_isa_under("UNRELATED=1");
    for (const char *value : {"DEFAULT", "default", "AVX1024", "", "avx2 "})
        EXPECT_EQ(effective_isa_under(std::string("ONEDNN_MAX_CPU_ISA=") + value), unlimited)
                << value;
}

TEST(max_cpu_isa, is_read_under_the_old_prefix_too) {
    EXPECT_EQ(effective_isa_under("DNNL_MAX_CPU_ISA=SSE41"), "0x1\n");
}

TEST(max_cpu_isa, is_set_by_function_once) {
    const auto result = run_scenario("set_twice", {"ONEDNN_MAX_CPU_ISA=AVX"});
    EXPECT_EQ(result.output, "0 2 0x1\n");
}

TEST(max_cpu_isa, cannot_be_set_once_it_was_asked_for) {
    EXPECT_EQ(run_scenario("set_after_get").output, "2\n");
}

TEST(max_cpu_isa, is_not_settled_by_a_level_that_does_not_exist) {
    EXPECT_EQ(run_scenario("set_after_refusal").output, "2 0 0x1\n");
}

TEST(cpu_isa_hints, are_read_from_the_environment) {
    EXPECT_EQ(run_scenario("print_hints").output, "0\n");
    EXPECT_EQ(run_scenario("print_hints", {"ONEDNN_CPU_ISA_HINTS=PREFER_YMM"}).output, "1\n");
    EXPECT_EQ(run_scenario("print_hints", {"DNNL_CPU_ISA_HINTS=prefer_ymm"}).output, "1\n");
    EXPECT_EQ(run_scenario("print_hints", {"ONEDNN_CPU_ISA_HINTS=NO_HINTS"}).output, "0\n");
    EXPECT_EQ(run_scenario("print_hints", {"ONEDNN_CPU_ISA_HINTS=prefer_zmm"}).output, "0\n");
}

TEST(cpu_isa_hints, are_set_by_function_once) {
    EXPECT_EQ(run_scenario("set_hints_twice").output, "0 5 1\n");
}

TEST(cpu_isa_hints, cannot_be_set_once_they_were_asked_for) {
    EXPECT_EQ(run_scenario("set_hints_after_get").output, "5\n");
}

TEST(cpu_isa_hints, that_do_not_exist_are_refused) {
    EXPECT_EQ(run_scenario("set_hints_after_refusal").output, "2 0 1\n");
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::scenarios);
}
