// SPDX-License-Identifier: Apache-2.0
// The library's environment variables, under both prefixes.
#pragma once

#include <optional>
#include <string>

namespace kiln {

/// The value of `ONEDNN_<name>`, or else of `DNNL_<name>`, in lower case, since all of these
/// variables hold keywords and numbers. A variable that is set but empty counts as not set.
std::optional<std::string> environment_value(const char *name);

/// The same as a decimal number: what the value begins with, 0 where that is no digit; `fallback`
/// where the variable is not set or the number does not fit an int.
int environment_int(const char *name, int fallback);

} // namespace kiln
