// SPDX-License-Identifier: Apache-2.0
// The graph driver: operations and what the library fuses of them, from JSON files.
#pragma once

#include <memory>

#include "common/driver/driver.hpp"

namespace benchdnn::graph {

std::unique_ptr<driver_t> make_driver();

} // namespace benchdnn::graph
