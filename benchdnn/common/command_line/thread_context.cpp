// SPDX-License-Identifier: Apache-2.0
// --ctx-init and --ctx-exe.
#include "common/command_line/thread_context.hpp"

#include <vector>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

int parse_part(const std::string &text, int64_t least) {
    if (text == "auto") return thread_context_t::automatic;
    const integers_t range{least, thread_counts.most};
    if (!is_integer_text(text))
        throw bad_value_t(text, "an integer " + range_text(range) + " or auto is expected");
    return static_cast<int>(parse_number(text, range));
}

std::string part_text(int value) {
    return value == thread_context_t::automatic ? "auto" : std::to_string(value);
}

} // namespace

bool thread_context_t::is_automatic() const {
    return concurrency == automatic && core_type == automatic && threads_per_core == automatic;
}

std::string thread_context_t::text() const {
    std::string text = part_text(concurrency);
    if (core_type != automatic || threads_per_core != automatic) text += ":" + part_text(core_type);
    if (threads_per_core != automatic) text += ":" + part_text(threads_per_core);
    return text;
}

thread_context_t parse_thread_context(const std::string &text) {
    const std::vector<std::string> parts = split(text, ':');
    if (parts.size() > 3)
        throw bad_value_t(text, "MAX_CONCURRENCY[:CORE_TYPE[:THREADS_PER_CORE]] is expected");
    thread_context_t context;
    context.concurrency = parse_part(parts[0], 1);
    if (parts.size() > 1) context.core_type = parse_part(parts[1], 0);
    if (parts.size() > 2) context.threads_per_core = parse_part(parts[2], 1);
    return context;
}

} // namespace benchdnn
