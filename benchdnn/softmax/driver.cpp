// SPDX-License-Identifier: Apache-2.0
// The softmax driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "softmax/problem.hpp"

namespace benchdnn::softmax {

namespace {

struct settings_t : shared_settings_t, src_dst_settings_t {
    settings_t() { dst_tag = {spec_t().dst_tag}; }

    std::vector<direction_t> direction{spec_t().direction};
    std::vector<dnnl_alg_kind_t> algorithm{spec_t().algorithm};
    std::vector<int> axis{spec_t().axis};
    std::vector<bool> in_place{spec_t().in_place};
};

void add_knobs(knob_set_t &knobs, settings_t &s) {
    constexpr integers_t axes{0, DNNL_MAX_NDIMS - 1};
    add_direction_knob(knobs, s.direction);
    add_src_dst_knobs(knobs, s, dst_layout_t::may_be_any);
    add_list(knobs, s.algorithm,
            {"alg", "softmax, logsoftmax, or softmax_accurate, softmax_log; in capitals too",
                    "Softmax or its logarithm.", "--alg=softmax,logsoftmax", {}},
            parse_algorithm);
    add_numbers(knobs, s.axis, axes,
            {"axis", "", "The axis along which exponentials are added up.", "--axis=0,1", {}});
    add_in_place_knob(
            knobs, s.in_place, "dst takes the memory of src; backward diff_src that of diff_dst.");
    add_shared_knobs(knobs, s);
}

class softmax_driver_t final : public product_driver_t<settings_t, spec_t, softmax_problem_t> {
public:
    softmax_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "softmax"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 1536x128_n\"attention\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::vector<spec_t> specs_behind_attributes(const spec_t &spec) const override {
        std::vector<spec_t> all{spec};
        multiply(all, settings_.in_place, &spec_t::in_place);
        return all;
    }
    std::string csv_fields() const override {
        return "%dir%,%sdt%,%ddt%,%stag%,%dtag%,%alg%,%axis%";
    }
};

std::vector<spec_t> softmax_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_named_dims(descriptor);
    const settings_t &s = settings_;
    multiply(all, s.direction, &spec_t::direction);
    multiply_src_dst(all, s);
    multiply(all, s.algorithm, &spec_t::algorithm);
    multiply(all, s.axis, &spec_t::axis);
    return all;
}

void softmax_driver_t::require(const spec_t &spec, const options_t &options) const {
    if (spec.axis >= spec.ndims())
        throw bad_value_t(std::to_string(spec.axis),
                "the axis must be one of the " + std::to_string(spec.ndims()) + " dimensions");
    require_layout(spec.src_tag, spec.ndims(), options.enumerated_tags_only);
    require_layout(spec.dst_tag, spec.ndims(), options.enumerated_tags_only);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<softmax_driver_t>(); }

} // namespace benchdnn::softmax
