// SPDX-License-Identifier: Apache-2.0
// The steps of a reorder that computes, for one element, in double, each with the error that f32
// arithmetic may have. Pure arithmetic: no tensors, no library.
//
//   dst = (src_scale * (src - src_zero_point) + post-ops) / dst_scale + dst_zero_point
//
// A value that f32 holds exactly is allowed no error, since no way of computing it rounds. So
// integers and powers of two keep a tolerance of 0 all along, and their ties must be rounded to
// even.
#pragma once

#include "common/tensor/estimate.hpp"

namespace benchdnn::reorder {

estimate_t loaded(double src);
estimate_t shifted(estimate_t x, double by); // x + by
estimate_t scaled(estimate_t x, double scale);
estimate_t divided(estimate_t x, double scale);
// x + scale * prior, the sum post-op; prior without its zero point.
estimate_t accumulated(estimate_t x, double scale, double prior);

// Of what goes beyond s32: arithmetic in f32 may end at the greatest float that s32 holds.
estimate_t saturated_as_f32(estimate_t x);

} // namespace benchdnn::reorder
