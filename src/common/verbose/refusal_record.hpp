// SPDX-License-Identifier: Apache-2.0
// Reasons of refusals that a thread keeps (kiln/refusals.h), whatever verbose mode prints.
#pragma once

#include <atomic>
#include <string_view>

namespace kiln::verbose {

/// Whether any thread keeps reasons. While none does, a refusal costs one load more.
extern std::atomic<int> keeping_threads;

/// Whether the calling thread keeps reasons.
bool keeps_refusals();

/// Appends the line "WHO: REASON" to what the calling thread keeps, if there is room for it.
void keep_refusal(std::string_view who, std::string_view reason);

} // namespace kiln::verbose
