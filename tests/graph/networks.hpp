// SPDX-License-Identifier: Apache-2.0
// Parts that many test networks have: attributes by short names, norms with their weights, and the
// operations around them.
#pragma once

#include "graph/network.hpp"

namespace kiln::test {

inline constexpr auto f32 = type_t::f32, bf16 = type_t::bf16, f16 = type_t::f16, s8 = type_t::s8,
                      u8 = type_t::u8;

attributes_t operator+(attributes_t lhs, const attributes_t &rhs);

attributes_t with_epsilon(float epsilon);
attributes_t with_axis(int64_t begin_norm_axis);
attributes_t with_groups(int64_t groups);
attributes_t with_format(const char *data_format);
attributes_t without_statistics();
attributes_t without_affine();
attributes_t with_scale(float scale, int64_t zero_point = 0);
/// Scales and, on request, zero points that differ from channel to channel.
attributes_t with_scales(int64_t channels, int64_t axis, bool has_zero_points = false);

/// A norm of src with its weights, if it is one of forward passes; returns dst. Images are NXC.
size_t add_norm(network_t &network, kind_t kind, size_t src, type_t weight_type = f32);
/// With these attributes besides.
size_t add_norm(network_t &network, kind_t kind, size_t src, type_t weight_type,
        const attributes_t &attributes);

/// x * sigmoid(x)
size_t add_silu(network_t &network, size_t src);

/// Abs -> ReduceMax -> Multiply by 1/127 -> [StaticReshape] -> DynamicQuantize of a matrix.
struct dynamic_quantization_t {
    size_t scales, dst;
};
dynamic_quantization_t add_dynamic_quantization(
        network_t &network, size_t src, bool reshapes, type_t type = s8);

/// LayerNormBackward of 6 inputs: statistics, gamma and beta; returns its outputs.
std::vector<size_t> add_layer_norm_backward(network_t &network, size_t src, size_t diff_dst);
/// BatchNormTrainingBackward with all its outputs; images are NXC.
std::vector<size_t> add_batch_norm_backward(network_t &network, size_t src, size_t diff_dst);

/// The plan without the names of implementations: "RMSNorm+residual_add:1".
std::string steps_of(const part_t &part);

} // namespace kiln::test
