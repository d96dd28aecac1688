// SPDX-License-Identifier: Apache-2.0
#include "differential/results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::test::differential {

row_t &results_t::row(
        const std::string &operation, const std::string &output, dnnl_data_type_t type) {
    for (int64_t i = 0; i < row_count; ++i) {
        row_t &row = rows[static_cast<size_t>(i)];
        if (row.operation == operation && row.output == output && row.type == type) return row;
    }
    if (row_count == static_cast<int64_t>(rows.size())) throw std::logic_error("too many rows");
    row_t &row = rows[static_cast<size_t>(row_count++)];
    std::strncpy(row.operation, operation.c_str(), sizeof(row.operation) - 1);
    std::strncpy(row.output, output.c_str(), sizeof(row.output) - 1);
    row.type = type;
    return row;
}

void results_t::add(const results_t &others) {
    problems += others.problems;
    runs += others.runs;
    failures += others.failures;
    for (int64_t i = 0; i < others.row_count; ++i) {
        const row_t &from = others.rows[static_cast<size_t>(i)];
        row_t &to = row(from.operation, from.output, from.type);
        to.runs += from.runs;
        if (from.worst_kernel > to.worst_kernel) to.worst_number = from.worst_number;
        to.worst_kernel = std::max(to.worst_kernel, from.worst_kernel);
        to.worst_reference = std::max(to.worst_reference, from.worst_reference);
    }
}

void print(const results_t &results) {
    std::printf("Worst errors as shares of the permitted ones:\n");
    std::printf("%-12s %-10s %-5s %10s %8s %10s %18s\n", "operation", "output", "type", "runs",
            "kernels", "reference", "problem");
    std::vector<row_t> rows(results.rows.begin(), results.rows.begin() + results.row_count);
    std::sort(rows.begin(), rows.end(), [](const row_t &a, const row_t &b) {
        const int operations = std::strcmp(a.operation, b.operation);
        const int outputs = std::strcmp(a.output, b.output);
        return operations != 0 ? operations < 0 : outputs != 0 ? outputs < 0 : a.type < b.type;
    });
    for (const row_t &row : rows)
        std::printf("%-12s %-10s %-5s %10lld %8.3f %10.3f %18llu\n", row.operation, row.output,
                dnnl_dt2str(row.type), static_cast<long long>(row.runs), row.worst_kernel,
                row.worst_reference, static_cast<unsigned long long>(row.worst_number));
    std::map<dnnl_data_type_t, std::pair<double, double>> worst;
    for (const row_t &row : rows) {
        auto &[kernels, reference] = worst[row.type];
        kernels = std::max(kernels, row.worst_kernel);
        reference = std::max(reference, row.worst_reference);
    }
    std::printf("worst of kernels and of the reference by type:");
    const char *separator = " ";
    for (const auto &[type, errors] : worst) {
        std::printf("%s%s %.3f %.3f", separator, dnnl_dt2str(type), errors.first, errors.second);
        separator = ", ";
    }
    std::printf("\n");
}

} // namespace kiln::test::differential
