// SPDX-License-Identifier: Apache-2.0
// The elementwise and binary functions by their definitions, on true values with their errors.
#pragma once

#include "support/interval.hpp"

namespace kiln::test {

interval_t eltwise(dnnl_alg_kind_t alg, float alpha, float beta, const interval_t &x,
        long double roundoff = 0x1p-24L);
/// Whether the function may be computed by a shorter form where its result is rounded to bf16 or
/// f16 next.
bool has_short_form(dnnl_alg_kind_t alg);
/// The result of an elementwise function, as it may be where it is rounded to the type next.
interval_t before_rounding(
        const interval_t &result, dnnl_alg_kind_t alg, dnnl_data_type_t rounded_to);
interval_t binary(dnnl_alg_kind_t alg, const interval_t &x, long double y);
/// The slope below zero is the weight.
interval_t prelu(const interval_t &x, long double weight, long double roundoff = 0x1p-24L);

} // namespace kiln::test
