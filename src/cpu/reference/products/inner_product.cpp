// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of inner products: three products of matrices,
//     forward:           dst = src x weights^T, then as in matrix multiplication,
//     backward_data:     diff_src = diff_dst x weights,
//     backward_weights:  diff_weights = diff_dst^T x src, diff_bias = sums of diff_dst's columns,
// where src and weights are matrices whose columns are the positions along all axes but the first.
// The sums are in double.

#include "cpu/reference/products/inner_product.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/products/block_product.hpp"
#include "cpu/reference/products/matmul_output.hpp"
#include "cpu/reference/quantization_values.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// A tensor as a matrix; an element's offset is the sum of a row's and a column's.
class flat_matrix_t {
public:
    flat_matrix_t(const memory_desc_t &md, int slot)
        : slot_(slot)
        , type_(md.data_type)
        , layout_(md)
        , rows_(md.dims[0])
        , columns_(std::accumulate(
                  md.dims + 1, md.dims + md.ndims, dim_t(1), std::multiplies<dim_t>()))
        , ndims_(md.ndims) {
        std::copy_n(md.dims, md.ndims, dims_);
    }

    dim_t rows() const { return rows_; }
    dim_t columns() const { return columns_; }

    void load(const exec_ctx_t &ctx, const block_place_t &place, block_t &block) const {
        std::vector<dim_t> offsets(static_cast<size_t>(place.columns));
        find_columns(place.column, offsets);
        for (dim_t r = 0; r < place.rows; ++r)
            load_line(ctx, row_at(place.row + r), offsets, block.row(r, place.columns));
    }
    /// The block of the transposed matrix.
    void load_transposed(const exec_ctx_t &ctx, const block_place_t &place, block_t &block) const {
        std::vector<dim_t> offsets(static_cast<size_t>(place.columns)),
                lines(static_cast<size_t>(place.rows));
        for (size_t i = 0; i < offsets.size(); ++i)
            offsets[i] = row_at(place.column + static_cast<dim_t>(i));
        find_columns(place.row, lines);
        for (dim_t r = 0; r < place.rows; ++r)
            load_line(ctx, lines[static_cast<size_t>(r)], offsets, block.row(r, place.columns));
    }
    void store(
            const exec_ctx_t &ctx, dim_t row, dim_t column, std::span<const double> values) const {
        std::vector<dim_t> offsets(values.size());
        find_columns(column, offsets);
        for (size_t i = 0; i < values.size(); ++i)
            store_f64(type_, values[i], ctx.output(slot_), row_at(row) + offsets[i]);
    }

private:
    dim_t row_at(dim_t row) const { return layout_.offset0() + layout_.axis(0)(row); }
    /// The offsets of columns behind one another: their positions run through the axes but the
    /// first.
    void find_columns(dim_t first, std::span<dim_t> offsets) const {
        odometer_t at(ndims_ - 1, dims_ + 1, first);
        for (dim_t &offset : offsets) {
            offset = 0;
            for (int d = 1; d < ndims_; ++d) offset += layout_.axis(d)(at.position()[d - 1]);
            at.next();
        }
    }
    void load_line(const exec_ctx_t &ctx, dim_t line, std::span<const dim_t> offsets,
            std::span<double> values) const {
        const void *const data = ctx.input(slot_);
        with_type(type_, [&]<typename T>(std::type_identity<T>) {
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<double>(load_element<T>(data, line + offsets[i]));
        });
    }

    const int slot_;
    const data_type_t type_;
    const layout_t layout_;
    const dim_t rows_, columns_;
    const int ndims_;
    dims_t dims_;
};

/// The tensors of all directions.
class inner_product_t : public primitive_impl_t {
protected:
    explicit inner_product_t(const inner_product_pd_t &pd)
        : src_(pd.src(), pd.slot_of(pd.src_arg()))
        , weights_(pd.weights(), pd.slot_of(pd.weights_arg()))
        , dst_(pd.dst(), pd.slot_of(pd.dst_arg())) {}

    const flat_matrix_t src_, weights_, dst_;
};

/// The bias as a matrix of one row.
memory_desc_t as_row(const memory_desc_t &bias) {
    memory_desc_t row = bias;
    if (is_zero(bias)) return row;
    row.set_ndims(2);
    const auto move = [](dim_t *values, dim_t first) {
        values[1] = values[0];
        values[0] = first;
    };
    move(row.dims, 1);
    move(row.padded_dims, 1);
    move(row.padded_offsets, 0);
    blocking_t &blocking = row.format_desc.blocking;
    move(blocking.strides, blocking.strides[0]);
    for (int i = 0; i < blocking.inner_nblks; ++i) blocking.inner_idxs[i] = 1;
    return row;
}

