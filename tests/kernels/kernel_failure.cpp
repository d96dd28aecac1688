// SPDX-License-Identifier: Apache-2.0
// What a test of a generated kernel prints when it fails.
#include "kernels/kernel_failure.hpp"

#include <fstream>

namespace kiln::test {

::testing::AssertionResult kernel_failure_t::operator()(const std::string &reason) const {
    const std::string path = "failed_" + name_ + ".bin";
    std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char *>(code_.data()),
                    static_cast<std::streamsize>(code_.size()));
    return ::testing::AssertionFailure()
           << name_ << ", " << details_ << ", seed " << seed_ << ": " << reason
           << "; the code is in " << path << " (objdump -D -b binary -m i386:x86-64)";
}

} // namespace kiln::test
