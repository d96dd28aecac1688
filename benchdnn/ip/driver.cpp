// SPDX-License-Identifier: Apache-2.0
// The ip (inner product) driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "ip/problem.hpp"

namespace benchdnn::ip {

namespace {

struct settings_t : shared_settings_t, product_settings_t {
    std::vector<direction_t> direction{spec_t().direction};
    std::vector<dim_t> images{0}; // --mb; 0 keeps the extent of the descriptor
};

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_list(knobs, s.direction,
            {"dir", "FWD_B, FWD_D, FWD_I, BWD_D, BWD_W, BWD_WB",
                    "Forward training with and without bias, forward inference, gradient of src, "
                    "of weights, of weights and bias.",
                    "--dir=FWD_I,BWD_WB", {}},
            parse_direction);
    add_product_knobs(knobs, s, "f32 where the direction has a bias");
    add_numbers(knobs, s.images, integers_from_0,
            {"mb", "0 keeps the extent of the problem",
                    "The number of samples, which replaces the problem's.", "--mb=1,64", {}});
    add_shared_knobs(knobs, s);
}

class ip_driver_t final : public product_driver_t<settings_t, spec_t, ip_problem_t> {
public:
    ip_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "ip"; }
    std::string descriptor_help() const override {
        return "mbXicXidXihXiwXocXnNAME with optional pieces: mb64ic512ih7oc1000n\"head\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    std::vector<spec_t> specs_behind_attributes(const spec_t &spec) const override {
        std::vector<spec_t> all{spec};
        multiply_by(all, settings_.images, [](spec_t &one, dim_t images) {
            if (images != 0) one.shape.mb = images;
        });
        return all;
    }
    void require(const spec_t &spec, const options_t &options) const override {
        require_layout(spec.src_tag, spec.ndims(), options.enumerated_tags_only);
        require_layout(spec.weights_tag, spec.ndims(), options.enumerated_tags_only);
        require_layout(spec.dst_tag, 2, options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%stag%,%wtag%,%dtag%"; }
};

std::vector<spec_t> ip_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_shape(descriptor);
    const settings_t &s = settings_;
    multiply(all, s.direction, &spec_t::direction);
    multiply(all, s.type, &spec_t::type);
    multiply(all, s.bias_type, &spec_t::bias_type);
    multiply_tags(all, s);
    return all;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<ip_driver_t>(); }

} // namespace benchdnn::ip
