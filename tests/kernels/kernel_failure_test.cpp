// SPDX-License-Identifier: Apache-2.0
// What a failing kernel test prints, and the file that it leaves.
#include "kernels/kernel_failure.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

namespace kiln::test {

namespace {

TEST(kernel_failure, says_all_that_it_takes_to_repeat_it) {
    const uint8_t code[] = {0x90, 0xc3};
    const kernel_failure_t failure("sample_avx2", "3 rows of 17", 42, code);
    const auto result = failure.at(5, 1.5, 2.25);
    EXPECT_FALSE(result);
    const std::string text = result.message();
    for (const char *part :
            {"sample_avx2", "3 rows of 17", "seed 42", "element 5", "expected 1.5", "got 2.25"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;

    const std::string path = "failed_sample_avx2.bin";
    EXPECT_NE(text.find(path), std::string::npos) << text;
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> written{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(written, (std::vector<char>{char(0x90), char(0xc3)}));
    std::remove(path.c_str());
}

} // namespace

} // namespace kiln::test
