// SPDX-License-Identifier: Apache-2.0
// Compares an output tensor with its reference, element by element.
#include "common/tensor/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/command_line/text.hpp"
#include "common/tensor/data_type.hpp"

namespace benchdnn {

namespace {
constexpr size_t mismatches_kept = 10;
}

comparison_t::comparison_t(std::string name, dnnl_data_type_t type, dims_t dims)
    : name_(std::move(name))
    , type_(type)
    , dims_(std::move(dims)) {}

bool comparison_t::is_right(estimate_t expected, double got) const {
    const double value = expected.value, tolerance = expected.tolerance;
    if (signed_zeros_ && tolerance == 0 && value == 0 && got == 0)
        return std::signbit(value) == std::signbit(got);
    if (std::fabs(got - value) <= tolerance) return true;
    // The reference is undefined here, or its error is unbounded.
    if (std::isnan(value)) return std::isnan(got) || is_integer_type(type_);
    if (std::isinf(tolerance)) return true;
    if (std::isnan(got)) return std::isnan(rounded_to(type_, value));
    if (got == rounded_to(type_, value)) return true;
    // Rounding is monotonic: every value in the interval rounds to a value between its rounded
    // ends. This covers saturation, overflow and subnormals of the type.
    double low = rounded_to(type_, value - tolerance), high = rounded_to(type_, value + tolerance);
    if (std::isnan(low) && std::isnan(high)) return false; // NaN, and got is a number
    if (std::isnan(low)) low = -HUGE_VAL;                  // a type without infinities overflowed
    if (std::isnan(high)) high = HUGE_VAL;
    return low <= got && got <= high;
}

void comparison_t::check(dim_t index, estimate_t expected, double got) {
    ++total_;
    if (!is_right(expected, got)) {
        note_error({index, expected, got});
        return;
    }
    note_agreement(got);
    unbounded_ += std::isinf(expected.tolerance);
    // The part of the tolerance that was used; in narrow types the final rounding hides it.
    const bool is_wide = significand_digits(type_) >= significand_digits(dnnl_f32);
    if (is_wide && expected.tolerance > 0 && std::isfinite(expected.tolerance))
        largest_ratio_ =
                std::max(largest_ratio_, std::fabs(got - expected.value) / expected.tolerance);
}

void comparison_t::note_error(const mismatch_t &mismatch) {
    ++errors_;
    if (mismatches_.size() < mismatches_kept) mismatches_.push_back(mismatch);
}

void comparison_t::note_agreement(double got) {
    if (total_ - errors_ == 1) first_ = got;
    zeros_ += got == 0;
    equal_to_first_ += got == first_;
}

void comparison_t::merge(const comparison_t &other) {
    if (total_ == errors_) first_ = other.first_;
    if (first_ == other.first_) equal_to_first_ += other.equal_to_first_;
    total_ += other.total_;
    errors_ += other.errors_;
    zeros_ += other.zeros_;
    unbounded_ += other.unbounded_;
    largest_ratio_ = std::max(largest_ratio_, other.largest_ratio_);
    mismatches_.insert(mismatches_.end(), other.mismatches_.begin(), other.mismatches_.end());
    std::sort(mismatches_.begin(), mismatches_.end(),
            [](const mismatch_t &a, const mismatch_t &b) { return a.index < b.index; });
    if (mismatches_.size() > mismatches_kept) mismatches_.resize(mismatches_kept);
}

verdict_t comparison_t::verdict() const {
    if (errors_ > 0) return verdict_t::failed;
    if (constant_expected_) return verdict_t::passed;
    // An implementation that does nothing, or multiplies by the wrong operand, is likely to give
    // zeros; a single value everywhere (a saturated one, for example) hides misplaced elements; and
    // an element with an infinite tolerance proves nothing. If nine in ten elements are of one of
    // these kinds, too few prove something. Small tensors may be so by chance.
    const dim_t same = std::max({zeros_, equal_to_first_, unbounded_});
    const bool proves_nothing =
            total_ >= 10 ? same * 10 > total_ * 9 : total_ > 0 && zeros_ == total_;
    return proves_nothing ? verdict_t::mistrusted : verdict_t::passed;
}

std::vector<std::string> comparison_t::report() const {
    std::vector<std::string> lines;
    lines.push_back(formatted("[COMPARE][%s] total:%lld errors:%lld zeros:%lld "
                              "largest error/tolerance:%.3g",
            name_.c_str(), static_cast<long long>(total_), static_cast<long long>(errors_),
            static_cast<long long>(zeros_), largest_ratio_));
    for (const mismatch_t &m : mismatches_) {
        std::vector<std::string> position;
        for (dim_t p : position_of(m.index, dims_)) position.push_back(std::to_string(p));
        lines.push_back(formatted("[%4lld][%s][%s] exp:%.9g got:%.9g diff:%.3g tolerance:%.3g",
                static_cast<long long>(m.index), name_.c_str(), join(position, ":").c_str(),
                m.expected.value, m.got, std::fabs(m.got - m.expected.value),
                m.expected.tolerance));
    }
    return lines;
}

} // namespace benchdnn
