// SPDX-License-Identifier: Apache-2.0
// Reasons of refusals that a thread keeps (kiln/refusals.h), whatever verbose mode prints.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace kiln::verbose {

/// Bytes that a thread has for its reasons.
constexpr size_t refusal_record_size = 4096;

/// Whether the calling thread keeps reasons.
bool keeps_refusals();

/// Appends a line, given in parts, to the reasons of the calling thread, if it keeps them. From the
/// first line on that does not fit, nothing is appended but the line "(more)". Allocates nothing.
void keep_refusal(std::initializer_list<std::string_view> parts);

} // namespace kiln::verbose
