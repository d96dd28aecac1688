// SPDX-License-Identifier: Apache-2.0
// What problems of all normalization drivers have, and the knob --flags.
#pragma once

#include <string>
#include <vector>

#include "common/driver/product_driver.hpp"
#include "common/driver/tensor_knobs.hpp"
#include "normalization/flags.hpp"

namespace benchdnn::normalization {

// What a problem of every normalization driver has.
struct common_spec_t {
    direction_t direction = directions[0];
    type_pair_t type;
    tag_pair_t tag;
    stride_pair_t strides;
    flags_t flags;
    bool in_place = false;

    bool computes_stats() const { return direction.is_forward() && !flags.global_stats(); }
    bool has_stats() const { return !direction.is_inference() || flags.global_stats(); }
    int from() const { return direction.is_forward() ? DNNL_ARG_SRC : DNNL_ARG_DIFF_DST; }
    int to() const { return direction.is_forward() ? DNNL_ARG_DST : DNNL_ARG_DIFF_SRC; }
};

// The values of the knobs of a common_spec_t.
struct common_settings_t {
    std::vector<direction_t> direction{directions[0]};
    std::vector<type_pair_t> type{{}};
    std::vector<tag_pair_t> tag{{}};
    std::vector<stride_pair_t> strides{{}};
    std::vector<flags_t> flags{{}};
    std::vector<bool> in_place{false};
};

template <typename spec_t>
void multiply_common(std::vector<spec_t> &specs, const common_settings_t &settings) {
    multiply(specs, settings.direction, &spec_t::direction);
    multiply(specs, settings.type, &spec_t::type);
    multiply(specs, settings.tag, &spec_t::tag);
    multiply(specs, settings.strides, &spec_t::strides);
}

// bad_value_t for wrong layouts.
void require_layouts(const common_spec_t &spec, const dims_t &dims, bool enumerated_tags_only);

// The knobs of normalization drivers are multiplied alike: only in-place execution comes after the
// attributes.
template <typename settings_type, typename spec_type, typename problem_type>
class normalization_driver_t : public product_driver_t<settings_type, spec_type, problem_type> {
protected:
    void require(const spec_type &spec, const options_t &options) const override {
        require_layouts(spec, spec.dims(), options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%flags%"; }

private:
    std::vector<spec_type> specs_behind_attributes(const spec_type &spec) const final {
        std::vector<spec_type> all{spec};
        multiply(all, this->settings_.in_place, &spec_type::in_place);
        return all;
    }
};

// known: the letters of the operation's flags.
enum class types_t { one_for_both, pair };
void add_common_knobs(
        knob_set_t &knobs, common_settings_t &settings, types_t types, const std::string &known);

// Why dst cannot take the memory of src, or diff_src that of diff_dst, as far as types and tags
// tell; or "".
std::string in_place_problem(const common_spec_t &spec);

} // namespace benchdnn::normalization
