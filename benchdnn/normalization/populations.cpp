// SPDX-License-Identifier: Apache-2.0
// The populations of images with channels, whose elements share a mean and a variance.
#include "normalization/populations.hpp"

namespace benchdnn::normalization {

populations_t::populations_t(const channel_shape_t &shape)
    : channels_(shape.channels)
    , groups_(shape.groups)
    , count_(groups_ > 0 ? shape.images * groups_ : channels_)
    , planes_(groups_ > 0 ? channels_ / groups_ : shape.images)
    , plane_size_(product(shape.space))
    , segment_size_(shape.space.empty() ? 1 : shape.space.back())
    , has_space_(!shape.space.empty()) {}

plane_t populations_t::plane(dim_t population, dim_t number) const {
    if (groups_ == 0) return {number, population};
    return {population / groups_, population % groups_ * planes_ + number};
}

segment_t populations_t::segment(plane_t plane, dim_t number) const {
    if (!has_space_) return {plane.image, plane.channel, 1};
    return {first_index(plane) / segment_size_ + number, 0, segment_size_};
}

template <typename action_t>
void populations_t::for_each_segment(dim_t population, action_t action) const {
    for (dim_t s = 0; s < planes_; ++s) {
        const plane_t own = plane(population, s);
        for (dim_t i = 0; i < segments(); ++i)
            action(segment(own, i), s * plane_size_ + i * segment_size_);
    }
}

void populations_t::load(const tensor_t &tensor, dim_t population, double *values) const {
    for_each_segment(population, [&](const segment_t &part, dim_t begin) {
        tensor.load_span(part.row, part.first, part.count, values + begin);
    });
}

void populations_t::store(tensor_t &tensor, dim_t population, const double *values) const {
    for_each_segment(population, [&](const segment_t &part, dim_t begin) {
        tensor.store_span(part.row, part.first, part.count, values + begin);
    });
}

} // namespace benchdnn::normalization
