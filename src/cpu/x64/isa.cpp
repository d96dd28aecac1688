// SPDX-License-Identifier: Apache-2.0
// The only place that asks what the processor can do and what the user allows of it.

#include "cpu/x64/isa.hpp"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cpu_facts.hpp"
#include "common/environment.hpp"
#include "common/status.hpp"
#include "cpu/x64/cpuid.hpp"
#include "cpu/x64/jit/code/code_pages.hpp"

namespace kiln::x64 {

namespace {

// How the public levels include each other. The values of dnnl_cpu_isa_t do not say it: not every
// level's value contains those of the levels that it includes.
constexpr features_t avx_level = feature_t::avx | feature_t::sse41;
constexpr features_t avx2_vnni_2_level = avx2_vnni_features | feature_t::avx2_vnni_2;
constexpr features_t avx10_1_level =
        avx512_core_bf16_features | avx2_vnni_features | feature_t::avx512_fp16;
constexpr features_t avx10_1_amx_level = avx10_1_level | feature_t::amx;
constexpr features_t avx10_1_amx_fp16_level = avx10_1_amx_level | feature_t::amx_fp16;
constexpr features_t avx10_2_level = avx10_1_level | avx2_vnni_2_level | feature_t::avx10_2;
constexpr features_t avx10_2_amx_2_level =
        avx10_2_level | avx10_1_amx_fp16_level | feature_t::amx_2;

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
        {dnnl_cpu_isa_avx512_core_bf16, avx512_core_bf16_features, "avx512_core_bf16", nullptr,
                "Intel AVX-512 with Intel DL Boost and bfloat16 support"},
        {dnnl_cpu_isa_avx512_core_vnni, avx512_core_vnni_features, "avx512_core_vnni", nullptr,
                "Intel AVX-512 with Intel DL Boost"},
        {dnnl_cpu_isa_avx512_core, avx512_core_features, "avx512_core", nullptr,
                "Intel AVX-512 with AVX512BW, AVX512VL, and AVX512DQ extensions"},
        {dnnl_cpu_isa_avx2_vnni_2, avx2_vnni_2_level, "avx2_vnni_2", nullptr,
                "Intel AVX2 with Intel DL Boost, float16 and bfloat16 support"},
        {dnnl_cpu_isa_avx2_vnni, avx2_vnni_features, "avx2_vnni", nullptr,
                "Intel AVX2 with Intel DL Boost"},
        {dnnl_cpu_isa_avx2, avx2_features, "avx2", nullptr, "Intel AVX2"},
        {dnnl_cpu_isa_avx, avx_level, "avx", nullptr, "Intel AVX"},
        {dnnl_cpu_isa_sse41, feature_t::sse41, "sse41", nullptr, "Intel SSE4.1"},
};

// The limit that allows every feature, and the level of a machine that has none of the others.
constexpr public_level_t no_limit = {
        dnnl_cpu_isa_default, avx10_2_amx_2_level, "default", nullptr, ""};
constexpr public_level_t no_level = {dnnl_cpu_isa_default, {}, "none", nullptr, "Intel 64"};
constexpr const char *bf16_with_ymm_description =
        "Intel AVX-512 with Intel DL Boost and bfloat16 support on Ymm/Zmm";

/// The state component of AMX tiles in the operating system's interface.
constexpr int amx_tile_data = 18;

/// What features are bits of.
struct processor_t {
    cpuid_range_t basic{cpuid_range_t::basic};
    cpuid_t leaf_1 = basic.leaf(1), leaf_7 = basic.leaf(7);
    cpuid_t leaf_7_1 = leaf_7.eax >= 1 ? basic.leaf(7, 1) : cpuid_t{};
    uint64_t states = has(leaf_1.ecx, {27}) ? saved_states() : 0;

