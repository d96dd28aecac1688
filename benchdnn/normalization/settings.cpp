// SPDX-License-Identifier: Apache-2.0
// The knobs that normalization drivers share.
#include "normalization/settings.hpp"

#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::normalization {

namespace {

// "SRC" or "SRC:DST".
std::vector<std::string> one_or_two(const std::string &text) {
    std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() > 2) throw bad_value_t(text, "SRC or SRC:DST is expected");
    return pieces;
}

type_pair_t parse_type_pair(const std::string &text) {
    const std::vector<std::string> pieces = one_or_two(text);
    return {parse_data_type(pieces.front()), parse_data_type(pieces.back())};
}

type_pair_t parse_type_for_both(const std::string &text) {
    const dnnl_data_type_t type = parse_data_type(text);
    return {type, type};
}

tag_pair_t parse_tag_pair(const std::string &text) {
    const std::vector<std::string> pieces = one_or_two(text);
    tag_pair_t tag;
    tag.src = parse_tag(pieces[0]);
    if (pieces.size() == 2) tag.dst = parse_tag(pieces[1]);
    if (tag.src == "any" || tag.src == "undef") throw bad_value_t(text, "src needs a layout");
    return tag;
}

struct flag_help_t {
    char letter;
    const char *about;
};
constexpr flag_help_t flag_helps[] = {
        {'G', "G: statistics are given"},
        {'C', "C: scale"},
        {'H', "H: shift"},
        {'R', "R: a ReLU follows"},
        {'A', "A: src_1 is added, then a ReLU follows"},
        {'M', "M: RMS normalization"},
};

} // namespace

std::string type_pair_text(const type_pair_t &type) {
    return data_type_text(type.src) + ":" + data_type_text(type.dst);
}

std::string tag_pair_text(const tag_pair_t &tag) {
    return tag.src + (tag.dst == tag_pair_t().dst ? "" : ":" + tag.dst);
}

void add_direction_knob(knob_set_t &knobs, common_settings_t &settings) {
    add_list(knobs, settings.direction,
            {"dir", "FWD_D, FWD_I, BWD_D, BWD_DW (and FWD_B, BWD_W, BWD_WB)",
                    "Training forward, inference, gradient of src, gradients of all.",
                    "--dir=FWD_D,BWD_DW", {}},
            parse_direction);
}

void add_type_pair_knob(knob_set_t &knobs, common_settings_t &settings) {
    add_list(knobs, settings.type,
            {"dt", "SRC[:DST], each f32, bf16, f16, f64, s8, u8, ...",
                    "Data types of src and dst, or of src, diff_src and of diff_dst.",
                    "--dt=f32,bf16:f32", {}},
            parse_type_pair);
}

void add_type_knob(knob_set_t &knobs, common_settings_t &settings) {
    add_list(knobs, settings.type,
            {"dt", "f32, bf16, f16, f64, s8", "Data type of src, dst and their gradients.",
                    "--dt=f32,bf16", {}},
            parse_type_for_both);
}

void add_tag_knob(knob_set_t &knobs, common_settings_t &settings) {
    add_list(knobs, settings.tag,
            {"tag", "SRC[:DST], each a format tag such as abx, axb, tnc or aBx16b",
                    "Layouts of src and dst; dst is any when not given.", "--tag=abx,axb:abx", {}},
            parse_tag_pair);
}

void add_flags_knob(knob_set_t &knobs, common_settings_t &settings, const std::string &known) {
    std::vector<std::string> letters, abouts;
    for (const flag_help_t &help : flag_helps) {
        if (known.find(help.letter) == std::string::npos) continue;
        letters.emplace_back(1, help.letter);
        abouts.emplace_back(help.about);
    }
    add_list(knobs, settings.flags,
            {"flags", "combinations of " + join(letters, ", ") + "; nothing for none",
                    join(abouts, "; ") + ".", "--flags=,CH,G" + letters.back(), {}},
            [known](const std::string &text) { return flags_t(text, known); });
}

void add_in_place_knob(knob_set_t &knobs, common_settings_t &settings) {
    add_list(knobs, settings.in_place,
            {"inplace", "true, false",
                    "Whether dst takes src's memory, or diff_src takes diff_dst's.",
                    "--inplace=true,false", {}},
            parse_bool);
}

void require_layouts(const common_spec_t &spec, const dims_t &dims, bool enumerated_tags_only) {
    const int ndims = static_cast<int>(dims.size());
    require_layout(spec.tag.src, ndims, enumerated_tags_only);
    require_layout(spec.tag.dst, ndims, enumerated_tags_only);
    require_strides(spec.strides.src, dims);
    require_strides(spec.strides.dst, dims);
}

std::string in_place_problem(const common_spec_t &spec) {
    if (!spec.in_place) return "";
    const bool same_layout = spec.tag.dst == "any" || spec.tag.dst == spec.tag.src;
    const bool same_type = spec.type.src == spec.type.dst;
    return same_layout && same_type ? "" : "Invalid case";
}

} // namespace benchdnn::normalization
