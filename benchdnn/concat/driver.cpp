// SPDX-License-Identifier: Apache-2.0
// The concat driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "concat/problem.hpp"

namespace benchdnn::concat {

namespace {

class concat_driver_t final : public product_driver_t<spec_t, concat_problem_t> {
public:
    concat_driver_t();

    std::string name() const override { return "concat"; }
    std::string descriptor_help() const override {
        return "the dims of each source, and a name: 64x256x56x56:64x32x56x56_n\"dense_block\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%,%axis%"; }
};

concat_driver_t::concat_driver_t() {
    constexpr integers_t axes{0, DNNL_MAX_NDIMS - 1};
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    add_list(knobs_, values_of(&spec_t::src_type),
            {"sdt", types, "Data type of all sources.", "--sdt=f32,bf16", {}}, parse_data_type);
    add_list(knobs_, values_of(&spec_t::dst_type),
            {"ddt", types, "Data type of dst; with --dtag=undef it is that of the sources.",
                    "--ddt=f32,u8", {}},
            parse_data_type);
    add_list(knobs_, values_of(&spec_t::src_tag),
            {"stag", "SRC_0:SRC_1:..., or one for all; each a format tag",
                    "Layouts of the sources.", "--stag=abx,axb:abx", {}},
            [](const std::string &text) { return parse_source_list(text, parse_tag); });
    add_list(knobs_, values_of(&spec_t::dst_tag),
            {"dtag", "format tags, any, or undef for a null descriptor of dst", "Layout of dst.",
                    "--dtag=undef,aBx16b", {}},
            parse_tag);
    add_numbers(knobs_, values_of(&spec_t::axis), axes,
            {"axis", "", "The axis along which sources follow each other.", "--axis=0,1", {}});
    add_shared_knobs(knobs_, settings_);
}

spec_t concat_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.srcs = parse_named_shapes(descriptor);
    return spec;
}

void concat_driver_t::require(const spec_t &spec, const options_t &options) const {
    if (spec.axis >= spec.ndims())
        throw bad_value_t(std::to_string(spec.axis),
                "the axis must be one of the " + std::to_string(spec.ndims()) + " dimensions");
    dims_t first = spec.srcs.shapes.front();
    for (const dims_t &shape : spec.srcs.shapes) {
        if (shape.size() == first.size()) first[spec.axis] = shape[spec.axis];
        if (shape != first)
            throw bad_value_t(dims_text(shape),
                    "the dims of all sources must be the same but for that of axis "
                            + std::to_string(spec.axis));
    }
    require_one_for_each(spec.src_tag, spec.sources(), tags_text(spec));
    for (const std::string &tag : spec.src_tag.of)
        require_layout(tag, spec.ndims(), options.enumerated_tags_only);
    require_layout(spec.dst_tag, spec.ndims(), options.enumerated_tags_only);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<concat_driver_t>(); }

} // namespace benchdnn::concat
