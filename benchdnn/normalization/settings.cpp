// SPDX-License-Identifier: Apache-2.0
// What problems of all normalization drivers have, and the knob --flags.
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

} // namespace

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
