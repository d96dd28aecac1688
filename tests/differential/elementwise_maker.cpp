// SPDX-License-Identifier: Apache-2.0
#include "differential/elementwise_maker.hpp"

namespace kiln::test::differential {

void elementwise_maker_t::describe(
        const char *operation, const std::string &text, dnnl_status_t status) {
    problem_->operation = operation;
    problem_->text = std::string(operation) + " " + text;
    require(status, problem_->text + " " + test::to_string(dims_) + " is refused");
}

std::vector<double> elementwise_maker_t::add_input(
        int arg, const std::string &name, const std::vector<double> &values) {
    operand_t &operand = problem_->add_input(arg, name, regions_, random_);
    operand.fill(values);
    problem_->text += " " + name + " " + to_text(operand.desc());
    return operand.values();
}

std::vector<double> elementwise_maker_t::add_input(
        int arg, const std::string &name, double low, double high) {
    operand_t &operand = problem_->add_input(arg, name, regions_, random_);
    operand.fill(random_values(random_, operand.elements(), operand.type(), low, high));
    problem_->text += " " + name + " " + to_text(operand.desc());
    return operand.values();
}

void elementwise_maker_t::expect(int arg, const std::string &name, intervals_t values) {
    operand_t &result = problem_->add_output(arg, name, regions_, random_);
    problem_->text += " " + name + " " + to_text(result.desc());
    problem_->truths.push_back({&result, std::move(values)});
}

void elementwise_maker_t::expect(intervals_t values, chain_t &chain) {
    operand_t &dst = problem_->add_output(DNNL_ARG_DST, "dst", regions_, random_);
    problem_->text += " dst " + to_text(dst.desc()) + chain.text();
    if (chain.has_sum()) dst.fill(random_values(random_, dst.elements(), dst.type(), -9, 9));
    chain.add_operands(problem_->inputs, problem_->pd, regions_, random_);
    chain.apply(values, dst.values());
    problem_->truths.push_back({&dst, std::move(values)});
}

size_t elementwise_maker_t::broadcast_index(size_t i, const dims_t &from) const {
    size_t result = 0, stride = 1;
    for (size_t d = dims_.size(); d-- > 0;) {
        const auto extent = static_cast<size_t>(dims_[d]);
        if (from[d] != 1) result += i % extent * stride;
        i /= extent;
        stride *= static_cast<size_t>(from[d]);
    }
    return result;
}

dims_t elementwise_maker_t::random_broadcast() {
    dims_t dims = dims_;
    const auto kind = random_.below(3); // all of it, any axes, one axis
    const auto axis = static_cast<size_t>(random_.below(int64_t(dims.size())));
    for (size_t d = 0; d < dims.size(); ++d)
        if (kind == 1 ? random_.chance(0.5) : kind == 2 && d != axis) dims[d] = 1;
    return dims;
}

size_t elementwise_maker_t::stride_of(size_t axis) const {
    size_t stride = 1;
    for (size_t d = axis + 1; d < dims_.size(); ++d) stride *= static_cast<size_t>(dims_[d]);
    return stride;
}

} // namespace kiln::test::differential
