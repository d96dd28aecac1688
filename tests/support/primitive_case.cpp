// SPDX-License-Identifier: Apache-2.0
// Judges executions.
#include "support/primitive_case.hpp"

#include <algorithm>

namespace kiln::test {

testing::AssertionResult primitive_case_t::is_right(
        const std::vector<expected_t> &expected, const std::vector<int> &outputs) const {
    for (const auto &[arg, output_name, values] : expected) {
        if (std::find(outputs.begin(), outputs.end(), arg) == outputs.end()) continue;
        const auto verdict = is_inside(tensor(arg), values, output_name);
        if (!verdict) return testing::AssertionFailure() << name_ << ": " << verdict.message();
    }
    const auto intact = bindings_.are_intact();
    if (!intact) return testing::AssertionFailure() << name_ << ": " << intact.message();
    return testing::AssertionSuccess();
}

std::vector<std::vector<std::byte>> primitive_case_t::output_bits() const {
    std::vector<std::vector<std::byte>> bits;
    for (const int arg : outputs()) bits.push_back(tensor(arg).bits());
    return bits;
}

void primitive_case_t::mark_outputs() {
    for (const int arg : outputs()) tensor(arg).mark();
}

} // namespace kiln::test
