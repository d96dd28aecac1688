// SPDX-License-Identifier: Apache-2.0
// The bnorm driver's door.
#pragma once

#include <memory>

#include "common/driver/driver.hpp"

namespace benchdnn::bnorm {

std::unique_ptr<driver_t> make_driver();

} // namespace benchdnn::bnorm
