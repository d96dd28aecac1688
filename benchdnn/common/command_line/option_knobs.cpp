// SPDX-License-Identifier: Apache-2.0
// The table of the knobs that belong to the run.
#include <algorithm>
#include <utility>

#include "common/command_line/options.hpp"
#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

constexpr numbers_t measuring_ms{10, 60000};
constexpr integers_t verbosities{0, 1000};

int parse_thread_count(const std::string &text) {
    return static_cast<int>(parse_number(text, thread_counts));
}

summary_t parse_summary(const std::string &text, summary_t summary, bool &table) {
    for (std::string piece : split(text, '+')) {
        const bool wanted = piece.rfind("no-", 0) != 0;
        if (!wanted) piece.erase(0, 3);
        if (piece == "failures")
            summary.failures = wanted;
        else if (piece == "impl")
            summary.implementations = wanted;
        else if (piece == "impl-csv")
            summary.implementations_csv = wanted;
        else if (piece == "table")
            table = wanted;
        else
            throw bad_value_t(piece, "", {"failures", "impl", "impl-csv", "table"});
    }
    return summary;
}

void require_cpu(const std::string &text) {
    if (text != "cpu" && text != "cpu:0")
        throw bad_value_t(text, "there is only a CPU engine", {"cpu"});
}

knob_t bool_knob(const std::string &name, bool &value, const std::string &about) {
    return {name, "true or false", about, "--" + name + "=true",
            [&value, standard = value](const std::string &text) {
                value = text.empty() ? standard : parse_bool(text);
            },
            true};
}

// A knob that takes one of a few words.
knob_t word_knob(const std::string &name, std::string &value, const std::vector<std::string> &words,
        const std::string &about) {
    return {name, join(words, ", "), about, "--" + name + "=" + words.back(),
            [&value, words](const std::string &text) {
                if (std::find(words.begin(), words.end(), text) == words.end())
                    throw bad_value_t(text, "", words);
                value = text;
            }};
}

knob_t count_knob(const std::string &name, int64_t &value, const integers_t &range,
        const std::string &meaning, const std::string &about) {
    return {name, "an integer " + range_text(range) + meaning, about, "--" + name + "=1",
            [&value, range](const std::string &text) { value = parse_number(text, range); }};
}

void add_mode_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"mode", "R, C, B, P, F, S or a combination such as CP; or L; or I",
            "C checks results, B compares the outputs of two runs bit by bit, P measures, F\n"
            "      measures briefly, S measures a single call, R only executes, I only creates, L\n"
            "      only lists the problems; CP checks and then measures.",
            "--mode=P", [&o](const std::string &text) { o.mode = parse_mode(text); }});
    knobs.add({"mode-modifier", "P, M, PM or empty",
            "P creates primitives in parallel with the user's scratchpad; M fills\n"
            "      inputs with one value if nothing is checked.",
            "--mode-modifier=P",
            [&o](const std::string &text) { o.modifier = parse_mode_modifier(text); }});
    knobs.add({"max-ms-per-prb", "milliseconds " + range_text(measuring_ms),
            "The time for measuring a problem.", "--max-ms-per-prb=500",
            [&o](const std::string &text) {
                o.max_ms_per_problem = parse_number(text, measuring_ms);
            }});
    knobs.add(count_knob("fix-times-per-prb", o.fixed_times, counts_from_0,
            "; 0: the time limit decides", "The number of measured calls."));
    knobs.add(count_knob("repeats-per-prb", o.repeats, counts_from_1, "",
            "Runs each problem this number of times."));
    knobs.add(count_knob("start", o.start, counts_from_0, "",
            "Skips the problems before the one of this number; the first is 0."));
    knobs.add({"cold-cache",
            "none, wei, all or custom, with an optional +tlb[:SIZE], SIZE up to 1048576 and M or G",
            "Measures with arguments that are in no cache: all, or with wei only weights, scale\n"
            "      and shift; tlb touches SIZE of other memory between calls. custom is skipped.",
            "--cold-cache=all",
            [&o](const std::string &text) { o.cold_cache = parse_cold_cache(text); }});
    knobs.add(bool_knob("roof", o.roof,
            "Measures the bandwidth of a copy, a triad or a read with the same footprint and\n"
            "      threads, and gives the share of it that a problem reaches: %roof% in "
            "templates."));
}

void add_thread_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"threads", "a comma list of counts " + range_text(thread_counts),
            "Runs each problem with each number of threads and compares the results bit by bit.",
            "--threads=1,2", [&o](const std::string &text) {
                o.threads = parse_list(text, parse_thread_count, {});
            }});
    const auto context_knob = [&knobs](const std::string &name, const std::string &about,
                                      std::vector<thread_context_t> &contexts) {
        knobs.add({name,
                "a comma list of MAX_CONCURRENCY[:CORE_TYPE[:THREADS_PER_CORE]], numbers or auto",
                about, "--" + name + "=2:auto:1", [&contexts](const std::string &text) {
                    contexts = parse_list(text, parse_thread_context, {{}});
                }});
    };
    context_knob("ctx-init", "Threads for creation.", o.creation_context);
    context_knob("ctx-exe", "Threads for execution.", o.execution_context);
}

