// SPDX-License-Identifier: Apache-2.0
// The list of drivers.
#include "bnorm/driver.hpp"
#include "common/driver/driver.hpp"
#include "gnorm/driver.hpp"
#include "graph/driver.hpp"
#include "lnorm/driver.hpp"
#include "reorder/driver.hpp"

namespace benchdnn {

std::vector<std::unique_ptr<driver_t>> make_drivers() {
    std::vector<std::unique_ptr<driver_t>> drivers;
    drivers.push_back(bnorm::make_driver());
    drivers.push_back(gnorm::make_driver());
    drivers.push_back(graph::make_driver());
    drivers.push_back(lnorm::make_driver());
    drivers.push_back(reorder::make_driver());
    return drivers;
}

} // namespace benchdnn
