// SPDX-License-Identifier: Apache-2.0
// The reorder driver: its knobs and its descriptors.
#include "common/command_line/named_value.hpp"
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "reorder/problem.hpp"

namespace benchdnn::reorder {

namespace {

// FLAG:MASK joined by +, or an empty text.
std::string parse_compensation(const std::string &text) {
    if (text.empty()) return "";
    for (const std::string &piece : split(text, '+')) {
        const std::vector<std::string> pair = split(piece, ':');
        const std::string flag = lowercase(pair[0]);
        if (pair.size() != 2 || (flag != "s8s8_comp" && flag != "zp_comp"))
            throw bad_value_t(piece, "s8s8_comp:MASK or zp_comp:MASK is expected");
        parse_number(pair[1], axis_masks);
    }
    return lowercase(text);
}

constexpr named_value_t<const char *> cross_engines[] = {
        {"none", "none"}, {"cpu2gpu", "cpu2gpu"}, {"gpu2cpu", "gpu2cpu"}};

std::string parse_cross_engine(const std::string &text) { return value_named(cross_engines, text); }

void require_one_layout(const char *tensor, const std::string &tag, const std::string &standard_tag,
        const dims_t &strides, const dims_t &dims, const options_t &options) {
    const int ndims = static_cast<int>(dims.size());
    require_layout(tag, ndims, options.enumerated_tags_only);
    if (strides.empty()) return;
    if (tag != standard_tag)
        throw bad_value_t(dims_text(strides), std::string(tensor) + " has both a tag and strides");
    require_strides(strides, dims);
}

class reorder_driver_t final : public product_driver_t<spec_t, reorder_problem_t> {
public:
    reorder_driver_t();

    std::string name() const override { return "reorder"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x64x56x56_n\"res2\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    void require_attributes(const attributes_t &attributes) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%,%flags%"; }
};

reorder_driver_t::reorder_driver_t() {
    add_src_dst_knobs(knobs_,
            {values_of(&spec_t::src_type), values_of(&spec_t::dst_type),
                    values_of(&spec_t::src_tag), values_of(&spec_t::dst_tag)},
            dst_layout_t::given);
    add_strides_knob(knobs_, values_of(&spec_t::strides));
    add_list(knobs_, values_of(&spec_t::compensation),
            {"oflag", "s8s8_comp:MASK, zp_comp:MASK or both joined by +; empty for none",
                    "Compensation after the elements of dst. Such problems are skipped.",
                    "--oflag=,zp_comp:1", {}},
            parse_compensation);
    add_list(knobs_, values_of(&spec_t::cross_engine),
            {"cross-engine", "none, cpu2gpu, gpu2cpu",
                    "Reorders between engines. Problems with another value than none are skipped.",
                    "--cross-engine=none", {}},
            parse_cross_engine);
    add_numbers(knobs_, values_of(&spec_t::runtime_dim_mask, order_t::behind_attributes),
            axis_masks,
            {"runtime-dim-mask", "a bit for each dimension",
                    "Dimensions known only at execution. Such problems are skipped.",
                    "--runtime-dim-mask=0,3", {}});
    add_in_place_knob(knobs_, values_of(&spec_t::in_place, order_t::behind_attributes),
            "Whether dst takes src's memory; both must be of one type and layout.\n"
            "      Not in oneDNN's driver.");
    add_shared_knobs(knobs_, settings_);
}

spec_t reorder_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shape = parse_named_dims(descriptor);
    return spec;
}

void reorder_driver_t::require(const spec_t &spec, const options_t &options) const {
    const spec_t standard;
    const dims_t &dims = spec.shape.dims;
    require_one_layout("src", spec.src_tag, standard.src_tag, spec.strides.src, dims, options);
    require_one_layout("dst", spec.dst_tag, standard.dst_tag, spec.strides.dst, dims, options);
}

// As in oneDNN's driver: no axis of a reorder is known to hold channels.
void reorder_driver_t::require_attributes(const attributes_t &attributes) const {
    for (const quantization_t &quantization : {attributes.scales, attributes.zero_points})
        for (const quantization_entry_t &entry : quantization.entries)
            if (entry.broadcast.policy() == broadcast_t::policy_t::per_oc)
                throw bad_value_t(quantization.text,
                        "a reorder has no axis of channels; per_dim_0 or "
                        "per_dim_1 is expected");
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<reorder_driver_t>(); }

} // namespace benchdnn::reorder
