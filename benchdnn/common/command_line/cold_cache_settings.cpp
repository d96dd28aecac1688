// SPDX-License-Identifier: Apache-2.0
// --cold-cache.
#include "common/command_line/cold_cache_settings.hpp"

#include <cctype>
#include <vector>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

cold_cache_settings_t::mode_t parse_cold_mode(const std::string &text) {
    using mode_t = cold_cache_settings_t::mode_t;
    if (text == "none") return mode_t::none;
    if (text == "wei") return mode_t::weights;
    if (text == "all") return mode_t::all;
    if (text == "custom") return mode_t::custom;
    throw bad_value_t(text, "", {"none", "wei", "all", "custom"});
}

size_t parse_tlb(const std::string &text) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts[0] != "tlb" || parts.size() > 2) throw bad_value_t(text, "tlb[:SIZE] is expected");
    if (parts.size() == 1) return size_t(1) << 30;
    const std::string &size = parts[1];
    const int unit = size.empty() ? 0 : std::toupper(static_cast<unsigned char>(size.back()));
    if (unit != 'M' && unit != 'G') throw bad_value_t(size, "a number and M or G is expected");
    const double count = parse_number(size.substr(0, size.size() - 1));
    if (!(count > 0 && count <= 1 << 20)) throw bad_value_t(size, "not a size");
    return static_cast<size_t>(count * (unit == 'M' ? 0x1p20 : 0x1p30));
}

} // namespace

cold_cache_settings_t parse_cold_cache(const std::string &text) {
    cold_cache_settings_t settings;
    const std::vector<std::string> parts = split(text, '+');
    settings.mode = parse_cold_mode(parts[0]);
    settings.text = text;
    for (size_t i = 1; i < parts.size(); ++i) settings.tlb_bytes = parse_tlb(parts[i]);
    if (settings.mode == cold_cache_settings_t::mode_t::none && parts.size() > 1)
        throw bad_value_t(text, "none has no extensions");
    return settings;
}

} // namespace benchdnn
