// SPDX-License-Identifier: Apache-2.0
// The functions of kiln/refusals.h: a list of reasons for each thread that asks for it.

#include "common/verbose/refusal_record.hpp"

#include <atomic>

#include "kiln/refusals.h"

namespace kiln::verbose {

namespace {

// How many threads keep reasons. While it is 0, keeps_refusals() does not touch the thread's own
// variables. A thread that ends without having stopped stays counted.
constinit std::atomic<int> keeping_threads{0};

constexpr std::string_view last_line = "(more)\n";

// What the thread keeps.
constinit thread_local bool is_keeping = false, is_full = false;
constinit thread_local size_t length = 0;
constinit thread_local char text[refusal_record_size] = "";

void append(std::string_view part) {
    part.copy(text + length, part.size());
    length += part.size();
    text[length] = '\0';
}

} // namespace

bool keeps_refusals() { return keeping_threads.load(std::memory_order_relaxed) != 0 && is_keeping; }

void keep_refusal(std::initializer_list<std::string_view> parts) {
    if (!keeps_refusals() || is_full) return;
    const std::string_view end = "\n";
    size_t size = end.size();
    for (const std::string_view part : parts) size += part.size();
    is_full = size + last_line.size() >= sizeof(text) - length;
    if (is_full) return append(last_line);
    for (const std::string_view part : parts) append(part);
    append(end);
}

} // namespace kiln::verbose

using namespace kiln::verbose;

void kiln_record_refusals(int on) {
    const bool is_on = on != 0;
    if (is_on) {
        is_full = false;
        length = 0;
        text[0] = '\0';
    }
    if (is_on != is_keeping) keeping_threads += is_on ? 1 : -1;
    is_keeping = is_on;
}

const char *kiln_recorded_refusals(void) { return text; }
