// SPDX-License-Identifier: Apache-2.0
// The ip (inner product) driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "ip/problem.hpp"

namespace benchdnn::ip {

namespace {

class ip_driver_t final : public product_driver_t<spec_t, ip_problem_t> {
public:
    ip_driver_t();

    std::string name() const override { return "ip"; }
    std::string descriptor_help() const override {
        return "mbXicXidXihXiwXocXnNAME with optional pieces: mb64ic512ih7oc1000n\"head\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override {
        spec_t spec;
        spec.shape = parse_shape(descriptor);
        return spec;
    }
    void require(const spec_t &spec, const options_t &options) const override {
        require_layout(spec.src_tag, spec.ndims(), options.enumerated_tags_only);
        require_layout(spec.weights_tag, spec.ndims(), options.enumerated_tags_only);
        require_layout(spec.dst_tag, 2, options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%stag%,%wtag%,%dtag%"; }
};

ip_driver_t::ip_driver_t() {
    add_list(knobs_, values_of(&spec_t::direction),
            {"dir", "FWD_B, FWD_D, FWD_I, BWD_D, BWD_W, BWD_WB",
                    "Forward training with and without bias, forward inference, gradient of src, "
                    "of weights, of weights and bias.",
                    "--dir=FWD_I,BWD_WB", {}},
            parse_direction);
    add_product_knobs(knobs_,
            {values_of(&spec_t::type), values_of(&spec_t::bias_type), values_of(&spec_t::src_tag),
                    values_of(&spec_t::weights_tag), values_of(&spec_t::dst_tag)},
            "f32 where the direction has a bias");
    add_numbers(knobs_,
            values_by(order_t::behind_attributes, dim_t(0),
                    [](spec_t &spec, dim_t images) {
                        if (images != 0) spec.shape.mb = images;
                    }),
            integers_from_0,
            {"mb", "0 keeps the extent of the problem",
                    "The number of samples, which replaces the problem's.", "--mb=1,64", {}});
    add_shared_knobs(knobs_, settings_);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<ip_driver_t>(); }

} // namespace benchdnn::ip
