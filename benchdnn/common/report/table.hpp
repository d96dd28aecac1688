// SPDX-License-Identifier: Apache-2.0
// The aligned table at the end of a measuring run.
#pragma once

#include <string>
#include <vector>

#include "common/report/perf_report.hpp"

namespace benchdnn {

class perf_table_t {
public:
    void add(const perf_subject_t &subject);
    bool empty() const { return rows_.empty(); }
    // Columns that are empty in every row are left out.
    std::vector<std::string> lines() const;

private:
    std::vector<std::vector<std::string>> rows_;
};

} // namespace benchdnn
