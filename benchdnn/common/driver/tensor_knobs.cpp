// SPDX-License-Identifier: Apache-2.0
// Knobs that drivers of different operations share.
#include "common/driver/tensor_knobs.hpp"

#include "common/tensor/data_type.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn {

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

std::string parse_given_layout(const std::string &text) {
    const std::string tag = parse_tag(text);
    if (is_special_tag(tag)) throw bad_value_t(text, "a layout is expected");
    return tag;
}

std::string parse_given_layout_or_any(const std::string &text) {
    return text == "any" ? text : parse_given_layout(text);
}

tag_pair_t parse_tag_pair(const std::string &text) {
    const std::vector<std::string> pieces = one_or_two(text);
    tag_pair_t tag;
    tag.src = parse_given_layout(pieces[0]);
    if (pieces.size() == 2) tag.dst = parse_tag(pieces[1]);
    return tag;
}

stride_pair_t parse_stride_pair(const std::string &text) {
    const std::vector<std::string> pieces = one_or_two(text);
    const auto strides = [](const std::string &piece) {
        return piece.empty() ? dims_t() : parse_dims(piece);
    };
    return {strides(pieces[0]), pieces.size() == 2 ? strides(pieces[1]) : dims_t()};
}

} // namespace

std::string type_pair_text(const type_pair_t &type) {
    return data_type_text(type.src) + ":" + data_type_text(type.dst);
}

std::string tag_pair_text(const tag_pair_t &tag) {
    return tag.src + (tag.dst == tag_pair_t().dst ? "" : ":" + tag.dst);
}

std::string stride_pair_text(const stride_pair_t &strides) {
    if (strides.src.empty() && strides.dst.empty()) return "";
    return dims_text(strides.src) + ":" + dims_text(strides.dst);
}

void add_direction_knob(knob_set_t &knobs, std::vector<direction_t> &direction) {
    add_list(knobs, direction,
            {"dir", "FWD_D, FWD_I, BWD_D, BWD_DW (and FWD_B, BWD_W, BWD_WB)",
                    "Forward training, forward inference, gradient of src, all gradients.",
                    "--dir=FWD_D,BWD_DW", {}},
            parse_direction);
}

void add_type_pair_knob(knob_set_t &knobs, std::vector<type_pair_t> &type) {
    add_list(knobs, type,
            {"dt", "SRC[:DST], each f32, bf16, f16, f64, s8, u8, ...",
                    "Data types of src and dst; backward, of src and diff_src and of diff_dst.",
                    "--dt=f32,bf16:f32", {}},
            parse_type_pair);
}

void add_type_knob(knob_set_t &knobs, std::vector<type_pair_t> &type) {
    add_list(knobs, type,
            {"dt", "f32, bf16, f16, f64, s8", "Data type of src, dst and their gradients.",
                    "--dt=f32,bf16", {}},
            parse_type_for_both);
}

void add_tag_pair_knob(knob_set_t &knobs, std::vector<tag_pair_t> &tag) {
    add_list(knobs, tag,
            {"tag", "SRC[:DST], each a format tag such as abx, axb, tnc or aBx16b",
                    "Layouts of src and dst; dst is any when not given.", "--tag=abx,axb:abx", {}},
            parse_tag_pair);
}

void add_strides_knob(knob_set_t &knobs, std::vector<stride_pair_t> &strides) {
    add_list(knobs, strides,
            {"strides", "SRC:DST, each strides in elements joined by x, or empty",
                    "Layouts by strides instead of tags.", "--strides=1024x1:900x1,:1x40", {}},
            parse_stride_pair);
}

void add_first_extent_knob(knob_set_t &knobs, std::vector<dim_t> &count) {
    add_numbers(knobs, count, counts_from_0,
            {"mb", "0 keeps the extent of the problem",
                    "The first extent, which replaces the problem's.", "--mb=1,64", {}});
}

void add_in_place_knob(knob_set_t &knobs, std::vector<bool> &in_place, const std::string &what) {
    add_list(knobs, in_place, {"inplace", "true, false", what, "--inplace=true,false", {}},
            parse_bool);
}

void require_strides(const dims_t &strides, const dims_t &dims) {
    if (strides.empty()) return;
    if (strides.size() != dims.size())
        throw bad_value_t(dims_text(strides), "one stride for each of the "
                                                      + std::to_string(dims.size())
                                                      + " dimensions is expected");
    for (const dim_t stride : strides)
        if (stride < 0) throw bad_value_t(dims_text(strides), "a stride must not be negative");
}

std::string src_dst_spec_t::field(const std::string &name, int ndims) const {
    if (name == "sdt") return data_type_text(src_type);
    if (name == "ddt") return data_type_text(dst_type);
    if (name == "dt") return type_pair_text({src_type, dst_type});
    if (name == "stag") return normalized_tag(src_tag, ndims);
    if (name == "dtag") return normalized_tag(dst_tag, ndims);
    if (name == "tag") return field("stag", ndims) + ":" + field("dtag", ndims);
    return "";
}

void add_src_dst_knobs(knob_set_t &knobs, const src_dst_values_t &s, dst_layout_t dst_layout) {
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    const std::string tags = "format tags such as abx, nhwc or aBx16b";
    const bool may_be_any = dst_layout == dst_layout_t::may_be_any;
    add_list(knobs, s.src_type, {"sdt", types, "Data type of src.", "--sdt=f32,s8", {}},
            parse_data_type);
    add_list(knobs, s.dst_type, {"ddt", types, "Data type of dst.", "--ddt=bf16,u8", {}},
            parse_data_type);
    add_list(knobs, s.src_tag, {"stag", tags, "Layout of src.", "--stag=abx,axb", {}},
            parse_given_layout);
    add_list(knobs, s.dst_tag,
            {"dtag", tags + (may_be_any ? ", or any" : ""), "Layout of dst.", "--dtag=aBx16b,nhwc",
                    {}},
            may_be_any ? parse_given_layout_or_any : parse_given_layout);
}

} // namespace benchdnn
