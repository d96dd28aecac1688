// SPDX-License-Identifier: Apache-2.0
// The knobs of all normalization drivers.
#include "normalization/settings.hpp"

#include "common/tensor/descriptor.hpp"

namespace benchdnn::normalization {

namespace {

struct flag_help_t {
    char letter;
    const char *about;
};
constexpr flag_help_t flag_helps[] = {
        {'G', "G: mean and variance are inputs"},
        {'C', "C: scale"},
        {'H', "H: shift"},
        {'R', "R: a ReLU follows"},
        {'A', "A: src_1 is added, then a ReLU follows"},
        {'M', "M: RMS normalization"},
};

void add_flags_knob(knob_set_t &knobs, std::vector<flags_t> &values, const std::string &known) {
    std::vector<std::string> letters, abouts;
    for (const flag_help_t &help : flag_helps) {
        if (known.find(help.letter) == std::string::npos) continue;
        letters.emplace_back(1, help.letter);
        abouts.emplace_back(help.about);
    }
    add_list(knobs, values,
            {"flags", "combinations of " + join(letters, ", ") + "; empty for none",
                    join(abouts, "; ") + ".", "--flags=,CH,G" + letters.back(), {}},
            [known](const std::string &text) { return flags_t(text, known); });
}

} // namespace

void add_common_knobs(
        knob_set_t &knobs, const common_values_t &s, types_t types, const std::string &known) {
    add_direction_knob(knobs, s.direction);
    types == types_t::pair ? add_type_pair_knob(knobs, s.type) : add_type_knob(knobs, s.type);
    add_tag_pair_knob(knobs, s.tag);
    add_strides_knob(knobs, s.strides);
    add_flags_knob(knobs, s.flags, known);
    add_in_place_knob(
            knobs, s.in_place, "Whether dst takes src's memory, or diff_src takes diff_dst's.");
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
