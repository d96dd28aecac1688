// SPDX-License-Identifier: Apache-2.0
// The names of ISA levels, those of processors other than the one at hand too.
#include "cpu/x64/isa.hpp"

#include <gtest/gtest.h>

namespace kiln::x64::test {

namespace {

TEST(isa_name, stands_for_the_documented_level) {
    const struct {
        const char *name;
        dnnl_cpu_isa_t isa;
    } rows[] = {
            {"sse41", dnnl_cpu_isa_sse41},
            {"avx", dnnl_cpu_isa_avx},
            {"avx2", dnnl_cpu_isa_avx2},
            {"avx2_vnni", dnnl_cpu_isa_avx2_vnni},
            {"avx2_vnni_2", dnnl_cpu_isa_avx2_vnni_2},
            {"avx512_core", dnnl_cpu_isa_avx512_core},
            {"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni},
            {"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16},
            {"avx512_core_fp16", dnnl_cpu_isa_avx512_core_fp16},
            {"avx10_1_512", dnnl_cpu_isa_avx10_1_512},
            {"avx512_core_amx", dnnl_cpu_isa_avx512_core_amx},
            {"avx10_1_512_amx", dnnl_cpu_isa_avx10_1_512_amx},
            {"avx512_core_amx_fp16", dnnl_cpu_isa_avx512_core_amx_fp16},
            {"avx10_1_512_amx_fp16", dnnl_cpu_isa_avx10_1_512_amx_fp16},
            {"avx10_2", dnnl_cpu_isa_avx10_2},
            {"avx10_2_512", dnnl_cpu_isa_avx10_2_512},
            {"avx10_2_amx_2", dnnl_cpu_isa_avx10_2_amx_2},
            {"avx10_2_512_amx_2", dnnl_cpu_isa_avx10_2_512_amx_2},
    };
    for (const auto &row : rows) EXPECT_EQ(isa_by_name(row.name), row.isa) << row.name;
}

TEST(isa_name, that_is_none_sets_no_limit) {
    for (const char *name : {"default", "", "avx512", "avx2_", "sse4.1"})
        EXPECT_EQ(isa_by_name(name), dnnl_cpu_isa_default) << name;
}

TEST(isa, levels_of_code_include_each_other) {
    EXPECT_TRUE(has_isa(isa_t::none));
    if (has_isa(isa_t::avx512_core_bf16)) {
        EXPECT_TRUE(has_isa(isa_t::avx512_core));
    }
    if (has_isa(isa_t::avx512_core)) {
        EXPECT_TRUE(has_isa(isa_t::avx2));
    }
    EXPECT_TRUE(has_isa(best_isa()));
    EXPECT_EQ(
            has_isa(isa_t::avx2), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
    EXPECT_STREQ(isa_name(isa_t::avx512_core_bf16), "avx512_core_bf16");
    EXPECT_STREQ(isa_name(isa_t::avx2), "avx2");
}

} // namespace

} // namespace kiln::x64::test
