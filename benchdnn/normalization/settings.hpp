// SPDX-License-Identifier: Apache-2.0
// The knobs that normalization drivers share: direction, types, layouts, flags, in place.
#pragma once

#include <string>
#include <vector>

#include "common/command_line/direction.hpp"
#include "common/command_line/knobs.hpp"
#include "common/tensor/strides.hpp"
#include "normalization/flags.hpp"

namespace benchdnn::normalization {

// SRC[:DST] of --dt and --tag, DST filled in.
struct type_pair_t {
    dnnl_data_type_t src = dnnl_f32, dst = dnnl_f32;
};
struct tag_pair_t {
    std::string src = "abx", dst = "any";
};

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

// Values of the knobs that become a common_spec_t.
struct common_settings_t {
    std::vector<direction_t> direction{directions[0]};
    std::vector<type_pair_t> type{{}};
    std::vector<tag_pair_t> tag{{}};
    std::vector<stride_pair_t> strides{{}};
    std::vector<flags_t> flags{{}};
    std::vector<bool> in_place{false};
};

std::string type_pair_text(const type_pair_t &type);
std::string tag_pair_text(const tag_pair_t &tag);

void add_direction_knob(knob_set_t &knobs, common_settings_t &settings);
// SRC:DST, or one type for both.
void add_type_pair_knob(knob_set_t &knobs, common_settings_t &settings);
void add_type_knob(knob_set_t &knobs, common_settings_t &settings);
void add_tag_knob(knob_set_t &knobs, common_settings_t &settings);
// known: the letters of the operation's flags.
void add_flags_knob(knob_set_t &knobs, common_settings_t &settings, const std::string &known);
void add_in_place_knob(knob_set_t &knobs, common_settings_t &settings);

// bad_value_t for layouts that are none.
void require_layouts(const common_spec_t &spec, const dims_t &dims, bool enumerated_tags_only);
// Why dst cannot take src's memory, or diff_src diff_dst's; "" where it can as far as one sees.
std::string in_place_problem(const common_spec_t &spec);

} // namespace benchdnn::normalization
