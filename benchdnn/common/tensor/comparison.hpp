// SPDX-License-Identifier: Apache-2.0
// Compares an output tensor with its reference, element by element. A value is right if it lies
// between the two ends of the reference's interval, each rounded to the tensor's data type.
#pragma once

#include <string>
#include <vector>

#include "common/tensor/dims.hpp"
#include "common/tensor/estimate.hpp"

namespace benchdnn {

enum class verdict_t { passed, mistrusted, failed };

class comparison_t {
public:
    comparison_t(std::string name, dnnl_data_type_t type, dims_t dims);

    void check(dim_t index, estimate_t expected, double got);
    // The tensor is expected to be constant, so a constant result is not mistrusted.
    void expect_constant() { constant_expected_ = true; }
    // The sign of an exact zero counts: 0 instead of -0, or -0 instead of 0, is wrong.
    void expect_signed_zeros() { signed_zeros_ = true; }
    // Adds the findings of another comparison of the same tensor (another thread's share).
    void merge(const comparison_t &other);

    verdict_t verdict() const;
    dim_t total() const { return total_; }
    dim_t errors() const { return errors_; }
    // A line about the whole tensor and, when it failed, one for each of the first wrong elements.
    std::vector<std::string> report() const;

private:
    struct mismatch_t {
        dim_t index;
        estimate_t expected;
        double got;
    };
    bool is_right(estimate_t expected, double got) const;
    void note_error(const mismatch_t &mismatch);
    void note_agreement(double got);

    std::string name_;
    dnnl_data_type_t type_;
    dims_t dims_;
    dim_t total_ = 0, errors_ = 0;
    dim_t zeros_ = 0, equal_to_first_ = 0; // among the right ones
    dim_t unbounded_ = 0;                  // right because their tolerance is infinite
    double first_ = 0, largest_ratio_ = 0;
    bool constant_expected_ = false, signed_zeros_ = false;
    std::vector<mismatch_t> mismatches_; // the first few, by index
};

} // namespace benchdnn
