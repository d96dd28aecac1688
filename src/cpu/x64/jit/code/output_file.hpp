// SPDX-License-Identifier: Apache-2.0
// An output file for reports. The first failure closes it; failures are not reported.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace kiln::x64::jit {

class output_file_t {
public:
    /// `flags` are those of open(). Writes to a file that cannot be opened are ignored.
    output_file_t(const std::string &path, int flags)
        : descriptor_(open(path.c_str(), flags | O_CREAT | O_CLOEXEC, 0644)) {}
    output_file_t(output_file_t &&other) noexcept
        : descriptor_(std::exchange(other.descriptor_, -1)) {}
    output_file_t &operator=(output_file_t &&) = delete;
    ~output_file_t() { give_up(); }

    /// -1 if the file could not be opened or a write failed.
    int descriptor() const { return descriptor_; }

    void write(std::span<const uint8_t> bytes) {
        while (descriptor_ >= 0 && !bytes.empty()) {
            const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
            if (count > 0)
                bytes = bytes.subspan(static_cast<size_t>(count));
            else if (count == 0 || errno != EINTR)
                give_up();
        }
    }
    void give_up() {
        if (descriptor_ >= 0) close(descriptor_);
        descriptor_ = -1;
    }

private:
    int descriptor_;
};

} // namespace kiln::x64::jit
