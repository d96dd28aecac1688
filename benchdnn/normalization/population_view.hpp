// SPDX-License-Identifier: Apache-2.0
// One population at a time, for one thread: its values, its statistics and its forward pass.
#pragma once

#include <vector>

#include "normalization/populations.hpp"
#include "normalization/problem.hpp"

namespace benchdnn::normalization {

class population_view_t {
public:
    population_view_t(const normalization_spec_t &spec, const arguments_t &arguments);

    void look_at(dim_t population);

    const populations_t &populations() const { return populations_; }
    const std::vector<double> &src() const { return src_; }
    // index: of a channel, or of a position in a row.
    double scale(dim_t index) const { return scale_.empty() ? 1 : scale_[index]; }
    // The values of another tensor for this population.
    void load(int id, std::vector<double> &values) const;

    statistics_t given_statistics() const;
    // The statistics of the forward pass.
    statistics_t forward_statistics() const;
    // scale * x + shift, plus src_1 if present: the input of the ReLU.
    void forward(const statistics_t &statistics, std::vector<estimate_t> &values) const;

    // Calls action(plane, index of its first element in the population, and in the tensor).
    template <typename action_t> void for_each_plane(action_t action) const {
        for (dim_t s = 0; s < populations_.planes(); ++s) {
            const plane_t plane = populations_.plane(population_, s);
            action(plane, s * populations_.plane_size(), populations_.first_index(plane));
        }
    }
    // Calls action(index of an element in the population, index of its values of scale and shift).
    template <typename action_t> void for_each_element(action_t action) const {
        for_each_plane([&](plane_t plane, dim_t own, dim_t) {
            for (dim_t i = 0; i < populations_.plane_size(); ++i)
                action(own + i, spec_.has_rows() ? i : plane.channel);
        });
    }
    // Compares all elements of the population in `got` with the expected ones; does nothing if
    // comparison is null.
    void check(comparison_t *comparison, const std::vector<estimate_t> &expected,
            const tensor_t &got) const;

private:
    const normalization_spec_t &spec_;
    const arguments_t &arguments_;
    const populations_t populations_;
    const std::vector<double> scale_, shift_;
    std::vector<double> src_;
    dim_t population_ = 0;
};

} // namespace benchdnn::normalization
