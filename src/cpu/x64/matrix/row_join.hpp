// SPDX-License-Identifier: Apache-2.0
// The rows of a step of bytes, which lie apart, as the lanes that the step multiplies.
#pragma once

#include "common/function_ref.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::matrix {

/// Loads four rows of bytes. Takes two vectors while it exists.
class row_join_t {
public:
    row_join_t(jit::generator_t &g, jit::lanes_io_t &io);

    /// Each lane = the bytes of `rows` rows in its column, that of the first row lowest. What rows
    /// and columns are missing is zero. Needs a vector.
    void load(const Xbyak::Xmm &to, int rows, int count,
            const function_ref_t<Xbyak::RegExp(int row)> &at) const;

private:
    void load_whole(const Xbyak::Xmm &to, const function_ref_t<Xbyak::RegExp(int row)> &at) const;

    jit::generator_t &g_;
    jit::lanes_io_t &io_;
    const jit::vec_t groups_, columns_; // indices of the two permutations
};

} // namespace kiln::x64::matrix