class inner_product_forward_t : public inner_product_t {
public:
    explicit inner_product_forward_t(const inner_product_pd_t &pd)
        : inner_product_t(pd)
        , src_scale_(pd, pd.attr().scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_SRC)
        , weights_scales_(pd, pd.attr().scales, DNNL_ARG_ATTR_SCALES, DNNL_ARG_WEIGHTS)
        , output_(pd, as_row(pd.bias())) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        multiply_blocks(
                1, dst_.rows(), dst_.columns(), src_.columns(),
                [&](dim_t, const block_place_t &place, block_t &block) {
                    src_.load(ctx, place, block);
                },
                [&](dim_t, const block_place_t &place, block_t &block) {
                    weights_.load_transposed(ctx, place, block);
                },
                [&](dim_t, dim_t row, dim_t column, std::span<double> sums) {
                    dims_t at{row, column};
                    scale(ctx, column, sums);
                    output_.store(ctx, at, sums);
                });
        return dnnl_success;
    }

private:
    void scale(const exec_ctx_t &ctx, dim_t column, std::span<double> sums) const {
        std::vector<double> scales(sums.size());
        for (const auto *values : {&src_scale_, &weights_scales_}) {
            if (!values->is_given()) continue;
            dims_t at{};
            at[0] = values == &weights_scales_ ? column : 0; // axis 0 of weights: outputs
            values->load(ctx, at, 0, scales);
            for (size_t i = 0; i < sums.size(); ++i) sums[i] *= scales[i];
        }
    }

    const quantization_values_t src_scale_, weights_scales_;
    const matmul_output_t output_;
};

class inner_product_backward_data_t : public inner_product_t {
public:
    explicit inner_product_backward_data_t(const inner_product_pd_t &pd)
        : inner_product_t(pd) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        multiply_blocks(
                1, src_.rows(), src_.columns(), dst_.columns(),
                [&](dim_t, const block_place_t &place, block_t &block) {
                    dst_.load(ctx, place, block);
                },
                [&](dim_t, const block_place_t &place, block_t &block) {
                    weights_.load(ctx, place, block);
                },
                [&](dim_t, dim_t row, dim_t column, std::span<double> sums) {
                    src_.store(ctx, row, column, sums);
                });
        return dnnl_success;
    }
};

class inner_product_backward_weights_t : public inner_product_t {
public:
    explicit inner_product_backward_weights_t(const inner_product_pd_t &pd)
        : inner_product_t(pd)
        , bias_(pd.bias())
        , bias_slot_(pd.slot_of(DNNL_ARG_DIFF_BIAS)) {}

    status_t execute(const exec_ctx_t &ctx) const override {
        multiply_blocks(
                1, weights_.rows(), weights_.columns(), src_.rows(),
                [&](dim_t, const block_place_t &place, block_t &block) {
                    dst_.load_transposed(ctx, place, block);
                },
                [&](dim_t, const block_place_t &place, block_t &block) {
                    src_.load(ctx, place, block);
                },
                [&](dim_t, dim_t row, dim_t column, std::span<double> sums) {
                    weights_.store(ctx, row, column, sums);
                });
        if (bias_slot_ >= 0) add_columns(ctx);
        return dnnl_success;
    }

private:
    /// diff_bias: diff_dst multiplied by a row of ones.
    void add_columns(const exec_ctx_t &ctx) const {
        multiply_blocks(
                1, 1, dst_.columns(), dst_.rows(),
                [](dim_t, const block_place_t &place, block_t &block) {
                    for (double &one : block.row(0, place.columns)) one = 1;
                },
                [&](dim_t, const block_place_t &place, block_t &block) {
                    dst_.load(ctx, place, block);
                },
                [&](dim_t, dim_t, dim_t column, std::span<double> sums) {
                    bias_.store(ctx.output(bias_slot_), bias_.layout().offset0(), 0, column, sums);
                });
    }

    const tensor_t bias_;
    const int bias_slot_;
};

} // namespace

refusal_t inner_product_accept(inner_product_pd_t &pd, plan_ptr_t &plan) {
    if (pd.is_forward()) return accepted_for<inner_product_forward_t>(pd, plan);
    if (pd.is_backward_data()) return accepted_for<inner_product_backward_data_t>(pd, plan);
    return accepted_for<inner_product_backward_weights_t>(pd, plan);
}

} // namespace kiln::cpu::reference
