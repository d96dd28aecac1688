// SPDX-License-Identifier: Apache-2.0
// The shuffle driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "common/tensor/tag.hpp"
#include "shuffle/problem.hpp"

namespace benchdnn::shuffle {

namespace {

struct settings_t : shared_settings_t {
    std::vector<direction_t> direction{spec_t().direction};
    std::vector<type_pair_t> type{{}};
    std::vector<std::string> tag{spec_t().tag};
    std::vector<dim_t> group{spec_t().group};
    std::vector<int> axis{spec_t().axis};
};

void add_knobs(knob_set_t &knobs, settings_t &s) {
    constexpr integers_t axes{0, DNNL_MAX_NDIMS - 1};
    add_direction_knob(knobs, s.direction);
    add_type_knob(knobs, s.type);
    add_list(knobs, s.tag,
            {"tag", "format tags", "Layout of both tensors.", "--tag=abx,aBx16b", {}}, parse_tag);
    add_numbers(knobs, s.group, counts_from_1,
            {"group", "", "Elements of a group; a divisor of the axis' extent.", "--group=2,4",
                    {}});
    add_numbers(knobs, s.axis, axes,
            {"axis", "", "The axis along which elements are moved.", "--axis=0,1", {}});
    add_shared_knobs(knobs, s);
}

class shuffle_driver_t final : public product_driver_t<settings_t, spec_t, shuffle_problem_t> {
public:
    shuffle_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "shuffle"; }
    std::string descriptor_help() const override {
        return "dims joined by x, and a name: 64x116x28x28_n\"stage2\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%group%,%axis%"; }
};

std::vector<spec_t> shuffle_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shape = parse_named_dims(descriptor);
    const settings_t &s = settings_;
    multiply(all, s.direction, &spec_t::direction);
    multiply(all, s.type, &spec_t::type);
    multiply(all, s.tag, &spec_t::tag);
    multiply(all, s.group, &spec_t::group);
    multiply(all, s.axis, &spec_t::axis);
    return all;
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
