// SPDX-License-Identifier: Apache-2.0
// The comparisons of a problem's outputs, one set for each thread, merged at the end.
#pragma once

#include <utility>
#include <vector>

#include "common/tensor/arguments.hpp"
#include "common/tensor/comparison.hpp"
#include "common/tensor/parallel.hpp"

namespace benchdnn::normalization {

class comparisons_t {
public:
    // For those of the ids that are among the arguments.
    comparisons_t(const arguments_t &arguments, const std::vector<int> &ids);
    // Null if the argument is absent.
    comparison_t *find(int id);
    void merge(const comparisons_t &other);
    // In an empty problem, constant outputs are right.
    std::vector<comparison_t> take(bool is_empty_problem);

private:
    std::vector<std::pair<int, comparison_t>> entries_;
};

// One for each worker of parallel_shares.
class shared_comparisons_t {
public:
    shared_comparisons_t(const arguments_t &arguments, const std::vector<int> &ids)
        : found_(worker_count(), comparisons_t(arguments, ids)) {}
    comparisons_t &of(int worker) { return found_[worker]; }
    comparisons_t &merged() {
        for (size_t i = 1; i < found_.size(); ++i) found_[0].merge(found_[i]);
        found_.erase(found_.begin() + 1, found_.end());
        return found_[0];
    }

private:
    std::vector<comparisons_t> found_;
};

// Sums for each channel (or column), divided among threads.
class shared_sums_t {
public:
    explicit shared_sums_t(dim_t count)
        : sums_(worker_count(), std::vector<running_sum_t>(count)) {}
    std::vector<running_sum_t> &of(int worker) { return sums_[worker]; }
    void check(comparison_t &comparison, const tensor_t &got) const;

private:
    std::vector<std::vector<running_sum_t>> sums_;
};

// All elements of a tensor with one axis; empty if the argument is absent.
std::vector<double> parameter(const arguments_t &arguments, int id);

} // namespace benchdnn::normalization
