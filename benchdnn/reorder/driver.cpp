// SPDX-License-Identifier: Apache-2.0
// The reorder driver: its knobs and the cross product of their values.
#include "common/command_line/named_value.hpp"
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "reorder/problem.hpp"

namespace benchdnn::reorder {

namespace {

struct settings_t : shared_settings_t, src_dst_settings_t {
    std::vector<stride_pair_t> strides{{}};
    std::vector<std::string> compensation{""}, cross_engine{spec_t().cross_engine};
    std::vector<unsigned> runtime_dim_mask{0};
    std::vector<bool> in_place{false};
};

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

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_src_dst_knobs(knobs, s, dst_layout_t::given);
    add_strides_knob(knobs, s.strides);
    add_list(knobs, s.compensation,
            {"oflag", "s8s8_comp:MASK, zp_comp:MASK or both joined by +; empty for none",
                    "Compensation after the elements of dst. Such problems are skipped.",
                    "--oflag=,zp_comp:1", {}},
            parse_compensation);
    add_list(knobs, s.cross_engine,
            {"cross-engine", "none, cpu2gpu, gpu2cpu",
                    "Reorders between engines. Problems with another value than none are skipped.",
                    "--cross-engine=none", {}},
            parse_cross_engine);
    add_numbers(knobs, s.runtime_dim_mask, axis_masks,
            {"runtime-dim-mask", "a bit for each dimension",
                    "Dimensions known only at execution. Such problems are skipped.",
                    "--runtime-dim-mask=0,3", {}});
    add_in_place_knob(knobs, s.in_place,
            "Whether dst takes src's memory; both must be of one type and layout.\n"
            "      Not in oneDNN's driver.");
    add_shared_knobs(knobs, s);
}

void require_one_layout(const char *tensor, const std::string &tag, const std::string &standard_tag,
        const dims_t &strides, const dims_t &dims, const options_t &options) {
    const int ndims = static_cast<int>(dims.size());
    require_layout(tag, ndims, options.enumerated_tags_only);
    if (strides.empty()) return;
    if (tag != standard_tag)
        throw bad_value_t(dims_text(strides), std::string(tensor) + " has both a tag and strides");
    require_strides(strides, dims);
}

class reorder_driver_t final : public product_driver_t<settings_t, spec_t, reorder_problem_t> {
public:
    reorder_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "reorder"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x64x56x56_n\"res2\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    std::vector<spec_t> specs_behind_attributes(const spec_t &spec) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    void require_attributes(const attributes_t &attributes) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%,%flags%"; }
};

std::vector<spec_t> reorder_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_named_dims(descriptor);
    const settings_t &s = settings_;
    multiply_src_dst(all, s);
    multiply(all, s.strides, &spec_t::strides);
    multiply(all, s.compensation, &spec_t::compensation);
    multiply(all, s.cross_engine, &spec_t::cross_engine);
    return all;
}

std::vector<spec_t> reorder_driver_t::specs_behind_attributes(const spec_t &spec) const {
    std::vector<spec_t> all{spec};
    multiply(all, settings_.runtime_dim_mask, &spec_t::runtime_dim_mask);
    multiply(all, settings_.in_place, &spec_t::in_place);
    return all;
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
