// SPDX-License-Identifier: Apache-2.0
// --cold-cache: measuring with arguments that are in no cache.
#pragma once

#include <vector>

#include "common/command_line/cold_cache_settings.hpp"
#include "common/tensor/arguments.hpp"

namespace benchdnn {

class cold_cache_t {
public:
    cold_cache_t(const cold_cache_settings_t &settings, const arguments_t &arguments);

    bool is_enabled() const { return !flushed_.empty(); }
    bool covers_all() const { return covers_all_; }
    // Called before each measured call: flushes the chosen arguments from all caches, and fills the
    // TLB with other pages if +tlb is given.
    void flush();

private:
    std::vector<const tensor_t *> flushed_;
    std::vector<unsigned char> walked_;
    bool covers_all_ = false;
};

} // namespace benchdnn
