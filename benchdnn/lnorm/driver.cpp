// SPDX-License-Identifier: Apache-2.0
// The lnorm driver: its knobs and the cross product of their values.
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "lnorm/problem.hpp"

namespace benchdnn::lnorm {

namespace {

struct settings_t : shared_settings_t, normalization::common_settings_t {
    std::vector<std::string> stat_tag{"any"};
    std::vector<dnnl_data_type_t> scale_shift_type{dnnl_f32};
    std::vector<float> epsilon{spec_t().epsilon};
};

float parse_epsilon(const std::string &text) {
    const double value = parse_number(text);
    if (!(value >= 0)) throw bad_value_t(text, "it must not be negative");
    return static_cast<float>(value);
}

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_direction_knob(knobs, s.direction);
    add_type_pair_knob(knobs, s.type);
    add_tag_pair_knob(knobs, s.tag);
    add_strides_knob(knobs, s.strides);
    add_list(knobs, s.stat_tag,
            {"stat_tag", "format tags, any or undef",
                    "Layout of mean and variance; undef passes no descriptor.",
                    "--stat_tag=any,axb", {}},
            parse_tag);
    add_list(knobs, s.scale_shift_type,
            {"ss_dt", "f32, bf16, f16", "Data type of scale and shift.", "--ss_dt=bf16", {}},
            parse_data_type);
    normalization::add_flags_knob(knobs, s.flags, "GCHM");
    add_list(knobs, s.epsilon,
            {"eps", "numbers that are not negative",
                    "What is added to the variance. oneDNN's driver has no such knob and uses "
                    "1/16.",
                    "--eps=1e-5", {}},
            parse_epsilon);
    add_in_place_knob(
            knobs, s.in_place, "Whether dst takes src's memory, or diff_src takes diff_dst's.");
    add_shared_knobs(knobs, s);
}

class lnorm_driver_t final
    : public normalization::normalization_driver_t<settings_t, spec_t, lnorm_problem_t> {
public:
    lnorm_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "lnorm"; }
    std::string descriptor_help() const override {
        return "dims joined by x, the last one normalized, and a name: 4096x768_n\"bert\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override {
        require_layouts(spec, spec.shape.dims, options.enumerated_tags_only);
        require_layout(spec.stat_tag, static_cast<int>(spec.shape.dims.size()) - 1,
                options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%stat_tag%,%flags%,%eps%"; }
};

std::vector<spec_t> lnorm_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_named_dims(descriptor);
    const settings_t &s = settings_;
    normalization::multiply_common(all, s);
    multiply(all, s.stat_tag, &spec_t::stat_tag);
    multiply(all, s.scale_shift_type, &spec_t::scale_shift_type);
    multiply(all, s.flags, &spec_t::flags);
    multiply(all, s.epsilon, &spec_t::epsilon);
    return all;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<lnorm_driver_t>(); }

} // namespace benchdnn::lnorm
