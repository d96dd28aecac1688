// SPDX-License-Identifier: Apache-2.0
// Mean and variance of a range of samples and channels, in two passes.

#include "cpu/reference/normalization/image_statistics.hpp"

namespace kiln::cpu::reference {

statistics_t statistics_of(const image_lines_t &lines, const image_part_t &part,
        const tensor_t &tensor, const void *data) {
    std::vector<double> x(lines.length());
    const auto mean_of = [&](const auto &term) {
        double sum = 0;
        dim_t count = 0;
        lines.for_each(part, [&](const image_line_t &line) {
            line.load(tensor, data, x);
            for (const double value : x) sum += term(value);
            count += static_cast<dim_t>(x.size());
        });
        return sum / static_cast<double>(count);
    };
    const double mean = mean_of([](double value) { return value; });
    return {mean, mean_of([mean](double value) { return (value - mean) * (value - mean); })};
}

} // namespace kiln::cpu::reference
