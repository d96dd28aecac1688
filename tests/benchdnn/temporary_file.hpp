// SPDX-License-Identifier: Apache-2.0
// A temporary file for the driver, with a unique name because tests of one program run in parallel.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace benchdnn {

class temporary_file_t {
public:
    explicit temporary_file_t(const std::string &text)
        : path_((std::filesystem::temp_directory_path() / "benchdnn_test_XXXXXX").string()) {
        const int file = mkstemp(path_.data());
        if (file < 0) throw std::runtime_error("no temporary file");
        close(file);
        std::ofstream(path_) << text;
    }
    ~temporary_file_t() { std::filesystem::remove(path_); }
    temporary_file_t(const temporary_file_t &) = delete;
    temporary_file_t &operator=(const temporary_file_t &) = delete;

    const std::string &path() const { return path_; }

private:
    std::string path_;
};

} // namespace benchdnn
