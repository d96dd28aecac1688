// SPDX-License-Identifier: Apache-2.0
// A random legal problem: its descriptor, its operands, and the truth about its outputs.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "differential/chain.hpp"
#include "differential/operand.hpp"

namespace kiln::test::differential {

/// What an output is to be. Where no values are known, only the bytes around it are judged.
struct truth_t {
    const operand_t *operand;
    std::vector<interval_t> values;
};

struct problem_t {
    std::string operation; // as the table of results names it
    std::string text;
    primitive_desc_handle_t pd; // at the first implementation
    std::deque<operand_t> inputs, outputs;
    /// Arguments that share the buffer of an input, which they overwrite.
    std::vector<std::pair<int, operand_t *>> in_place;
    std::vector<std::pair<int, memory_handle_t>> host_scalars;
    std::vector<truth_t> truths;

    operand_t &add_input(int arg, const std::string &name, regions_t &regions, random_t &random);
    operand_t &add_output(int arg, const std::string &name, regions_t &regions, random_t &random);
    bool is_overwritten(const operand_t &input) const;
};

/// Where the operands of a problem are placed.
struct workshop_t {
    regions_t regions;
};

/// The problem of a number; the same for a number whenever it is made.
std::unique_ptr<problem_t> make_problem(uint64_t number, workshop_t &workshop);

// Each operation's own.
std::unique_ptr<problem_t> make_reorder(random_t &random, regions_t &regions);
std::unique_ptr<problem_t> make_reduction(random_t &random, regions_t &regions);
std::unique_ptr<problem_t> make_elementwise(random_t &random, regions_t &regions);
std::unique_ptr<problem_t> make_elementwise_gradient(random_t &random, regions_t &regions);
std::unique_ptr<problem_t> make_normalization(random_t &random, regions_t &regions);
std::unique_ptr<problem_t> make_matmul(random_t &random, regions_t &regions);
std::unique_ptr<problem_t> make_inner_product(random_t &random, regions_t &regions);

/// The unit roundoff of arithmetic: that of double where a tensor is f64.
long double arithmetic_roundoff(std::initializer_list<dnnl_data_type_t> types);

/// Values of a type for a test: integers whole and within their range.
std::vector<double> random_values(
        random_t &random, size_t count, dnnl_data_type_t type, double low, double high);

} // namespace kiln::test::differential
