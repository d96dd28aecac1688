// SPDX-License-Identifier: Apache-2.0
// The gnorm driver's door.
#pragma once

#include <memory>

#include "common/driver/driver.hpp"

namespace benchdnn::gnorm {

std::unique_ptr<driver_t> make_driver();

} // namespace benchdnn::gnorm
