// SPDX-License-Identifier: Apache-2.0
// The gnorm driver: its knobs and the cross product of their values.
#include "gnorm/problem.hpp"

namespace benchdnn::gnorm {

namespace {

using settings_t = normalization::channel_settings_t;

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_common_knobs(knobs, s, normalization::types_t::pair, "GCH");
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
    std::vector<spec_t> specs(const std::string &descriptor) const override {
        spec_t spec;
        spec.shape = normalization::parse_channel_shape(descriptor, true);
        return normalization::channel_specs(spec, settings_);
    }
};

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<gnorm_driver_t>(); }

} // namespace benchdnn::gnorm
