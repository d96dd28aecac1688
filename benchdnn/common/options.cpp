// SPDX-License-Identifier: Apache-2.0
// Knobs that belong to the run and not to a driver's problems.
#include "common/options.hpp"

#include <algorithm>
#include <cctype>

#include "common/text.hpp"
#include "common/usage_error.hpp"

namespace benchdnn {

std::string run_mode_t::letters() const {
    if (list) return "L";
    if (init) return "I";
    if (execute) return "R";
    return std::string(correctness ? "C" : "") + (fast ? "F" : performance ? "P" : "");
}

run_mode_t parse_mode(const std::string &text) {
    run_mode_t mode;
    mode.correctness = false;
    for (char c : text) {
        switch (std::toupper(static_cast<unsigned char>(c))) {
        case 'C': mode.correctness = true; break;
        case 'P': mode.performance = true; break;
        case 'F': mode.performance = mode.fast = true; break;
        case 'R': mode.execute = true; break;
        case 'I': mode.init = true; break;
        case 'L': mode.list = true; break;
        default: throw bad_value_t(text, std::string("no mode is called ") + c);
        }
    }
    const int alone = mode.list + mode.init + mode.execute;
    const bool combined = mode.correctness || mode.performance;
    if (alone + combined != 1) throw bad_value_t(text, "only C and P (or F) can be combined");
    return mode;
}

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

std::string options_t::leading_knobs_text() const {
    const options_t standard;
    std::string text;
    if (canonical || mode.letters() != standard.mode.letters())
        text += "--mode=" + mode.letters() + " ";
    if (canonical || max_ms_per_problem != standard.max_ms_per_problem)
        text += "--max-ms-per-prb=" + number_text(max_ms_per_problem) + " ";
    if (canonical || fixed_times != standard.fixed_times)
        text += "--fix-times-per-prb=" + std::to_string(fixed_times) + " ";
    return text;
}

std::string options_t::trailing_knobs_text() const {
    std::string text;
    if (canonical) text += "--canonical=true --engine=cpu ";
    if (canonical || !memory_check) text += "--mem-check=" + bool_text(memory_check) + " ";
    if (canonical || !enumerated_tags_only)
        text += "--allow-enum-tags-only=" + bool_text(enumerated_tags_only) + " ";
    return text;
}

namespace {

int64_t parse_count(const std::string &text, int64_t least) {
    const int64_t value = parse_integer(text);
    if (value < least) throw bad_value_t(text, "at least " + std::to_string(least));
    return value;
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
            throw bad_value_t(piece);
    }
    return summary;
}

void require_cpu(const std::string &text) {
    if (text != "cpu" && text != "cpu:0") throw bad_value_t(text, "there is only a CPU engine");
}

knob_t bool_knob(const std::string &name, bool &value, const std::string &about) {
    return {name, "true or false", about, "--" + name + "=true",
            [&value](const std::string &text) { value = parse_bool(text); }, true};
}

void add_mode_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"mode", "C, P, F, R, I, L or CP",
            "C checks results, P measures, F measures briefly, R only executes, I only creates,\n"
            "      L only lists the problems; CP checks and then measures.",
            "--mode=P", [&o](const std::string &text) { o.mode = parse_mode(text); }});
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
    knobs.add({"engine", "cpu", "The engine's kind.", "--engine=cpu", require_cpu});
}

void add_output_knobs(knob_set_t &knobs, options_t &o) {
    knobs.add({"verbose", "a level from 0 on; -vN for short",
            "1 names each problem before it runs, 5 its implementation, 6 tells of comparisons.",
            "-v5", [&o](const std::string &text) {
                o.verbosity = static_cast<int>(parse_count(text, 0));
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
    knobs.add(bool_knob("allow-enum-tags-only", o.enumerated_tags_only,
            "Refuses blocked format tags that the interface has no enumerator for."));
    knobs.add(bool_knob("mem-check", o.memory_check,
            "Skips problems whose tensors do not fit the memory available."));
}

} // namespace

void add_run_knobs(knob_set_t &knobs, options_t &options) {
    add_mode_knobs(knobs, options);
    add_output_knobs(knobs, options);
    add_choice_knobs(knobs, options);
}

} // namespace benchdnn
