// SPDX-License-Identifier: Apache-2.0
// What all normalizations promise is tested once, for each of them.
#pragma once

#include <gtest/gtest.h>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

/// A suite of tests of each operation: INSTANTIATE_FOR_OPERATIONS names the tests
/// `suite.test/layer` and so on.
class operation_test_t : public testing::TestWithParam<operation_t> {
protected:
    static operation_t operation() { return GetParam(); }
    static bool is_layer() { return operation() == operation_t::layer; }
    static bool is_batch() { return operation() == operation_t::batch; }

    /// What may be asked for beside scale, shift and given statistics.
    static std::vector<unsigned> functions() {
        if (is_layer()) return {0, rms};
        if (is_batch()) return {0, relu, add_relu};
        return {0};
    }
    static std::vector<unsigned> all_flags() { return normalization::all_flags(operation()); }

    /// The dims are N x C x spatial axes but for layer normalization, whose last axis is
    /// normalized.
    static problem_t problem_of(dims_t dims, unsigned flags = 0, const std::string &format = "",
            dnnl_prop_kind_t prop_kind = dnnl_forward_training) {
        problem_t problem;
        problem.operation = operation();
        problem.prop_kind = prop_kind;
        problem.groups = operation() == operation_t::group ? 2 : 0;
        problem.dims = std::move(dims);
        problem.flags = flags;
        problem.set_formats(format);
        return problem;
    }

    /// Problems of each of these dims, layer normalization's or the others', with the axes of a set
    /// innermost, outermost, and blocked; group normalization with each of these numbers of groups.
    static std::vector<problem_t> problems_of(const std::vector<dims_t> &layer_dims,
            const std::vector<dims_t> &channel_dims, const std::vector<int64_t> &groupings) {
        const std::vector<std::string> formats =
                is_layer() ? std::vector<std::string>{"ab", "ba"}
                           : std::vector<std::string>{"abcd", "acdb", "aBcd16b"};
        std::vector<problem_t> problems;
        for (const dims_t &dims : is_layer() ? layer_dims : channel_dims)
            for (const auto &format : formats) {
                problems.push_back(problem_of(dims, 0, format));
                if (is_layer() || is_batch()) continue;
                problems.pop_back();
                for (const int64_t groups : groupings) {
                    problems.push_back(problem_of(dims, 0, format));
                    problems.back().groups = groups;
                }
            }
        return problems;
    }
};

#define INSTANTIATE_FOR_OPERATIONS(suite)                                                          \
    INSTANTIATE_TEST_SUITE_P(operations, suite,                                                    \
            testing::Values(operation_t::layer, operation_t::batch, operation_t::group),           \
            [](const auto &info) { return to_string(info.param); })

/// What batch normalization does not take.
#define INSTANTIATE_FOR_LAYER_AND_GROUP(suite)                                                     \
    INSTANTIATE_TEST_SUITE_P(operations, suite,                                                    \
            testing::Values(operation_t::layer, operation_t::group),                               \
            [](const auto &info) { return to_string(info.param); })

} // namespace kiln::test::normalization