void add_device_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"engine", "cpu", "The engine's kind.", "--engine=cpu", require_cpu});
    knobs.add(word_knob("cpu-isa-hints", o.device.isa_hints, {"none", "no_hints", "prefer_ymm"},
            "Hints to the library, for the whole process; none: as the environment sets them."));
    knobs.add(word_knob("stream-kind", o.device.stream_kind, {"def", "out_of_order", "in_order"},
            "Flags of the stream."));
    knobs.add(word_knob("memory-kind", o.device.memory_kind,
            {"buffer", "usm_device", "usm_shared", "usm"},
            "Kind of memory objects. With any other than usm, which are for other devices,\n"
            "      problems are skipped."));
    knobs.add(word_knob("execution-mode", o.device.execution_mode,
            {"graph", "native_graph", "direct"},
            "With any other than direct, which are for other devices, problems are skipped."));
    knobs.add(count_knob("num-streams", o.device.streams, counts_from_1, "",
            "Number of streams for measuring. With more than one, which are for GPUs,\n"
            "      problems are skipped."));
}

void add_output_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"verbose", "a level " + range_text(verbosities) + "; -vN for short",
            "1 prints each problem before it runs, 5 its implementation, 6 details of comparisons.",
            "-v5", [&o](const std::string &text) {
                o.verbosity = static_cast<int>(parse_number(text, verbosities));
            }});
    knobs.add({"explain", "true or false",
            "Prints each implementation and why it refuses, then the plan and the kernels of\n"
            "      the one that is used, with their sizes. Implies --mode=I; a --mode behind it\n"
            "      may also run the problem. Primitives are then not created in parallel.",
            "--explain",
            [&o, mode_before = o.mode](const std::string &text) mutable {
                const bool explained = std::exchange(o.explain, parse_bool(text));
                if (o.explain && !explained)
                    mode_before = std::exchange(o.mode, parse_mode("I"));
                else if (!o.explain && explained && o.mode.init)
                    o.mode = mode_before;
            },
            true});
    knobs.add(bool_knob("disasm", o.disassemble,
            "--explain prints the instructions of kernels, by objdump of the package binutils."));
    knobs.add(bool_knob("checksum", o.checksum,
            "Prints a checksum of the bytes of each output after an execution, with the knobs\n"
            "      of the problem, to compare runs line by line."));
    knobs.add(bool_knob("table", o.table,
            "Prints an aligned table at the end of a measuring run; the line for each problem is\n"
            "      then left out unless --perf-template is given."));
    knobs.add({"progress", "true, false or auto",
            "A line on stderr before each problem; auto: one line, overwritten, on terminals only.",
            "--progress",
            [&o](const std::string &text) {
                using progress_t = options_t::progress_t;
                o.progress = text == "auto"     ? progress_t::on_terminal
                             : parse_bool(text) ? progress_t::always
                                                : progress_t::never;
            },
            true});
    knobs.add({"summary", "failures, impl, impl-csv, table, each with an optional no-, joined by +",
            "What is printed after the last problem.", "--summary=impl+no-failures",
            [&o](const std::string &text) {
                o.summary = parse_summary(text, o.summary, o.table);
            }});
    knobs.add(bool_knob("canonical", o.canonical, "Reproduction lines contain all knobs."));
}

void add_choice_knobs(knob_set_t &knobs, options_t &o) {
    for (const bool skip : {false, true})
        knobs.add({skip ? "global-skip-impl" : "global-impl", "parts of implementation names",
                "As the knob without global-, over which it takes precedence.",
                skip ? "--global-skip-impl=ref" : "--global-impl=jit",
                [&o, skip](const std::string &text) {
                    o.global_impl.pieces =
                            text.empty() ? std::vector<std::string>() : split(text, ',');
                    o.global_impl.is_skip_list = skip;
                }});
    knobs.add(bool_knob("check-ref-impl", o.check_reference,
            "A problem fails if the name of its implementation contains ref."));
    knobs.add(bool_knob("attr-same-pd-check", o.check_same_descriptor,
            "A problem fails if its attributes change its implementation."));
    knobs.add(bool_knob("fast-ref", o.fast_reference,
            "Accepted without an effect: each driver has its own reference."));
    knobs.add({"buffer-prefix", "a prefix of file names",
            "Reads inputs from the files PREFIX.ID.bin that exist; ID is the argument's number.",
            "--buffer-prefix=/tmp/bufs",
            [&o](const std::string &text) { o.buffer_prefix = text; }});
    knobs.add(bool_knob("allow-enum-tags-only", o.enumerated_tags_only,
            "Refuses blocked format tags without an enumerator in the interface."));
    knobs.add(bool_knob("mem-check", o.memory_check,
            "Skips problems whose tensors do not fit in the available memory."));
}

} // namespace

void add_run_knobs(knob_set_t &knobs, options_t &options) {
    add_mode_knobs(knobs, options);
    add_thread_knobs(knobs, options);
    add_device_knobs(knobs, options);
    add_choice_knobs(knobs, options);
    add_output_knobs(knobs, options);
}

} // namespace benchdnn
