// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of matrix multiplication:
//     dst = post_ops(sum over k of s(m, k) * w(k, n) + bias) / dst_scale + dst_zero_point
// where s and w are (element - zero point) * scale. The sums are in double, in ascending order of
// k, so those of integers are exact as long as scales are powers of two; post-ops are computed in
// float. Precomputed reductions are sums of src that the sums contain already; they are not read.

#include "cpu/reference/products/matmul.hpp"

#include <algorithm>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/products/block_product.hpp"
#include "cpu/reference/products/matmul_output.hpp"
#include "cpu/reference/quantization_values.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

/// src or weights.
class matrix_t {
public:
    matrix_t(const matmul_pd_t &pd, int arg)
        : md_(pd.md_of(arg))
        , tensor_(md_)
        , slot_(pd.slot_of(arg))
        , zero_points_(pd, pd.attr().zero_points, DNNL_ARG_ATTR_ZERO_POINTS, arg)
        , scales_(pd, pd.attr().scales, DNNL_ARG_ATTR_SCALES, arg) {}

    /// Loads a block of the matrix that belongs to the batch position of dst.
    void load(const exec_ctx_t &ctx, const dim_t *batch, const block_place_t &place,
            block_t &block) const {
        const int last = md_.ndims - 1;
        dims_t at;
        for (int d = 0; d < last - 1; ++d) at[d] = md_.dims[d] == 1 ? 0 : batch[d];
        std::vector<double> buffer(static_cast<size_t>(place.columns));
        for (dim_t r = 0; r < place.rows; ++r) {
            at[last - 1] = place.row + r;
            at[last] = 0;
            const auto values = block.row(r, place.columns);
            tensor_.load(ctx.input(slot_), tensor_.layout().offset(at), last, place.column, values);
            at[last] = place.column;
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
        , output_(pd, pd.bias())
        , batch_ndims_(pd.batch_ndims())
        , batch_(pd.batch())
        , m_(pd.m())
        , n_(pd.n())
        , k_(pd.k()) {
        std::copy_n(pd.dst().dims, pd.ndims(), dims_);
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const auto batch = [&](dim_t matrix) { return odometer_t(batch_ndims_, dims_, matrix); };
        multiply_blocks(
                batch_, m_, n_, k_,
                [&](dim_t matrix, const block_place_t &place, block_t &block) {
                    src_.load(ctx, batch(matrix).position(), place, block);
                },
                [&](dim_t matrix, const block_place_t &place, block_t &block) {
                    weights_.load(ctx, batch(matrix).position(), place, block);
                },
                [&](dim_t matrix, dim_t row, dim_t column, std::span<double> sums) {
                    dims_t at{};
                    std::copy_n(batch(matrix).position(), batch_ndims_, at);
                    at[batch_ndims_] = row;
                    at[batch_ndims_ + 1] = column;
                    output_.store(ctx, at, sums);
                });
        return dnnl_success;
    }

private:
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
