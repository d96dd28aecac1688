// SPDX-License-Identifier: Apache-2.0
// A building block of kernels: packed integers become pairs of bf16, less their zero points.
#pragma once

#include <optional>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/matrix/groups.hpp"

namespace kiln::x64::matrix {

/// Half bytes are looked up in a table of bf16. The bits of a byte are those of a float whose unit
/// is their lowest bit; less the power above them, it has zeros in its lower half. Vectors are
/// those of AVX-512.
///
/// Registers: a table, and a mask if there are zero points; bytes: four vectors and a mask. For
/// each vector of columns a zero point, bytes two; bytes without zero points two in all. While a
/// lane is converted: two, with zero points or of bytes three.
class integer_pairs_t {
public:
    /// For `vectors` vectors of columns. Loads tables. bf16 has all differences from zero points.
    integer_pairs_t(
            jit::generator_t &g, data_type_t type, const group_operand_t &zero, int vectors);

    /// Emits the load of zero points: of `columns` columns of a vector, or of all vectors, at
    /// `at`.
    void load_zeros(jit::lanes_io_t &io, int vector, const jit::RegExp &at, int columns);
    void load_common_zero(jit::lanes_io_t &io, const jit::RegExp &at);

    /// Emits the conversion of a lane of each column of a vector: pairs of bf16, `pitch` bytes from
    /// pair to pair. The pairs of half bytes are elements 0 4, 1 5, 2 6 and 3 7 along K, those of
    /// bytes 0 1 and 2 3.
    void convert(const jit::RegExp &from, int vector, const jit::RegExp &to, int pitch);

private:
    void load_table();
    void load_places();
    void convert_half_bytes(const jit::Xmm &integers, int vector, const jit::RegExp &to, int pitch);
    void convert_differences(
            const jit::Xmm &integers, int vector, const jit::RegExp &to, int pitch);
    void convert_bytes(const jit::Xmm &integers, int vector, const jit::RegExp &to, int pitch);
    void add_bases(const jit::vec_t &even, const jit::vec_t &odd);
    float base_of(int place) const;
    bool is_signed() const { return type_ == dnnl_s8 || type_ == dnnl_s4; }

    jit::generator_t &g_;
    const data_type_t type_;
    const group_operand_t zero_;
    jit::vecs_t tables_; // half bytes: values, and a mask; bytes: masks and powers of two places
    jit::vecs_t zeros_;  // bytes: for each place, with its base
    std::optional<jit::mask_t> lower_words_;
};

} // namespace kiln::x64::matrix
