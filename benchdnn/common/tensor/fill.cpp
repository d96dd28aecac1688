// SPDX-License-Identifier: Apache-2.0
// Reproducible values for tensors.
#include "common/tensor/fill.hpp"

#include <cmath>
#include <vector>

#include "common/tensor/data_type.hpp"
#include "common/tensor/segments.hpp"

namespace benchdnn {

uint64_t seed_of(const std::string &text) {
    uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a
    for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3ull;
    return hash;
}

void fill_elements(tensor_t &tensor, const std::function<double(dim_t index)> &value) {
    parallel_segments(tensor.layout(), [&](int, const segment_t &segment) {
        std::vector<double> values(segment.count);
        const dim_t index = segment.index(tensor.cols());
        for (dim_t i = 0; i < segment.count; ++i) values[i] = value(index + i);
        tensor.store_span(segment.row, segment.first, segment.count, values.data());
    });
}

void fill_operand(tensor_t &tensor, uint64_t seed) {
    const noise_t noise(seed);
    const dnnl_data_type_t type = tensor.layout().data_type();
    fill_elements(tensor, [&](dim_t index) {
        const double x = noise(index);
        const double magnitude = is_integer_type(type) ? 1 + std::floor(2.99 * std::fabs(x))
                                                       : 0.5 + 1.5 * std::fabs(x);
        return x < 0 && type != dnnl_u8 ? -magnitude : magnitude;
    });
}

void fill_condition(tensor_t &tensor, uint64_t seed) {
    const noise_t noise(seed);
    fill_elements(tensor, [&](dim_t index) { return noise(index) > 0; });
}

void fill_prior(tensor_t &tensor, dnnl_data_type_t type) {
    if (type == dnnl_data_type_undef) type = tensor.layout().data_type();
    parallel_segments(tensor.layout(), [&](int, const segment_t &segment) {
        const dim_t first = segment.index(tensor.cols());
        for (dim_t index = first; index < first + segment.count; ++index) {
            const auto at = static_cast<double>((index * 3 + index / 127) % 127);
            const double whole = type == dnnl_u8 ? std::floor(at / 2) : at - 63;
            tensor.store_as(type, index, is_integer_type(type) ? whole : whole / 16);
        }
    });
}

} // namespace benchdnn
