// SPDX-License-Identifier: Apache-2.0
// The prelu driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "prelu/problem.hpp"

namespace benchdnn::prelu {

namespace {

source_types_t parse_types(const std::string &text) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() > sources) throw bad_value_t(text, "SRC:WEIGHTS or one for both is expected");
    return {{parse_data_type(pieces.front()), parse_data_type(pieces.back())}};
}

source_tags_t parse_tags(const std::string &text) {
    const std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() != sources) throw bad_value_t(text, "SRC:WEIGHTS is expected");
    return {{parse_tag(pieces.front()), parse_tag(pieces.back())}};
}

class prelu_driver_t final : public product_driver_t<spec_t, prelu_problem_t> {
public:
    prelu_driver_t();

    std::string name() const override { return "prelu"; }
    std::string descriptor_help() const override {
        return "the dims of src and of weights, 1 or absent at the end where weights are "
               "broadcast, and a name: 64x256x56x56:1x256x1x1_n\"res2\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%dir%,%sdt%,%stag%"; }
};

prelu_driver_t::prelu_driver_t() {
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    add_direction_knob(knobs_, values_of(&spec_t::direction));
    add_list(knobs_, values_of(&spec_t::types),
            {"sdt", "SRC:WEIGHTS, or one for both; each " + types,
                    "Data types of src, which dst and the gradients have too, and of weights.",
                    "--sdt=f32:f32,bf16:f32", {}},
            parse_types);
    add_list(knobs_, values_of(&spec_t::tags),
            {"stag", "SRC:WEIGHTS, each a format tag, WEIGHTS or any",
                    "Layouts of src and of weights.", "--stag=abx:any,axb:axb", {}},
            parse_tags);
    add_shared_knobs(knobs_, settings_);
}

spec_t prelu_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    named_shapes_t named = parse_named_shapes(descriptor);
    if (named.shapes.size() != sources)
        throw bad_value_t(descriptor, "the dims of src and of weights are expected, as in 4x8:1x8");
    spec.src_dims = named.shapes[0];
    spec.weights_dims = named.shapes[1];
    if (spec.weights_dims.size() < spec.src_dims.size())
        spec.weights_dims.resize(spec.src_dims.size(), 1);
    spec.name = named.name;
    return spec;
}

void prelu_driver_t::require(const spec_t &spec, const options_t &options) const {
    bool fits = spec.weights_dims.size() == spec.src_dims.size();
    for (size_t axis = 0; fits && axis < spec.src_dims.size(); ++axis)
        fits = spec.weights_dims[axis] == 1 || spec.weights_dims[axis] == spec.src_dims[axis];
    if (!fits)
        throw bad_value_t(dims_text(spec.weights_dims),
                "each extent of weights must be 1 or that of src, " + dims_text(spec.src_dims));
    for (const std::string &tag : spec.tags.of)
        require_layout(tag, spec.ndims(), options.enumerated_tags_only);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<prelu_driver_t>(); }

} // namespace benchdnn::prelu
