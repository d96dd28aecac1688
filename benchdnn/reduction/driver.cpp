// SPDX-License-Identifier: Apache-2.0
// The reduction driver: its knobs and the cross product of their values.
#include "common/driver/product_driver.hpp"
#include "common/tensor/descriptor.hpp"
#include "reduction/problem.hpp"

namespace benchdnn::reduction {

namespace {

struct settings_t : shared_settings_t, src_dst_settings_t {
    settings_t() { dst_tag = {spec_t().dst_tag}; }

    std::vector<dnnl_alg_kind_t> algorithm{spec_t().algorithm};
    std::vector<float> p{spec_t().p}, epsilon{spec_t().epsilon};
};

void add_knobs(knob_set_t &knobs, settings_t &s) {
    add_src_dst_knobs(knobs, s, dst_layout_t::may_be_any);
    add_list(knobs, s.algorithm,
            {"alg",
                    "max, min, sum, mul, mean, norm_lp_max, norm_lp_sum, norm_lp_power_p_max, "
                    "norm_lp_power_p_sum",
                    "What the elements that go to one element of dst become.", "--alg=sum,mean",
                    {}},
            parse_algorithm);
    add_numbers(knobs, s.p, all_f32, {"p", "", "The exponent of norms, 1 or more.", "--p=1,2", {}});
    add_numbers(knobs, s.epsilon, all_f32,
            {"eps", "", "What norms add to the sum of powers, or its lower bound.", "--eps=0.5",
                    {}});
    add_shared_knobs(knobs, s);
}

class reduction_driver_t final : public product_driver_t<settings_t, spec_t, reduction_problem_t> {
public:
    reduction_driver_t() { add_knobs(knobs_, settings_); }

    std::string name() const override { return "reduction"; }
    std::string descriptor_help() const override {
        return "the dims of src and of dst, 1 along reduced axes, and a name: "
               "64x512x7x7:64x512x1x1_n\"pool\"";
    }

private:
    std::vector<spec_t> specs(const std::string &descriptor) const override;
    void require(const spec_t &spec, const options_t &options) const override;
    std::string csv_fields() const override { return "%sdt%,%ddt%,%stag%,%dtag%,%alg%"; }
};

std::vector<spec_t> reduction_driver_t::specs(const std::string &descriptor) const {
    std::vector<spec_t> all(1);
    all[0].shapes = parse_named_shapes(descriptor);
    if (all[0].shapes.shapes.size() != 2)
        throw bad_value_t(descriptor, "the dims of src and of dst are expected, as in 4x8:4x1");
    const settings_t &s = settings_;
    multiply_src_dst(all, s);
    multiply(all, s.algorithm, &spec_t::algorithm);
    multiply(all, s.p, &spec_t::p);
    multiply(all, s.epsilon, &spec_t::epsilon);
    return all;
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
