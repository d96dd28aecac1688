// SPDX-License-Identifier: Apache-2.0
// Building blocks of test networks: attributes by short names, normalizations with their weights,
// and the operations around them.
#pragma once

#include "graph/network.hpp"

namespace kiln::test {

inline constexpr auto f32 = type_t::f32, bf16 = type_t::bf16, f16 = type_t::f16, s8 = type_t::s8,
                      u8 = type_t::u8, s4 = type_t::s4, u4 = type_t::u4, f8_e4m3 = type_t::f8_e4m3,
                      f8_e5m2 = type_t::f8_e5m2;
using types_t = std::vector<type_t>;
inline const types_t floats{f32, bf16, f16};

/// "LayerNorm", for forward normalizations.
std::string name_of(kind_t kind);

attributes_t operator+(attributes_t lhs, const attributes_t &rhs);

attributes_t number(attr_name_t name, float value);
attributes_t numbers(attr_name_t name, std::vector<int64_t> values);
attributes_t text(attr_name_t name, const char *value);
attributes_t flag(attr_name_t name, bool value);
attributes_t with_epsilon(float epsilon);
attributes_t with_axis(int64_t begin_norm_axis);
attributes_t with_groups(int64_t groups);
attributes_t with_format(const char *data_format);
attributes_t without_statistics();
attributes_t without_affine();
attributes_t with_affine(bool is_affine);
attributes_t with_scale(float scale, int64_t zero_point = 0);
attributes_t with_each_scale(std::vector<float> scales);
/// Scales and, on request, zero points that differ between channels.
attributes_t with_scales(int64_t channels, int64_t axis, bool has_zero_points = false);

/// The sum of two new inputs.
size_t add_sum(network_t &network, type_t type, const dims_t &dims);
/// An End, which makes the tensor an output of its partition.
void add_end(network_t &network, size_t tensor);

/// A forward normalization of src with its weights; returns dst. Images are NXC.
size_t add_norm(network_t &network, kind_t kind, size_t src, type_t weight_type = f32);
/// With additional attributes.
size_t add_norm(network_t &network, kind_t kind, size_t src, type_t weight_type,
        const attributes_t &attributes);

/// Of MatMul: which operands are transposed.
attributes_t transposing(bool a, bool b);

/// x * sigmoid(x)
size_t add_silu(network_t &network, size_t src);

/// Abs -> ReduceMax -> Multiply by 1/127 -> [StaticReshape] -> DynamicQuantize of a matrix.
struct dynamic_quantization_t {
    size_t scales, dst;
};
dynamic_quantization_t add_dynamic_quantization(
        network_t &network, size_t src, bool reshapes, type_t type = s8);

/// Inputs for mean and variance.
struct statistics_t {
    size_t mean, variance;
};
statistics_t add_statistics(network_t &network, type_t type, const dims_t &dims);
/// LayerNormBackward with 6 inputs: statistics, gamma and beta; returns its outputs.
std::vector<size_t> add_layer_norm_backward(network_t &network, size_t src, size_t diff_dst);
/// BatchNormTrainingBackward with all its outputs; images are NXC.
std::vector<size_t> add_batch_norm_backward(network_t &network, size_t src, size_t diff_dst);

/// The plan without the names of implementations: "RMSNorm+residual_add:1".
std::string steps_of(const part_t &part);

} // namespace kiln::test
