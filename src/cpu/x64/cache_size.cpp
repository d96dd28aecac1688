// SPDX-License-Identifier: Apache-2.0
// How large the caches are, as the operating system tells.

#include "cpu/x64/cache_size.hpp"

#include <initializer_list>
#include <unistd.h>

namespace kiln::x64 {

size_t last_level_cache_size() {
    static const size_t size = [] {
        for (const int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
            if (const long bytes = sysconf(level); bytes > 0) return static_cast<size_t>(bytes);
        constexpr size_t modest = size_t(1) << 20; // it does not tell
        return modest;
    }();
    return size;
}

} // namespace kiln::x64
