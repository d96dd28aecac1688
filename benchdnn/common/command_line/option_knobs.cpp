// SPDX-License-Identifier: Apache-2.0
// The table of the knobs that belong to the run.
#include <algorithm>

#include "common/command_line/options.hpp"
#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

int64_t parse_count(const std::string &text, int64_t least) {
    const int64_t value = parse_integer(text);
    if (value < least) throw bad_value_t(text, "at least " + std::to_string(least));
    return value;
}

int parse_thread_count(const std::string &text) {
    const int64_t count = parse_count(text, 1);
    if (count > 4096) throw bad_value_t(text, "at most 4096");
    return static_cast<int>(count);
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
            [&value](const std::string &text) { value = parse_bool(text); }, true};
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

void add_mode_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"mode", "R, C, B, P, F, S and what is combined of them, such as CP; or L; or I",
            "C checks results, B checks that two runs give the same bits, P measures, F measures\n"
            "      briefly, S measures a single call, R only executes, I only creates, L only "
            "lists\n"
            "      the problems; CP checks and then measures.",
            "--mode=P", [&o](const std::string &text) { o.mode = parse_mode(text); }});
    knobs.add({"mode-modifier", "P, M, PM or nothing",
            "P creates several primitives at once and has the scratchpad be the user's; M fills\n"
            "      inputs with one value where nothing is judged.",
            "--mode-modifier=P",
            [&o](const std::string &text) { o.modifier = parse_mode_modifier(text); }});
    knobs.add({"max-ms-per-prb", "milliseconds from 10 to 60000", "How long a problem is measured.",
            "--max-ms-per-prb=500", [&o](const std::string &text) {
                o.max_ms_per_problem = std::clamp(parse_number(text), 10., 60000.);
            }});
    knobs.add({"fix-times-per-prb", "a count; 0 leaves it to the time limit",
            "How many times a problem is run when it is measured.", "--fix-times-per-prb=100",
            [&o](const std::string &text) { o.fixed_times = parse_count(text, 0); }});
    knobs.add({"repeats-per-prb", "a count from 1 on", "Runs each problem so many times over.",
            "--repeats-per-prb=3",
            [&o](const std::string &text) { o.repeats = parse_count(text, 1); }});
    knobs.add({"start", "a problem's number, from 0 on", "Skips the problems before it.",
            "--start=100", [&o](const std::string &text) { o.start = parse_count(text, 0); }});
    knobs.add({"cold-cache",
            "none, wei, all or custom, with an optional +tlb[:SIZE], SIZE in M or G",
            "Measures with arguments that are in no cache: wei those of weights, scale and shift;\n"
            "      tlb touches so much other memory between the calls. custom is skipped.",
            "--cold-cache=all",
            [&o](const std::string &text) { o.cold_cache = parse_cold_cache(text); }});
    knobs.add(bool_knob("roof", o.roof,
            "Measures how fast this machine copies (or adds) as many bytes with as many threads, "
            "and\n"
            "      gives the share of it that a problem reaches: %roof% in templates."));
}

void add_thread_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"threads", "a comma list of counts from 1 to 4096",
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
    context_knob("ctx-init", "Threads around creation.", o.creation_context);
    context_knob("ctx-exe", "Threads around execution.", o.execution_context);
}

void add_device_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"engine", "cpu", "The engine's kind.", "--engine=cpu", require_cpu});
    knobs.add(word_knob("cpu-isa-hints", o.device.isa_hints, {"none", "no_hints", "prefer_ymm"},
            "Hints to the library, once a process; none leaves them to the environment."));
    knobs.add(word_knob("stream-kind", o.device.stream_kind, {"def", "out_of_order", "in_order"},
            "Flags of the stream."));
    knobs.add(word_knob("memory-kind", o.device.memory_kind,
            {"buffer", "usm_device", "usm_shared", "usm"},
            "Kind of memory objects. All but usm are for other devices, and problems are "
            "skipped."));
    knobs.add(word_knob("execution-mode", o.device.execution_mode,
            {"graph", "native_graph", "direct"},
            "All but direct are for other devices, and problems are skipped."));
    knobs.add({"num-streams", "a count from 1 on",
            "Streams used when measuring. More than one are for GPUs, and problems are skipped.",
            "--num-streams=1",
            [&o](const std::string &text) { o.device.streams = parse_count(text, 1); }});
}

void add_output_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"verbose", "a level from 0 on; -vN for short",
            "1 names each problem before it runs, 5 its implementation, 6 tells of comparisons.",
            "-v5", [&o](const std::string &text) {
                o.verbosity = static_cast<int>(std::min<int64_t>(parse_count(text, 0), 1000));
            }});
    knobs.add(bool_knob("table", o.table,
            "Ends a measuring run with an aligned table; the line per problem is then left out\n"
            "      unless --perf-template asks for it."));
    knobs.add({"progress", "true, false or auto",
            "A line on stderr before each problem; auto: one overwritten line on a terminal only.",
            "--progress",
            [&o](const std::string &text) {
                using progress_t = options_t::progress_t;
                o.progress = text == "auto"     ? progress_t::on_terminal
                             : parse_bool(text) ? progress_t::always
                                                : progress_t::never;
            },
            true});
    knobs.add({"summary", "failures, impl, impl-csv, table, each with an optional no-, joined by +",
            "What follows the last problem.", "--summary=impl+no-failures",
            [&o](const std::string &text) {
                o.summary = parse_summary(text, o.summary, o.table);
            }});
    knobs.add(bool_knob("canonical", o.canonical, "Reproduction lines spell out every knob."));
}

void add_choice_knobs(knob_set_t &knobs, options_t &o) {
    for (const bool skip : {false, true})
        knobs.add({skip ? "global-skip-impl" : "global-impl", "pieces of implementation names",
                "As the knob without global-, and stronger than what batch files say.",
                skip ? "--global-skip-impl=ref" : "--global-impl=jit",
                [&o, skip](const std::string &text) {
                    o.global_impl.pieces =
                            text.empty() ? std::vector<std::string>() : split(text, ',');
                    o.global_impl.is_skip_list = skip;
                }});
    knobs.add(bool_knob("check-ref-impl", o.check_reference,
            "A problem fails that gets an implementation with ref in its name."));
    knobs.add(bool_knob("attr-same-pd-check", o.check_same_descriptor,
            "A problem fails that gets another implementation for its attributes."));
    knobs.add(bool_knob("fast-ref", o.fast_reference,
            "Lets a driver take another engine's results for the reference. None does: references\n"
            "      are the drivers' own."));
    knobs.add({"buffer-prefix", "the beginning of file names",
            "Takes inputs from PREFIX.ID.bin, ID being the argument's number, where there is a "
            "file.",
            "--buffer-prefix=/tmp/bufs",
            [&o](const std::string &text) { o.buffer_prefix = text; }});
    knobs.add(bool_knob("allow-enum-tags-only", o.enumerated_tags_only,
            "Refuses blocked format tags that the interface has no enumerator for."));
    knobs.add(bool_knob("mem-check", o.memory_check,
            "Skips problems whose tensors do not fit the memory available."));
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
