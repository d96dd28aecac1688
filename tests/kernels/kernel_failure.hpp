// SPDX-License-Identifier: Apache-2.0
// What a test of a generated kernel prints when it fails: the kernel's name, the case, the seed,
// the first wrong element, what it should be and what it is, and the file with the code.
//
//     const auto code = kernel.finish();
//     const kernel_failure_t failure(spec.name(), details, seed, {code.data(), code.size()});
//     code.entry<function_t>()(&args);
//     for (dim_t i = 0; i < count; ++i)
//         if (got[i] != expected[i]) return failure.at(i, expected[i], got[i]);
//     if (!dst.slack_is_untouched()) return failure("wrote outside dst");
#pragma once

#include <cstdint>
#include <span>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace kiln::test {

class kernel_failure_t {
public:
    /// `code` outlives this object.
    kernel_failure_t(
            std::string name, std::string details, uint64_t seed, std::span<const uint8_t> code)
        : name_(std::move(name))
        , details_(std::move(details))
        , seed_(seed)
        , code_(code) {}

    /// A failure for any reason. Writes the code to a file.
    ::testing::AssertionResult operator()(const std::string &reason) const;

    /// The first wrong element.
    template <typename value_t>
    ::testing::AssertionResult at(
            int64_t index, const value_t &expected, const value_t &got) const {
        std::ostringstream text;
        text.precision(9);
        text << "element " << index << ": expected " << expected << ", got " << got;
        return (*this)(text.str());
    }

private:
    std::string name_, details_;
    uint64_t seed_;
    std::span<const uint8_t> code_;
};

} // namespace kiln::test
