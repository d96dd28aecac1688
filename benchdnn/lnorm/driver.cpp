// SPDX-License-Identifier: Apache-2.0
// The lnorm driver: its knobs and the cross product of their values.
#include "lnorm/driver.hpp"

#include <utility>

#include "common/cross_product.hpp"
#include "common/data_type.hpp"
#include "common/descriptor.hpp"
#include "common/shared_settings.hpp"
#include "common/tag.hpp"
#include "lnorm/problem.hpp"

namespace benchdnn::lnorm {

namespace {

struct settings_t : shared_settings_t {
    std::vector<direction_t> direction{directions[0]};
    std::vector<type_pair_t> type{{}};
    std::vector<tag_pair_t> tag{{}};
    std::vector<stride_pair_t> strides{{}};
    std::vector<std::string> stat_tag{"any"};
    std::vector<dnnl_data_type_t> scale_shift_type{dnnl_f32};
    std::vector<normalization_flags_t> flags{{}};
    std::vector<float> epsilon{spec_t().epsilon};
    std::vector<bool> in_place{false};
};

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

tag_pair_t parse_tag_pair(const std::string &text) {
    const std::vector<std::string> pieces = one_or_two(text);
    tag_pair_t tag;
    tag.src = parse_tag(pieces[0]);
    if (pieces.size() == 2) tag.dst = parse_tag(pieces[1]);
    if (tag.src == "any" || tag.src == "undef") throw bad_value_t(text, "src needs a layout");
    return tag;
}

stride_pair_t parse_stride_pair(const std::string &text) {
    if (text.empty()) return {};
    const std::vector<std::string> pieces = one_or_two(text);
    const auto strides = [](const std::string &piece) {
        return piece.empty() ? dims_t() : parse_dims(piece);
    };
    return {strides(pieces[0]), pieces.size() == 2 ? strides(pieces[1]) : dims_t()};
}

float parse_epsilon(const std::string &text) {
    const double value = parse_number(text);
    if (!(value >= 0)) throw bad_value_t(text, "not below 0");
    return static_cast<float>(value);
}

void add_knobs(knob_set_t &knobs, settings_t &s) {
    knobs.add({"dir", "a comma list of FWD_D, FWD_I, BWD_D, BWD_DW (and FWD_B, BWD_W, BWD_WB)",
            "Training forward, inference, gradient of src, gradients of all.", "--dir=FWD_D,BWD_DW",
            [&s](const std::string &text) {
                s.direction = parse_list(text, parse_direction, {directions[0]});
            }});
    knobs.add({"dt", "a comma list of SRC[:DST], each f32, bf16, f16, f64, s8, u8, ...",
            "Data types of src and dst, or of src, diff_src and of diff_dst.", "--dt=f32,bf16:f32",
            [&s](const std::string &text) { s.type = parse_list(text, parse_type_pair, {{}}); }});
    knobs.add({"tag", "a comma list of SRC[:DST], each a format tag such as abx, tnc or aBx16b",
            "Layouts of src and dst; dst is any when not given.", "--tag=abx,acb:abc",
            [&s](const std::string &text) { s.tag = parse_list(text, parse_tag_pair, {{}}); }});
    knobs.add({"strides", "a comma list of SRC[:DST], each strides of elements joined by x",
            "Layouts by strides, instead of tags.", "--strides=1024x1:900x1",
            [&s](const std::string &text) {
                s.strides = parse_list(text, parse_stride_pair, {{}});
            }});
    knobs.add({"stat_tag", "a comma list of format tags, any or undef",
            "Layout of mean and variance; undef passes no descriptor.", "--stat_tag=any,axb",
            [&s](const std::string &text) { s.stat_tag = parse_list(text, parse_tag, {"any"}); }});
    knobs.add({"ss_dt", "a comma list of f32, bf16, f16", "Data type of scale and shift.",
            "--ss_dt=bf16", [&s](const std::string &text) {
                s.scale_shift_type = parse_list(text, parse_data_type, {dnnl_f32});
            }});
    knobs.add({"flags", "a comma list of combinations of G, C, H, M; nothing for none",
            "G: statistics are given; C: scale; H: shift; M: RMS normalization.", "--flags=,CH,CM",
            [&s](const std::string &text) {
                s.flags = parse_list(text, parse_normalization_flags, {{}});
            }});
    knobs.add({"eps", "a comma list of numbers not below 0",
            "What is added to the variance. oneDNN's driver has no such knob and uses 1/16.",
            "--eps=1e-5", [&s](const std::string &text) {
                s.epsilon = parse_list(text, parse_epsilon, {spec_t().epsilon});
            }});
    knobs.add({"inplace", "a comma list of true, false",
            "Whether dst takes src's memory, or diff_src takes diff_dst's.", "--inplace=true,false",
            [&s](const std::string &text) { s.in_place = parse_list(text, parse_bool, {false}); }});
    add_shared_knobs(knobs, s);
}

void require_layouts(const spec_t &spec, const options_t &options) {
    const int ndims = static_cast<int>(spec.shape.dims.size());
    const bool enumerated_only = options.enumerated_tags_only;
    require_layout(spec.tag.src, ndims, enumerated_only);
    require_layout(spec.tag.dst, ndims, enumerated_only);
    require_layout(spec.stat_tag, ndims - 1, enumerated_only);
    for (const dims_t &strides : {spec.strides.src, spec.strides.dst})
        if (!strides.empty() && strides.size() != spec.shape.dims.size())
            throw bad_value_t(dims_text(strides), "strides are as many as dims");
}

class lnorm_driver_t final : public driver_t {
public:
    lnorm_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "lnorm"; }
    const knob_set_t &knobs() const override { return knobs_; }
    std::string descriptor_help() const override {
        return "dims joined by x, the last one normalized, and a name: 4096x768_n\"bert\"";
    }

