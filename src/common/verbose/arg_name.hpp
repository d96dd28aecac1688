// SPDX-License-Identifier: Apache-2.0
// Names of execution arguments for messages.
#pragma once

#include <string>

namespace kiln {

/// The constants that an argument's number is made of, e.g. "DNNL_ARG_DST" or
/// "DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC".
std::string arg_name(int arg);

} // namespace kiln
