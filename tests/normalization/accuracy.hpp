// SPDX-License-Identifier: Apache-2.0
// How far results are from the truth, on data that careless arithmetic gets wrong: what
// doc/guide/numerics.md shows.
#pragma once

#include <string>
#include <vector>

#include "normalization/case.hpp"

namespace kiln::test::normalization {

/// Kinds of src. `scripts/numerics_pytorch.py` draws the same values.
enum class hard_data_t {
    ordinary,     ///< between -2 and 2
    nearly_equal, ///< 100 and up to three of its next greater values
    large_mean,   ///< 1e4 and a number between -2 and 2
    outlier,      ///< ordinary, and 1e4 in one place
    alternating,  ///< between 1 and 2, every other one negative
    subnormal,    ///< up to 2^-128, of f16 up to 2^-16
};

constexpr hard_data_t hard_data[]{hard_data_t::ordinary, hard_data_t::nearly_equal,
        hard_data_t::large_mean, hard_data_t::outlier, hard_data_t::alternating,
        hard_data_t::subnormal};

std::string to_string(hard_data_t data);

/// The worst errors of the outputs of one direction, in unit roundoffs of their types.
struct worst_errors_t {
    double mean = 0;       ///< beside the larger one of |mean| and the deviation
    double variance = 0;   ///< beside the variance, if that is normal and elements differ
    double result = 0;     ///< dst, beside the largest one of its set; diff_src, beside the
                           ///< largest scale * diff_dst / sqrt(variance + epsilon)
    double diff_scale = 0; ///< beside the largest one
    double diff_shift = 0; ///< likewise
};

/// Executes a case with these values. Scale is random, shift is 0.
worst_errors_t worst_errors(case_t &tested, hard_data_t data);

/// Tables in Markdown, one for each of some errors: a line for each set of problems, a column for
/// each kind of data. They are printed when the object is destroyed.
class error_tables_t {
public:
    struct table_t {
        const char *title;
        double worst_errors_t::*error;
        double bound; ///< but for subnormal data
    };
    explicit error_tables_t(const std::vector<table_t> &tables);
    ~error_tables_t();

    /// Adds the worst errors over these problems to the tables, and expects that they are small.
    void add(const std::string &name, const std::vector<problem_t> &problems);

private:
    std::vector<table_t> tables_;
    std::vector<std::string> texts_;
};

} // namespace kiln::test::normalization
