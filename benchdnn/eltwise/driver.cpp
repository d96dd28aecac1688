// SPDX-License-Identifier: Apache-2.0
// The eltwise driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "eltwise/problem.hpp"

namespace benchdnn::eltwise {

namespace {

struct settings_t : shared_settings_t {
    std::vector<direction_t> direction{directions[0]};
    std::vector<type_pair_t> type{{}};
    std::vector<tag_pair_t> tag{{}};
    std::vector<algorithm_t> algorithm{spec_t().algorithm};
    std::vector<float> alpha{0}, beta{0};
    std::vector<dim_t> images{0}; // --mb; 0 keeps the extent of the descriptor
    std::vector<bool> in_place{false};
};

algorithm_t parse_eltwise(const std::string &text) {
    return parse_algorithm(text, post_op_t::kind_t::eltwise);
}

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_direction_knob(knobs, s.direction);
    add_type_knob(knobs, s.type);
    add_tag_pair_knob(knobs, s.tag);
    add_list(knobs, s.algorithm,
            {"alg", "relu, gelu_erf, exp, ..., and relu_dst, ..., whose gradients use dst",
                    "The function.", "--alg=relu,gelu_tanh", {}},
            parse_eltwise);
    add_numbers(knobs, s.alpha, all_f32,
            {"alpha", "", "The first parameter of the function.", "--alpha=0,0.25", {}});
    add_numbers(knobs, s.beta, all_f32,
            {"beta", "", "The second parameter of the function.", "--beta=1", {}});
    add_numbers(knobs, s.images, counts_from_0,
            {"mb", "0 keeps the extent of the problem",
                    "The first extent, which replaces the problem's.", "--mb=1,64", {}});
    add_in_place_knob(
            knobs, s.in_place, "Whether dst takes src's memory, or diff_src takes diff_dst's.");
    add_shared_knobs(knobs, s);
}

class eltwise_driver_t final : public product_driver_t<settings_t, spec_t, eltwise_problem_t> {
public:
    eltwise_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "eltwise"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x64x56x56_n\"res2\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    std::vector<spec_t> specs_behind_attributes(const spec_t &spec) const override {
        std::vector<spec_t> all{spec};
        multiply(all, settings_.in_place, &spec_t::in_place);
        return all;
    }
    void require(const spec_t &spec, const options_t &options) const override {
        const int ndims = static_cast<int>(spec.shape.dims.size());
        require_layout(spec.tag.src, ndims, options.enumerated_tags_only);
        require_layout(spec.tag.dst, ndims, options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%alg%"; }
};

std::vector<spec_t> eltwise_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_named_dims(descriptor);
    const settings_t &s = settings_;
    multiply(all, s.direction, &spec_t::direction);
    multiply(all, s.type, &spec_t::type);
    multiply(all, s.tag, &spec_t::tag);
    multiply(all, s.algorithm, &spec_t::algorithm);
    multiply(all, s.alpha, &spec_t::alpha);
    multiply(all, s.beta, &spec_t::beta);
    multiply_by(all, s.images, [](spec_t &spec, dim_t count) {
        if (count > 0) spec.shape.dims[0] = count;
    });
    return all;
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<eltwise_driver_t>(); }

} // namespace benchdnn::eltwise
