// SPDX-License-Identifier: Apache-2.0
// Common to the normalizations of graphs: populations of elements with tolerances, their
// statistics, and both directions. The arithmetic of exact elements is normalization/reference.hpp.
#pragma once

#include "graph/reference/populations.hpp"
#include "graph/reference/step.hpp"
#include "normalization/reference.hpp"

namespace benchdnn::graph {

using normalization::statistics_t;

// Scale or shift of each element of src; an absent one has the same value for all elements.
class parameter_t {
public:
    parameter_t(const value_t *value, double standard, broadcast_index_t index)
        : value_(value)
        , standard_{standard, 0}
        , index_(std::move(index)) {}
    estimate_t of(dim_t element) const {
        return value_ ? value_->elements[index_(element)] : standard_;
    }
    dim_t index(dim_t element) const { return index_(element); }

private:
    const value_t *value_;
    estimate_t standard_;
    broadcast_index_t index_;
};

// Has the dims of src's last axes, or broadcasts to src, or has one value for each channel.
broadcast_index_t row_parameter_index(const value_t *parameter, const op_t &op, const dims_t &dims);
broadcast_index_t channel_parameter_index(const op_t &op, const dims_t &dims);

struct normalization_t {
    const value_t &src;
    populations_t populations;
    double epsilon;
    bool is_rms;
    parameter_t scale, shift;

    statistics_t statistics_of(dim_t population) const;
};

// Statistics from an earlier operation, or null.
struct given_statistics_t {
    const value_t *mean, *variance;
    bool exist() const { return variance != nullptr; }
    statistics_t of(dim_t population) const;
};

// Each of the outputs may be null.
struct forward_outputs_t {
    value_t *dst, *mean, *variance;
};
void normalize(const normalization_t &what, const given_statistics_t &given,
        const forward_outputs_t &outputs);

struct backward_outputs_t {
    value_t *diff_src, *diff_scale, *diff_shift;
};
void differentiate(const normalization_t &what, const value_t &diff_dst,
        const given_statistics_t &given, const backward_outputs_t &outputs);

} // namespace benchdnn::graph
