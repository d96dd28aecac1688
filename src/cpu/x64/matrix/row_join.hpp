// SPDX-License-Identifier: Apache-2.0
// The rows of a step of bytes, which lie apart, as the lanes that the step multiplies.
#pragma once

#include <optional>

#include "common/function_ref.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"

namespace kiln::x64::matrix {

/// Loads four rows of bytes. Takes two vectors while it exists, or one of AVX2.
class row_join_t {
public:
    row_join_t(jit::generator_t &g, jit::lanes_io_t &io);

    using place_t = function_ref_t<Xbyak::RegExp(int row)>;

    /// Each lane = the bytes of `rows` rows in its column, that of the first row lowest. What rows
    /// and columns are missing is zero. Needs a vector.
    void load(const Xbyak::Xmm &to, int rows, int count, const place_t &at) const;
    /// Whether load_pair() takes fewer instructions than two calls of load().
    bool has_pairs() const { return !groups_; }
    /// Of four rows, the columns of a whole vector, and those of the one behind it. Needs a vector.
    void load_pair(const Xbyak::Xmm &to, const Xbyak::Xmm &next, const place_t &at) const;

private:
    void load_whole(const Xbyak::Xmm &to, const place_t &at) const;
    void load_half_rows(const Xbyak::Ymm &to, const place_t &at, int row) const;
    void join_pairs_of_rows(const Xbyak::Ymm &pairs) const;

    jit::generator_t &g_;
    jit::lanes_io_t &io_;
    std::optional<jit::vec_t> groups_; // indices of the permutation between 128-bit lanes
    const jit::vec_t columns_;         // indices of the permutation within them
};

} // namespace kiln::x64::matrix
