// SPDX-License-Identifier: Apache-2.0
// The functions of kiln/refusals.h: a list of reasons for each thread that asks for it.

#include "common/verbose/refusal_record.hpp"

#include <cstddef>

#include "kiln/refusals.h"

namespace kiln::verbose {

namespace {

// What the thread keeps. A thread that ends meanwhile stays counted: then refusals in other threads
// look at their own variables in vain.
constinit thread_local bool is_keeping = false;
constinit thread_local size_t length = 0;
// No allocation: calls are refused when memory has run out, too.
constinit thread_local char text[4096] = "";

void append(std::string_view part) {
    part.copy(text + length, part.size());
    length += part.size();
    text[length] = '\0';
}

} // namespace

constinit std::atomic<int> keeping_threads{0};

bool keeps_refusals() { return keeping_threads.load(std::memory_order_relaxed) != 0 && is_keeping; }

void keep_refusal(std::string_view who, std::string_view reason) {
    const std::string_view between = ": ", end = "\n";
    if (who.size() + between.size() + reason.size() + end.size() >= sizeof(text) - length) return;
    for (const std::string_view part : {who, between, reason, end}) append(part);
}

} // namespace kiln::verbose

using namespace kiln::verbose;

void kiln_record_refusals(int on) {
    const bool is_on = on != 0;
    if (is_on) {
        length = 0;
        text[0] = '\0';
    }
    if (is_on != is_keeping) keeping_threads += is_on ? 1 : -1;
    is_keeping = is_on;
}

const char *kiln_recorded_refusals(void) { return text; }
