// SPDX-License-Identifier: Apache-2.0
// The gnorm driver: its knobs and the cross product of their values.
#include "gnorm/problem.hpp"

namespace benchdnn::gnorm {

namespace {

struct settings_t : shared_settings_t, normalization::common_settings_t {
    std::vector<dim_t> images{0};
};

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_direction_knob(knobs, s.direction);
    add_type_pair_knob(knobs, s.type);
    add_tag_pair_knob(knobs, s.tag);
    add_strides_knob(knobs, s.strides);
    normalization::add_flags_knob(knobs, s.flags, "GCH");
    add_in_place_knob(
            knobs, s.in_place, "Whether dst takes src's memory, or diff_src takes diff_dst's.");
    normalization::add_images_knob(knobs, s.images);
    add_shared_knobs(knobs, s);
}

class gnorm_driver_t final
    : public normalization::normalization_driver_t<settings_t, spec_t, gnorm_problem_t> {
public:
    gnorm_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "gnorm"; }
    std::string descriptor_help() const override {
        return "gXmbXicXidXihXiwXepsFnNAME with optional pieces: g32mb2ic320ih64n\"unet\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override {
        require_layouts(spec, spec.dims(), options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%flags%"; }
};

std::vector<spec_t> gnorm_driver_t::specs(const std::string &descriptor) const {
    const settings_t &s = settings_;
    std::vector<spec_t> all(1);
    all[0].shape = normalization::parse_channel_shape(descriptor, true);
    normalization::multiply_common(all, s);
    multiply(all, s.flags, &spec_t::flags);
    normalization::multiply_images(all, s.images);
    return all;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<gnorm_driver_t>(); }

} // namespace benchdnn::gnorm
