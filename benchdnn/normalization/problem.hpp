// SPDX-License-Identifier: Apache-2.0
// One problem of a normalization, without the calls that create its primitive descriptor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/command_line/knobs_text.hpp"
#include "common/run/primitive_problem.hpp"
#include "normalization/channel_shape.hpp"
#include "normalization/settings.hpp"
#include "normalization/src_values.hpp"

namespace benchdnn::normalization {

struct normalization_spec_t : common_spec_t {
    // Layer normalization: each row is an image of one group with one channel.
    channel_shape_t shape;
    dims_t row_dims; // of layer normalization, the last axis normalized; otherwise empty
    std::optional<src_kind_t::position_t> position; // of src; by default, the seed decides

    bool has_rows() const { return !row_dims.empty(); }
    dims_t dims() const { return has_rows() ? row_dims : shape.dims(); }
    // How many values scale has: one for each channel, or for each position in a row.
    dim_t parameters() const { return has_rows() ? row_dims.back() : shape.channels; }
    // Whether a backward pass reads the mask of a ReLU.
    bool reads_mask() const { return flags.relu() && !direction.is_forward(); }
};

// --mb of drivers whose problems are images; 0 keeps the number of the descriptor.
void add_images_knob(knob_set_t &knobs, std::vector<dim_t> &images);
inline void set_images(normalization_spec_t &spec, dim_t count) {
    if (count > 0) spec.shape.images = count;
}

class normalization_problem_t : public primitive_problem_t {
public:
    normalization_problem_t(normalization_spec_t spec, problem_settings_t settings);

    std::string descriptor_text(bool canonical) const override {
        return channel_shape_text(spec_.shape, canonical);
    }
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override {
        const dims_t dims = spec_.dims();
        return {dims, spec_.has_rows() ? static_cast<int>(dims.size()) - 1 : 1};
    }
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    void derive_inputs(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

protected:
    virtual dnnl_status_t create_forward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            dnnl_prop_kind_t prop_kind, primitive_desc_t &out) const = 0;
    virtual dnnl_status_t create_backward(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            const_dnnl_primitive_desc_t hint, primitive_desc_t &out) const = 0;
    virtual std::string type_text() const { return type_pair_text(spec_.type); }
    // The knobs that all drivers write first.
    void add_leading_knobs(knobs_text_t &knobs) const;

    memory_desc_t src_descriptor() const;
    memory_desc_t dst_descriptor() const;

    const normalization_spec_t spec_;

private:
    primitive_desc_t forward_of(const primitive_desc_t &primitive_desc) const;
};

// Implemented in files of their own.
void fill(const normalization_spec_t &spec, arguments_t &arguments);
// Sets diff_dst to 0 where rounding decides whether the ReLU passes an element.
void excuse_undecided(const normalization_spec_t &spec, arguments_t &arguments);
// Executes the forward pass with the inputs of the backward pass, so that it writes their
// workspace.
void run_forward(const primitive_desc_t &forward, arguments_t &arguments);
std::vector<comparison_t> compare_forward(const normalization_spec_t &spec,
        const attributes_t &attributes, const arguments_t &arguments);
std::vector<comparison_t> compare_backward(
        const normalization_spec_t &spec, const arguments_t &arguments);

} // namespace benchdnn::normalization
