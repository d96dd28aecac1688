// SPDX-License-Identifier: Apache-2.0
// The populations of a normalization's src, whose elements share statistics, and the scale of each
// element. Pure arithmetic.
#pragma once

#include "common/tensor/dims.hpp"
#include "graph/model/model.hpp"

namespace benchdnn::graph {

// Two nested loops over the elements of a population, and two over the first elements of
// populations.
struct populations_t {
    struct loop_t {
        dim_t extent = 1, stride = 0;
    };
    loop_t outer_begin, inner_begin, outer, inner;

    dim_t count() const { return outer_begin.extent * inner_begin.extent; }
    dim_t size() const { return outer.extent * inner.extent; }
    // The index of a population's element in the tensor.
    dim_t index(dim_t population, dim_t element) const {
        return population / inner_begin.extent * outer_begin.stride
               + population % inner_begin.extent * inner_begin.stride
               + element / inner.extent * outer.stride + element % inner.extent * inner.stride;
    }
};

// dims: of the operation's src. Layer and RMS normalization: axes from begin_norm_axis on.
populations_t row_populations(const op_t &op, const dims_t &dims);
populations_t channel_populations(const op_t &op, const dims_t &dims);
populations_t group_populations(const op_t &op, const dims_t &dims);
// The populations of the operation, by its kind.
populations_t populations_of(const op_t &op, const dims_t &dims);
bool is_normalization(const op_t &op);

} // namespace benchdnn::graph
