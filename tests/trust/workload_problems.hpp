// SPDX-License-Identifier: Apache-2.0
// What the problems of the workload share: pseudo-random numbers, tensors' values, execution.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "oneapi/dnnl/dnnl.hpp"

namespace kiln::test::workload {

using dnnl::engine;
using dnnl::memory;
using dnnl::primitive_attr;
using dnnl::prop_kind;
using type_t = memory::data_type;
using tag_t = memory::format_tag;
using dims_t = memory::dims;

/// Pseudo-random numbers (splitmix64).
class random_t {
public:
    explicit random_t(uint64_t seed)
        : state_(seed) {}
    uint64_t next() {
        uint64_t value = state_ += 0x9e3779b97f4a7c15;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
        value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
        return value ^ (value >> 31);
    }
    /// A number of [low, high].
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
    }
    template <typename value_t> value_t one_of(std::initializer_list<value_t> values) {
        return values.begin()[next() % values.size()];
    }

private:
    uint64_t state_;
};

inline type_t float_type(random_t &random) {
    return random.one_of({type_t::f32, type_t::bf16, type_t::f16});
}

/// Values from 0.5 to 2 in floating-point types, any in integers.
void fill(std::byte *data, size_t size, type_t type, random_t &random);

/// FNV-1a, on words.
uint64_t hash(uint64_t state, const std::byte *data, size_t size);
inline constexpr uint64_t first_hash = 0xcbf29ce484222325;

/// Executes a primitive with tensors for each argument that its descriptor has. Returns a hash of
/// all bytes but those of the scratchpad.
uint64_t execute(const engine &engine, const dnnl::primitive_desc_base &desc,
        const dnnl::primitive &primitive, random_t &random);

using problem_t = uint64_t (*)(const engine &engine, random_t &random);

// Each file's problems.
uint64_t elementwise(const engine &engine, random_t &random);
uint64_t product(const engine &engine, random_t &random);
uint64_t graph(const engine &engine, random_t &random);

} // namespace kiln::test::workload