    static bool has(uint64_t word, std::initializer_list<int> bits) {
        return std::ranges::all_of(bits, [&](int bit) { return word >> bit & 1; });
    }
};

const processor_t &processor() {
    static const processor_t processor;
    return processor;
}

/// Whether the operating system knows the state of AMX tiles.
bool system_offers_amx() {
    constexpr int get_supported_features = 0x1021; // ARCH_GET_XCOMP_SUPP
    unsigned long features = 0;
    return syscall(SYS_arch_prctl, get_supported_features, &features) == 0
           && (features >> amx_tile_data & 1);
}

/// Whether the operating system lets this process use AMX tiles. A process asks once; the answer
/// holds for all of its threads. Linux refuses if a thread has an alternate signal stack
/// (sigaltstack) that is too small for a copy of the tile registers.
bool is_permitted_amx() {
    constexpr int request_permission = 0x1023; // ARCH_REQ_XCOMP_PERM
    static const bool is_permitted =
            syscall(SYS_arch_prctl, request_permission, amx_tile_data) == 0;
    return is_permitted;
}

/// AVX10.2 as oneDNN defines the level: with MOVRS and with APX, whose state the system has
/// enabled.
bool has_avx10_2(const processor_t &cpu) {
    const auto has = processor_t::has;
    return has(cpu.leaf_7_1.edx, {19, 21}) && has(cpu.states, {19}) && has(cpu.leaf_7_1.eax, {31})
           && (cpu.basic.leaf(0x24).ebx & 0xff) >= 2;
}

/// The second set of AMX instructions: FP8, TF32, moves between tiles and AVX-512, and MOVRS.
bool has_amx_2(const processor_t &cpu) {
    return processor_t::has(cpu.basic.leaf(0x1e, 1).eax, {4, 6, 7, 8});
}

/// Source: Intel SDM volume 2, CPUID leaves 1 and 7; volume 1, 13.1 (states).
features_t detect_features() {
    const processor_t &cpu = processor();
    const auto [eax_1, ebx_1, ecx_1, edx_1] = cpu.leaf_1;
    const auto [eax_7, ebx_7, ecx_7, edx_7] = cpu.leaf_7;
    const auto [eax_7_1, ebx_7_1, ecx_7_1, edx_7_1] = cpu.leaf_7_1;
    const auto has = processor_t::has;
    features_t found;
    const auto add_if = [&](bool condition, feature_t feature) {
        if (condition) found |= feature;
    };
    add_if(has(ecx_1, {19}), feature_t::sse41);
    if (!has(cpu.states, {1, 2})) return found; // xmm, ymm
    add_if(has(ecx_1, {28}), feature_t::avx);
    add_if(has(ebx_7, {5}), feature_t::avx2);
    add_if(has(ecx_1, {12, 29}), feature_t::fma_f16c);
    add_if(has(eax_7_1, {4}), feature_t::avx2_vnni);
    add_if(has(edx_7_1, {4, 5}), feature_t::avx2_vnni_2);
    if (has(cpu.states, {5, 6, 7}) && has(ebx_7, {16})) { // masks, zmm; AVX512F
        const bool is_core = has(ebx_7, {17, 30, 31});    // DQ, BW, VL
        add_if(is_core, feature_t::avx512_core);
        add_if(has(ecx_7, {11}), feature_t::avx512_vnni);
        add_if(has(eax_7_1, {5}), feature_t::avx512_bf16);
        add_if(is_core && has(edx_7, {23}), feature_t::avx512_fp16);
        add_if(has_avx10_2(cpu), feature_t::avx10_2);
    }
    if (has(edx_7, {24}) && system_offers_amx()) {
        add_if(has(edx_7, {22, 25}), feature_t::amx);
        add_if(has(eax_7_1, {21}), feature_t::amx_fp16);
        add_if(has_amx_2(cpu), feature_t::amx_2);
    }
    return found;
}

/// A value that can be set once, and only before it is first read. The top bit marks it as settled.
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

/// The level that a user names as the limit; null for a value that is no level.
const public_level_t *find_level(dnnl_cpu_isa_t isa) {
    for (const public_level_t &level : public_levels)
        if (level.isa == isa) return &level;
    return isa == no_limit.isa ? &no_limit : nullptr;
}

unsigned allowed_by_environment() {
    const auto isa = environment_setting("MAX_CPU_ISA", dnnl_cpu_isa_default,
            "the name of an ISA level", [](const std::string &name) {
                reading_t<dnnl_cpu_isa_t> reading{isa_by_name(name)};
                if (reading.value == dnnl_cpu_isa_default && name != "default")
                    reading.used = "default";
                return reading;
            });
    return find_level(isa)->features.bits;
}

unsigned hints_from_environment() {
    constexpr setting_word_t<unsigned> words[] = {
            {"no_hints", dnnl_cpu_isa_no_hints}, {"prefer_ymm", dnnl_cpu_isa_prefer_ymm}};
    return environment_word("CPU_ISA_HINTS", words);
}

settled_once_t &allowed_features() {
    static settled_once_t features{allowed_by_environment()};
    return features;
}

settled_once_t &hints() {
    static settled_once_t hints{hints_from_environment()};
    return hints;
}

bool has_features(features_t wanted) {
    static const unsigned machine_features = detect_features().bits;
    if ((wanted.bits & ~(machine_features & allowed_features().get())) != 0) return false;
    return !wanted.includes(feature_t::amx) || is_permitted_amx();
}

const public_level_t &effective_level() {
    for (const public_level_t &level : public_levels)
        if (has_features(level.features)) return level;
    return no_level;
}

bool is_intel() {
    constexpr uint32_t of_intel = 0x756e6547; // "Genu", with which Intel's vendor name begins
    static const bool is = processor().basic.leaf(0).ebx == of_intel;
    return is;
}

} // namespace

bool has_isa(isa_t isa) { return has_features(level_of(isa).features); }

isa_t best_isa() {
    isa_t best = isa_t::none;
    if (!jit::code_pages_are_allowed()) return best;
    for (const isa_level_t &level : isa_levels)
        if (has_isa(level.isa)) best = level.isa;
    return best;
}

const char *no_kernels_reason() {
    return jit::code_pages_are_allowed()
                   ? "the processor has no AVX2 with FMA and F16C, or the maximal ISA excludes it"
                   : "the system refuses executable pages";
}

dnnl_cpu_isa_t isa_by_name(std::string_view name) {
    for (const public_level_t &level : public_levels)
        if (name == level.name || (level.other_name && name == level.other_name)) return level.isa;
    return dnnl_cpu_isa_default;
}

bool has_fast_strings() { return processor_t::has(processor().leaf_7.edx, {4}); }

bool has_slow_bf16_products() { return is_intel(); }

bool gains_from_prefetches_in_order() { return is_intel(); }

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
    return guarded([&] {
        const auto *level = x64::find_level(isa);
        return level && x64::allowed_features().set(level->features.bits) ? dnnl_success
                                                                          : dnnl_invalid_arguments;
    });
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa() {
    return guarded_value(dnnl_cpu_isa_default, [] { return x64::effective_level().isa; });
}

status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints) {
    if (isa_hints != dnnl_cpu_isa_no_hints && isa_hints != dnnl_cpu_isa_prefer_ymm)
        return dnnl_invalid_arguments;
    return guarded([&] { return x64::hints().set(isa_hints) ? dnnl_success : dnnl_runtime_error; });
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints() {
    return guarded_value(dnnl_cpu_isa_no_hints,
            [] { return static_cast<dnnl_cpu_isa_hints_t>(x64::hints().get()); });
}
