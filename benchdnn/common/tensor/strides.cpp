// SPDX-License-Identifier: Apache-2.0
// --strides: layouts of src and dst by strides in elements.
#include "common/tensor/strides.hpp"

#include "common/command_line/usage_error.hpp"

namespace benchdnn {

stride_pair_t parse_stride_pair(const std::string &text) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() > 2) throw bad_value_t(text, "SRC:DST is expected");
    const auto strides = [](const std::string &piece) {
        return piece.empty() ? dims_t() : parse_dims(piece);
    };
    return {strides(pieces[0]), pieces.size() == 2 ? strides(pieces[1]) : dims_t()};
}

std::string stride_pair_text(const stride_pair_t &strides) {
    if (strides.src.empty() && strides.dst.empty()) return "";
    return dims_text(strides.src) + ":" + dims_text(strides.dst);
}

void require_strides(const dims_t &strides, const dims_t &dims) {
    if (strides.empty()) return;
    if (strides.size() != dims.size())
        throw bad_value_t(dims_text(strides), "strides are as many as dims");
    for (const dim_t stride : strides)
        if (stride < 0) throw bad_value_t(dims_text(strides), "strides are not negative");
}

void add_strides_knob(knob_set_t &knobs, std::vector<stride_pair_t> &strides) {
    add_list(knobs, strides,
            {"strides", "SRC:DST, each strides of elements joined by x, or nothing",
                    "Layouts by strides, instead of tags.", "--strides=1024x1:900x1,:1x40", {}},
            parse_stride_pair);
}

} // namespace benchdnn
