// SPDX-License-Identifier: Apache-2.0
// Options of the run: what follows from them.
#include "common/command_line/options.hpp"

#include <algorithm>

#include "common/command_line/knobs_text.hpp"
#include "oneapi/dnnl/dnnl_types.h"

namespace benchdnn {

bool impl_filter_t::accepts(const std::string &implementation) const {
    if (pieces.empty()) return true;
    const bool found = std::any_of(pieces.begin(), pieces.end(), [&](const std::string &piece) {
        return implementation.find(piece) != std::string::npos;
    });
    return found != is_skip_list;
}

std::string impl_filter_t::knob_text() const {
    if (pieces.empty()) return "";
    return std::string(is_skip_list ? "--skip-impl=" : "--impl=") + join(pieces, ",") + " ";
}

unsigned device_t::stream_flags() const {
    if (stream_kind == "in_order") return dnnl_stream_in_order;
    if (stream_kind == "out_of_order") return dnnl_stream_out_of_order;
    return dnnl_stream_default_flags;
}

bool options_t::uses_constant_data() const {
    const bool nothing_is_checked = !mode.checks_outputs() && threads.size() < 2 && !checksum;
    return nothing_is_checked
           && (modifier.constant_data || mode.execute || mode.fast || mode.simulation);
}

std::string options_t::skip_reason() const {
    if (device.memory_kind != "usm")
        return "--memory-kind=" + device.memory_kind + " is for SYCL and OpenCL";
    if (device.execution_mode != "direct")
        return "--execution-mode=" + device.execution_mode + " is for SYCL";
    if (device.streams > 1) return "--num-streams above 1 is for GPUs";
    if (cold_cache.mode == cold_cache_settings_t::mode_t::custom)
        return "--cold-cache=custom is not supported: no arguments are chosen in the source";
    return "";
}

namespace {

std::string thread_counts_text(const std::vector<int> &counts) {
    std::vector<std::string> pieces;
    for (const int count : counts) pieces.push_back(std::to_string(count));
    return join(pieces, ",");
}

} // namespace

std::string options_t::leading_knobs_text() const {
    const options_t standard;
    knobs_text_t knobs(canonical);
    knobs.add("mode", mode.letters(), standard.mode.letters());
    knobs.add("mode-modifier", modifier.letters(), standard.modifier.letters());
    knobs.add("max-ms-per-prb", number_text(max_ms_per_problem),
            number_text(standard.max_ms_per_problem));
    knobs.add(
            "fix-times-per-prb", std::to_string(fixed_times), std::to_string(standard.fixed_times));
    knobs.add("cold-cache", cold_cache.text, standard.cold_cache.text);
    knobs.add_given("roof", roof ? "true" : "");
    knobs.add_given("threads", thread_counts_text(threads));
    return knobs.text;
}

std::string options_t::trailing_knobs_text() const {
    const options_t standard;
    knobs_text_t knobs(canonical);
    if (canonical) knobs.text += "--canonical=true --engine=cpu ";
    knobs.add("mem-check", memory_check, standard.memory_check);
    knobs.add("allow-enum-tags-only", enumerated_tags_only, standard.enumerated_tags_only);
    knobs.add("fast-ref", fast_reference, standard.fast_reference);
    knobs.add("check-ref-impl", check_reference, standard.check_reference);
    knobs.add("attr-same-pd-check", check_same_descriptor, standard.check_same_descriptor);
    knobs.add("cpu-isa-hints", device.isa_hints, standard.device.isa_hints);
    knobs.add("stream-kind", device.stream_kind, standard.device.stream_kind);
    knobs.add("memory-kind", device.memory_kind, standard.device.memory_kind);
    knobs.add("execution-mode", device.execution_mode, standard.device.execution_mode);
    knobs.add(
            "num-streams", std::to_string(device.streams), std::to_string(standard.device.streams));
    knobs.add("buffer-prefix", buffer_prefix, standard.buffer_prefix);
    knobs.add("ctx-init", creation_context[0].text(), standard.creation_context[0].text());
    knobs.add("ctx-exe", execution_context[0].text(), standard.execution_context[0].text());
    return knobs.text;
}

std::string default_options_text() {
    const options_t standard;
    options_t all;
    all.canonical = true;
    knobs_text_t knobs(true);
    knobs.text = all.leading_knobs_text() + all.trailing_knobs_text();
    const auto add = [&](const char *name, const auto &value) { knobs.add(name, value, value); };
    // Those that reproduction lines do not have.
    add("canonical", standard.canonical);
    add("checksum", standard.checksum);
    add("disasm", standard.disassemble);
    add("explain", standard.explain);
    add("roof", standard.roof);
    add("table", standard.table);
    add("repeats-per-prb", std::to_string(standard.repeats));
    add("start", std::to_string(standard.start));
    add("verbose", std::to_string(standard.verbosity));
    add("progress", std::string("auto"));
    add("summary", std::string("failures"));
    return knobs.text;
}

std::vector<options_t> thread_context_combinations(const options_t &options) {
    std::vector<options_t> all;
    for (const thread_context_t &creation : options.creation_context)
        for (const thread_context_t &execution : options.execution_context) {
            all.push_back(options);
            all.back().creation_context = {creation};
            all.back().execution_context = {execution};
        }
    return all;
}

} // namespace benchdnn
