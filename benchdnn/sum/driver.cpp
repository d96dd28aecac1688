// SPDX-License-Identifier: Apache-2.0
// The sum driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/driver/tensor_knobs.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "sum/problem.hpp"

namespace benchdnn::sum {

namespace {

class sum_driver_t final : public product_driver_t<spec_t, sum_problem_t> {
public:
    sum_driver_t();

    std::string name() const override { return "sum"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x256x56x56_n\"residual\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%"; }
};

sum_driver_t::sum_driver_t() {
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    add_list(knobs_, values_of(&spec_t::src_type),
            {"sdt", "SRC_0:SRC_1:...; each " + types,
                    "Data types of the sources, as many as there are.", "--sdt=f32:f32,s8:u8:s8",
                    {}},
            [](const std::string &text) { return parse_source_list(text, parse_data_type); });
    add_list(knobs_, values_of(&spec_t::dst_type),
            {"ddt", types, "Data type of dst.", "--ddt=bf16,u8", {}}, parse_data_type);
    add_list(knobs_, values_of(&spec_t::src_tag),
            {"stag", "SRC_0:SRC_1:..., or one for all; each a format tag",
                    "Layouts of the sources.", "--stag=abx,axb:abx", {}},
            [](const std::string &text) { return parse_source_list(text, parse_tag); });
    add_list(knobs_, values_of(&spec_t::dst_tag),
            {"dtag", "format tags, any, or undef for a null descriptor of dst", "Layout of dst.",
                    "--dtag=undef,aBx16b", {}},
            parse_tag);
    add_list(knobs_, values_of(&spec_t::scale),
            {"scales", "SRC_0:SRC_1:..., or one for all; each a number " + range_text(all_f32),
                    "Factors of the sources.", "--scales=1,0.25:2", {}},
            [](const std::string &text) {
                return parse_source_list(text,
                        [](const std::string &piece) { return parse_number(piece, all_f32); });
            });
    add_in_place_knob(knobs_, values_of(&spec_t::in_place, order_t::behind_attributes),
            "Whether dst takes src_0's memory.");
    add_shared_knobs(knobs_, settings_);
}

spec_t sum_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shape = parse_named_dims(descriptor);
    return spec;
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
