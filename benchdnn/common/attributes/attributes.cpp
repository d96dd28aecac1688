// SPDX-License-Identifier: Apache-2.0
// Primitive attributes as the --attr-* knobs give them.
#include "common/attributes/attributes.hpp"

#include "common/command_line/named_value.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn {

namespace {

constexpr named_value_t<int> argument_names[] = {
        {"src", DNNL_ARG_SRC},
        {"src0", DNNL_ARG_SRC},
        {"src1", DNNL_ARG_SRC_1},
        {"src2", DNNL_ARG_SRC_2},
        {"wei", DNNL_ARG_WEIGHTS},
        {"dst", DNNL_ARG_DST},
        {"diff_src", DNNL_ARG_DIFF_SRC},
        {"diff_dst", DNNL_ARG_DIFF_DST},
        {"diff_weights", DNNL_ARG_DIFF_WEIGHTS},
};

constexpr integers_t source_numbers{0, 1023};

int parse_argument(const std::string &name) {
    if (name.rfind("msrc", 0) == 0)
        return DNNL_ARG_MULTIPLE_SRC
               + static_cast<int>(parse_number(name.substr(4), source_numbers));
    return value_named(argument_names, name);
}

// Scales are of type f32 unless a type is given, zero points of type s32.
enum class quantity_t { scale, zero_point };

double parse_value(const std::string &text, quantity_t quantity) {
    if (quantity == quantity_t::scale) return parse_number(text, f32_from_0);
    return static_cast<double>(parse_number(text, all_s32));
}

// ARG:MASK[:VALUE][:TYPE[:GROUPS]]; only a mask for a single value has a VALUE, 1 by default.
quantization_entry_t parse_entry(const std::string &text, quantity_t quantity) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() < 2) throw bad_value_t(text, "ARG:MASK[:VALUE][:TYPE] is expected");
    quantization_entry_t entry;
    entry.data_type = quantity == quantity_t::scale ? dnnl_f32 : dnnl_s32;
    entry.argument = parse_argument(pieces[0]);
    entry.broadcast = parse_broadcast(pieces[1]);
    size_t next = 2;
    if (entry.broadcast.is_single_value() && next < pieces.size())
        entry.value = parse_value(pieces[next++], quantity);
    if (next < pieces.size()) entry.data_type = parse_data_type(pieces[next++]);
    if (next < pieces.size()) entry.groups = parse_dims(pieces[next++]);
    if (next < pieces.size()) throw bad_value_t(text, "too many pieces");
    return entry;
}

quantization_t parse_entries(const std::string &text, quantity_t quantity) {
    quantization_t quantization;
    quantization.text = text;
    if (text.empty()) return quantization;
    for (const std::string &piece : split(text, '+'))
        quantization.entries.push_back(parse_entry(piece, quantity));
    return quantization;
}

constexpr named_value_t<dnnl_scratchpad_mode_t> scratchpad_modes[] = {
        {"library", dnnl_scratchpad_mode_library}, {"user", dnnl_scratchpad_mode_user}};

constexpr named_value_t<dnnl_fpmath_mode_t> fpmath_modes[] = {
        {"strict", dnnl_fpmath_mode_strict},
        {"bf16", dnnl_fpmath_mode_bf16},
        {"f16", dnnl_fpmath_mode_f16},
        {"tf32", dnnl_fpmath_mode_tf32},
        {"any", dnnl_fpmath_mode_any},
};

constexpr named_value_t<dnnl_accumulation_mode_t> accumulation_modes[] = {
        {"strict", dnnl_accumulation_mode_strict},
        {"relaxed", dnnl_accumulation_mode_relaxed},
        {"any", dnnl_accumulation_mode_any},
        {"f32", dnnl_accumulation_mode_f32},
        {"s32", dnnl_accumulation_mode_s32},
        {"f16", dnnl_accumulation_mode_f16},
};

constexpr named_value_t<dnnl_rounding_mode_t> rounding_modes[] = {
        {"environment", dnnl_rounding_mode_environment},
        {"stochastic", dnnl_rounding_mode_stochastic}};

} // namespace

const quantization_entry_t *quantization_t::find(int argument) const {
    for (const quantization_entry_t &entry : entries)
        if (entry.argument == argument) return &entry;
    return nullptr;
}

bool rounding_t::is_stochastic(int argument) const {
    for (const entry_t &entry : entries)
        if (entry.argument == argument && entry.mode == dnnl_rounding_mode_stochastic) return true;
    return false;
}