    void reset() override {
        std::string kept = std::move(settings_.perf_template);
        settings_ = settings_t();
        settings_.perf_template = std::move(kept);
    }

    std::vector<std::unique_ptr<problem_t>> problems(
            const std::string &descriptor, const options_t &options) const override;

private:
    std::vector<spec_t> specs(const named_dims_t &shape) const;

    settings_t settings_;
    knob_set_t knobs_;
};

// In the order of oneDNN's driver, the last knob fastest, since reports are compared line by line.
std::vector<spec_t> lnorm_driver_t::specs(const named_dims_t &shape) const {
    std::vector<spec_t> all(1);
    all[0].shape = shape;
    const settings_t &s = settings_;
    multiply(all, s.direction, &spec_t::direction);
    multiply(all, s.type, &spec_t::type);
    multiply(all, s.tag, &spec_t::tag);
    multiply(all, s.strides, &spec_t::strides);
    multiply(all, s.stat_tag, &spec_t::stat_tag);
    multiply(all, s.scale_shift_type, &spec_t::scale_shift_type);
    multiply(all, s.flags, &spec_t::flags);
    multiply(all, s.epsilon, &spec_t::epsilon);
    return all;
}

std::vector<std::unique_ptr<problem_t>> lnorm_driver_t::problems(
        const std::string &descriptor, const options_t &options) const {
    const std::string perf_template = resolved_perf_template(
            settings_.perf_template, "%dir%,%dt%,%tag%,%stat_tag%,%flags%,%eps%", options.table);
    const std::vector<attributes_t> attributes = settings_.attribute_combinations();
    std::vector<std::unique_ptr<problem_t>> list;
    for (spec_t &spec : specs(parse_named_dims(descriptor))) {
        require_layouts(spec, options);
        for (const attributes_t &attribute : attributes)
            for (const bool in_place : settings_.in_place) {
                spec.in_place = in_place;
                auto problem = std::make_unique<lnorm_problem_t>(
                        spec, problem_settings_t{attribute, settings_.impl, perf_template});
                if (matches(problem->reproduction_text(options.canonical), settings_.pattern))
                    list.push_back(std::move(problem));
            }
    }
    return list;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<lnorm_driver_t>(); }

} // namespace benchdnn::lnorm
