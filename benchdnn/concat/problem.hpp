// SPDX-License-Identifier: Apache-2.0
// One problem of the concat driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>

#include "common/driver/source_list.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::concat {

struct spec_t {
    named_shapes_t srcs;
    dnnl_data_type_t src_type = dnnl_f32, dst_type = dnnl_f32;
    source_list_t<std::string> src_tag{{"abx"}};
    std::string dst_tag = "undef"; // then dst has the type of the sources
    int axis = 1;

    size_t sources() const { return srcs.shapes.size(); }
    int ndims() const { return static_cast<int>(srcs.shapes.front().size()); }
    dims_t dst_dims() const;
};

std::string tags_text(const spec_t &spec);

class concat_problem_t final : public primitive_problem_t {
public:
    concat_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override { return named_shapes_text(spec_.srcs); }
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

// dst against its sources.
std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::concat
