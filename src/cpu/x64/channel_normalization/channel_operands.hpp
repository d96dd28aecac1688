// SPDX-License-Identifier: Apache-2.0
// Indices of the operands, the parameters and the channels' values of normalizations.
#pragma once

#include <cstddef>

namespace kiln::x64::channel_normalization {

/// Operands of forward passes. src_1 is added in front of the ReLU; relu_mask is written.
namespace forward_operand {
enum : size_t { src, dst, src_1, relu_mask, first_post_op };
}

/// Operands of backward passes. relu says where diff_dst counts: elements > 0, or a bit mask.
namespace backward_operand {
enum : size_t { src, diff_dst, relu, diff_src, diff_src_1 };
}

/// Values of a channel, which kernels read, in the order of their arrays. The center is the
/// pivot in the sweep that sums moments, else the mean as a float. Backward has offset and slope (b
/// and c of channel_work_t::backward) where forward has shift (that of channel_work_t::forward)
/// and, if present, divisor.
namespace channel_value {
enum : int { center, factor, shift, divisor, count, offset = shift, slope = divisor };
}

/// Arguments with an element per channel, per group, or one.
enum class parameter_t : size_t {
    mean,
    variance,
    scale,
    shift,
    src_scale,
    dst_scale,
    diff_scale,
    diff_shift
};

} // namespace kiln::x64::channel_normalization
