// SPDX-License-Identifier: Apache-2.0
// Environment variables: parses values in this process, and in some inputs starts a child that
// meets them as a program does, before its first call. The child must end well.
#include "support/target.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <sys/wait.h>
#include <unistd.h>

#include "common/environment.hpp"
#include "common/verbose/verbose_options.hpp"
#include "cpu/x64/isa.hpp"
#include "environment/child.hpp"
#include "support/expect.hpp"
#include "support/input.hpp"

namespace kiln::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr const char *values[] = {"1", "0", "all", "none", "error", "check", "dispatch", "profile",
        "profile_create", "profile_exec", "warn", "2", "-1", "filter=norm", "filter=graph|reorder",
        "filter=(", "graph", "subgraph", "graph,subgraph", "cpu:1", "cpu:0", "gpu:1;cpu:2",
        "strict", "bf16", "any", "tf32", "sse41", "avx2", "avx512_core", "AVX512_CORE",
        "avx10_1_512_amx", "default", "prefer_ymm", "no_hints", "15", "4", "2147483647",
        "2147483648", "-2147483649", "99999999999999999999", " 7", "+7", "0x10", ""};

std::string read_value(input_t &input) {
    std::string value = input.pick(values);
    while (input.one_in(4)) value += (input.one_in(2) ? "," : "") + std::string(input.pick(values));
    if (input.one_in(4)) value += input.text(64);
    if (input.one_in(64)) // e.g. thousands of brackets
        value += std::string(input.below(100000), static_cast<char>('(' + input.below(80)));
    return value;
}

void set(const char *name, const std::string &value) { setenv(name, value.c_str(), 1); }

/// What a decimal number at the beginning of a text is worth.
int number_in(const std::string &text, int fallback) {
    size_t at = text.find_first_not_of(" \t\n\v\f\r");
    if (at == std::string::npos) return 0;
    const bool is_negative = text[at] == '-';
    if (text[at] == '-' || text[at] == '+') ++at;
    __int128 value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        value = std::min(value * 10 + (text[at] - '0'), __int128(1) << 80);
    if (is_negative) value = -value;
    const bool fits =
            std::numeric_limits<int>::min() <= value && value <= std::numeric_limits<int>::max();
    return fits ? static_cast<int>(value) : fallback;
}

void parse_numbers(input_t &input) {
    const std::string value = read_value(input), other = read_value(input);
    set("ONEDNN_FUZZED", value);
    set("DNNL_FUZZED", other);
    const std::string &used = value.empty() ? other : value;
    constexpr int fallback = 12345;
    const int expected = used.empty() ? fallback : number_in(used, fallback);
    const int number = environment_int("FUZZED", fallback);
    EXPECT_THAT(number == expected, "'%s' is read as %d, not %d", used.c_str(), number, expected);
    const auto text = environment_value("FUZZED");
    EXPECT_THAT(text.has_value() == !used.empty(), "'%s' is there or not", used.c_str());
    EXPECT_THAT(!text || text->size() == used.size(), "'%s' has another length", used.c_str());
}

/// Words of a comma list; those that are none of these add nothing.
unsigned flags_of(const std::string &value) {
    using namespace kiln::verbose;
    constexpr struct {
        const char *word;
        unsigned flags;
    } words[] = {{"1", level_1}, {"2", level_2}, {"-1", all_flags}, {"all", all_flags},
            {"error", error}, {"warn", warning}, {"check", create_check | exec_check},
            {"dispatch", create_dispatch}, {"profile", create_profile | exec_profile},
            {"profile_create", create_profile}, {"profile_exec", exec_profile}};
    unsigned flags = error;
    std::string rest = value + ",";
    for (size_t comma; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1)) {
        const std::string word = rest.substr(0, comma);
        if (word == "0" || word == "none") flags = none;
        for (const auto &row : words)
            if (word == row.word) flags |= row.flags;
    }
    return flags;
}

void parse_verbose(input_t &input) {
    const std::string value = read_value(input);
    const auto options = verbose::parse_options(value);
    EXPECT_THAT(options.flags == flags_of(value), "'%s' has flags 0x%x, not 0x%x", value.c_str(),
            options.flags, flags_of(value));
    EXPECT_THAT(options.components != 0, "'%s' leaves no component", value.c_str());
}

void parse_isa(input_t &input) {
    const std::string value = read_value(input);
    const auto isa = x64::isa_by_name(value);
    const bool is_known = value.rfind("avx", 0) == 0 || value.rfind("sse", 0) == 0;
    EXPECT_THAT(is_known || isa == dnnl_cpu_isa_default, "'%s' is an ISA", value.c_str());
}

std::vector<setting_t> read_settings(input_t &input) {
    constexpr const char *names[] = {"VERBOSE", "VERBOSE_TIMESTAMP", "PRIMITIVE_CACHE_CAPACITY",
            "GRAPH_COMPILED_PARTITION_CACHE_CAPACITY", "GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY",
            "GRAPH_DUMP", "MAX_CPU_ISA", "CPU_ISA_HINTS", "DEFAULT_FPMATH_MODE", "JIT_DUMP",
            "JIT_PROFILE"};
    std::vector<setting_t> settings;
    for (const char *name : names)
        if (input.one_in(2))
            settings.push_back({(input.one_in(4) ? "DNNL_" : "ONEDNN_") + std::string(name),
                    read_value(input)});
    return settings;
}

/// The child's files are in a directory of its own, which is removed.
void run_child(input_t &input) {
    const std::vector<setting_t> settings = read_settings(input);
    std::string directory = (fs::temp_directory_path() / "fuzz_environment_XXXXXX").string();
    EXPECT_THAT(mkdtemp(directory.data()) != nullptr, "no directory %s", directory.c_str());
    const pid_t child = fork();
    EXPECT_THAT(child >= 0, "fork failed");
    if (child == 0) meet_settings(settings, directory);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    fs::remove("/tmp/perf-" + std::to_string(child) + ".map", ignored);
    const bool ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ended_well)
        for (const setting_t &setting : settings)
            std::fprintf(stderr, "%s=%s\n", setting.name.c_str(), setting.value.c_str());
    EXPECT_THAT(ended_well, "the child ended with wait status 0x%x", static_cast<unsigned>(status));
}

void run(input_t &input) {
    switch (input.below(32)) {
    case 31: return run_child(input);
    case 30: return parse_isa(input);
    default: return input.one_in(2) ? parse_numbers(input) : parse_verbose(input);
    }
}

} // namespace

} // namespace kiln::fuzz

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    kiln::fuzz::input_t input(data, size);
    kiln::fuzz::run(input);
    return 0;
}
