// SPDX-License-Identifier: Apache-2.0
// The reorder driver's door.
#pragma once

#include <memory>

#include "common/driver/driver.hpp"

namespace benchdnn::reorder {

std::unique_ptr<driver_t> make_driver();

} // namespace benchdnn::reorder
