// SPDX-License-Identifier: Apache-2.0
// The dropout attribute by its definition: mask = random > probability, and
// dst = mask ? value / (1 - probability) : 0, before post-ops.
#pragma once

#include "common/primitive/primitive.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {

/// A random number that follows from the element's index and the seed alone.
uint32_t random_word(uint64_t index, uint32_t seed);

/// Made once for a primitive whose attributes request dropout.
class dropout_filter_t {
public:
    explicit dropout_filter_t(const primitive_desc_t &pd);

    /// The value at logical `position` of dst after dropout; stores its element of the mask.
    double apply(double value, const dim_t *position, const exec_ctx_t &ctx) const;

private:
    int ndims_;
    dims_t dims_; // of dst
    tensor_t mask_;
    data_type_t seed_type_;
    int probability_slot_, seed_slot_, offset_slot_, mask_slot_; // -1: absent
};

} // namespace kiln::cpu::reference
