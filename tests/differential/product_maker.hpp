// SPDX-License-Identifier: Apache-2.0
// What random problems of matrix multiplication and of inner products share: sums of products,
// scales and zero points, and what becomes of sums on their way to dst.
//
// Sums of integers are exact. An element and its zero point are terms of their own, since kernels
// multiply them one by one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "differential/problem.hpp"

namespace kiln::test::differential {

struct product_types_t {
    dnnl_data_type_t src, weights, dst;
};
product_types_t float_types(random_t &random);
product_types_t integer_types(random_t &random);

/// An element without its zero point and with its scale; (|element| + |zero point|) * scale.
struct factor_t {
    long double value, size;
};

/// A sum of products and the sum of their magnitudes.
struct product_sum_t {
    long double value = 0, size = 0, squares = 0;
    void add(const factor_t &a, const factor_t &b) {
        const long double term = a.size * b.size;
        value += a.value * b.value;
        size += term;
        squares += term * term;
    }
    interval_t interval(int64_t terms, bool is_exact, bool repeats, long double roundoff) const;
};

/// The row-major index of an element of a tensor among quantities that have extents of their own:
/// the tensor's, divisors of them, or 1.
size_t place(const dims_t &index, const dims_t &tensor, const dims_t &extents);

template <typename visitor_t> void for_each(const dims_t &dims, visitor_t visit) {
    dims_t index(dims.size(), 0);
    for (int64_t i = volume(dims); i > 0; --i) {
        visit(index);
        for (size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
    }
}

/// Scales or zero points of a tensor.
struct quantity_t {
    int kind, arg; // DNNL_ARG_ATTR_SCALES or ..._ZERO_POINTS; DNNL_ARG_SRC, ...
    int mask = 0;
    dnnl_data_type_t type = dnnl_f32;
    dims_t groups = {}; // of the last two axes
    bool is_on_host = false;
    std::vector<double> values = {};

    bool is_scale() const { return kind == DNNL_ARG_ATTR_SCALES; }
    dims_t extents(const dims_t &tensor) const;
    void set(dnnl_primitive_attr_t attr) const;
    std::string text() const;
};
using quantities_t = std::vector<quantity_t>;

class product_maker_t {
public:
    product_maker_t(random_t &random, regions_t &regions)
        : random_(random)
        , regions_(regions)
        , problem_(std::make_unique<problem_t>()) {}

protected:
    /// A descriptor of any layout; dense ones, also transposed, are those that kernels take.
    memory_desc_handle_t layout(const dims_t &dims, dnnl_data_type_t type, bool is_input);
    operand_t &add_input(int arg, const std::string &name);
    operand_t &add_dst(dnnl_data_type_t type, const chain_t &chain);
    void add_quantities(quantities_t &quantities);
    static std::vector<factor_t> factors(
            const operand_t &operand, const quantities_t &quantities = {});
    /// What becomes of sums: bias, post-ops, the scales and zero points of dst.
    void finish(operand_t &dst, std::vector<interval_t> sums, const operand_t *bias,
            const quantities_t &quantities, const chain_t &chain);

    random_t &random_;
    regions_t &regions_;
    std::unique_ptr<problem_t> problem_;
    long double roundoff_ = 0x1p-24L; // of sums and what follows
    bool repeats_ = false;            // some input has elements at one place

private:
    void add_bias(std::vector<interval_t> &sums, const operand_t &bias, const operand_t &dst) const;
    void quantize(std::vector<interval_t> &values, const operand_t &dst,
            const quantity_t &quantity) const;
};

} // namespace kiln::test::differential