quantization_t parse_scales(const std::string &text) {
    return parse_entries(text, quantity_t::scale);
}

quantization_t parse_zero_points(const std::string &text) {
    return parse_entries(text, quantity_t::zero_point);
}

precomputed_reductions_t parse_precomputed_reductions(const std::string &text) {
    precomputed_reductions_t reductions;
    reductions.text = text;
    if (text.empty()) return reductions;
    for (const std::string &piece : split(text, '+')) {
        const std::vector<std::string> pieces = split(piece, ':');
        if (pieces.size() != 4) throw bad_value_t(piece, "ARG:MASK:TYPE:GROUPS is expected");
        quantization_entry_t entry;
        entry.argument = parse_argument(pieces[0]);
        entry.broadcast = parse_broadcast(pieces[1]);
        entry.data_type = parse_data_type(pieces[2]);
        entry.groups = parse_dims(pieces[3]);
        reductions.entries.push_back(entry);
    }
    return reductions;
}

dropout_t parse_dropout(const std::string &text) {
    dropout_t dropout;
    dropout.text = text;
    if (text.empty()) return dropout;
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() > 5)
        throw bad_value_t(text, "PROBABILITY[:SEED[:TAG[:OFFSET[:HOST_SCALARS]]]] is expected");
    dropout.probability = parse_number(pieces[0], numbers_t{0, 1});
    if (pieces.size() > 1) dropout.seed = parse_number(pieces[1], all_integers);
    if (pieces.size() > 2) dropout.mask_tag = parse_tag(pieces[2]);
    if (pieces.size() > 3) dropout.offset = parse_number(pieces[3], integers_from_0);
    if (pieces.size() > 4) dropout.on_host = parse_bool(pieces[4]);
    return dropout;
}

std::optional<dnnl_scratchpad_mode_t> parse_scratchpad_mode(const std::string &text) {
    return value_named(scratchpad_modes, text);
}

fpmath_t parse_fpmath(const std::string &text) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() > 2) throw bad_value_t(text, "MODE[:APPLY_TO_INT] is expected");
    fpmath_t fpmath;
    if (text.empty()) return fpmath;
    fpmath.mode = value_named(fpmath_modes, pieces[0]);
    if (pieces.size() == 2) fpmath.apply_to_integers = parse_bool(pieces[1]);
    fpmath.text = text;
    return fpmath;
}

dnnl_accumulation_mode_t parse_accumulation_mode(const std::string &text) {
    return value_named(accumulation_modes, text);
}

rounding_t parse_rounding(const std::string &text) {
    rounding_t rounding;
    rounding.text = text;
    if (text.empty()) return rounding;
    for (const std::string &piece : split(text, '+')) {
        const std::vector<std::string> pair = split(piece, ':');
        if (pair.size() != 2 && pair.size() != 3)
            throw bad_value_t(piece, "ARG:MODE[:SEED] is expected");
        const int64_t seed = pair.size() == 3 ? parse_number(pair[2], all_integers) : 0;
        rounding.entries.push_back({parse_argument(pair[0]), value_named(rounding_modes, pair[1]),
                static_cast<int32_t>(seed)});
    }
    return rounding;
}

std::string attributes_t::knobs_text(bool all) const {
    std::string text;
    const auto add = [&](bool given, const char *knob, const std::string &value) {
        if (given || all) text += std::string("--") + knob + "=" + value + " ";
    };
    add(!scales.text.empty(), "attr-scales", scales.text);
    add(!zero_points.text.empty(), "attr-zero-points", zero_points.text);
    add(!post_ops.text.empty(), "attr-post-ops", post_ops.text);
    add(!precomputed_reductions.text.empty(), "attr-precomputed-reductions",
            precomputed_reductions.text);
    add(!dropout.text.empty(), "attr-dropout", dropout.text);
    add(scratchpad.has_value(), "attr-scratchpad",
            name_of(scratchpad_modes, scratchpad.value_or(dnnl_scratchpad_mode_library)));
    add(fpmath.text != fpmath_t().text, "attr-fpmath", fpmath.text);
    add(accumulation != dnnl_accumulation_mode_strict, "attr-acc-mode",
            name_of(accumulation_modes, accumulation));
    add(!rounding.text.empty(), "attr-rounding-mode", rounding.text);
    add(deterministic, "attr-deterministic", bool_text(deterministic));
    return text;
}

} // namespace benchdnn
