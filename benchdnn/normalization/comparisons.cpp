// SPDX-License-Identifier: Apache-2.0
// The comparisons of a problem's outputs, one set for each thread.
#include "normalization/comparisons.hpp"

namespace benchdnn::normalization {

comparisons_t::comparisons_t(const arguments_t &arguments, const std::vector<int> &ids) {
    for (const int id : ids) {
        if (!arguments.has(id)) continue;
        const layout_t &layout = arguments.at(id).layout();
        entries_.push_back(
                {id, comparison_t(argument_name(id), layout.data_type(), layout.dims())});
    }
}

comparison_t *comparisons_t::find(int id) {
    for (auto &[own_id, comparison] : entries_)
        if (own_id == id) return &comparison;
    return nullptr;
}

void comparisons_t::merge(const comparisons_t &other) {
    for (size_t i = 0; i < entries_.size(); ++i) entries_[i].second.merge(other.entries_[i].second);
}

std::vector<comparison_t> comparisons_t::take(bool is_empty_problem) {
    std::vector<comparison_t> list;
    for (auto &entry : entries_) {
        if (is_empty_problem) entry.second.expect_constant();
        list.push_back(std::move(entry.second));
    }
    return list;
}

void shared_sums_t::check(comparison_t &comparison, const tensor_t &got) const {
    for (size_t i = 0; i < sums_[0].size(); ++i) {
        running_sum_t whole;
        for (const std::vector<running_sum_t> &share : sums_) whole.merge(share[i]);
        comparison.check(static_cast<dim_t>(i), whole.estimate(), got.load(static_cast<dim_t>(i)));
    }
}

std::vector<double> parameter(const arguments_t &arguments, int id) {
    std::vector<double> values;
    if (!arguments.has(id)) return values;
    const tensor_t &tensor = arguments.original(id);
    values.resize(tensor.layout().elements());
    if (!values.empty()) tensor.load_row(0, values.data());
    return values;
}

} // namespace benchdnn::normalization
