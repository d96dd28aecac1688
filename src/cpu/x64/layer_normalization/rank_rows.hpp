// SPDX-License-Identifier: Apache-2.0
// Layer and RMS normalization over ranks: rows whose normalized axis is split, and gradients of
// scale and shift of split rows.
#pragma once

#include "common/operations/normalization/layer_normalization_pd.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/rank_message.hpp"
#include "cpu/x64/layout/row_plan.hpp"
#include "cpu/x64/rows/weight_vectors.hpp"

namespace kiln::x64::layer_normalization {

/// What ranks combine for each row: arrays in the scratchpad, one float for each row in logical
/// order, that kernels write and read in place of the arguments mean and variance (forward), or of
/// sums they would make themselves (backward); behind them is the message.
class rank_rows_t {
public:
    rank_rows_t() = default;
    /// Plans for `pd`, if its ranks combine statistics. Takes place in the scratchpad behind the
    /// `bytes` that are taken, and adds to them.
    rank_rows_t(const layer_normalization_pd_t &pd, size_t &bytes);

    bool is_used() const { return arrays_ != 0; }

    /// Forward: mean = center + rest. Backward: first and second are sum(g) and sum(g * d).
    struct arrays_t {
        float *center, *rest, *variance; // RMS normalization: the variance alone
        float *first, *second;           // RMS normalization: the second alone
    };
    arrays_t arrays(const exec_ctx_t &ctx) const;

    /// Combines mean and variance with those of the other ranks; stores them where they are
    /// outputs.
    status_t combine_statistics(const exec_ctx_t &ctx) const;
    /// Combines the sums. Each becomes the one that a row of this rank's length would have if its
    /// mean were that of the whole row.
    status_t combine_sums(const exec_ctx_t &ctx) const;

private:
    float *array(const exec_ctx_t &ctx, int index) const;
    double *message_buffer(const exec_ctx_t &ctx) const;
    rank_message_size_t message_size() const { return {.statistics = rows_}; }

    int arrays_ = 0;
    ranks_t ranks_;
    dim_t rows_ = 0;
    double cols_ = 0;
    bool has_mean_ = false;
    size_t first_byte_ = 0;
    row_plan_t stats_{0, {}, {}}; // operand 0: in logical order; operand 1: the arguments
    data_type_t stat_type_ = dnnl_data_type_undef;
    int mean_slot_ = -1, variance_slot_ = -1; // of outputs
};

/// Sums of chunks for the gradients of scale and shift: `first` is those of the first chunk for
/// diff_scale.
struct chunk_sums_t {
    const float *first;
    dim_t chunks, pitch; // floats from a chunk to the next
    dim_t to_shift;      // floats from the sums for diff_scale to those for diff_shift
};

/// Gradients of scale and shift, which may be summed over all ranks.
class rank_gradients_t {
public:
    rank_gradients_t() = default;
    /// As rank_rows_t; for ranks that combine these gradients.
    rank_gradients_t(const layer_normalization_pd_t &pd, size_t &bytes);

    /// Adds up the chunks, and the ranks where they combine, in double. Null outputs are not
    /// wanted.
    status_t store(const exec_ctx_t &ctx, const chunk_totals_t &totals, const chunk_sums_t &sums,
            void *diff_scale, void *diff_shift) const;

private:
    ranks_t ranks_;
    dim_t cols_ = 0;
    size_t first_byte_ = 0;
    data_type_t type_ = dnnl_data_type_undef;
};

} // namespace kiln::x64::layer_normalization
