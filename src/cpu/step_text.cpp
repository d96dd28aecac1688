// SPDX-License-Identifier: Apache-2.0
// Plans that consist of other primitives, as text.

#include "cpu/step_text.hpp"

#include <sstream>

#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::cpu {

std::string step_text(const std::string &what, const primitive_desc_t &step) {
    std::string text = what + " by " + dnnl_prim_kind2str(step.kind()) + " "
                       + step.implementation_name() + "\n";
    std::istringstream plan(step.plan_text());
    for (std::string line; std::getline(plan, line);) text += "  " + line + "\n";
    return text;
}

} // namespace kiln::cpu
