// SPDX-License-Identifier: Apache-2.0
// What this process has mapped, as Linux tells it in /proc/self/maps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kiln::test {

struct mapping_t {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    std::string permissions; ///< "r-xp" and the like; empty where nothing is mapped.
    std::string path;

    bool is_writable() const { return permissions.find('w') != std::string::npos; }
    bool is_executable() const { return permissions.find('x') != std::string::npos; }
};

inline std::vector<mapping_t> process_maps() {
    std::vector<mapping_t> result;
    std::ifstream file("/proc/self/maps");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        mapping_t mapping;
        std::string offset, device, inode;
        char dash = 0;
        words >> std::hex >> mapping.begin >> dash >> mapping.end >> mapping.permissions >> offset
                >> device >> inode >> mapping.path;
        result.push_back(mapping);
    }
    return result;
}

inline mapping_t mapping_at(const void *address) {
    const auto at = reinterpret_cast<uintptr_t>(address);
    for (const mapping_t &mapping : process_maps())
        if (mapping.begin <= at && at < mapping.end) return mapping;
    return {};
}

/// Of all mappings together.
inline size_t mapped_bytes() {
    size_t bytes = 0;
    for (const mapping_t &mapping : process_maps()) bytes += mapping.end - mapping.begin;
    return bytes;
}

} // namespace kiln::test
