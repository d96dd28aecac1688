// SPDX-License-Identifier: Apache-2.0
// The lnorm driver's door.
#pragma once

#include <memory>

#include "common/driver/driver.hpp"

namespace benchdnn::lnorm {

std::unique_ptr<driver_t> make_driver();

} // namespace benchdnn::lnorm
