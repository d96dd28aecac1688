// SPDX-License-Identifier: Apache-2.0
// A normalization whose tensors are split over ranks, judged by the truth of the whole problem.
#pragma once

#include "kiln/ranks.h"
#include "normalization/case.hpp"

namespace kiln::test::normalization {

/// A problem, and the axis of its tensors of which each rank has some indices.
struct split_problem_t {
    problem_t whole;
    size_t axis;
    unsigned combined;         ///< bits of kiln_ranks_t
    bool by_reference = false; ///< no kernel takes it
};

std::string to_string(const split_problem_t &problem);

/// All problems that the tests of ranks execute.
std::vector<split_problem_t> split_problems();

/// How many indices of the split axis each rank has: unevenly, one of three or more ranks none
/// unless these are channels of groups, of which there must be some.
std::vector<int64_t> extents_of_ranks(const split_problem_t &problem, int ranks);

/// One rank's part in an execution.
class rank_case_t {
public:
    /// `whole` has been executed. Backward of a fused ReLU executes forward, too.
    rank_case_t(const split_problem_t &problem, const case_t &whole, const kiln_ranks_t &ranks,
            int rank);

    dnnl_status_t execute() const { return local_->execute(); }
    std::string implementation() const { return implementation_name(local_->primitive_desc()); }
    /// Whether the outputs are this rank's part of what the whole problem's should be.
    testing::AssertionResult is_right(const std::vector<expected_t> &of_whole) const;
    /// The bits of what is the same on all ranks: combined statistics and gradients.
    std::vector<std::byte> combined_bits() const;
    /// The bits of all outputs.
    std::vector<std::vector<std::byte>> output_bits() const { return local_->output_bits(); }

private:
    problem_t local_problem() const;
    template <typename value_t>
    std::vector<value_t> part(int arg, const std::vector<value_t> &values) const;
    void refill(case_t &local) const;
    bool is_combined(int arg) const;

    const split_problem_t problem_;
    const case_t &whole_;
    const kiln_ranks_t ranks_;
    const int rank_;
    std::optional<case_t> local_;
};

} // namespace kiln::test::normalization
