// SPDX-License-Identifier: Apache-2.0
// The only place that asks what the processor can do and what the user allows of it. It must not
// know what the answer is used for.

#include "cpu/x64/isa.hpp"

#include <atomic>
#include <sys/syscall.h>
#include <unistd.h>
#include <xbyak/xbyak_util.h>

#include "common/cpu_facts.hpp"
#include "common/environment.hpp"
#include "common/types.hpp"

namespace kiln::x64 {

namespace {

// What the public levels are made of. The values of dnnl_cpu_isa_t do not serve: not every level's
// value contains those of the levels it includes.
using features_t = unsigned;
enum feature_t : features_t {
    sse41 = 1u << 0,
    avx = 1u << 1,
    avx2 = 1u << 2,
    avx2_vnni = 1u << 3,
    avx2_vnni_2 = 1u << 4,
    avx512_core = 1u << 5,
    avx512_vnni = 1u << 6,
    avx512_bf16 = 1u << 7,
    avx512_fp16 = 1u << 8,
    avx10_2 = 1u << 9,
    amx = 1u << 10,
    amx_fp16 = 1u << 11,
    amx_2 = 1u << 12,
    // Every processor that matters has both where it has AVX2, and code for that level uses them.
    fma_f16c = 1u << 13,
    every_feature = (1u << 14) - 1,
};

// How the levels include each other.
constexpr features_t avx_level = avx | sse41;
constexpr features_t avx2_level = avx2 | fma_f16c | avx_level;
constexpr features_t avx2_vnni_level = avx2_vnni | avx2_level;
constexpr features_t avx2_vnni_2_level = avx2_vnni_2 | avx2_vnni_level;
constexpr features_t avx512_core_level = avx512_core | avx2_level;
constexpr features_t avx512_core_vnni_level = avx512_vnni | avx512_core_level;
constexpr features_t avx512_core_bf16_level = avx512_bf16 | avx512_core_vnni_level;
constexpr features_t avx10_1_level = avx512_fp16 | avx512_core_bf16_level | avx2_vnni_level;
constexpr features_t avx10_1_amx_level = amx | avx10_1_level;
constexpr features_t avx10_1_amx_fp16_level = amx_fp16 | avx10_1_amx_level;
constexpr features_t avx10_2_level = avx10_2 | avx10_1_level | avx2_vnni_2_level;
constexpr features_t avx10_2_amx_2_level = amx_2 | avx10_2_level | avx10_1_amx_fp16_level;

struct public_level_t {
    dnnl_cpu_isa_t isa;
    features_t features;
    const char *name;
    const char *other_name;
    const char *description;
};

// Best first. Names as in ONEDNN_MAX_CPU_ISA, descriptions as oneDNN's verbose mode prints them.
constexpr public_level_t public_levels[] = {
        {dnnl_cpu_isa_avx10_2_amx_2, avx10_2_amx_2_level, "avx10_2_amx_2", "avx10_2_512_amx_2",
                "Intel AVX10.2 and Intel AMX with float8, float16, bfloat16 and 8-bit integer "
                "support"},
        {dnnl_cpu_isa_avx10_2, avx10_2_level, "avx10_2", "avx10_2_512", "Intel AVX10.2"},
        {dnnl_cpu_isa_avx10_1_512_amx_fp16, avx10_1_amx_fp16_level, "avx10_1_512_amx_fp16",
                "avx512_core_amx_fp16",
                "Intel AVX10.1 and Intel AMX with bfloat16, float16 and 8-bit integer support"},
        {dnnl_cpu_isa_avx10_1_512_amx, avx10_1_amx_level, "avx10_1_512_amx", "avx512_core_amx",
                "Intel AVX10.1 and Intel AMX with bfloat16 and 8-bit integer support"},
        {dnnl_cpu_isa_avx10_1_512, avx10_1_level, "avx10_1_512", "avx512_core_fp16",
                "Intel AVX 10.1"},
        {dnnl_cpu_isa_avx512_core_bf16, avx512_core_bf16_level, "avx512_core_bf16", nullptr,
                "Intel AVX-512 with Intel DL Boost and bfloat16 support"},
        {dnnl_cpu_isa_avx512_core_vnni, avx512_core_vnni_level, "avx512_core_vnni", nullptr,
                "Intel AVX-512 with Intel DL Boost"},
        {dnnl_cpu_isa_avx512_core, avx512_core_level, "avx512_core", nullptr,
                "Intel AVX-512 with AVX512BW, AVX512VL, and AVX512DQ extensions"},
        {dnnl_cpu_isa_avx2_vnni_2, avx2_vnni_2_level, "avx2_vnni_2", nullptr,
                "Intel AVX2 with Intel DL Boost, float16 and bfloat16 support"},
        {dnnl_cpu_isa_avx2_vnni, avx2_vnni_level, "avx2_vnni", nullptr,
                "Intel AVX2 with Intel DL Boost"},
        {dnnl_cpu_isa_avx2, avx2_level, "avx2", nullptr, "Intel AVX2"},
        {dnnl_cpu_isa_avx, avx_level, "avx", nullptr, "Intel AVX"},
        {dnnl_cpu_isa_sse41, sse41, "sse41", nullptr, "Intel SSE4.1"},
};

// As a limit, and as what a machine has that has none of the levels.
constexpr public_level_t no_limit = {dnnl_cpu_isa_default, every_feature, "default", nullptr, ""};
constexpr public_level_t no_level = {dnnl_cpu_isa_default, 0, "none", nullptr, "Intel 64"};
constexpr const char *bf16_with_ymm_description =
        "Intel AVX-512 with Intel DL Boost and bfloat16 support on Ymm/Zmm";

struct code_level_t {
    features_t features;
    const char *name;
};

// Indexed by isa_t.
constexpr code_level_t code_levels[] = {
        {0, "none"},
        {avx2_level, "avx2"},
        {avx512_core_level, "avx512_core"},
        {avx512_core_bf16_level, "avx512_core_bf16"},
};

/// One leaf of CPUID, for what Xbyak has no name for. Zero where the processor has no such leaf.
struct cpuid_t {
    enum { eax, ebx, ecx, edx };
    cpuid_t(uint32_t leaf, uint32_t subleaf) {
        Xbyak::util::Cpu::getCpuid(0, registers);
        const bool exists = leaf <= registers[eax];
        for (uint32_t &value : registers) value = 0;
        if (exists) Xbyak::util::Cpu::getCpuidEx(leaf, subleaf, registers);
    }
    bool bit(int which, int index) const { return registers[which] >> index & 1; }
    uint32_t registers[4];
};

/// Whether the kernel lets processes use AMX tiles. It wants to be asked before the first use;
/// nothing here uses them, so this only finds out what the answer would be.
bool kernel_offers_amx() {
    constexpr int get_supported_features = 0x1021; // ARCH_GET_XCOMP_SUPP
    constexpr int tile_data = 18;
    unsigned long features = 0;
    return syscall(SYS_arch_prctl, get_supported_features, &features) == 0
           && (features >> tile_data & 1);
}

/// AVX10.2 as oneDNN understands the level: with APX, its state switched on, and MOVRS.
bool has_avx10_2(const Xbyak::util::Cpu &cpu) {
    if (!cpu.has(cpu.tOSXSAVE) || !cpu.has(cpu.tAVX512F)) return false;
    const cpuid_t extended(7, 1);
    const bool has_avx10 = extended.bit(cpuid_t::edx, 19);
    const bool has_apx = extended.bit(cpuid_t::edx, 21) && (cpu.getXfeature() >> 19 & 1);
    const bool has_movrs = extended.bit(cpuid_t::eax, 31);
    return has_avx10 && has_apx && has_movrs
           && (cpuid_t(0x24, 0).registers[cpuid_t::ebx] & 0xff) >= 2;
}

/// The second set of AMX: FP8, TF32, the ways between tiles and AVX-512, and MOVRS.
bool has_amx_2() {
    const cpuid_t tiles(0x1e, 1);
    return tiles.bit(cpuid_t::eax, 4) && tiles.bit(cpuid_t::eax, 6) && tiles.bit(cpuid_t::eax, 7)
           && tiles.bit(cpuid_t::eax, 8);
}

features_t detect_features() {
    const Xbyak::util::Cpu cpu;
    const auto only_if = [](bool condition, feature_t feature) { return condition ? feature : 0u; };
    features_t found = 0;
    found |= only_if(cpu.has(cpu.tSSE41), sse41);
    found |= only_if(cpu.has(cpu.tAVX), avx);
    found |= only_if(cpu.has(cpu.tAVX2), avx2);
    found |= only_if(cpu.has(cpu.tFMA) && cpu.has(cpu.tF16C), fma_f16c);
    found |= only_if(cpu.has(cpu.tAVX_VNNI), avx2_vnni);
    found |= only_if(cpu.has(cpu.tAVX_VNNI_INT8) && cpu.has(cpu.tAVX_NE_CONVERT), avx2_vnni_2);
    found |= only_if(cpu.has(cpu.tAVX512F) && cpu.has(cpu.tAVX512BW) && cpu.has(cpu.tAVX512VL)
                             && cpu.has(cpu.tAVX512DQ),
            avx512_core);
    found |= only_if(cpu.has(cpu.tAVX512_VNNI), avx512_vnni);
    found |= only_if(cpu.has(cpu.tAVX512_BF16), avx512_bf16);
    found |= only_if(cpu.has(cpu.tAVX512_FP16), avx512_fp16);
    found |= only_if(has_avx10_2(cpu), avx10_2);
    if (cpu.has(cpu.tAMX_TILE) && kernel_offers_amx()) {
        found |= only_if(cpu.has(cpu.tAMX_INT8) && cpu.has(cpu.tAMX_BF16), amx);
        found |= only_if(cpu.has(cpu.tAMX_FP16), amx_fp16);
        found |= only_if(has_amx_2(), amx_2);
    }
    return found;
}

/// A value that may be set once, and only until it is first read. The top bit says that it is
/// settled.
class settled_once_t {
public:
    explicit settled_once_t(unsigned initial)
        : state_(initial) {}

