// SPDX-License-Identifier: Apache-2.0
// One problem of the reorder driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::reorder {

struct spec_t : src_dst_spec_t {
    named_dims_t shape;
    stride_pair_t strides;
    std::string compensation; // the text of --oflag
    std::string cross_engine = "none";
    unsigned runtime_dim_mask = 0;
    bool in_place = false;
};

class reorder_problem_t final : public primitive_problem_t {
public:
    reorder_problem_t(spec_t spec, problem_settings_t settings);

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

// Implemented in fill.cpp and compare.cpp.
void fill(const spec_t &spec, const attributes_t &attributes, arguments_t &arguments);
std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

// Whether dst is src converted to another type, without scales, zero points and post-ops.
bool only_converts(const attributes_t &attributes);

} // namespace benchdnn::reorder
