// SPDX-License-Identifier: Apache-2.0
// One problem of the binary driver: what it is, and how it is created, filled and checked.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::binary {

constexpr size_t sources = 2;

// A knob's values for src_0 and src_1, joined by a colon in texts.
struct source_types_t {
    std::array<dnnl_data_type_t, sources> of{dnnl_f32, dnnl_f32};
};
struct source_tags_t {
    std::array<std::string, sources> of{"abx", "any"};
};
// Strides of src_0, src_1 and dst; empty: the tag gives the layout.
struct strides_t {
    std::array<dims_t, sources + 1> of;
};

struct spec_t {
    std::array<dims_t, sources> src_dims; // of one number of dimensions
    std::string name;
    source_types_t src_type;
    dnnl_data_type_t dst_type = dnnl_f32;
    source_tags_t src_tag;
    std::string dst_tag = "any";
    strides_t strides;
    algorithm_t algorithm{dnnl_binary_add, "add"};
    bool in_place = false;

    dims_t dst_dims() const;
    int ndims() const { return static_cast<int>(src_dims[0].size()); }
    bool has_condition() const { return algorithm.value == dnnl_binary_select; }
};

std::string types_text(const source_types_t &types);
std::string tags_text(const source_tags_t &tags);
std::string strides_text(const strides_t &strides);

class binary_problem_t final : public primitive_problem_t {
public:
    binary_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override;
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override;
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

private:
    void fill(arguments_t &arguments) const;

    spec_t spec_;
};

// Implemented in compare.cpp.
std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::binary
