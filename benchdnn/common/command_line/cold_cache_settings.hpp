// SPDX-License-Identifier: Apache-2.0
// --cold-cache.
#pragma once

#include <cstddef>
#include <string>

namespace benchdnn {

struct cold_cache_settings_t {
    enum class mode_t { none, weights, all, custom } mode = mode_t::none;
    size_t tlb_bytes = 0; // other memory touched between calls, a byte of each page
    std::string text = "none";
};

// MODE[+tlb[:SIZE]], SIZE a number followed by M or G.
cold_cache_settings_t parse_cold_cache(const std::string &text);

} // namespace benchdnn
