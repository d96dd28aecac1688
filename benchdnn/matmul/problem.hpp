// SPDX-License-Identifier: Apache-2.0
// One problem of the matmul driver: what it is, and how it is created, filled and checked.
#pragma once

#include <string>
#include <vector>

#include "common/driver/tensor_knobs.hpp"
#include "common/products/product_knobs.hpp"
#include "common/run/primitive_problem.hpp"

namespace benchdnn::matmul {

using strides_t = std::array<dims_t, 3>; // of src, weights, dst; empty: the tag gives the layout

struct bias_t {
    dnnl_data_type_t type = dnnl_data_type_undef; // undef: there is none
    int mask = 2;                                 // bit d: dst's extent along axis d, not 1
};

// Bit d: dimension d is known only at execution.
struct runtime_dims_t {
    unsigned src = 0, weights = 0;
};

struct spec_t : product_spec_t {
    dims_t src, weights;
    std::string name;
    strides_t strides;
    runtime_dims_t runtime_dims;
    std::string encoding, grouped; // sparse tensors, grouped memory; "" or "::": none
    bias_t bias;

    dims_t dst() const;
    dims_t bias_dims() const;
    int ndims() const { return static_cast<int>(src.size()); }
    bool has_bias() const { return bias.type != dnnl_data_type_undef; }
    bool has_plain_memory() const;
    bool has_runtime_dims() const { return runtime_dims.src != 0 || runtime_dims.weights != 0; }
};

std::string strides_text(const strides_t &strides);
std::string runtime_dims_text(const runtime_dims_t &masks);

class matmul_problem_t final : public primitive_problem_t {
public:
    matmul_problem_t(spec_t spec, problem_settings_t settings);

    std::string knobs_text(bool canonical) const override;
    std::string descriptor_text(bool) const override;
    std::string field(const std::string &name) const override;
    double operations() const override;
    multiplication_t multiplication() const override;
    std::string skip_reason() const override;
    attribute_target_t attribute_target() const override;
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override;
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override;
    std::vector<comparison_t> compare(const arguments_t &arguments) const override;

private:
    // With the run-time dims left open, or as an execution has them.
    memory_desc_t descriptor(int id, bool is_open) const;
    void fill(arguments_t &arguments) const;

    spec_t spec_;
};

// Implemented in compare.cpp.
// Whether factors may be rounded to bf16 or f16: the fpmath mode permits it, or integer weights are
// decompressed to src's type.
bool may_round_factors(const spec_t &spec, const attributes_t &attributes);
std::vector<comparison_t> compare(
        const spec_t &spec, const attributes_t &attributes, const arguments_t &arguments);

} // namespace benchdnn::matmul
