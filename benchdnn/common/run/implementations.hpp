// SPDX-License-Identifier: Apache-2.0
// What each implementation of the library says to a problem.
#pragma once

#include <string>
#include <vector>

#include "common/run/primitive_problem.hpp"

namespace benchdnn {

struct answer_t {
    std::string name;
    std::string refusal;        // empty: the implementation accepts
    std::string operation = ""; // of the implementation; empty where that is not known
};

struct answers_t {
    dnnl_status_t status = dnnl_success; // of the call that creates the first descriptor
    std::vector<answer_t> answers;       // in the order in which implementations are asked
    // Whether the library says of each implementation that refuses why. Otherwise some are missing.
    bool has_refusals = false;

    // The parts of a filter that are in no implementation's name. Empty for a list of what is
    // skipped, and if names may be missing.
    std::vector<std::string> unknown_parts(const impl_filter_t &filter) const;
    std::vector<std::string> names() const;
};

answers_t ask_implementations(const primitive_problem_t &problem, const engine_t &engine,
        const_dnnl_primitive_attr_t attr);

std::string implementation_name(const primitive_desc_t &descriptor);

} // namespace benchdnn
