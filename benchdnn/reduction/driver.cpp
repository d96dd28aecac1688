// SPDX-License-Identifier: Apache-2.0
// The reduction driver: its knobs and its descriptors.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "reduction/problem.hpp"

namespace benchdnn::reduction {

namespace {

class reduction_driver_t final : public product_driver_t<spec_t, reduction_problem_t> {
public:
    reduction_driver_t();

    std::string name() const override { return "reduction"; }
    std::string descriptor_help() const override {
        return "the dims of src and of dst, 1 along reduced axes, and a name: "
               "64x512x7x7:64x512x1x1_n\"pool\"";
    }

private:
    spec_t parse(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%,%alg%"; }
};

reduction_driver_t::reduction_driver_t() {
    add_src_dst_knobs(knobs_,
            {values_of(&spec_t::src_type), values_of(&spec_t::dst_type),
                    values_of(&spec_t::src_tag), values_of(&spec_t::dst_tag)},
            dst_layout_t::may_be_any);
    add_list(knobs_, values_of(&spec_t::algorithm),
            {"alg",
                    "max, min, sum, mul, mean, norm_lp_max, norm_lp_sum, norm_lp_power_p_max, "
                    "norm_lp_power_p_sum",
                    "What the elements that go to one element of dst become.", "--alg=sum,mean",
                    {}},
            parse_algorithm);
    add_numbers(knobs_, values_of(&spec_t::p), all_f32,
            {"p", "", "The exponent of norms, 1 or more.", "--p=1,2", {}});
    add_numbers(knobs_, values_of(&spec_t::epsilon), all_f32,
            {"eps", "", "What norms add to the sum of powers, or its lower bound.", "--eps=0.5",
                    {}});
    add_shared_knobs(knobs_, settings_);
}

spec_t reduction_driver_t::parse(const std::string &descriptor) const {
    spec_t spec;
    spec.shapes = parse_named_shapes(descriptor);
    if (spec.shapes.shapes.size() != 2)
        throw bad_value_t(descriptor, "the dims of src and of dst are expected, as in 4x8:4x1");
    return spec;
}

void reduction_driver_t::require(const spec_t &spec, const options_t &options) const {
    const dims_t &src = spec.src_dims(), &dst = spec.dst_dims();
    if (src.size() != dst.size())
        throw bad_value_t(dims_text(dst),
                "dst must have src's " + std::to_string(src.size()) + " dimensions");
    for (size_t axis = 0; axis < src.size(); ++axis)
        if (dst[axis] != 1 && dst[axis] != src[axis])
            throw bad_value_t(dims_text(dst), "each extent of dst must be that of src, or 1");
    require_layout(spec.src_tag, spec.ndims(), options.enumerated_tags_only);
    require_layout(spec.dst_tag, spec.ndims(), options.enumerated_tags_only);
}

} // namespace

std::unique_ptr<driver_t> make_driver() { return std::make_unique<reduction_driver_t>(); }

} // namespace benchdnn::reduction
