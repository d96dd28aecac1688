// SPDX-License-Identifier: Apache-2.0
// Layer normalization on rows as a primitive: which problems it takes, and what its directions
// share.

#include "cpu/x64/layer_normalization/rows.hpp"

#include <numeric>

#include "common/integers.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/layer_normalization/accept.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"
#include "cpu/x64/store_policy.hpp"

namespace kiln::x64::layer_normalization {

void rows_plan_t::convert(size_t weights) {
    if (!converts_weights(operands[weights].type, rows.rows())) return;
    narrow_weights = operands[weights].type;
    operands.set_type(weights, dnnl_f32);
}

void rows_plan_t::describe(kernel_spec_t &spec, dim_t cut) const {
    spec.operands = operands.rows_of(rows);
    spec.run_length = rows.run_length();
    spec.rows_unit = std::gcd(rows.run_length(), cut);
}

bool rows_plan_t::may_bypass_caches(isa_t isa, size_t output, const addresses_t &bases) const {
    const data_type_t type = operands[output].type;
    return rows.pitches()[output] % jit::lanes_of(isa) == 0
           && operands.may_bypass_caches(bases, output, rows, non_temporal_alignment(isa, type));
}

cpu::shares_t rows_plan_t::shares_of_rows(dim_t row_bytes, dim_t length) const {
    return cpu::shares_of(rows.rows(), cpu::bytes_as_floats(row_bytes, length), most_block_rows);
}

std::string rows_plan_t::text_of_length(dim_t length) const {
    return rows.text() + " of " + std::to_string(length) + " elements";
}

refusal_t accept_rows(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan) {
    if (const refusal_t refusal = check_operands(pd)) return refusal;
    constexpr dim_t most_cols = dim_t(1) << 28; // a displacement of 32 bits reaches their floats
    if (pd.cols() > most_cols) return refused("rows have more than 2^28 elements");
    for (const memory_desc_t *md : tensors_of(pd))
        if (!is_zero(*md) && !has_dense_rows(*md))
            return refused("the normalized axis is not innermost in every tensor");
    if (pd.has_row_scale() && !is_plain(pd.row_scale()))
        return refused("the scales of rows have a blocked layout");
    return pd.is_forward() ? accept_rows_forward(pd, isa, plan)
                           : accept_rows_backward(pd, isa, plan);
}

} // namespace kiln::x64::layer_normalization
