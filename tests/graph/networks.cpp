// SPDX-License-Identifier: Apache-2.0
#include "graph/networks.hpp"

namespace kiln::test {

std::string name_of(kind_t kind) {
    switch (kind) {
    case kind_t::LayerNorm: return "LayerNorm";
    case kind_t::RMSNorm: return "RMSNorm";
    case kind_t::GroupNorm: return "GroupNorm";
    case kind_t::BatchNormInference: return "BatchNormInference";
    default: return "BatchNormForwardTraining";
    }
}

attributes_t operator+(attributes_t lhs, const attributes_t &rhs) {
    for (const auto &[name, value] : rhs) lhs[name] = value;
    return lhs;
}

attributes_t number(attr_name_t name, float value) { return {{name, value}}; }
attributes_t numbers(attr_name_t name, std::vector<int64_t> values) { return {{name, values}}; }
attributes_t text(attr_name_t name, const char *value) { return {{name, std::string(value)}}; }
attributes_t flag(attr_name_t name, bool value) { return {{name, value}}; }
attributes_t with_each_scale(std::vector<float> scales) { return {{attr_name_t::scales, scales}}; }
attributes_t with_epsilon(float epsilon) { return {{attr_name_t::epsilon, epsilon}}; }
attributes_t with_axis(int64_t axis) { return {{attr_name_t::begin_norm_axis, axis}}; }
attributes_t with_groups(int64_t groups) { return {{attr_name_t::groups, groups}}; }
attributes_t with_format(const char *format) {
    return {{attr_name_t::data_format, std::string(format)}};
}
attributes_t without_statistics() { return {{attr_name_t::keep_stats, false}}; }
attributes_t without_affine() { return with_affine(false); }
attributes_t with_affine(bool is_affine) { return {{attr_name_t::use_affine, is_affine}}; }

attributes_t with_scale(float scale, int64_t zero_point) {
    return {{attr_name_t::qtype, std::string("per_tensor")},
            {attr_name_t::scales, std::vector<float>{scale}},
            {attr_name_t::zps, std::vector<int64_t>{zero_point}}};
}

attributes_t with_scales(int64_t channels, int64_t axis, bool has_zero_points) {
    std::vector<float> scales;
    std::vector<int64_t> points;
    for (int64_t c = 0; c < channels; ++c) {
        scales.push_back(0.02f + 0.003f * static_cast<float>(c % 7));
        points.push_back(has_zero_points ? c % 5 - 2 : 0);
    }
    return {{attr_name_t::qtype, std::string("per_channel")}, {attr_name_t::axis, axis},
            {attr_name_t::scales, scales}, {attr_name_t::zps, points}};
}

size_t add_sum(network_t &network, type_t type, const dims_t &dims) {
    const size_t src_0 = network.input(type, dims);
    return network.add(kind_t::Add, {src_0, network.input(type, dims)});
}

void add_end(network_t &network, size_t tensor) { network.add(kind_t::End, {tensor}, types_t{}); }

size_t add_norm(network_t &network, kind_t kind, size_t src, type_t weight_type) {
    return add_norm(network, kind, src, weight_type, {});
}

size_t add_norm(network_t &network, kind_t kind, size_t src, type_t weight_type,
        const attributes_t &attributes) {
    const dims_t channels{network.dims_of(src).back()};
    const auto weight = [&] { return network.weight(weight_type, channels, 0.5, 1.5); };
    const type_t type = network.type_of(src);
    switch (kind) {
    case kind_t::RMSNorm: return network.add(kind, {src, weight()}, with_axis(-1) + attributes);
    case kind_t::GroupNorm:
        return network.add(kind, {src, weight(), weight()},
                with_groups(2) + without_statistics() + attributes);
    case kind_t::BatchNormInference:
        return network.add(kind, {src, weight(), weight(), weight(), weight()},
                with_epsilon(1e-3f) + attributes);
    case kind_t::BatchNormForwardTraining:
        return network.add(kind, {src, weight(), weight(), weight(), weight()},
                types_t{type, weight_type, weight_type, weight_type, weight_type},
                with_epsilon(1e-3f) + attributes)[0];
    default: return network.add(kind, {src, weight(), weight()}, without_statistics() + attributes);
    }
}

size_t add_silu(network_t &network, size_t src) {
    return network.add(kind_t::Multiply, {src, network.add(kind_t::Sigmoid, {src})});
}

dynamic_quantization_t add_dynamic_quantization(
        network_t &network, size_t src, bool reshapes, type_t type) {
    const attributes_t rows{
            {attr_name_t::axes, std::vector<int64_t>{-1}}, {attr_name_t::keep_dims, true}};
    const size_t factor =
            network.input(f32, {1}, {.property = property_t::constant, .values = {1.0 / 127}});
    const size_t max = network.add(kind_t::ReduceMax, {network.add(kind_t::Abs, {src})}, rows);
    size_t scales = network.add(kind_t::Multiply, {max, factor});
    if (reshapes)
        scales = network.add(kind_t::StaticReshape, {scales},
                attributes_t{{attr_name_t::shape, std::vector<int64_t>{-1}},
                        {attr_name_t::special_zero, false}});
    const attributes_t per_row{
            {attr_name_t::qtype, std::string("per_channel")}, {attr_name_t::axis, int64_t(0)}};
    return {scales, network.add(kind_t::DynamicQuantize, {src, scales}, type, per_row)};
}

statistics_t add_statistics(network_t &network, type_t type, const dims_t &dims) {
    const size_t mean = network.input(type, dims, {.low = -0.3, .high = 0.3});
    return {mean, network.input(type, dims, {.low = 1, .high = 1.5})};
}

std::vector<size_t> add_layer_norm_backward(network_t &network, size_t src, size_t diff_dst) {
    const dims_t dims = network.dims_of(src), rows(dims.begin(), dims.end() - 1);
    const auto [mean, variance] = add_statistics(network, f32, rows);
    const size_t gamma = network.weight(f32, {dims.back()}, 0.5, 1.5);
    const size_t beta = network.weight(f32, {dims.back()});
    return network.add(kind_t::LayerNormBackward, {src, diff_dst, mean, variance, gamma, beta},
            types_t{network.type_of(src), f32, f32});
}

std::vector<size_t> add_batch_norm_backward(network_t &network, size_t src, size_t diff_dst) {
    const dims_t channels{network.dims_of(src).back()};
    const auto [mean, variance] = add_statistics(network, f32, channels);
    const size_t gamma = network.weight(f32, channels, 0.5, 1.5);
    return network.add(kind_t::BatchNormTrainingBackward, {src, diff_dst, mean, variance, gamma},
            types_t{network.type_of(src), f32, f32}, with_epsilon(1e-3f));
}

attributes_t transposing(bool a, bool b) {
    return {{attr_name_t::transpose_a, a}, {attr_name_t::transpose_b, b}};
}

std::string steps_of(const part_t &part) {
    const size_t steps = part.plan.find(':');
    return part.plan.substr(0, part.plan.find(':', steps + 1));
}

} // namespace kiln::test
