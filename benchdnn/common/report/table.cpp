// SPDX-License-Identifier: Apache-2.0
// The aligned table at the end of a measuring run.
#include "common/report/table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/command_line/text.hpp"

namespace benchdnn {

namespace {

struct column_t {
    const char *title;
    const char *perf_template; // of a cell; numbers are then rounded to the digits
    bool is_number;
    int digits;
};

// GB/s counts every byte of every tensor once, in the shortest time.
constexpr column_t columns[] = {
        {"name", "%name%", false, 0},
        {"problem", "%desc%", false, 0},
        {"dir", "%dir%", false, 0},
        {"type", "%dt%", false, 0},
        {"tag", "%tag%", false, 0},
        {"flags", "%flags%", false, 0},
        {"implementation", "%impl%", false, 0},
        {"min ms", "%-time%", true, 4},
        {"avg ms", "%0time%", true, 4},
        {"GB/s", "%-Gbw%", true, 1},
        {"threads", "%threads%", true, 0},
        {"roof %", "%roof%", true, 1},
        {"peak %", "%peak%", true, 1},
};

std::string without_quotes(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
    return text;
}

// "f32:f32" is shortened to "f32", and "ab:any" to "ab".
std::string shortened_pair(const std::string &text) {
    const std::vector<std::string> pair = split(text, ':');
    const bool says_once = pair.size() == 2 && (pair[1] == pair[0] || pair[1] == "any");
    return says_once ? pair[0] : text;
}

// The name, which follows n or _n, has its own column.
std::string without_name(std::string text, const perf_subject_t &subject) {
    const std::string name = "n" + subject.problem.field("name");
    const bool has_name = name.size() > 1 && text.size() > name.size()
                          && text.compare(text.size() - name.size(), name.size(), name) == 0;
    if (!has_name) return text;
    text.resize(text.size() - name.size());
    if (text.back() == '_') text.pop_back();
    return text;
}

std::string cell_of(const column_t &column, const perf_subject_t &subject) {
    const std::string text = perf_line(column.perf_template, subject);
    const std::string title = column.title;
    if (column.is_number && text.empty()) return "";
    // A column only if --threads is given.
    if (title == "threads" && subject.options.threads.empty()) return "";
    if (column.is_number) return formatted("%.*f", column.digits, parse_number(text));
    if (title == "type" || title == "tag") return shortened_pair(text);
    return without_quotes(title == "problem" ? without_name(text, subject) : text);
}

} // namespace

void perf_table_t::add(const perf_subject_t &subject) {
    std::vector<std::string> row;
    for (const column_t &column : columns) row.push_back(cell_of(column, subject));
    rows_.push_back(std::move(row));
}

std::vector<std::string> perf_table_t::lines() const {
    std::vector<std::string> lines(rows_.size() + 2);
    for (size_t c = 0; c < std::size(columns); ++c) {
        size_t width = 0;
        for (const auto &row : rows_) width = std::max(width, row[c].size());
        if (width == 0) continue;
        const std::string title = columns[c].title;
        width = std::max(width, title.size());
        const auto append = [&](std::string &line, const std::string &cell) {
            const std::string space(width - cell.size(), ' ');
            line += (line.empty() ? "" : "  ")
                    + (columns[c].is_number ? space + cell : cell + space);
        };
        append(lines[0], title);
        append(lines[1], std::string(width, '-'));
        for (size_t r = 0; r < rows_.size(); ++r) append(lines[r + 2], rows_[r][c]);
    }
    return lines;
}

} // namespace benchdnn
