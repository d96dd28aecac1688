// SPDX-License-Identifier: Apache-2.0
// The binary driver: its knobs and its descriptors.
#include "binary/problem.hpp"
#include "common/driver/product_driver.hpp"
#include "common/tensor/data_type.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"

namespace benchdnn::binary {

namespace {

// "A:B", or "A" for both.
std::vector<std::string> pair_of(const std::string &text) {
    std::vector<std::string> pieces = split(text, ':');
    if (pieces.size() > sources) throw bad_value_t(text, "SRC_0:SRC_1 or one for both is expected");
    return pieces;
}

source_types_t parse_types(const std::string &text) {
    const auto pieces = pair_of(text);
    return {{parse_data_type(pieces.front()), parse_data_type(pieces.back())}};
}

source_tags_t parse_tags(const std::string &text) {
    const auto pieces = pair_of(text);
    return {{parse_tag(pieces.front()), parse_tag(pieces.back())}};
}

strides_t parse_strides(const std::string &text) {
    strides_t strides;
    const auto pieces = split(text, ':');
    if (pieces.size() != strides.of.size())
        throw bad_value_t(text, "SRC_0:SRC_1:DST is expected; each may be empty");
    for (size_t i = 0; i < pieces.size(); ++i)
        if (!pieces[i].empty()) strides.of[i] = parse_dims(pieces[i]);
    return strides;
}

algorithm_t parse_binary(const std::string &text) {
    return parse_algorithm(text, post_op_t::kind_t::binary);
}

class binary_driver_t final : public product_driver_t<spec_t, binary_problem_t> {
public:
    binary_driver_t();

    std::string name() const override { return "binary"; }
    std::string descriptor_help() const override {
        return "the dims of src_0 and of src_1, 1 or absent at the end where one is broadcast, and "
               "a name: 64x256x56x56:1x256x1x1_n\"scale\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%,%alg%"; }
};

binary_driver_t::binary_driver_t() {
    const std::string types = "f32, bf16, f16, f64, s32, s8, u8, f8_e5m2, f8_e4m3";
    add_list(knobs_, values_of(&spec_t::src_type),
            {"sdt", "SRC_0:SRC_1, or one for both; each " + types, "Data types of the sources.",
                    "--sdt=f32:f32,u8:s8", {}},
            parse_types);
    add_list(knobs_, values_of(&spec_t::dst_type),
            {"ddt", types, "Data type of dst.", "--ddt=bf16,u8", {}}, parse_data_type);
    add_list(knobs_, values_of(&spec_t::src_tag),
            {"stag", "SRC_0:SRC_1, or one for both; each a format tag, the second one or any",
                    "Layouts of the sources; src_2 has that of src_0.", "--stag=abx:any,axb:abx",
                    {}},
            parse_tags);
    add_list(knobs_, values_of(&spec_t::dst_tag),
            {"dtag", "format tags, or any", "Layout of dst.", "--dtag=aBx16b", {}}, parse_tag);
    add_list(knobs_, values_of(&spec_t::strides),
            {"strides", "SRC_0:SRC_1:DST, each empty or the strides joined by x",
                    "Strides instead of tags.", "--strides=8x1::8x1", {}},
            parse_strides);
    add_list(knobs_, values_of(&spec_t::algorithm),
            {"alg", "add, mul, max, min, div, sub, ge, gt, le, lt, eq, ne, select",
                    "The operation.", "--alg=add,select", {}},
            parse_binary);
    add_in_place_knob(knobs_, values_of(&spec_t::in_place, order_t::behind_attributes),
            "Whether dst takes src_0's memory.");
    add_shared_knobs(knobs_, settings_);
}

spec_t binary_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    named_shapes_t named = parse_named_shapes(descriptor);
    if (named.shapes.size() != sources)
        throw bad_value_t(descriptor, "the dims of src_0 and of src_1 are expected, as in 4x8:1x8");
    const size_t ndims = std::max(named.shapes[0].size(), named.shapes[1].size());
    for (size_t i = 0; i < sources; ++i) {
        named.shapes[i].resize(ndims, 1);
        spec.src_dims[i] = named.shapes[i];
    }
    spec.name = named.name;
    return spec;
}

void binary_driver_t::require(const spec_t &spec, const options_t &options) const {
    for (size_t axis = 0; axis < spec.src_dims[0].size(); ++axis) {
        const dim_t one = spec.src_dims[0][axis], other = spec.src_dims[1][axis];
        if (one != other && one != 1 && other != 1)
            throw bad_value_t(
                    dims_text(spec.src_dims[1]), "each extent must be that of src_0, or one be 1");
    }
    for (const std::string &tag : {spec.src_tag.of[0], spec.src_tag.of[1], spec.dst_tag})
        require_layout(tag, spec.ndims(), options.enumerated_tags_only);
    for (size_t i = 0; i < sources; ++i) require_strides(spec.strides.of[i], spec.src_dims[i]);
    require_strides(spec.strides.of[sources], spec.dst_dims());
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<binary_driver_t>(); }

} // namespace benchdnn::binary
