// SPDX-License-Identifier: Apache-2.0
// Shapes of images with channels in benchdnn's spelling.
#include "normalization/channel_shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn::normalization {

namespace {

// The pieces of a descriptor; -1: not given.
struct pieces_t {
    dim_t g = -1, mb = 2, ic = -1, id = -1, ih = -1, iw = -1;
    double eps = channel_shape_t().epsilon;
    std::string name;
};

class parser_t {
public:
    explicit parser_t(const std::string &text)
        : text_(text)
        , at_(text.c_str()) {}

    pieces_t parse() {
        pieces_t pieces;
        const char *const end = at_ + text_.size();
        while (at_ < end) {
            if (*at_ == 'n') {
                pieces.name.assign(at_ + 1, end);
                break;
            }
            if (!take_piece(pieces))
                throw bad_value_t(text_, "'" + std::string(at_, end) + "' is no piece of a shape");
            if (*at_ == '_') ++at_;
        }
        return pieces;
    }

private:
    bool take_piece(pieces_t &pieces) {
        return take("mb", pieces.mb, integers_from_0) || take("ic", pieces.ic, integers_from_0)
               || take("id", pieces.id, integers_from_0) || take("ih", pieces.ih, integers_from_0)
               || take("iw", pieces.iw, integers_from_0) || take("eps", pieces.eps, f32_from_0)
               || take("g", pieces.g, integers_from_0);
    }

    template <typename value_t>
    bool take(const char *name, value_t &value, const range_t<value_t> &range) {
        const size_t length = std::strlen(name);
        if (std::strncmp(at_, name, length) != 0) return false;
        const char *const begin = at_ + length;
        const bool is_integer = std::is_integral_v<value_t>;
        char *end;
        is_integer ? void(std::strtoll(begin, &end, 10)) : void(std::strtod(begin, &end));
        try {
            value = parse_number(std::string(begin, static_cast<size_t>(end - begin)), range);
        } catch (const bad_value_t &) {
            throw bad_value_t(text_, std::string(is_integer ? "an integer " : "a number ")
                                             + range_text(range) + " is expected after " + name);
        }
        at_ = end;
        return true;
    }

    const std::string &text_;
    const char *at_;
};

dims_t space_of(const pieces_t &pieces, const std::string &text) {
    const bool has_d = pieces.id > 0, has_h = pieces.ih > 0, has_w = pieces.iw > 0;
    if (has_d && has_h != has_w)
        throw bad_value_t(text, "id must be given with both ih and iw or with neither");
    if (has_d && !has_h) return dims_t(3, pieces.id);
    if (has_d) return {pieces.id, pieces.ih, pieces.iw};
    if (has_h) return {pieces.ih, has_w ? pieces.iw : pieces.ih};
    return has_w ? dims_t{pieces.iw} : dims_t();
}

std::string space_text(const dims_t &space, bool full) {
    constexpr const char *names[] = {"id", "ih", "iw"};
    const bool is_cube = std::all_of(
            space.begin(), space.end(), [&](dim_t extent) { return extent == space[0]; });
    std::string text;
    for (size_t i = 0; i < space.size() && (i == 0 || full || !is_cube); ++i)
        text += names[3 - space.size() + i] + std::to_string(space[i]);
    return text;
}

} // namespace

dims_t channel_shape_t::dims() const {
    dims_t dims{images, channels};
    dims.insert(dims.end(), space.begin(), space.end());
    return dims;
}

channel_shape_t parse_channel_shape(const std::string &text, bool has_groups) {
    const pieces_t pieces = parser_t(text).parse();
    if (pieces.ic <= 0) throw bad_value_t(text, "ic is missing or 0");
    if (has_groups && pieces.g <= 0) throw bad_value_t(text, "g is missing or 0");
    if (!has_groups && pieces.g >= 0) throw bad_value_t(text, "the operation has no groups");
    return {has_groups ? pieces.g : 0, pieces.mb, pieces.ic, space_of(pieces, text),
            static_cast<float>(pieces.eps), pieces.name};
}

std::string channel_shape_text(const channel_shape_t &shape, bool full) {
    const channel_shape_t standard;
    std::string text;
    if (full || shape.images != standard.images) text += "mb" + std::to_string(shape.images);
    if (shape.groups > 0) text += "g" + std::to_string(shape.groups);
    text += "ic" + std::to_string(shape.channels) + space_text(shape.space, full);
    if (full || shape.epsilon != standard.epsilon) text += "eps" + number_text(shape.epsilon);
    if (!shape.name.empty()) text += "n" + shape.name;
    return text;
}

} // namespace benchdnn::normalization
