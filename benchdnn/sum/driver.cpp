// SPDX-License-Identifier: Apache-2.0
// The sum driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/driver/tensor_knobs.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "sum/problem.hpp"

namespace benchdnn::sum {

namespace {

struct settings_t : shared_settings_t {
    std::vector<source_list_t<dnnl_data_type_t>> src_type{spec_t().src_type};
    std::vector<dnnl_data_type_t> dst_type{spec_t().dst_type};
    std::vector<source_list_t<std::string>> src_tag{spec_t().src_tag};
    std::vector<std::string> dst_tag{spec_t().dst_tag};
    std::vector<source_list_t<double>> scale{spec_t().scale};
    std::vector<bool> in_place{false};
};

void add_knobs(knob_set_t &knobs, settings_t &s) {
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    add_list(knobs, s.src_type,
            {"sdt", "SRC_0:SRC_1:...; each " + types,
                    "Data types of the sources, as many as there are.", "--sdt=f32:f32,s8:u8:s8",
                    {}},
            [](const std::string &text) { return parse_source_list(text, parse_data_type); });
    add_list(knobs, s.dst_type, {"ddt", types, "Data type of dst.", "--ddt=bf16,u8", {}},
            parse_data_type);
    add_list(knobs, s.src_tag,
            {"stag", "SRC_0:SRC_1:..., or one for all; each a format tag",
                    "Layouts of the sources.", "--stag=abx,axb:abx", {}},
            [](const std::string &text) { return parse_source_list(text, parse_tag); });
    add_list(knobs, s.dst_tag,
            {"dtag", "format tags, any, or undef for a null descriptor of dst", "Layout of dst.",
                    "--dtag=undef,aBx16b", {}},
            parse_tag);
    add_list(knobs, s.scale,
            {"scales", "SRC_0:SRC_1:..., or one for all; each a number " + range_text(all_f32),
                    "Factors of the sources.", "--scales=1,0.25:2", {}},
            [](const std::string &text) {
                return parse_source_list(text,
                        [](const std::string &piece) { return parse_number(piece, all_f32); });
            });
    add_in_place_knob(knobs, s.in_place, "Whether dst takes src_0's memory.");
    add_shared_knobs(knobs, s);
}

class sum_driver_t final : public product_driver_t<settings_t, spec_t, sum_problem_t> {
public:
    sum_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "sum"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x256x56x56_n\"residual\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    std::vector<spec_t> specs_behind_attributes(const spec_t &spec) const override {
        std::vector<spec_t> all{spec};
        multiply(all, settings_.in_place, &spec_t::in_place);
        return all;
    }
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%"; }
};

std::vector<spec_t> sum_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_named_dims(descriptor);
    const settings_t &s = settings_;
    multiply(all, s.src_type, &spec_t::src_type);
    multiply(all, s.dst_type, &spec_t::dst_type);
    multiply(all, s.src_tag, &spec_t::src_tag);
    multiply(all, s.dst_tag, &spec_t::dst_tag);
    multiply(all, s.scale, &spec_t::scale);
    return all;
}

void sum_driver_t::require(const spec_t &spec, const options_t &options) const {
    require_one_for_each(spec.src_tag, spec.sources(), tags_text(spec));
    require_one_for_each(spec.scale, spec.sources(), scales_text(spec));
    for (const std::string &tag : spec.src_tag.of)
        require_layout(tag, spec.ndims(), options.enumerated_tags_only);
    require_layout(spec.dst_tag, spec.ndims(), options.enumerated_tags_only);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<sum_driver_t>(); }

} // namespace benchdnn::sum
