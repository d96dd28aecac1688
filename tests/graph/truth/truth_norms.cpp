// SPDX-License-Identifier: Apache-2.0
// Elements of src with the same statistics form a group. Normalizations differ in the group and the
// weight of each element.
#include "graph/truth/truth_norms.hpp"

#include <cmath>

namespace kiln::test {

namespace {

using arrays_t = std::vector<array_t>;
using sum_t = std::vector<double>;

/// The group and the weight of each element, as positions.
struct membership_t {
    dims_t statistic_dims;
    std::vector<size_t> group;
    std::vector<size_t> weight;
    size_t groups() const { return static_cast<size_t>(volume(statistic_dims)); }
};

/// LayerNorm and RMSNorm: a group has the axes from begin_norm_axis on; weights are broadcast to
/// src, or are vectors of a group's elements.
membership_t rows_of(const truth_request_t &op, const array_t &src, dims_t weight_dims) {
    const auto ndims = static_cast<int64_t>(src.dims.size());
    const int64_t begin = op.attr<int64_t>(attr_name_t::begin_norm_axis, -1);
    const int64_t axis = begin < 0 ? begin + ndims : begin;
    membership_t result;
    result.statistic_dims.assign(src.dims.begin(), src.dims.begin() + axis);
    const dims_t normalized(src.dims.begin() + axis, src.dims.end());
    if (weight_dims.size() == 1 && weight_dims[0] == volume(normalized)) weight_dims = normalized;
    for_each_index(src.dims, [&](const dims_t &index) {
        size_t group = 0, weight = 0;
        for (size_t d = 0; d < static_cast<size_t>(axis); ++d)
            group = group * static_cast<size_t>(src.dims[d]) + static_cast<size_t>(index[d]);
        for (size_t w = 0; w < weight_dims.size(); ++w) {
            const size_t d = src.dims.size() - weight_dims.size() + w;
            const auto extent = static_cast<size_t>(weight_dims[w]);
            weight = weight * extent + (extent == 1 ? 0 : static_cast<size_t>(index[d]));
        }
        result.group.push_back(group);
        result.weight.push_back(weight);
    });
    return result;
}

/// BatchNorm (groups = 0): a group is a channel of all images. GroupNorm: several channels of one
/// image.
membership_t channels_of(const truth_request_t &op, const array_t &src, int64_t groups) {
    const bool last = op.attr<std::string>(attr_name_t::data_format, "NXC") == "NXC";
    const size_t axis = last ? src.dims.size() - 1 : 1;
    const int64_t channels = src.dims[axis];
    membership_t result;
    result.statistic_dims = groups ? dims_t{src.dims[0], groups} : dims_t{channels};
    for_each_index(src.dims, [&](const dims_t &index) {
        const int64_t channel = index[axis];
        const int64_t group = groups ? index[0] * groups + channel / (channels / groups) : channel;
        result.group.push_back(static_cast<size_t>(group));
        result.weight.push_back(static_cast<size_t>(channel));
    });
    return result;
}

struct statistics_t {
    sum_t mean, variance;
};

/// Without `centers` (RMSNorm) the mean is 0 and the variance the mean of squares.
statistics_t statistics_of(const array_t &src, const membership_t &members, bool centers) {
    sum_t count(members.groups()), mean(members.groups()), variance(members.groups());
    for (size_t i = 0; i < src.values.size(); ++i) {
        count[members.group[i]] += 1;
        mean[members.group[i]] += src.values[i];
    }
    for (size_t g = 0; g < mean.size(); ++g) mean[g] = centers ? mean[g] / count[g] : 0;
    for (size_t i = 0; i < src.values.size(); ++i) {
        const double deviation = src.values[i] - mean[members.group[i]];
        variance[members.group[i]] += deviation * deviation;
    }
    for (size_t g = 0; g < mean.size(); ++g) variance[g] /= count[g];
    return {mean, variance};
}

array_t normalized(const array_t &src, const membership_t &members, const statistics_t &statistics,
        double epsilon, const sum_t &gamma, const sum_t &beta) {
    array_t dst{src.dims, {}};
    for (size_t i = 0; i < src.values.size(); ++i) {
        const size_t g = members.group[i], w = members.weight[i];
        const double x =
                (src.values[i] - statistics.mean[g]) / std::sqrt(statistics.variance[g] + epsilon);
        dst.values.push_back(x * (gamma.empty() ? 1 : gamma[w]) + (beta.empty() ? 0 : beta[w]));
    }
    return dst;
}

/// diff_src, diff_gamma, diff_beta.
arrays_t gradients(const array_t &src, const array_t &diff_dst, const membership_t &members,
        const statistics_t &statistics, double epsilon, const sum_t &gamma,
        const dims_t &weight_dims) {
    const auto weights = static_cast<size_t>(volume(weight_dims));
    arrays_t result{{src.dims, {}}, {weight_dims, sum_t(weights)}, {weight_dims, sum_t(weights)}};
    const size_t groups = members.groups();
    sum_t count(groups), sum(groups), product(groups), normal(src.values.size());
    for (size_t i = 0; i < src.values.size(); ++i) {
        const size_t g = members.group[i], w = members.weight[i];
        normal[i] =
                (src.values[i] - statistics.mean[g]) / std::sqrt(statistics.variance[g] + epsilon);
        const double weighted = diff_dst.values[i] * (gamma.empty() ? 1 : gamma[w]);
        count[g] += 1;
        sum[g] += weighted;
        product[g] += weighted * normal[i];
        result[1].values[w] += diff_dst.values[i] * normal[i];
        result[2].values[w] += diff_dst.values[i];
    }
    for (size_t i = 0; i < src.values.size(); ++i) {
        const size_t g = members.group[i], w = members.weight[i];
        const double weighted = diff_dst.values[i] * (gamma.empty() ? 1 : gamma[w]);
        result[0].values.push_back(
                (weighted - sum[g] / count[g] - normal[i] * product[g] / count[g])
                / std::sqrt(statistics.variance[g] + epsilon));
    }
    return result;
}

double epsilon_of(const truth_request_t &op) { return op.attr<float>(attr_name_t::epsilon, 1e-5f); }
bool is_affine(const truth_request_t &op) { return op.attr<bool>(attr_name_t::use_affine, true); }

arrays_t row_norm(const truth_request_t &op, const arrays_t &inputs) {
    const bool has_weights = inputs.size() > 1 && is_affine(op);
    const auto members = rows_of(op, inputs[0], has_weights ? inputs[1].dims : dims_t());
    const auto statistics = statistics_of(inputs[0], members, op.kind != kind_t::RMSNorm);
    return {normalized(inputs[0], members, statistics, epsilon_of(op),
                    has_weights ? inputs[1].values : sum_t(),
                    has_weights && inputs.size() > 2 ? inputs[2].values : sum_t()),
            {members.statistic_dims, statistics.mean},
            {members.statistic_dims, statistics.variance}};
}

/// Four inputs are src, diff_dst, mean and variance unless use_affine is set to true.
arrays_t row_norm_backward(const truth_request_t &op, const arrays_t &inputs) {
    const bool has_statistics =
            inputs.size() > 4
            || (inputs.size() == 4 && !op.attr<bool>(attr_name_t::use_affine, false));
    const size_t gamma = has_statistics ? 4 : 2, beta = gamma + 1;
    const bool has_weights = is_affine(op) && inputs.size() > gamma;
    const auto members = rows_of(op, inputs[0], has_weights ? inputs[gamma].dims : dims_t());
    const auto statistics = has_statistics ? statistics_t{inputs[2].values, inputs[3].values}
                                           : statistics_of(inputs[0], members, true);
    arrays_t result = gradients(inputs[0], inputs[1], members, statistics, epsilon_of(op),
            has_weights ? inputs[gamma].values : sum_t(),
            has_weights ? inputs[gamma].dims : dims_t());
    if (!has_weights || inputs.size() <= beta) return result;
    const auto weights = rows_of(op, inputs[0], inputs[beta].dims).weight;
    array_t &diff_beta = result[2];
    diff_beta = {inputs[beta].dims, sum_t(inputs[beta].values.size())};
    for (size_t i = 0; i < weights.size(); ++i) diff_beta.values[weights[i]] += inputs[1].values[i];
    return result;
}

arrays_t group_norm(const truth_request_t &op, const arrays_t &inputs) {
    const auto members = channels_of(op, inputs[0], op.attr<int64_t>(attr_name_t::groups, 1));
    const auto statistics = statistics_of(inputs[0], members, true);
    const bool has_weights = inputs.size() > 1 && is_affine(op);
    return {normalized(inputs[0], members, statistics, epsilon_of(op),
                    has_weights ? inputs[1].values : sum_t(),
                    has_weights && inputs.size() > 2 ? inputs[2].values : sum_t()),
            {members.statistic_dims, statistics.mean},
            {members.statistic_dims, statistics.variance}};
}

arrays_t batch_norm_inference(const truth_request_t &op, const arrays_t &inputs) {
    return {normalized(inputs[0], channels_of(op, inputs[0], 0),
            {inputs[3].values, inputs[4].values}, epsilon_of(op), inputs[1].values,
            inputs[2].values)};
}

arrays_t batch_norm_training(const truth_request_t &op, const arrays_t &inputs) {
    const auto members = channels_of(op, inputs[0], 0);
    const auto statistics = statistics_of(inputs[0], members, true);
    const double momentum = op.attr<float>(attr_name_t::momentum, 0.5f);
    const auto moved = [&](const array_t &from, const sum_t &to) {
        array_t result = from;
        for (size_t i = 0; i < to.size(); ++i)
            result.values[i] = momentum * from.values[i] + (1 - momentum) * to[i];
        return result;
    };
    return {normalized(inputs[0], members, statistics, epsilon_of(op),
                    inputs.size() > 3 ? inputs[3].values : sum_t(),
                    inputs.size() > 4 ? inputs[4].values : sum_t()),
            moved(inputs[1], statistics.mean), moved(inputs[2], statistics.variance),
            {members.statistic_dims, statistics.mean},
            {members.statistic_dims, statistics.variance}};
}

/// Gamma is ignored if its gradient is not wanted.
arrays_t batch_norm_backward(const truth_request_t &op, const arrays_t &inputs) {
    const auto members = channels_of(op, inputs[0], 0);
    const bool has_weights = inputs.size() > 4 && op.output_count == 3;
    return gradients(inputs[0], inputs[1], members, {inputs[2].values, inputs[3].values},
            epsilon_of(op), has_weights ? inputs[4].values : sum_t(), inputs[2].dims);
}

} // namespace

arrays_t truth_of_norm(const truth_request_t &op, const arrays_t &inputs) {
    switch (op.kind) {
    case kind_t::LayerNorm:
    case kind_t::RMSNorm: return row_norm(op, inputs);
    case kind_t::LayerNormBackward: return row_norm_backward(op, inputs);
    case kind_t::GroupNorm: return group_norm(op, inputs);
    case kind_t::BatchNormInference: return batch_norm_inference(op, inputs);
    case kind_t::BatchNormForwardTraining: return batch_norm_training(op, inputs);
    case kind_t::BatchNormTrainingBackward: return batch_norm_backward(op, inputs);
    default: return {};
    }
}

} // namespace kiln::test
