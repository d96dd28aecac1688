// SPDX-License-Identifier: Apache-2.0
// A kernel of normalization forward on rows, with operands to run it on. It must not know what the
// results should be.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cpu/x64/jit/lazy_code.hpp"
#include "cpu/x64/normalization/row_forward_kernel.hpp"
#include "kernels/row_tensor.hpp"

namespace kiln::x64::normalization::test {

/// What a test asks of a kernel and its operands.
struct forward_case_t {
    isa_t isa = isa_t::avx2;
    dim_t rows = 1;
    dim_t cols = 1;
    data_type_t src_type = dnnl_f32;
    data_type_t dst_type = dnnl_f32;
    data_type_t scale_type = dnnl_data_type_undef;
    data_type_t shift_type = dnnl_data_type_undef;
    statistics_t statistics = statistics_t::computed_and_stored;
    bool is_rms = false;
    float epsilon = 1e-5f;
    bool has_src_scale = false;
    bool has_dst_scale = false;
    bool is_streamed = false;
    bool is_in_place = false; // where src and dst are of one type
    dim_t gap = 0;            // elements between the rows of src; other operands have other gaps
    placement_t placement = placement_t::ends_at_guard;

    row_forward_spec_t spec() const;
    std::string describe() const;
};

/// The operands hold canaries until they are filled.
class forward_run_t {
public:
    explicit forward_run_t(const forward_case_t &tested);

    /// All rows in one call.
    void run() { run(0, tested_.rows); }
    /// One call on the rows from `first` on.
    void run(dim_t first, dim_t rows);

    const forward_case_t &tested() const { return tested_; }
    row_tensor_t &dst() { return dst_ ? *dst_ : src; }
    bool stores_past_caches();
    /// Nothing but results was written.
    bool has_intact_gaps();
    /// The bits of dst, mean and variance of a row.
    std::vector<std::byte> result_bits(dim_t row);

private:
    const forward_case_t tested_;
    const row_forward_spec_t spec_;
    std::array<jit::lazy_code_t, 2> codes_; // for ordinary and for non-temporal stores

public:
    row_tensor_t src, mean, variance, scale, shift, src_scale, dst_scale;
    bool may_store_past_caches = true;

private:
    std::optional<row_tensor_t> dst_;
};

/// The levels that the machine has.
std::vector<isa_t> machine_levels();

} // namespace kiln::x64::normalization::test
