// SPDX-License-Identifier: Apache-2.0
// The shuffle driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "shuffle/problem.hpp"

namespace benchdnn::shuffle {

namespace {

class shuffle_driver_t final : public product_driver_t<spec_t, shuffle_problem_t> {
public:
    shuffle_driver_t();

    std::string name() const override { return "shuffle"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x116x28x28_n\"stage2\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%group%,%axis%"; }
};

shuffle_driver_t::shuffle_driver_t() {
    constexpr integers_t axes{0, DNNL_MAX_NDIMS - 1};
    add_direction_knob(knobs_, values_of(&spec_t::direction));
    add_type_knob(knobs_, values_of(&spec_t::type));
    add_list(knobs_, values_of(&spec_t::tag),
            {"tag", "format tags", "Layout of both tensors.", "--tag=abx,aBx16b", {}}, parse_tag);
    add_numbers(knobs_, values_of(&spec_t::group), counts_from_1,
            {"group", "", "Elements of a group; a divisor of the axis' extent.", "--group=2,4",
                    {}});
    add_numbers(knobs_, values_of(&spec_t::axis), axes,
            {"axis", "", "The axis along which elements are moved.", "--axis=0,1", {}});
    add_shared_knobs(knobs_, settings_);
}

spec_t shuffle_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shape = parse_named_dims(descriptor);
    return spec;
}

void shuffle_driver_t::require(const spec_t &spec, const options_t &options) const {
    if (spec.axis >= spec.ndims())
        throw bad_value_t(std::to_string(spec.axis),
                "the axis must be one of the " + std::to_string(spec.ndims()) + " dimensions");
    const dim_t extent = spec.shape.dims[spec.axis];
    if (extent == 0 || extent % spec.group != 0)
        throw bad_value_t(std::to_string(spec.group),
                "the group must divide the extent of the axis, " + std::to_string(extent));
    require_layout(spec.tag, spec.ndims(), options.enumerated_tags_only);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<shuffle_driver_t>(); }

} // namespace benchdnn::shuffle