    bool set(unsigned value) {
        unsigned state = state_.load();
        return !(state & settled) && state_.compare_exchange_strong(state, value | settled);
    }

    unsigned get() {
        const unsigned state = state_.load(std::memory_order_relaxed);
        return (state & settled ? state : state_.fetch_or(settled)) & ~settled;
    }

private:
    static constexpr unsigned settled = 1u << 31;
    std::atomic<unsigned> state_;
};

/// What a user who names a level as the limit allows; null for a value that is no level.
const public_level_t *find_level(dnnl_cpu_isa_t isa) {
    for (const public_level_t &level : public_levels)
        if (level.isa == isa) return &level;
    return isa == no_limit.isa ? &no_limit : nullptr;
}

features_t features_from_environment() noexcept try {
    return find_level(isa_by_name(environment_value("MAX_CPU_ISA").value_or("")))->features;
} catch (...) {
    return every_feature;
}

unsigned hints_from_environment() noexcept try {
    return environment_value("CPU_ISA_HINTS") == "prefer_ymm" ? dnnl_cpu_isa_prefer_ymm
                                                              : dnnl_cpu_isa_no_hints;
} catch (...) {
    return dnnl_cpu_isa_no_hints;
}

settled_once_t &allowed_features() {
    static settled_once_t features{features_from_environment()};
    return features;
}

settled_once_t &hints() {
    static settled_once_t hints{hints_from_environment()};
    return hints;
}

bool has_features(features_t wanted) {
    static const features_t machine_features = detect_features();
    return (wanted & ~(machine_features & allowed_features().get())) == 0;
}

const public_level_t &effective_level() {
    for (const public_level_t &level : public_levels)
        if (has_features(level.features)) return level;
    return no_level;
}

} // namespace

bool has_isa(isa_t isa) { return has_features(code_levels[static_cast<int>(isa)].features); }

isa_t best_isa() {
    for (isa_t isa : {isa_t::avx512_core_bf16, isa_t::avx512_core, isa_t::avx2})
        if (has_isa(isa)) return isa;
    return isa_t::none;
}

const char *isa_name(isa_t isa) { return code_levels[static_cast<int>(isa)].name; }

dnnl_cpu_isa_t isa_by_name(std::string_view name) {
    for (const public_level_t &level : public_levels)
        if (name == level.name || (level.other_name && name == level.other_name)) return level.isa;
    return dnnl_cpu_isa_default;
}

bool prefers_ymm() { return hints().get() == dnnl_cpu_isa_prefer_ymm; }

} // namespace kiln::x64

namespace kiln {

const char *cpu_isa_description() {
    const auto &level = x64::effective_level();
    if (level.isa == dnnl_cpu_isa_avx512_core_bf16 && x64::prefers_ymm())
        return x64::bf16_with_ymm_description;
    return level.description;
}

} // namespace kiln

using namespace kiln;

status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa) {
    const auto *level = x64::find_level(isa);
    if (level == nullptr) return dnnl_invalid_arguments;
    return x64::allowed_features().set(level->features) ? dnnl_success : dnnl_invalid_arguments;
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa() { return x64::effective_level().isa; }

status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints) {
    if (isa_hints != dnnl_cpu_isa_no_hints && isa_hints != dnnl_cpu_isa_prefer_ymm)
        return dnnl_invalid_arguments;
    return x64::hints().set(isa_hints) ? dnnl_success : dnnl_runtime_error;
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints() {
    return static_cast<dnnl_cpu_isa_hints_t>(x64::hints().get());
}
