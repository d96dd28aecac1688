// SPDX-License-Identifier: Apache-2.0
// Networks of random operations, compared with the truth.
#include <algorithm>
#include <cstdlib>

#include "graph/networks.hpp"
#include "support/random_values.hpp"

namespace kiln::test {

namespace {

class random_network_t {
public:
    explicit random_network_t(uint64_t seed)
        : random_(seed) {
        const int ndims = 2 + below(3);
        for (int d = 0; d < ndims; ++d)
            shape_.push_back(1 + below(d < ndims - 1 ? 5 : below(6) ? 40 : 300));
        if (below(2)) shape_.back() += 4 - shape_.back() % 4; // groups
        const int inputs = 1 + below(3);
        for (int i = 0; i < inputs; ++i) pool_.push_back(input(shape_));
        const int ops = 3 + below(8);
        for (int i = 0; i < ops; ++i) add_something();
        if (below(4) == 0) forget_shapes();
    }

    network_t network;

private:
    int below(int end) { return static_cast<int>(random_.between(0, end)); }
    template <typename T> const T &one_of(const std::vector<T> &list) {
        return list[static_cast<size_t>(below(static_cast<int>(list.size())))];
    }
    type_t float_type() { return one_of(types_t{f32, f32, bf16, f16}); }

    /// Dense, permuted, or with gaps.
    dims_t strides_of(const dims_t &dims) {
        if (below(3)) return {};
        std::vector<size_t> order(dims.size());
        for (size_t d = 0; d < order.size(); ++d) order[d] = d;
        if (below(2))
            for (size_t d = order.size(); d > 1; --d)
                std::swap(order[d - 1], order[static_cast<size_t>(below(static_cast<int>(d)))]);
        dims_t strides(dims.size());
        int64_t stride = 1 + (below(4) == 0);
        for (size_t d = order.size(); d-- > 0;) {
            strides[order[d]] = stride;
            stride *= dims[order[d]] + (below(4) == 0 ? below(3) : 0);
        }
        return strides;
    }

    size_t input(const dims_t &dims, double low = -2, double high = 2) {
        const property_t property = below(3) ? property_t::variable : property_t::constant;
        return network.input(float_type(), dims,
                {.strides = strides_of(dims), .property = property, .low = low, .high = high});
    }

    /// A tensor of the common shape, most likely a recent one.
    size_t any() {
        if (below(8) == 0) return input(shape_);
        const size_t count = pool_.size(), back = static_cast<size_t>(below(3));
        return pool_[count - 1 - std::min(back, count - 1)];
    }
    dims_t broadcast_dims() {
        dims_t dims = shape_;
        if (below(3) == 0) return dims;
        for (auto &dim : dims)
            if (below(2)) dim = 1;
        dims.erase(dims.begin(), dims.begin() + below(static_cast<int>(dims.size())));
        return dims;
    }

    void keep(size_t tensor) {
        if (below(5) == 0)
            if (auto strides = strides_of(network.dims_of(tensor)); !strides.empty())
                network.set_strides(tensor, strides);
        if (network.dims_of(tensor) == shape_) pool_.push_back(tensor);
        if (below(6) == 0) add_end(network, tensor);
    }

    void add_something() {
        switch (below(14)) {
        case 0:
        case 1: return add_eltwise();
        case 2:
        case 3: return add_binary();
        case 4:
        case 5:
        case 6: return add_row_norm();
        case 7: return add_channel_norm();
        case 8: return add_residual();
        case 9: return keep(network.add(kind_t::TypeCast, {widened(any())}, bf16));
        case 10: return add_quantization();
        case 11: return add_rearrangement();
        case 12: return add_gradient();
        default:
            if (below(3) == 0) return keep(network.add(kind_t::Wildcard, {any()}));
            keep(add_silu(network, any()));
        }
    }

    size_t widened(size_t tensor) {
        return network.type_of(tensor) == f32 ? tensor
                                              : network.add(kind_t::TypeCast, {tensor}, f32);
    }

    void add_eltwise() {
        const kind_t kind = one_of(std::vector<kind_t>{kind_t::ReLU, kind_t::Tanh, kind_t::GELU,
                kind_t::Sigmoid, kind_t::Abs, kind_t::HardSwish, kind_t::Mish});
        keep(network.add(kind, {any()}));
    }

    void add_binary() {
        const kind_t mixed =
                one_of(std::vector<kind_t>{kind_t::Add, kind_t::Multiply, kind_t::Subtract});
        const size_t lhs = any(), rhs = below(2) ? any() : input(broadcast_dims(), 0.5, 1.5);
        const bool is_swapped = below(3) == 0;
        const std::vector<size_t> operands =
                is_swapped ? std::vector<size_t>{rhs, lhs} : std::vector<size_t>{lhs, rhs};
        const bool are_alike = network.type_of(lhs) == network.type_of(rhs);
        if (are_alike && below(3) == 0)
            keep(network.add(below(2) ? kind_t::Maximum : kind_t::Minimum, operands));
        else
            keep(network.add(mixed, operands, below(4) ? network.type_of(lhs) : float_type()));
    }

