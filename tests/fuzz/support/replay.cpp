// SPDX-License-Identifier: Apache-2.0
// Runs a target on files, for machines without libFuzzer: every file of the given folders once.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "support/target.hpp"

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_of(int argc, char **argv) {
    std::vector<fs::path> files;
    for (int i = 1; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            files.push_back(fs::absolute(argv[i]));
            continue;
        }
        for (const auto &entry : fs::directory_iterator(argv[i]))
            if (entry.is_regular_file()) files.push_back(fs::absolute(entry.path()));
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

int main(int argc, char **argv) {
    const std::vector<fs::path> files = files_of(argc, argv);
    for (const fs::path &file : files) {
        std::fprintf(stderr, "%s\n", file.c_str()); // the last one names the input of a crash
        std::ifstream stream(file, std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
    }
    std::fprintf(stderr, "%zu inputs\n", files.size()); // targets may redirect stdout
    return files.empty() ? 1 : 0;
}
