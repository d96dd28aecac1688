// SPDX-License-Identifier: Apache-2.0
// Whether a problem's tensors fit the machine's memory.
#pragma once

#include "common/tensor/handles.hpp"

namespace benchdnn {

bool fits_available_memory(double bytes);
// With for_checks, the copies that the driver makes are counted too.
bool fits_memory(const primitive_desc_t &primitive_desc, bool for_checks);

} // namespace benchdnn
