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

TEST(isa, levels_stand_at_their_indices_and_no_better_one_before) {
    size_t index = 0;
    for (const isa_level_t &level : isa_levels) {
        EXPECT_EQ(static_cast<size_t>(level.isa), index++) << level.name;
        for (const isa_level_t &before : isa_levels)
            EXPECT_TRUE(before.isa >= level.isa || !before.features.includes(level.features))
                    << before.name << ", " << level.name;
        EXPECT_EQ(&level_of(level.isa), &level);
        EXPECT_STREQ(isa_name(level.isa), level.name);
    }
    EXPECT_EQ(index, kernel_isas.size() + 1);
}

TEST(isa, kernels_of_every_level_may_use_fma_and_f16c) {
    for (const isa_t isa : kernel_isas) {
        EXPECT_TRUE(has(isa, feature_t::avx2)) << isa_name(isa);
        EXPECT_TRUE(has(isa, feature_t::fma_f16c)) << isa_name(isa);
        EXPECT_NE(isa_by_name(isa_name(isa)), dnnl_cpu_isa_default) << isa_name(isa);
    }
}

TEST(isa, kernels_add_up_products_of_bytes_wherever_the_public_level_does) {
    for (const isa_t isa : kernel_isas)
        EXPECT_EQ(has_vnni(isa), isa != isa_t::avx2 && isa != isa_t::avx512_core) << isa_name(isa);
}

TEST(isa, features_belong_to_their_levels) {
    EXPECT_FALSE(has(isa_t::none, feature_t::sse41));
    EXPECT_FALSE(has(isa_t::avx2, feature_t::avx512_core));
    EXPECT_TRUE(has(isa_t::avx512_core, feature_t::avx512_core));
    EXPECT_FALSE(has(isa_t::avx512_core, feature_t::avx512_vnni));
    EXPECT_FALSE(has(isa_t::avx512_core, feature_t::avx512_bf16));
    EXPECT_TRUE(has(isa_t::avx512_core_vnni, feature_t::avx512_vnni));
    EXPECT_FALSE(has(isa_t::avx512_core_vnni, feature_t::avx512_bf16));
    EXPECT_TRUE(has(isa_t::avx512_core_bf16, feature_t::avx512_bf16));
    EXPECT_FALSE(has(isa_t::avx512_core_bf16, feature_t::avx512_fp16));
    EXPECT_FALSE(has(isa_t::avx512_core_bf16, feature_t::amx));
    EXPECT_TRUE(has(isa_t::avx512_core_amx, feature_t::avx512_bf16));
    EXPECT_TRUE(has(isa_t::avx512_core_amx, feature_t::amx));
}

TEST(isa, half_width_level_has_no_512_bit_vectors) {
    for (const isa_t isa : kernel_isas) {
        const isa_t half = half_width_isa(isa);
        EXPECT_FALSE(has(half, feature_t::avx512_core)) << isa_name(isa);
        EXPECT_TRUE(level_of(isa).features.includes(level_of(half).features)) << isa_name(isa);
        EXPECT_NE(half, isa_t::none);
    }
}

TEST(isa, a_machine_that_has_a_level_has_those_that_it_includes) {
    EXPECT_TRUE(has_isa(isa_t::none));
    isa_t last = isa_t::none;
    for (const isa_level_t &level : isa_levels) {
        if (!has_isa(level.isa)) continue;
        last = level.isa;
        for (const isa_level_t &other : isa_levels)
            EXPECT_TRUE(!level.features.includes(other.features) || has_isa(other.isa))
                    << level.name << ", " << other.name;
    }
    EXPECT_EQ(best_isa(), last);
    EXPECT_EQ(
            has_isa(isa_t::avx2), __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
    EXPECT_STREQ(isa_name(isa_t::avx512_core_bf16), "avx512_core_bf16");
    EXPECT_STREQ(isa_name(isa_t::avx512_core_amx), "avx512_core_amx");
    EXPECT_STREQ(isa_name(isa_t::avx2), "avx2");
}

} // namespace

} // namespace kiln::x64::test
