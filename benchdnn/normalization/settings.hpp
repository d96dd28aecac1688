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
struct common_values_t {
    std::vector<direction_t> &direction;
    std::vector<type_pair_t> &type;
    std::vector<tag_pair_t> &tag;
    std::vector<stride_pair_t> &strides;
    std::vector<flags_t> &flags;
    std::vector<bool> &in_place;
};

// bad_value_t for wrong layouts.
void require_layouts(const common_spec_t &spec, const dims_t &dims, bool enumerated_tags_only);

enum class types_t { one_for_both, pair };
// known: the letters of the operation's flags.
void add_common_knobs(
        knob_set_t &knobs, const common_values_t &values, types_t types, const std::string &known);

template <typename spec_type, typename problem_type, typename settings_type = shared_settings_t>
class normalization_driver_t : public product_driver_t<spec_type, problem_type, settings_type> {
protected:
    // Flags are multiplied behind the knobs whose values there are already.
    void add_common_knobs(types_t types, const std::string &known) {
        normalization::add_common_knobs(this->knobs_,
                {direction_, type_, tag_, strides_, this->values_of(&spec_type::flags),
                        this->values_of(&spec_type::in_place,
                                normalization_driver_t::order_t::behind_attributes)},
                types, known);
    }
    void require(const spec_type &spec, const options_t &options) const override {
        require_layouts(spec, spec.dims(), options.enumerated_tags_only);
    }
    std::string csv_fields() const override { return "%dir%,%dt%,%tag%,%flags%"; }

private:
    std::vector<direction_t> &direction_ = this->values_of(&spec_type::direction);
    std::vector<type_pair_t> &type_ = this->values_of(&spec_type::type);
    std::vector<tag_pair_t> &tag_ = this->values_of(&spec_type::tag);
    std::vector<stride_pair_t> &strides_ = this->values_of(&spec_type::strides);
};

// Why dst cannot take the memory of src, or diff_src that of diff_dst, as far as types and tags
// tell; or "".
std::string in_place_problem(const common_spec_t &spec);

} // namespace benchdnn::normalization
