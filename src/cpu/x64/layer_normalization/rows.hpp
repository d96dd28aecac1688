// SPDX-License-Identifier: Apache-2.0
// Layer normalization on rows as a primitive: what its directions share.
#pragma once

#include <string>

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "cpu/parallel.hpp"
#include "cpu/x64/layer_normalization/specs.hpp"
#include "cpu/x64/operands.hpp"

namespace kiln::x64::layer_normalization {

/// Rows of a forward kernel's row block at most.
constexpr dim_t most_block_rows = 4;

struct rows_plan_t {
    rows_plan_t(const operands_t &of_kernel, row_plan_t loops)
        : operands(of_kernel)
        , rows(std::move(loops)) {}

    operands_t operands;
    row_plan_t rows;
    data_type_t narrow_weights = dnnl_data_type_undef; // undef: weights are not converted

    bool has_narrow_weights() const { return narrow_weights != dnnl_data_type_undef; }
    /// Lets kernels read a vector of weights as floats, if converting it pays.
    void convert(size_t weights);
    /// Sets operands and runs of rows that are cut at multiples of `cut` rows.
    void describe(kernel_spec_t &spec, dim_t cut) const;
    /// Whether non-temporal stores may write an output. They may write null, which stands for an
    /// aligned buffer.
    bool may_bypass_caches(isa_t isa, size_t output, const addresses_t &bases) const;
    /// Shares of rows of `length` elements that the tensors of a forward pass have in `row_bytes`.
    cpu::shares_t shares_of_rows(dim_t row_bytes, dim_t length) const;
    /// "4096 rows in 8 runs of 512 of 768 elements".
    std::string text_of_length(dim_t length) const;
};

refusal_t accept_rows_forward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);
refusal_t accept_rows_backward(layer_normalization_pd_t &pd, isa_t isa, plan_ptr_t &plan);

} // namespace kiln::x64::layer_normalization
