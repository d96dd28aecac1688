// SPDX-License-Identifier: Apache-2.0
// --cold-cache.
#include "common/command_line/cold_cache_settings.hpp"

#include <cctype>
#include <vector>

#include "common/command_line/named_value.hpp"

namespace benchdnn {

namespace {

constexpr named_value_t<cold_cache_settings_t::mode_t> modes[] = {
        {"none", cold_cache_settings_t::mode_t::none},
        {"wei", cold_cache_settings_t::mode_t::weights},
        {"all", cold_cache_settings_t::mode_t::all},
        {"custom", cold_cache_settings_t::mode_t::custom},
};

size_t parse_tlb(const std::string &text) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts[0] != "tlb" || parts.size() > 2) throw bad_value_t(text, "tlb[:SIZE] is expected");
    if (parts.size() == 1) return size_t(1) << 30;
    const std::string &size = parts[1];
    const int unit = size.empty() ? 0 : std::toupper(static_cast<unsigned char>(size.back()));
    if (unit != 'M' && unit != 'G') throw bad_value_t(size, "a number and M or G is expected");
    const double count = parse_number(size.substr(0, size.size() - 1), numbers_t{0x1p-10, 0x1p20});
    return static_cast<size_t>(count * (unit == 'M' ? 0x1p20 : 0x1p30));
}

} // namespace

cold_cache_settings_t parse_cold_cache(const std::string &text) {
    cold_cache_settings_t settings;
    const std::vector<std::string> parts = split(text, '+');
    settings.mode = value_named(modes, parts[0]);
    settings.text = text;
    for (size_t i = 1; i < parts.size(); ++i) settings.tlb_bytes = parse_tlb(parts[i]);
    if (settings.mode == cold_cache_settings_t::mode_t::none && parts.size() > 1)
        throw bad_value_t(text, "none has no extensions");
    return settings;
}

} // namespace benchdnn
