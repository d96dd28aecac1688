// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of matrix multiplication:
//     dst = post_ops(sum over k of s(m, k) * w(k, n) + bias) / dst_scale + dst_zero_point
// where s and w are (element - zero point) * scale. The sums are in double, in ascending order of
// k, so those of integers are exact as long as scales are powers of two; post-ops are computed in
// float. Precomputed reductions are sums of src that the sums contain already; they are not read.
//
// A task computes a block of dst in double from blocks of src and weights that it converts first,
// so a weight is converted once for each block of rows.

#include "cpu/reference/matmul.hpp"

#include <algorithm>
#include <cmath>

#include "common/integers.hpp"
#include "common/primitive/primitive.hpp"
#include "cpu/parallel.hpp"
#include "cpu/reference/matmul_output.hpp"
#include "cpu/reference/quantization_values.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

constexpr dim_t block_m = 32, block_n = 128, block_k = 128;

/// A block of a matrix of doubles, row-major with a pitch of 128.
using block_t = std::vector<double>;
constexpr dim_t pitch = 128;

/// src or weights.
class matrix_t {
public:
    matrix_t(const matmul_pd_t &pd, int arg)
        : md_(pd.md_of(arg))
        , tensor_(md_)
        , slot_(pd.slot_of(arg))
        , zero_points_(pd, pd.attr().zero_points, DNNL_ARG_ATTR_ZERO_POINTS, arg)
        , scales_(pd, pd.attr().scales, DNNL_ARG_ATTR_SCALES, arg) {}

    /// Loads the block of `rows` x `columns` elements at (row, column) of the matrix that belongs
    /// to the batch position of dst.
    void load(const exec_ctx_t &ctx, const dim_t *batch, dim_t row, dim_t rows, dim_t column,
            dim_t columns, block_t &block) const {
        const int last = md_.ndims - 1;
        dims_t at;
        for (int d = 0; d < last - 1; ++d) at[d] = md_.dims[d] == 1 ? 0 : batch[d];
        std::vector<double> buffer(static_cast<size_t>(columns));
        for (dim_t r = 0; r < rows; ++r) {
            at[last - 1] = row + r;
            at[last] = 0;
            const std::span values(&block[static_cast<size_t>(r * pitch)], buffer.size());
            tensor_.load(ctx.input(slot_), tensor_.layout().offset(at), last, column, values);
            at[last] = column;
            if (zero_points_.is_given()) {
                zero_points_.load(ctx, at, last, buffer);
                for (size_t i = 0; i < buffer.size(); ++i) values[i] -= buffer[i];
            }
            if (scales_.is_given()) {
                scales_.load(ctx, at, last, buffer);
                for (size_t i = 0; i < buffer.size(); ++i) values[i] *= buffer[i];
            }
        }
    }

private:
    const memory_desc_t md_;
    const tensor_t tensor_;
    const int slot_;
    const quantization_values_t zero_points_, scales_;
};

class matmul_t : public primitive_impl_t {
public:
    explicit matmul_t(const matmul_pd_t &pd)
        : src_(pd, DNNL_ARG_SRC)
        , weights_(pd, DNNL_ARG_WEIGHTS)
        , output_(pd)
        , batch_ndims_(pd.batch_ndims())
        , batch_(pd.batch())
        , m_(pd.m())
        , n_(pd.n())
        , k_(pd.k()) {
        std::copy_n(pd.dst().dims, pd.ndims(), dims_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const dim_t rows = divide_up(m_, block_m), columns = divide_up(n_, block_n);
        parallel_chunks(batch_ * rows * columns, 1, [&](dim_t begin, dim_t end) {
            for (dim_t task = begin; task < end; ++task)
                multiply(ctx, task / (rows * columns), task / columns % rows * block_m,
                        task % columns * block_n);
        });
        return dnnl_success;
    }

private:
    void multiply(const exec_ctx_t &ctx, dim_t matrix, dim_t row, dim_t column) const {
        const odometer_t batch(batch_ndims_, dims_, matrix);
        const dim_t rows = std::min(block_m, m_ - row), columns = std::min(block_n, n_ - column);
        block_t sums(static_cast<size_t>(rows * pitch)), src(sums.size());
        block_t weights(static_cast<size_t>(std::min(block_k, k_) * pitch));
        for (dim_t k = 0; k < k_; k += block_k) {
            const dim_t depth = std::min(block_k, k_ - k);
            src_.load(ctx, batch.position(), row, rows, k, depth, src);
            weights_.load(ctx, batch.position(), k, depth, column, columns, weights);
            for (dim_t m = 0; m < rows; ++m)
                for (dim_t i = 0; i < depth; ++i)
                    add_multiple(src[static_cast<size_t>(m * pitch + i)],
                            &weights[static_cast<size_t>(i * pitch)], columns,
                            &sums[static_cast<size_t>(m * pitch)]);
        }
        dims_t at;
        std::copy_n(batch.position(), batch_ndims_, at);
        at[batch_ndims_ + 1] = column;
        for (dim_t m = 0; m < rows; ++m) {
            at[batch_ndims_] = row + m;
            output_.store(
                    ctx, at, {&sums[static_cast<size_t>(m * pitch)], static_cast<size_t>(columns)});
        }
    }

    /// sums += factor * row
    static void add_multiple(double factor, const double *row, dim_t count, double *sums) {
        for (dim_t n = 0; n < count; ++n) sums[n] += factor * row[n];
    }

    const matrix_t src_, weights_;
    const matmul_output_t output_;
    const int batch_ndims_;
    const dim_t batch_, m_, n_, k_;
    dims_t dims_; // of dst
};

} // namespace

refusal_t matmul_accept(matmul_pd_t &pd, plan_ptr_t &plan) {
    return accepted_for<matmul_t>(pd, plan);
}

} // namespace kiln::cpu::reference
