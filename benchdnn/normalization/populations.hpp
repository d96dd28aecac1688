// SPDX-License-Identifier: Apache-2.0
// The populations of images with channels, whose elements share a mean and a variance: a channel of
// all images, or a group of channels of one image. Populations consist of planes; a plane is one
// channel of one image, and its elements are adjacent in logical order.
#pragma once

#include "common/tensor/segments.hpp"
#include "normalization/channel_shape.hpp"

namespace benchdnn::normalization {

struct plane_t {
    dim_t image, channel;
};

class populations_t {
public:
    explicit populations_t(const channel_shape_t &shape);

    dim_t count() const { return count_; }
    // The number of elements of each population.
    dim_t size() const { return planes_ * plane_size_; }
    dim_t elements() const { return count() * size(); }
    dim_t planes() const { return planes_; }
    plane_t plane(dim_t population, dim_t number) const;
    dim_t plane_size() const { return plane_size_; }
    // The index of a plane's first element in the tensor.
    dim_t first_index(plane_t plane) const {
        return (plane.image * channels_ + plane.channel) * plane_size_;
    }

    // A plane as segments of rows, in order.
    dim_t segments() const { return plane_size_ > 0 ? plane_size_ / segment_size_ : 0; }
    dim_t segment_size() const { return segment_size_; }
    segment_t segment(plane_t plane, dim_t number) const;

    // All elements of one population, plane by plane.
    void load(const tensor_t &tensor, dim_t population, double *values) const;
    void store(tensor_t &tensor, dim_t population, const double *values) const;

private:
    template <typename action_t> void for_each_segment(dim_t population, action_t action) const;

    dim_t channels_, groups_;
    dim_t count_, planes_, plane_size_;
    dim_t segment_size_; // 1 if channels are the last axis
    bool has_space_;
};

} // namespace benchdnn::normalization
