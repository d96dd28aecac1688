// SPDX-License-Identifier: Apache-2.0
// Normalizations of tensors without elements.
#pragma once

#include <memory>

#include "common/primitive/implementation.hpp"

namespace kiln::cpu::reference {

/// What is computed from no element is 0: statistics, rows' scales, gradients of scale and shift.
std::unique_ptr<primitive_impl_t> make_empty_normalization();

} // namespace kiln::cpu::reference
