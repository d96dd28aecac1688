// SPDX-License-Identifier: Apache-2.0
// Measuring with arguments that are in no cache: --cold-cache.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/run/arguments.hpp"

namespace benchdnn {

struct cold_cache_settings_t {
    enum class mode_t { none, weights, all, custom } mode = mode_t::none;
    size_t tlb_bytes = 0; // memory walked through between calls, a byte of each page
    std::string text = "none";
};

// MODE[+tlb[:SIZE]], SIZE a number followed by M or G.
cold_cache_settings_t parse_cold_cache(const std::string &text);

class cold_cache_t {
public:
    cold_cache_t(const cold_cache_settings_t &settings, const arguments_t &arguments);

    bool is_enabled() const { return !flushed_.empty(); }
    bool covers_all() const { return covers_all_; }
    // Before each measured call: the chosen arguments leave every cache, and the table of pages'
    // addresses is overrun where that was asked for.
    void chill();

private:
    std::vector<const tensor_t *> flushed_;
    std::vector<unsigned char> walked_;
    bool covers_all_ = false;
};

} // namespace benchdnn
