// SPDX-License-Identifier: Apache-2.0
// How long a product takes by AMX. The constants are measured.

#include "cpu/x64/matrix/amx_cycles.hpp"

#include <algorithm>

#include "common/integers.hpp"
#include "cpu/x64/matrix/amx_kernel.hpp"

namespace kiln::x64::matrix {

/// A step of a call has two products of 16 rows each or more, and loads B. Sums are stored, and
/// loaded to make results. The last elements of rows are copied if they are not a whole step.
double amx_cycles(step_t step, dim_t m, dim_t n, dim_t k, dim_t groups) {
    const auto count = [](dim_t size) { return static_cast<double>(size); };
    constexpr double of_block = 400, of_call = 40, of_row = 5, of_loads = 18, of_rest = 10;
    const double rows = count(std::min<dim_t>(m, most_amx_rows));
    const double calls = count(
            divide_up<dim_t>(m, most_amx_rows) * divide_up<dim_t>(n, 2 * amx_columns) * groups);
    const double steps = count(divide_up<dim_t>(k / groups, amx_depth(step)));
    const double rests = k % amx_depth(step) != 0 && step != step_t::split ? count(m) : 0;
    return of_block + of_rest * rests
           + calls
                     * (of_call + of_row * rows
                             + steps * a_copies(step) * std::max(of_loads, 2 * rows));
}

} // namespace kiln::x64::matrix
