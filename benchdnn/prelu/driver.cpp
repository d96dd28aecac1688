// SPDX-License-Identifier: Apache-2.0
// The prelu driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "prelu/problem.hpp"

namespace benchdnn::prelu {

namespace {

struct settings_t : shared_settings_t {
    std::vector<direction_t> direction{spec_t().direction};
    std::vector<source_types_t> types{{}};
    std::vector<source_tags_t> tags{{}};
};

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

void add_knobs(knob_set_t &knobs, settings_t &s) {
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    add_direction_knob(knobs, s.direction);
    add_list(knobs, s.types,
            {"sdt", "SRC:WEIGHTS, or one for both; each " + types,
                    "Data types of src, which dst and the gradients have too, and of weights.",
                    "--sdt=f32:f32,bf16:f32", {}},
            parse_types);
    add_list(knobs, s.tags,
            {"stag", "SRC:WEIGHTS, each a format tag, WEIGHTS or any",
                    "Layouts of src and of weights.", "--stag=abx:any,axb:axb", {}},
            parse_tags);
    add_shared_knobs(knobs, s);
}

class prelu_driver_t final : public product_driver_t<settings_t, spec_t, prelu_problem_t> {
public:
    prelu_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "prelu"; }
    std::string descriptor_help() const override {
        return "the dims of src and of weights, 1 or absent at the end where weights are "
               "broadcast, and a name: 64x256x56x56:1x256x1x1_n\"res2\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%dir%,%sdt%,%stag%"; }
};

std::vector<spec_t> prelu_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    named_shapes_t named = parse_named_shapes(descriptor);
    if (named.shapes.size() != sources)
        throw bad_value_t(descriptor, "the dims of src and of weights are expected, as in 4x8:1x8");
    all[0].src_dims = named.shapes[0];
    all[0].weights_dims = named.shapes[1];
    if (all[0].weights_dims.size() < all[0].src_dims.size())
        all[0].weights_dims.resize(all[0].src_dims.size(), 1);
    all[0].name = named.name;
    const settings_t &s = settings_;
    multiply(all, s.direction, &spec_t::direction);
    multiply(all, s.types, &spec_t::types);
    multiply(all, s.tags, &spec_t::tags);
    return all;
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
