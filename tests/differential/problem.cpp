// SPDX-License-Identifier: Apache-2.0
#include "differential/problem.hpp"

#include <algorithm>
#include <cmath>

#include "support/data_type.hpp"
#include "support/implementations.hpp"

namespace kiln::test::differential {

operand_t &problem_t::add_input(
        int arg, const std::string &name, regions_t &regions, random_t &random) {
    return inputs.emplace_back(arg, name, chosen_desc(pd, arg), regions, random);
}

operand_t &problem_t::add_output(
        int arg, const std::string &name, regions_t &regions, random_t &random) {
    return outputs.emplace_back(arg, name, chosen_desc(pd, arg), regions, random);
}

bool problem_t::is_overwritten(const operand_t &input) const {
    return std::any_of(in_place.begin(), in_place.end(),
            [&](const auto &alias) { return alias.second == &input; });
}

std::unique_ptr<problem_t> make_problem(uint64_t number, workshop_t &workshop) {
    random_t random(number);
    workshop.regions.reset();
    const double kind = random.between(0, 1);
    return kind < 0.15   ? make_reorder(random, workshop.regions)
           : kind < 0.25 ? make_reduction(random, workshop.regions)
           : kind < 0.42 ? make_elementwise(random, workshop.regions)
           : kind < 0.5  ? make_elementwise_gradient(random, workshop.regions)
           : kind < 0.67 ? make_matmul(random, workshop.regions)
           : kind < 0.75 ? make_inner_product(random, workshop.regions)
                         : make_normalization(random, workshop.regions);
}

long double arithmetic_roundoff(std::initializer_list<dnnl_data_type_t> types) {
    return std::ranges::find(types, dnnl_f64) != types.end() ? 0x1p-53L : 0x1p-24L;
}

std::vector<double> random_values(
        random_t &random, size_t count, dnnl_data_type_t type, double low, double high) {
    if (type == dnnl_u8 || type == dnnl_u4) low = std::max(low, 0.);
    std::vector<double> values(count);
    for (double &value : values) {
        value = random.between(low, high);
        if (is_integer(type) || type == dnnl_s4 || type == dnnl_u4) value = std::round(value);
    }
    return values;
}

} // namespace kiln::test::differential
