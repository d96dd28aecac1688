// SPDX-License-Identifier: Apache-2.0
// The softmax driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "softmax/problem.hpp"

namespace benchdnn::softmax {

namespace {

class softmax_driver_t final : public product_driver_t<spec_t, softmax_problem_t> {
public:
    softmax_driver_t();

    std::string name() const override { return "softmax"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 1536x128_n\"attention\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override {
        return "%dir%,%sdt%,%ddt%,%stag%,%dtag%,%alg%,%axis%";
    }
};

softmax_driver_t::softmax_driver_t() {
    constexpr integers_t axes{0, DNNL_MAX_NDIMS - 1};
    add_direction_knob(knobs_, values_of(&spec_t::direction));
    add_src_dst_knobs(knobs_,
            {values_of(&spec_t::src_type), values_of(&spec_t::dst_type),
                    values_of(&spec_t::src_tag), values_of(&spec_t::dst_tag)},
            dst_layout_t::may_be_any);
    add_list(knobs_, values_of(&spec_t::algorithm),
            {"alg", "softmax, logsoftmax, or softmax_accurate, softmax_log; in capitals too",
                    "Softmax or its logarithm.", "--alg=softmax,logsoftmax", {}},
            parse_algorithm);
    add_numbers(knobs_, values_of(&spec_t::axis), axes,
            {"axis", "", "The axis along which exponentials are added up.", "--axis=0,1", {}});
    add_first_extent_knob(knobs_,
            values_by(order_t::before_attributes, dim_t(0),
                    [](spec_t &spec, dim_t count) { set_first_extent(spec.shape, count); }));
    add_in_place_knob(knobs_, values_of(&spec_t::in_place, order_t::behind_attributes),
            "dst takes the memory of src; backward diff_src that of diff_dst.");
    add_shared_knobs(knobs_, settings_);
}

spec_t softmax_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shape = parse_named_dims(descriptor);
    return spec;
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
