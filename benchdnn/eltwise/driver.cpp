// SPDX-License-Identifier: Apache-2.0
// The eltwise driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "eltwise/problem.hpp"

namespace benchdnn::eltwise {

namespace {

algorithm_t parse_eltwise(const std::string &text) {
    return parse_algorithm(text, post_op_t::kind_t::eltwise);
}

class eltwise_driver_t final : public product_driver_t<spec_t, eltwise_problem_t> {
public:
    eltwise_driver_t();

    std::string name() const override { return "eltwise"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x64x56x56_n\"res2\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override {
        const int ndims = static_cast<int>(spec.shape.dims.size());
        require_layout(spec.tag.src, ndims, options.enumerated_tags_only);
        require_layout(spec.tag.dst, ndims, options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%alg%"; }
};

eltwise_driver_t::eltwise_driver_t() {
    add_direction_knob(knobs_, values_of(&spec_t::direction));
    add_type_knob(knobs_, values_of(&spec_t::type));
    add_tag_pair_knob(knobs_, values_of(&spec_t::tag));
    add_list(knobs_, values_of(&spec_t::algorithm),
            {"alg", "relu, gelu_erf, exp, ..., and relu_dst, ..., whose gradients use dst",
                    "The function.", "--alg=relu,gelu_tanh", {}},
            parse_eltwise);
    add_numbers(knobs_, values_of(&spec_t::alpha), all_f32,
            {"alpha", "", "The first parameter of the function.", "--alpha=0,0.25", {}});
    add_numbers(knobs_, values_of(&spec_t::beta), all_f32,
            {"beta", "", "The second parameter of the function.", "--beta=1", {}});
    add_first_extent_knob(knobs_,
            values_by(order_t::before_attributes, dim_t(0),
                    [](spec_t &spec, dim_t count) { set_first_extent(spec.shape, count); }));
    add_in_place_knob(knobs_, values_of(&spec_t::in_place, order_t::behind_attributes),
            "Whether dst takes src's memory, or diff_src takes diff_dst's.");
    add_shared_knobs(knobs_, settings_);
}

spec_t eltwise_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shape = parse_named_dims(descriptor);
    return spec;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<eltwise_driver_t>(); }

} // namespace benchdnn::eltwise
