// SPDX-License-Identifier: Apache-2.0
// The parsed value of ONEDNN_VERBOSE.
#pragma once

#include <cstdint>
#include <string>

#include "common/verbose/verbose.hpp"

namespace kiln::verbose {

/// Every kind of line.
constexpr unsigned all_flags = error | create_check | create_dispatch | create_profile | exec_check
                               | exec_profile | warning;
/// What `ONEDNN_VERBOSE=1` and `dnnl_set_verbose(1)` ask for, and the same with 2.
constexpr unsigned level_1 = error | warning | exec_profile;
constexpr unsigned level_2 = level_1 | create_profile;

/// Parts of the library a filter may name, one bit each: bit 0 is every primitive, bit K the
/// primitive of kind K.
using components_t = uint32_t;
constexpr components_t all_components = ~components_t{0};
components_t components_of(primitive_kind_t kind);

struct options_t {
    unsigned flags = error;
    components_t components = all_components;
    /// Which components the filter matches, as a line of the header; empty without a filter.
    std::string filter_notice;
    /// Each quoted, with a space before it.
    std::string unknown_words;
};

/// Reads a comma separated list of keywords and a `filter=REGEX`. Unknown keywords have no effect;
/// a filter that is no regular expression, or names no component, is not applied.
options_t parse_options(const std::string &value);

} // namespace kiln::verbose
