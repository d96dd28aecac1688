// SPDX-License-Identifier: Apache-2.0
#include "graph/truth/truth_softmax.hpp"

#include <cmath>
#include <limits>

namespace kiln::test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct lines_t {
    lines_t(const truth_request_t &op, const dims_t &dims, int64_t standard) {
        int64_t axis = op.attr<int64_t>(attr_name_t::axis, standard);
        if (axis < 0) axis += static_cast<int64_t>(dims.size());
        at = static_cast<size_t>(axis);
        length = static_cast<size_t>(dims[at]);
        for (size_t d = at + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
    }
    /// Calls `visit(first, line)` for each line: the position of its first element, its number.
    template <typename visit_t> void for_each(size_t elements, const visit_t &visit) const {
        size_t line = 0;
        for (size_t begin = 0; begin < elements; begin += length * inner)
            for (size_t i = 0; i < inner; ++i) visit(begin + i, line++);
    }

    size_t at = 0, length = 1, inner = 1;
};

std::vector<array_t> forward(const truth_request_t &op, const array_t &src, bool is_log) {
    const lines_t lines(op, src.dims, is_log ? -1 : 1);
    const bool gives_zeros = op.attr<std::string>(attr_name_t::mode, "none") == "inf_as_zero";
    array_t dst = src, stats{src.dims, {}};
    stats.dims[lines.at] = 1;
    stats.values.resize(static_cast<size_t>(volume(stats.dims)));
    lines.for_each(src.values.size(), [&](size_t first, size_t line) {
        const auto at = [&](size_t i) { return first + i * lines.inner; };
        double greatest = -infinity, sum = 0;
        for (size_t i = 0; i < lines.length; ++i) greatest = std::max(greatest, src.values[at(i)]);
        const bool is_zero = gives_zeros && greatest == -infinity;
        for (size_t i = 0; i < lines.length; ++i) sum += std::exp(src.values[at(i)] - greatest);
        for (size_t i = 0; i < lines.length; ++i) {
            const double distance = src.values[at(i)] - greatest;
            dst.values[at(i)] = is_zero  ? 0
                                : is_log ? distance - std::log(sum)
                                         : std::exp(distance) / sum;
        }
        stats.values[line] = is_zero ? 0 : greatest + std::log(sum);
    });
    return {dst, stats};
}

array_t backward(
        const truth_request_t &op, const array_t &diff_dst, const array_t &dst, bool is_log) {
    const lines_t lines(op, dst.dims, is_log ? -1 : 1);
    array_t diff_src = dst;
    lines.for_each(dst.values.size(), [&](size_t first, size_t) {
        const auto at = [&](size_t i) { return first + i * lines.inner; };
        double sum = 0;
        for (size_t i = 0; i < lines.length; ++i)
            sum += diff_dst.values[at(i)] * (is_log ? 1 : dst.values[at(i)]);
        for (size_t i = 0; i < lines.length; ++i) {
            const double gradient = diff_dst.values[at(i)], y = dst.values[at(i)];
            diff_src.values[at(i)] = is_log ? gradient - std::exp(y) * sum : y * (gradient - sum);
        }
    });
    return diff_src;
}

} // namespace

std::vector<array_t> truth_of_softmax(
        const truth_request_t &op, const std::vector<array_t> &inputs) {
    std::vector<array_t> outputs;
    switch (op.kind) {
    case kind_t::SoftMax: outputs = forward(op, inputs[0], false); break;
    case kind_t::LogSoftmax: outputs = forward(op, inputs[0], true); break;
    case kind_t::SoftMaxBackward: return {backward(op, inputs[0], inputs[1], false)};
    case kind_t::LogSoftmaxBackward: return {backward(op, inputs[0], inputs[1], true)};
    default: return {};
    }
    outputs.resize(op.output_count);
    return outputs;
}

} // namespace kiln::test
