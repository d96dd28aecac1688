// SPDX-License-Identifier: Apache-2.0
// Process-wide settings that a function sets and the environment presets, and the version.

#include "common/settings.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>

#include "common/cpu_facts.hpp"
#include "common/environment.hpp"
#include "common/status.hpp"
#include "kiln/version.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

namespace kiln {

namespace {

constexpr setting_word_t<dnnl_fpmath_mode_t> fpmath_modes[] = {
        {"strict", dnnl_fpmath_mode_strict},
        {"bf16", dnnl_fpmath_mode_bf16},
        {"f16", dnnl_fpmath_mode_f16},
        {"tf32", dnnl_fpmath_mode_tf32},
        {"any", dnnl_fpmath_mode_any},
};

bool is_fpmath_mode(dnnl_fpmath_mode_t mode) {
    for (const auto &row : fpmath_modes)
        if (mode == row.value) return true;
    return false;
}

constexpr int known_profiling = DNNL_JIT_PROFILE_VTUNE | DNNL_JIT_PROFILE_LINUX_PERF
                                | DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC;

// Each setting reads the environment when it is first met, by either way, so that what a function
// sets stays.
std::atomic<dnnl_fpmath_mode_t> &fpmath_mode_setting() {
    static std::atomic<dnnl_fpmath_mode_t> mode{
            environment_word("DEFAULT_FPMATH_MODE", fpmath_modes)};
    return mode;
}

std::atomic<bool> &jit_dump_setting() {
    static std::atomic<bool> is_enabled{environment_int("JIT_DUMP", 0) != 0};
    return is_enabled;
}

std::atomic<unsigned> &jit_profiling_setting() {
    static std::atomic<unsigned> flags{static_cast<unsigned>(environment_int(
            "JIT_PROFILE", DNNL_JIT_PROFILE_VTUNE, int_range_t{0, known_profiling}))};
    return flags;
}

/// perf's own variable, hence without a prefix; then where perf looks by default.
std::string environment_jitdumpdir() {
    for (const char *name : {"JITDUMPDIR", "HOME"}) {
        const char *value = std::getenv(name);
        if (value && *value) return value;
    }
    return ".";
}

class jitdumpdir_t {
public:
    std::string get() {
        const std::lock_guard lock(mutex_);
        return directory_;
    }
    void set(std::string directory) {
        const std::lock_guard lock(mutex_);
        directory_ = std::move(directory);
    }

private:
    std::mutex mutex_;
    std::string directory_ = environment_jitdumpdir();
};

jitdumpdir_t &jitdumpdir_setting() {
    static auto *directory =
            new jitdumpdir_t(); // never destroyed, as code may be made until the end
    return *directory;
}

} // namespace

dnnl_fpmath_mode_t default_fpmath_mode() { return fpmath_mode_setting(); }
bool refuses_other_layouts() {
    constexpr setting_word_t<bool> words[] = {{"0", false}, {"1", true}};
    static const bool is_wanted = environment_word("KILN_CHECK_ARGUMENTS", words);
    return is_wanted;
}
bool jit_dump_enabled() { return jit_dump_setting(); }
unsigned jit_profiling_flags() { return jit_profiling_setting(); }
std::string jit_profiling_jitdumpdir() { return jitdumpdir_setting().get(); }

} // namespace kiln

using namespace kiln;

const dnnl_version_t *dnnl_version() {
    static const dnnl_version_t version = {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR,
            DNNL_VERSION_PATCH, DNNL_VERSION_HASH, cpu_runtime(), DNNL_GPU_RUNTIME};
    return &version;
}

const kiln_version_t *kiln_version() {
    static const kiln_version_t version = {
            KILN_VERSION_MAJOR, KILN_VERSION_MINOR, KILN_VERSION_PATCH, DNNL_VERSION_HASH};
    return &version;
}

status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode) {
    if (mode == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        *mode = default_fpmath_mode();
        return dnnl_success;
    });
}

status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    if (!is_fpmath_mode(mode)) return dnnl_invalid_arguments;
    return guarded([&] {
        fpmath_mode_setting() = mode;
        return dnnl_success;
    });
}

status_t dnnl_set_jit_dump(int enable) {
    return guarded([&] {
        jit_dump_setting() = enable != 0;
        return dnnl_success;
    });
}

status_t dnnl_set_jit_profiling_flags(unsigned flags) {
    if (flags & ~static_cast<unsigned>(known_profiling)) return dnnl_invalid_arguments;
    return guarded([&] {
        jit_profiling_setting() = flags;
        return dnnl_success;
    });
}

status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir) {
    return guarded([&] {
        jitdumpdir_setting().set(dir ? dir : environment_jitdumpdir());
        return dnnl_success;
    });
}
