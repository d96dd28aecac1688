// SPDX-License-Identifier: Apache-2.0
// What problems of all normalization drivers have, and the knob --flags.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "normalization/flags.hpp"

namespace benchdnn::normalization {

// What a problem of any normalization has.
struct common_spec_t {
    direction_t direction = directions[0];
    type_pair_t type;
    tag_pair_t tag;
    stride_pair_t strides;
    flags_t flags;
    bool in_place = false;

    bool computes_stats() const { return direction.is_forward() && !flags.global_stats(); }
    bool has_stats() const { return !direction.is_inference() || flags.global_stats(); }
    int from() const { return direction.is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    int to() const { return direction.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
};

// The values of the knobs of a common_spec_t.
struct common_settings_t {
    std::vector<direction_t> direction{directions[0]};
    std::vector<type_pair_t> type{{}};
    std::vector<tag_pair_t> tag{{}};
    std::vector<stride_pair_t> strides{{}};
    std::vector<flags_t> flags{{}};
    std::vector<bool> in_place{false};
};

// known: the letters of the operation's flags.
void add_flags_knob(knob_set_t &knobs, std::vector<flags_t> &flags, const std::string &known);

// bad_value_t for layouts that are none.
void require_layouts(const common_spec_t &spec, const dims_t &dims, bool enumerated_tags_only);
// Why dst cannot take src's memory, or diff_src diff_dst's; "" where it can as far as one sees.
std::string in_place_problem(const common_spec_t &spec);

} // namespace benchdnn::normalization
