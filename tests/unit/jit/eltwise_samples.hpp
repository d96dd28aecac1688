// SPDX-License-Identifier: Apache-2.0
// Generated elementwise functions applied to arrays, and the arguments that they are tested with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cpu/x64/jit/generator.hpp"
#include "unit/jit/eltwise_functions.hpp"

namespace kiln::test {

/// Writes a function of the vector it is given.
using writer_t = std::function<void(x64::jit::generator_t &g, const Xbyak::Xmm &vec)>;

writer_t writer_of(
        dnnl_alg_kind_t alg, float alpha, float beta, dnnl_data_type_t rounded_to = dnnl_f32);
/// The function of each of the values.
std::vector<float> apply(x64::isa_t isa, const writer_t &write, std::vector<float> values);

/// Every exponent, the part of the axis where most functions bend, and the neighbours of the places
/// where code or results change.
const std::vector<float> &samples();

/// The function's name and parameters.
std::string title(const function_t &function, float alpha, float beta);

} // namespace kiln::test
