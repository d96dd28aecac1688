// SPDX-License-Identifier: Apache-2.0
// The line printed for a measured problem.
#include "common/report/perf_report.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "common/command_line/text.hpp"
#include "common/command_line/usage_error.hpp"

namespace benchdnn {

namespace {

struct field_t {
    bool has_statistic = false;
    statistic_t statistic = statistic_t::minimum;
    double unit = 1;
    std::string name;
};

field_t parse_field(const std::string &text) {
    field_t field;
    size_t at = 0;
    if (at < text.size() && std::string("-0+").find(text[at]) != std::string::npos) {
        field.has_statistic = true;
        field.statistic = text[at] == '-'   ? statistic_t::minimum
                          : text[at] == '0' ? statistic_t::average
                                            : statistic_t::maximum;
        ++at;
    }
    if (at < text.size() && std::string("KMG").find(text[at]) != std::string::npos) {
        field.unit = text[at] == 'K' ? 1e3 : text[at] == 'M' ? 1e6 : 1e9;
        ++at;
    }
    field.name = text.substr(at);
    return field;
}

// Without a statistic, the slowest creation: the one that did not hit a cache.
double creation_ms(const samples_t &samples, const field_t &field) {
    return samples.ms(field.has_statistic ? field.statistic : statistic_t::maximum) / field.unit;
}

// A share of what the machine can do, in percent.
std::string percent_of(double per_second, double most) {
    return most > 0 ? formatted("%.1f", 100 * per_second / most) : "";
}

std::string measured_value(const field_t &field, const perf_subject_t &subject) {
    const result_t &result = subject.result;
    const double ms = result.execution.ms(field.statistic);
    const double ticks = result.execution.ticks(field.statistic);
    const auto bytes = static_cast<double>(result.input_bytes + result.output_bytes);
    // The least traffic, and the traffic if everything is read twice.
    const auto least = static_cast<double>(result.traffic.total());
    const auto twice = static_cast<double>(result.traffic.with_two_readings().total());
    const auto per_second = [&](double amount) { return ms > 0 ? amount / (ms * 1e-3) : 0; };
    const auto text = [&](double value) { return number_text(value / field.unit); };
    if (field.name == "time") return text(ms);
    if (field.name == "bw") return text(per_second(bytes));
    if (field.name == "clocks") return text(ticks);
    if (field.name == "freq") return text(per_second(ticks));
    const double operations = subject.problem.operations();
    if (field.name == "ops") return operations == 0 ? "0" : text(operations);
    if (field.name == "flops") return operations == 0 ? "0" : text(per_second(operations));
    if (field.name == "peak")
        return percent_of(per_second(operations), result.peak_operations_per_second);
    if (field.name == "peakflops") return text(result.peak_operations_per_second);
    if (field.name == "ibytes") return text(static_cast<double>(result.input_bytes));
    if (field.name == "obytes") return text(static_cast<double>(result.output_bytes));
    if (field.name == "iobytes") return text(bytes);
    if (field.name == "roofbw") return text(result.roof_bytes_per_second);
    if (field.name == "roof") return percent_of(per_second(least), result.roof_bytes_per_second);
    if (field.name == "roof2")
        return percent_of(per_second(twice), result.two_readings_roof_bytes_per_second);
    const double descriptor = creation_ms(result.descriptor_creation, field);
    const double primitive = creation_ms(result.primitive_creation, field);
    if (field.name == "cpdtime") return number_text(descriptor);
    if (field.name == "cptime") return number_text(primitive);
    return number_text(descriptor + primitive); // ctime
}

constexpr const char *measured[] = {"time", "bw", "clocks", "freq", "ops", "flops", "ibytes",
        "obytes", "iobytes", "ctime", "cptime", "cpdtime", "roof", "roof2", "roofbw", "peak",
        "peakflops"};
constexpr const char *described[] = {"alg", "axis", "cfg", "ddt", "desc", "dir", "dt", "dtag",
        "eps", "flags", "group", "inplace", "mb", "name", "prop", "sdt", "ss_dt", "stag",
        "stat_tag", "strides", "tag", "wtag"};
constexpr const char *of_the_run[] = {
        "prb", "engine", "impl", "driver", "idx", "attr", "threads", "ctx-init", "ctx-exe"};

template <size_t count> bool is_one_of(const std::string &name, const char *const (&names)[count]) {
    return std::any_of(
            std::begin(names), std::end(names), [&](const char *other) { return name == other; });
}

[[noreturn]] void refuse_field(const std::string &name) {
    std::vector<std::string> known(std::begin(measured), std::end(measured));
    known.insert(known.end(), std::begin(described), std::end(described));
    known.insert(known.end(), std::begin(of_the_run), std::end(of_the_run));
    throw bad_value_t(name, "there is no such field", known);
}

std::string field_value(const field_t &field, const perf_subject_t &subject) {
    if (is_one_of(field.name, measured)) return measured_value(field, subject);
    if (is_one_of(field.name, described)) return subject.problem.field(field.name);
    if (field.name == "threads") return std::to_string(subject.result.threads);
    if (field.name == "ctx-init") return subject.options.creation_context[0].text();
    if (field.name == "ctx-exe") return subject.options.execution_context[0].text();
    if (field.name == "prb") return subject.reproduction;
    if (field.name == "engine") return "cpu";
    if (field.name == "impl") return subject.result.implementation;
    if (field.name == "driver") return subject.driver;
    if (field.name == "idx") return std::to_string(subject.index);
    if (field.name == "attr") {
        std::string text = subject.problem.attributes_text();
        if (!text.empty()) text.pop_back();
        return text;
    }
    refuse_field(field.name);
}

// Calls literal(text) and field(field_t) for the parts of a template, in order.
template <typename literal_t, typename visitor_t>
void take_apart(const std::string &perf_template, literal_t &&literal, visitor_t &&field) {
    size_t at = 0;
    for (;;) {
        const size_t open = perf_template.find('%', at);
        literal(perf_template.substr(at, open - at));
        if (open == std::string::npos) return;
        const size_t close = perf_template.find('%', open + 1);
        if (close == std::string::npos) throw bad_value_t(perf_template, "a % is not closed");
        field(parse_field(perf_template.substr(open + 1, close - open - 1)));
        at = close + 1;
    }
}

} // namespace

std::string perf_line(const std::string &perf_template, const perf_subject_t &subject) {
    std::string line;
    take_apart(
            perf_template, [&](const std::string &text) { line += text; },
            [&](const field_t &field) { line += field_value(field, subject); });
    return line;
}

void require_known_fields(const std::string &perf_template) {
    if (perf_template == "def" || perf_template == "csv") return;
    take_apart(
            perf_template, [](const std::string &) {},
            [](const field_t &field) {
                const std::string &name = field.name;
                if (!is_one_of(name, measured) && !is_one_of(name, described)
                        && !is_one_of(name, of_the_run))
                    refuse_field(name);
            });
}

bool has_field(const std::string &perf_template, const std::string &name) {
    bool has = false;
    take_apart(
            perf_template, [](const std::string &) {},
            [&](const field_t &field) { has |= field.name == name; });
    return has;
}

std::string perf_header(const std::string &perf_template) {
    std::string header;
    take_apart(
            perf_template, [&](const std::string &text) { header += text; },
            [&](const field_t &field) {
                static const char *const prefixes[] = {"min_", "avg_", "max_"};
                if (field.has_statistic) header += prefixes[static_cast<int>(field.statistic)];
                if (field.unit != 1)
                    header += field.unit == 1e3 ? "K" : field.unit == 1e6 ? "M" : "G";
                header += field.name;
            });
    return header;
}

} // namespace benchdnn
