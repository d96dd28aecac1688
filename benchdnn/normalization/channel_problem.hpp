// SPDX-License-Identifier: Apache-2.0
// One problem of a normalization of images with channels, without the calls that create its
// primitive descriptor.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/run/primitive_problem.hpp"
#include "normalization/channel_shape.hpp"
#include "normalization/settings.hpp"
#include "normalization/src_values.hpp"

namespace benchdnn::normalization {

struct channel_spec_t : common_spec_t {
    channel_shape_t shape;
    std::optional<src_kind_t::position_t> position; // of src; by default, the seed decides

    dims_t dims() const { return shape.dims(); }
    // Whether a backward pass reads the mask of a ReLU.
    bool reads_mask() const { return flags.relu() && !direction.is_forward(); }
};

// --mb: each spec with each number of images; 0 keeps that of the descriptor.
void add_images_knob(knob_set_t &knobs, std::vector<dim_t> &images);
template <typename spec_t>
void multiply_images(std::vector<spec_t> &specs, const std::vector<dim_t> &images) {
    std::vector<spec_t> next;
    for (const spec_t &spec : specs)
        for (const dim_t count : images) {
            next.push_back(spec);
            if (count > 0) next.back().shape.images = count;
        }
    specs = std::move(next);
}

class channel_problem_t : public primitive_problem_t {
public:
    channel_problem_t(channel_spec_t spec, problem_settings_t settings);

    std::string descriptor_text(bool canonical) const override {
        return channel_shape_text(spec_.shape, canonical);
    }
    std::string field(const std::string &name) const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override { return {spec_.dims(), 1}; }
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
    virtual std::string type_text() const = 0;

    memory_desc_t src_descriptor() const;
    memory_desc_t dst_descriptor() const;

    const channel_spec_t spec_;

private:
    primitive_desc_t forward_of(const primitive_desc_t &primitive_desc) const;
};

// Implemented in files of their own.
void fill(const channel_spec_t &spec, arguments_t &arguments);
// Sets diff_dst to 0 where rounding decides whether the ReLU passes an element.
void excuse_undecided(const channel_spec_t &spec, arguments_t &arguments);
// Executes the forward pass with the inputs of the backward pass, so that it writes their
// workspace.
void run_forward(const primitive_desc_t &forward, arguments_t &arguments);
std::vector<comparison_t> compare_forward(
        const channel_spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);
std::vector<comparison_t> compare_backward(
        const channel_spec_t &spec, const arguments_t &arguments);

} // namespace benchdnn::normalization
