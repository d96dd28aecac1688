// SPDX-License-Identifier: Apache-2.0
// The ip (inner product) driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "ip/problem.hpp"

namespace benchdnn::ip {

namespace {

using types_t = std::array<dnnl_data_type_t, 3>;

struct settings_t : shared_settings_t {
    std::vector<direction_t> direction{spec_t().direction};
    std::vector<types_t> type{spec_t().type};
    std::vector<dnnl_data_type_t> bias_type{dnnl_data_type_undef};
    std::vector<std::string> src_tag{"any"}, weights_tag{"any"}, dst_tag{"any"};
    std::vector<dim_t> images{0}; // --mb; 0 keeps the extent of the descriptor
};

types_t parse_types(const std::string &text) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() != 1 && pieces.size() != 3)
        throw bad_value_t(text, "SRC:WEIGHTS:DST or one for all is expected");
    types_t types;
    for (size_t i = 0; i < 3; ++i) types[i] = parse_data_type(pieces[pieces.size() == 1 ? 0 : i]);
    return types;
}

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_list(knobs, s.direction,
            {"dir", "FWD_B, FWD_D, FWD_I, BWD_D, BWD_W, BWD_WB",
                    "Forward training with and without bias, forward inference, gradient of src, "
                    "of weights, of weights and bias.",
                    "--dir=FWD_I,BWD_WB", {}},
            parse_direction);
    add_list(knobs, s.type,
            {"dt", "SRC:WEIGHTS:DST, or one for all; each f32, bf16, f16, f64, s8, u8, s32",
                    "Data types; of the gradients in their place.", "--dt=f32,u8:s8:s32", {}},
            parse_types);
    for (const char *name : {"bia-dt", "bia_dt"})
        add_list(knobs, s.bias_type,
                {name, "f32, bf16, f16, s32, s8, u8, or undef",
                        "Data type of bias; undef: f32 where the direction has a bias.",
                        std::string("--") + name + "=f32", {}},
                parse_data_type);
    const auto add_tag = [&](const char *name, const char *tensor, std::vector<std::string> &tags) {
        add_list(knobs, tags,
                {name, "format tags, or any", std::string("Layout of ") + tensor + ".",
                        std::string("--") + name + "=abx,any", {}},
                parse_tag);
    };
    add_tag("stag", "src", s.src_tag);
    add_tag("wtag", "weights", s.weights_tag);
    add_tag("dtag", "dst", s.dst_tag);
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
    multiply(all, s.src_tag, &spec_t::src_tag);
    multiply(all, s.weights_tag, &spec_t::weights_tag);
    multiply(all, s.dst_tag, &spec_t::dst_tag);
    return all;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<ip_driver_t>(); }

} // namespace benchdnn::ip