    size_t row_norm(size_t src) {
        const auto ndims = static_cast<int>(shape_.size());
        const int axis = below(2) ? ndims - 1 : below(ndims);
        const auto attributes = with_axis(below(2) ? axis : axis - ndims) + with_epsilon(0.01f);
        const dims_t weight =
                below(3) ? dims_t(shape_.begin() + axis, shape_.end()) : broadcast_dims();
        const type_t type = float_type();
        if (below(2)) {
            std::vector<size_t> inputs{src};
            if (below(3)) inputs.push_back(network.weight(type, weight, 0.5, 1.5));
            return network.add(kind_t::RMSNorm, inputs, attributes);
        }
        std::vector<size_t> inputs{src};
        if (below(3)) {
            inputs.push_back(network.weight(type, weight, 0.5, 1.5));
            inputs.push_back(network.weight(type, weight));
        }
        if (below(2))
            return network.add(kind_t::LayerNorm, inputs, attributes + without_statistics());
        const type_t statistics = float_type();
        const auto outputs = network.add(kind_t::LayerNorm, inputs,
                types_t{network.type_of(src), below(4) ? statistics : absent,
                        below(4) ? statistics : absent},
                attributes);
        return outputs[0];
    }

    void add_row_norm() { keep(row_norm(any())); }

    void add_residual() {
        const size_t lhs = any(), rhs = below(2) ? any() : input(shape_);
        const size_t sum = network.add(kind_t::Add, {lhs, rhs}, network.type_of(lhs));
        if (below(2)) keep(sum);
        keep(row_norm(sum));
    }

    void add_channel_norm() {
        const bool has_groups = shape_.back() % 4 == 0 && below(2);
        const kind_t kind = has_groups ? kind_t::GroupNorm
                            : below(2) ? kind_t::BatchNormInference
                                       : kind_t::BatchNormForwardTraining;
        const size_t src = any();
        const type_t type = network.type_of(src) == f32 || below(2) ? f32 : network.type_of(src);
        // The types of weights that the operation allows with the type of src.
        const bool is_narrow = type == f16;
        keep(add_norm(network, kind, src, is_narrow ? f32 : type, with_epsilon(0.01f)));
    }

    void add_quantization() {
        const size_t src = widened(any());
        const type_t type = below(2) ? s8 : u8;
        if (shape_.size() == 2 && below(2)) {
            add_dynamic_quantization(network, src, below(2) != 0, type);
            return;
        }
        const auto axis = below(static_cast<int>(shape_.size()));
        const auto scales =
                below(2) ? with_scale(0.0625f, below(2) ? below(9) : 0)
                         : with_scales(shape_[static_cast<size_t>(axis)], axis, below(2) != 0);
        const size_t dst = network.add(kind_t::Quantize, {src}, type, scales);
        if (below(2)) return;
        keep(network.add(kind_t::Dequantize, {dst}, f32, scales));
    }

    void add_rearrangement() {
        const size_t src = any();
        const attributes_t flat{
                {attr_name_t::shape, std::vector<int64_t>{-1}}, {attr_name_t::special_zero, false}};
        const attributes_t back{{attr_name_t::shape, shape_}, {attr_name_t::special_zero, false}};
        const size_t reshaped = network.add(kind_t::StaticReshape, {src}, flat);
        keep(network.add(kind_t::StaticReshape,
                {below(2) ? reshaped : network.add(kind_t::Tanh, {reshaped})}, back));
    }

    void add_gradient() {
        const size_t src = any();
        const type_t type = network.type_of(src);
        const size_t diff_dst = network.input(type, shape_);
        const types_t outputs{type, f32, f32};
        std::vector<size_t> gradients;
        if (below(2)) {
            const dims_t shapes[]{{shape_.back()}, {1}, shape_};
            const size_t gamma = network.weight(f32, shapes[below(3)], 0.5, 1.5);
            gradients = network.add(kind_t::LayerNormBackward, {src, diff_dst, gamma}, outputs,
                    with_epsilon(0.01f));
        } else {
            const size_t gated = network.add(
                    kind_t::ReLUBackward, {network.input(type, shape_), below(2) ? diff_dst : src});
            gradients = add_batch_norm_backward(network, src, gated);
        }
        keep(gradients[0]);
        if (below(2)) keep(network.add(kind_t::Add, {gradients[0], input(shape_)}, type));
    }

    void forget_shapes() {
        for (const size_t tensor : pool_) network.forget_shape(tensor);
    }

    random_values_t random_;
    dims_t shape_;
    std::vector<size_t> pool_;
};

TEST(random_networks, are_right_with_any_partitioning) {
    const char *text = std::getenv("RANDOM_NETWORKS");
    const uint64_t count = text ? std::strtoull(text, nullptr, 10) : 150;
    const char *first = std::getenv("FIRST_RANDOM_NETWORK");
    const uint64_t begin = first ? std::strtoull(first, nullptr, 10) : 0;
    for (uint64_t seed = begin; seed < begin + count; ++seed) {
        SCOPED_TRACE("network " + std::to_string(seed));
        const random_network_t made(seed);
        expect_right(made.network);
    }
}

} // namespace

} // namespace kiln::test
