// SPDX-License-Identifier: Apache-2.0
// The kernel that makes integers of three digits of the floats of a row.
#pragma once

#include <cstdint>
#include <string>

#include "common/types.hpp"
#include "cpu/x64/jit/generator.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "cpu/x64/matrix/step.hpp"

namespace kiln::x64::matrix {

struct digit_spec_t {
    isa_t isa; // with AVX-512 and has_vnni()
    data_type_t src_type;
    step_t step;
    int shift;    // what is added to elements of B
    int tail = 0; // elements of the last vector of a group if it is partial; else 0

    /// E.g. matrix_digits8_a_bf16_avx512_core_vnni.
    std::string name() const;
};

/// A group of a row.
struct digit_args_t {
    const void *src; // the elements are adjacent
    void *dst;       // digit_places bytes for each element, up to eight elements
    dim_t vectors;   // whole ones
    dim_t has_tail;  // whether the partial one follows
    float *scale;
    float *sum;        // of the integers
    int32_t *of_shift; // digit_places: -shift times the sum of each digit; the last one is 0
};

/// Each element x of a group becomes the integer q next to x / scale. The scale is the power of two
/// with which the greatest |q| lies between 2^22 / 1.008 and 2^23 / 1.008, and 2^-126 at least. So
/// q * scale is x if x is a bf16 whose exponent is at most 14 below the greatest one of the group,
/// or an f16 at most 11 below.
///
/// Where an element is infinite or NaN, the scale is infinite or NaN; q is then 1 or -1 for these
/// elements and 0 for the others.
///
/// q = d0 + 256 d1 + 65536 d2 with digits from -128 to 127. They lie so: for each four elements a
/// lane of 32 bits with the elements' d0, one with their d1, one with their d2, and one of zeros.
/// The four elements are adjacent. With step_t::digits8 they are elements 0, 2, 4 and 6 of a step
/// of eight; those of the next four lanes are elements 1, 3, 5 and 7.
class digit_kernel_t : public jit::generator_t {
public:
    explicit digit_kernel_t(const digit_spec_t &spec);

private:
    void generate() override;
    template <typename body_t> void for_each_vector(const body_t &body);
    void find_greatest(const Xmm &bits);
    void write_integers(const Xmm &greatest);
    void write_signs(const Xmm &greatest);
    void store_digits(const Xmm &integers, const RegExp &at, int count);
    void store_sum();

    const digit_spec_t spec_;
    jit::lanes_io_t io_;
    jit::vecs_t vecs_; // order of elements, ones, sums
};

} // namespace kiln::x64::matrix
