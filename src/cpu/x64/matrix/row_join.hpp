// SPDX-License-Identifier: Apache-2.0
// The rows of a step of B, which lie apart, as the lanes that the step multiplies.
#pragma once

#include "common/function_ref.hpp"
#include "common/memory/data_type.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::matrix {

/// Loads four rows of 8-bit elements, or two of 16-bit ones. Takes two vectors while it exists.
class row_join_t {
public:
    row_join_t(jit::generator_t &g, jit::lanes_io_t &io, data_type_t type);

    int rows() const { return 4 / size_; }
    /// Each lane = the elements of `rows` rows in its column, those of the first row lowest. What
    /// rows and columns are missing is zero. Needs a vector.
    void load(const Xbyak::Xmm &to, int rows, int count,
            const function_ref_t<Xbyak::RegExp(int row)> &at) const;

private:
    void load_whole(const Xbyak::Xmm &to, const function_ref_t<Xbyak::RegExp(int row)> &at) const;

    jit::generator_t &g_;
    jit::lanes_io_t &io_;
    const int size_;              // bytes of an element
    jit::vec_t groups_, columns_; // indices of the two permutations
};

} // namespace kiln::x64::matrix
