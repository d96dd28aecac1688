// SPDX-License-Identifier: Apache-2.0
// The list of drivers. A driver is a folder with a make_driver() and a name here.
#include "common/driver/driver.hpp"

#define KILN_FOR_EACH_DRIVER(apply)                                                                \
    apply(binary) apply(bnorm) apply(concat) apply(eltwise) apply(gnorm) apply(graph) apply(ip)    \
            apply(lnorm) apply(matmul) apply(prelu) apply(reduction) apply(reorder) apply(shuffle) \
                    apply(softmax) apply(sum)

namespace benchdnn {

#define KILN_DECLARE(driver)                                                                       \
    namespace driver {                                                                             \
    std::unique_ptr<driver_t> make_driver();                                                       \
    }
KILN_FOR_EACH_DRIVER(KILN_DECLARE)

std::vector<std::unique_ptr<driver_t>> make_drivers() {
    std::vector<std::unique_ptr<driver_t>> drivers;
#define KILN_MAKE(driver) drivers.push_back(driver::make_driver());
    KILN_FOR_EACH_DRIVER(KILN_MAKE)
    return drivers;
}

} // namespace benchdnn
