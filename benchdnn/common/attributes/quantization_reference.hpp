// SPDX-License-Identifier: Apache-2.0
// The steps by which attributes change one element, in double, each with the error that f32
// arithmetic may add:
//
//   dst = post_ops(src_scale * (x - src_zero_point)) / dst_scale + dst_zero_point
//
// A step whose operands are exact and whose result f32 holds exactly adds no error. Integers and
// powers of two therefore keep a tolerance of 0, and their ties must be rounded to even.
#pragma once

#include "common/tensor/estimate.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn::quantization {

estimate_t loaded(double x);                 // x in f32
estimate_t shifted(estimate_t x, double by); // x + by
estimate_t scaled(estimate_t x, double scale);
estimate_t divided(estimate_t x, double scale);
// The sum post-op: x + scale * prior, with the zero point already subtracted from prior.
estimate_t accumulated(estimate_t x, double scale, double prior);

// x as an s32 element: f32 arithmetic may end at the greatest float below 2^31.
estimate_t saturated_as_f32(estimate_t x);

// x as an element of bf16, f16 or f8 that is rounded at random: up or down. The result is finite,
// and 0 may stand for what is below the least normal value.
estimate_t rounded_at_random(estimate_t x, dnnl_data_type_t type);

} // namespace benchdnn::quantization
