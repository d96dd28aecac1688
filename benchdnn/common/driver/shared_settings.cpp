// SPDX-License-Identifier: Apache-2.0
// The knobs of all drivers.
#include "common/driver/shared_settings.hpp"

#include <regex.h>

#include "common/command_line/usage_error.hpp"
#include "common/driver/cross_product.hpp"
#include "common/report/perf_report.hpp"

namespace benchdnn {

namespace {

// Refuses a wrong expression when the knob is read, before the first problem.
std::string parse_pattern(const std::string &text) {
    regex_t compiled;
    if (regcomp(&compiled, text.c_str(), REG_NOSUB) != 0)
        throw bad_value_t(text, "not a regular expression");
    regfree(&compiled);
    return text;
}

void add_attribute_knobs(knob_set_t &knobs, shared_settings_t &s) {
    add_list(knobs, s.scales,
            {"attr-scales", "ARG:MASK[:SCALE][:TYPE[:GROUPS]] joined by +",
                    "Quantization scales: ARG is src, dst, wei, ...; MASK a policy (common, "
                    "host_scalar,\n"
                    "      per_oc, ...) or bits; SCALE goes with a single value.",
                    "--attr-scales=src:common:64+dst:common:0.5", {}},
            parse_scales);
    add_list(knobs, s.zero_points,
            {"attr-zero-points", "ARG:MASK[:VALUE][:TYPE[:GROUPS]] joined by +", "Zero points.",
                    "--attr-zero-points=dst:common:3", {}},
            parse_zero_points);
    add_list(knobs, s.post_ops,
            {"attr-post-ops",
                    "post-ops joined by +: ELTWISE[:ALPHA[:BETA]], BINARY:TYPE[:MASK[:TAG]], "
                    "sum[:SCALE[:ZERO[:TYPE]]]",
                    "Operations applied to the result. Names: " + join(post_op_names(), " ") + ".",
                    "--attr-post-ops=add:f32:per_oc+linear:0.5:-1", {}},
            parse_post_ops);
    add_list(knobs, s.precomputed_reductions,
            {"attr-precomputed-reductions", "ARG:MASK:TYPE:GROUPS joined by +",
                    "Sums over groups, computed by the caller.",
                    "--attr-precomputed-reductions=src:per_tensor:s32:1x4", {}},
            parse_precomputed_reductions);
    add_list(knobs, s.dropout,
            {"attr-dropout", "PROBABILITY[:SEED[:TAG[:OFFSET[:HOST_SCALARS]]]]",
                    "Sets random elements to zero and scales the others.",
                    "--attr-dropout=0.5:12345:undef", {}},
            parse_dropout);
    add_list(knobs, s.scratchpad,
            {"attr-scratchpad", "library, user", "The owner of the scratchpad.",
                    "--attr-scratchpad=user", {}},
            parse_scratchpad_mode);
    add_list(knobs, s.fpmath,
            {"attr-fpmath", "strict, bf16, f16, tf32, any, each with an optional :true",
                    "The math mode, and whether it applies to integers.", "--attr-fpmath=bf16:true",
                    {}},
            parse_fpmath);
    add_list(knobs, s.accumulation,
            {"attr-acc-mode", "strict, relaxed, any, f32, s32, f16", "The accumulation mode.",
                    "--attr-acc-mode=relaxed", {}},
            parse_accumulation_mode);
    add_list(knobs, s.rounding,
            {"attr-rounding-mode", "ARG:environment or ARG:stochastic, joined by +",
                    "Rounding of outputs.", "--attr-rounding-mode=dst:environment", {}},
            parse_rounding);
    add_list(knobs, s.deterministic,
            {"attr-deterministic", "true, false",
                    "Asks for results that are the same in every run.", "--attr-deterministic=true",
                    {}},
            parse_bool);
}

} // namespace

void add_report_knobs(knob_set_t &knobs, std::string &pattern, std::string &perf_template) {
    knobs.add({"match", "a POSIX basic regular expression",
            "Leaves out problems whose reproduction line does not match.", "--match=.*bert.*",
            [&pattern](const std::string &text) { pattern = parse_pattern(text); }});
    knobs.add({"perf-template", "def, csv or text with %fields%",
            "The line printed for a measured problem.", "--perf-template=%prb%,%-time%,%-Gbw%",
            [&perf_template](const std::string &text) {
                require_known_fields(text);
                perf_template = text;
            }});
}

void add_shared_knobs(knob_set_t &knobs, shared_settings_t &s) {
    add_attribute_knobs(knobs, s);
    for (const bool skip : {false, true})
        knobs.add({skip ? "skip-impl" : "impl",
                "parts of implementation names, separated by commas",
                skip ? "Takes the first implementation whose name contains none of the parts."
                     : "Takes the first implementation whose name contains one of the parts.",
                skip ? "--skip-impl=ref" : "--impl=jit", [&s, skip](const std::string &text) {
                    s.impl.pieces = text.empty() ? std::vector<std::string>() : split(text, ',');
                    s.impl.is_skip_list = skip;
                }});
    add_report_knobs(knobs, s.pattern, s.perf_template);
}

std::vector<attributes_t> shared_settings_t::attribute_combinations() const {
    std::vector<attributes_t> all{{}};
    multiply(all, scales, &attributes_t::scales);
    multiply(all, zero_points, &attributes_t::zero_points);
    multiply(all, post_ops, &attributes_t::post_ops);
    multiply(all, precomputed_reductions, &attributes_t::precomputed_reductions);
    multiply(all, dropout, &attributes_t::dropout);
    multiply(all, scratchpad, &attributes_t::scratchpad);
    multiply(all, fpmath, &attributes_t::fpmath);
    multiply(all, accumulation, &attributes_t::accumulation);
    multiply(all, deterministic, &attributes_t::deterministic);
    multiply(all, rounding, &attributes_t::rounding);
    return all;
}

std::string resolved_perf_template(
        const std::string &text, const std::string &driver_fields, bool has_table) {
    if (text.empty() && has_table) return "";
    if (text == "def" || text.empty())
        return "perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,"
               "%0Gflops%";
    if (text == "csv")
        return "perf,%engine%,%impl%,%name%," + driver_fields
               + ",%attr%,%desc%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%";
    return text;
}

bool matches(const std::string &text, const std::string &pattern) {
    if (pattern.empty()) return true;
    regex_t compiled;
    if (regcomp(&compiled, pattern.c_str(), REG_NOSUB) != 0) return true;
    const bool found = regexec(&compiled, text.c_str(), 0, nullptr, 0) == 0;
    regfree(&compiled);
    return found;
}

} // namespace benchdnn
