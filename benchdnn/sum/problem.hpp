// SPDX-License-Identifier: Apache-2.0
// One problem of the sum driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>

#include "common/driver/source_list.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::sum {

struct spec_t {
    named_dims_t shape;
    source_list_t<dnnl_data_type_t> src_type{{dnnl_f32, dnnl_f32}}; // one for each source
    dnnl_data_type_t dst_type = dnnl_f32;
    source_list_t<std::string> src_tag{{"abx"}};
    std::string dst_tag = "undef";
    source_list_t<double> scale{{1}};
    bool in_place = false;

    size_t sources() const { return src_type.of.size(); }
    int ndims() const { return static_cast<int>(shape.dims.size()); }
};

std::string types_text(const spec_t &spec);
std::string tags_text(const spec_t &spec);
std::string scales_text(const spec_t &spec);

class sum_problem_t final : public primitive_problem_t {
public:
    sum_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override { return named_dims_text(spec_.shape); }
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override;
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

private:
    spec_t spec_;
};

// dst against its reference in double.
std::vector<comparison_t> compare(const spec_t &spec, const arguments_t &arguments);

} // namespace benchdnn::sum
