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
    if (is_half_byte(tensor.layout().data_type())) { // segments may end within a byte
        for (dim_t i = 0; i < tensor.layout().elements(); ++i) tensor.store(i, value(i));
        return;
    }
    parallel_segments(tensor.layout(), [&](int, const segment_t &segment) {
        std::vector<double> values(segment.count);
        const dim_t index = segment.index(tensor.cols());
        for (dim_t i = 0; i < segment.count; ++i) values[i] = value(index + i);
        tensor.store_span(segment.row, segment.first, segment.count, values.data());
    });
}

namespace {

// Magnitudes in [0.5, 2], multiples of `step`; 1, 2 or 3 for integers.
void fill_magnitudes(tensor_t &tensor, uint64_t seed, double step) {
    const noise_t noise(seed);
    const dnnl_data_type_t type = tensor.layout().data_type();
    const bool has_sign = type != dnnl_u8 && type != dnnl_u4 && type != dnnl_e8m0;
    fill_elements(tensor, [&](dim_t index) {
        const double x = noise(index), size = 0.5 + 1.5 * std::fabs(x);
        const double magnitude = is_integer_type(type) ? 1 + std::floor(2.99 * std::fabs(x))
                                 : step == 0           ? size
                                                       : std::round(size / step) * step;
        return x < 0 && has_sign ? -magnitude : magnitude;
    });
}

} // namespace

void fill_operand(tensor_t &tensor, uint64_t seed) { fill_magnitudes(tensor, seed, 0); }

void fill_quantities(tensor_t &tensor, uint64_t seed) { fill_magnitudes(tensor, seed, 0.125); }

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
