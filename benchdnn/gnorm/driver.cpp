// SPDX-License-Identifier: Apache-2.0
// The gnorm driver: its knobs and its descriptors.
#include "gnorm/problem.hpp"

namespace benchdnn::gnorm {

namespace {

class gnorm_driver_t final : public normalization::normalization_driver_t<spec_t, gnorm_problem_t> {
public:
    gnorm_driver_t() {
        add_common_knobs(normalization::types_t::pair, "GCH");
        normalization::add_images_knob(
                knobs_, values_by(order_t::before_attributes, dim_t(0), normalization::set_images));
        add_shared_knobs(knobs_, settings_);
    }

    std::string name() const override { return "gnorm"; }
    std::string descriptor_help() const override {
        return "gXmbXicXidXihXiwXepsFnNAME with optional pieces: g32mb2ic320ih64n\"unet\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override {
        spec_t spec;
        spec.shape = normalization::parse_channel_shape(descriptor, true);
        return spec;
    }
};

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<gnorm_driver_t>(); }

} // namespace benchdnn::gnorm
