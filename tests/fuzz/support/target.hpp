// SPDX-License-Identifier: Apache-2.0
// The entry points of a target, called by libFuzzer and by the replay program.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
