// SPDX-License-Identifier: Apache-2.0
// Products of row-major matrices outside of primitives: C = alpha * op(A) * op(B) + beta * C, and
// with integers C = alpha * (op(A) - ao) * (op(B) - bo) + beta * C + co. Each call executes a
// primitive of matrix multiplication. The last few are kept, so a call that repeats a problem
// allocates nothing; it holds a lock while it looks for its primitive.

#include <algorithm>
#include <array>
#include <mutex>

#include "common/integers.hpp"
#include "common/memory/data_type.hpp"
#include "common/operations/matmul_pd.hpp"
#include "common/operations/products/gemm_result.hpp"
#include "common/primitive/primitive.hpp"
#include "common/primitive/primitive_cache.hpp"
#include "common/primitive/scratchpad.hpp"
#include "common/primitive/threadpool.hpp"
#include "common/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl_threadpool.h"

namespace kiln {
namespace {

constexpr const char *component = "gemm";

/// What a primitive of matrix multiplication is made for.
struct product_t {
    data_type_t a_type, b_type, c_type;
    dim_t m, n, k;
    dim_t a_row, a_column, b_row, b_column, c_row; // strides
    bool adds_c, has_alpha, has_zero_points;
    int threads;
    dim_t offset_rows = 0, offset_columns = 0; // of what is added to integers; 0: there is none
    bool operator==(const product_t &) const = default;
};

/// A matrix as the caller passes it.
struct gemm_matrix_t {
    char trans;
    const void *data;
    dim_t ld;
    bool is_transposed() const { return trans == 'T' || trans == 't'; }
};

struct gemm_call_t {
    gemm_matrix_t a, b;
    dim_t m, n, k;
    float alpha, beta;
    void *c;
    dim_t ldc;
    int32_t a_zero_point = 0, b_zero_point = 0;
};

status_t check_matrix(const gemm_matrix_t &matrix, const char *name, dim_t rows, dim_t columns) {
    const bool is_plain = matrix.trans == 'N' || matrix.trans == 'n';
    KILN_REQUIRE(is_plain || matrix.is_transposed(), dnnl_invalid_arguments, component,
            "trans of %s is '%c'; it must be N or T", name, matrix.trans);
    KILN_REQUIRE(matrix.ld >= std::max(dim_t(1), is_plain ? columns : rows), dnnl_invalid_arguments,
            component,
            "the leading dimension of %s is %lld; it must be at least the length of a row", name,
            static_cast<long long>(matrix.ld));
    KILN_REQUIRE(matrix.data || rows == 0 || columns == 0, dnnl_invalid_arguments, component,
            "%s is a null pointer", name);
    return dnnl_success;
}

status_t check(const gemm_call_t &call) {
    KILN_REQUIRE(call.m >= 0 && call.n >= 0 && call.k >= 0, dnnl_invalid_arguments, component,
            "M, N or K is negative");
    KILN_TRY(check_matrix(call.a, "A", call.m, call.k));
    KILN_TRY(check_matrix(call.b, "B", call.k, call.n));
    return check_matrix({'N', call.c, call.ldc}, "C", call.m, call.n);
}

/// The library's own engine; it lives as long as the process.
engine_t *gemm_engine() {
    static engine_t *const engine = create_cpu_engine(0);
    return engine;
}

status_t describe_matrix(
        memory_desc_t &md, dim_t rows, dim_t columns, data_type_t type, dim_t row, dim_t column) {
    const dim_t dims[] = {rows, columns}, strides[] = {row, column};
    const status_t status = init_by_strides(md, 2, dims, type, strides);
    KILN_REQUIRE(status == dnnl_success, status, component,
            "a matrix of %lld rows of %lld elements, %lld elements apart, is too large",
            static_cast<long long>(rows), static_cast<long long>(columns),
            static_cast<long long>(std::max(row, column)));
    return dnnl_success;
}

status_t find_primitive(const product_t &p, primitive_cache_t::value_t &primitive) {
    matmul_desc_t desc{zero_md, zero_md, zero_md, zero_md};
    KILN_TRY(describe_matrix(desc.src, p.m, p.k, p.a_type, p.a_row, p.a_column));
    KILN_TRY(describe_matrix(desc.weights, p.k, p.n, p.b_type, p.b_row, p.b_column));
    KILN_TRY(describe_matrix(desc.dst, p.m, p.n, p.c_type, p.c_row, 1));
    if (p.offset_rows != 0)
        KILN_TRY(describe_matrix(
                desc.bias, p.offset_rows, p.offset_columns, dnnl_s32, p.offset_columns, 1));
    primitive_attr_t attr;
    if (p.has_alpha) attr.scales[DNNL_ARG_SRC] = {};
    if (p.adds_c) attr.post_ops.entries.push_back(sum_post_op_t{1, 0, p.c_type});
    if (p.has_zero_points)
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS})
            attr.zero_points[arg] = {.data_type = dnnl_s32};
    std::shared_ptr<const primitive_desc_t> pd;
    KILN_TRY(operation_pd_t<matmul_desc_t>::find(gemm_engine(), desc, &attr, nullptr, 0, pd));
    bool is_hit = false;
    return primitive_cache().get(pd, primitive, is_hit);
}

/// The primitive for the product, from those that were used last.
status_t recent_primitive(const product_t &product, primitive_cache_t::value_t &primitive) {
    struct entry_t {
        product_t product{};
        primitive_cache_t::value_t primitive;
    };
    struct recent_t {
        std::mutex mutex;
        std::array<entry_t, 16> entries;
        size_t oldest = 0;
    };
    static recent_t &recent = *new recent_t; // executions may come after destructors
    {
        const std::lock_guard lock(recent.mutex);
        for (const entry_t &entry : recent.entries)
            if (entry.primitive && entry.product == product) {
                primitive = entry.primitive;
                return dnnl_success;
            }
    }
    KILN_TRY(find_primitive(product, primitive));
    const std::lock_guard lock(recent.mutex);
    recent.entries[recent.oldest] = {product, primitive};
    recent.oldest = (recent.oldest + 1) % recent.entries.size();
    return dnnl_success;
}

/// A product whose primitive and buffers exist: what remains is arithmetic. Alpha and the zero
/// points are honoured where the product has them.
class ready_product_t {
public:
    status_t prepare(const product_t &product) {
        product_ = product;
        KILN_TRY(recent_primitive(product, primitive_));
        if (const size_t bytes = primitive_->pd->scratchpad_size())
            scratchpad_ = lease_.take(bytes);
        return dnnl_success;
    }

    status_t execute(const gemm_call_t &call, void *c, const int32_t *offset = nullptr) const {
        const primitive_desc_t &pd = *primitive_->pd;
        exec_ctx_t ctx(pd);
        const auto bind = [&](int arg, const void *data) {
            ctx.set(pd.slot_of(arg), const_cast<void *>(data));
        };
        bind(DNNL_ARG_SRC, call.a.data);
        bind(DNNL_ARG_WEIGHTS, call.b.data);
        bind(DNNL_ARG_DST, c);
        if (offset) bind(DNNL_ARG_BIAS, offset);
        if (product_.has_alpha) bind(DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, &call.alpha);
        if (product_.has_zero_points) {
            bind(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, &call.a_zero_point);
            bind(DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS, &call.b_zero_point);
        }
        if (scratchpad_) ctx.set_scratchpad(scratchpad_);
        return primitive_->execute(ctx);
    }

private:
    product_t product_{};
    primitive_cache_t::value_t primitive_;
    scratchpad_lease_t lease_;
    void *scratchpad_ = nullptr;
};

product_t product_of(
        const gemm_call_t &call, data_type_t a_type, data_type_t b_type, data_type_t c_type) {
    const auto stride = [](const gemm_matrix_t &matrix, bool of_rows) {
        return matrix.is_transposed() == of_rows ? dim_t(1) : matrix.ld;
    };
    return {a_type, b_type, c_type, call.m, call.n, call.k, stride(call.a, true),
            stride(call.a, false), stride(call.b, true), stride(call.b, false), call.ldc,
            call.beta != 0, call.alpha != 1, false, gemm_engine()->thread_count()};
}

status_t sgemm(gemm_call_t call) {
    KILN_TRY(check(call));
    if (call.m == 0 || call.n == 0) return dnnl_success;
    if (call.alpha == 0) call.k = 0; // A and B are not read
    ready_product_t product;
    KILN_TRY(product.prepare(product_of(call, dnnl_f32, dnnl_f32, dnnl_f32)));
    // The primitive adds to C, so one serves every beta.
    if (call.beta != 0 && call.beta != 1)
        scale_rows({static_cast<float *>(call.c), call.m, call.n, call.ldc}, call.beta);
    return product.execute(call, call.c);
}

/// An integer product with factors: the sums of some rows at a time are combined with C while
/// caches hold them.
status_t combined_gemm(gemm_call_t call, product_t product, const gemm_offset_t &offset) {
    constexpr dim_t most_sums = 1 << 20;
    const dim_t most_rows = std::max<dim_t>(1, most_sums / call.n);
    const dim_t rows = divide_up(call.m, divide_up(call.m, most_rows)), rest = call.m % rows;
    product.c_row = call.n;
    product.m = rows;
    ready_product_t whole;
    KILN_TRY(whole.prepare(product));
    ready_product_t last;
    product.m = rest;
    if (rest != 0) KILN_TRY(last.prepare(product));
    scratchpad_lease_t lease;
    auto *const sums = static_cast<int32_t *>(
            lease.take(static_cast<size_t>(rows * call.n) * sizeof(int32_t)));
    const gemm_rows_t<int32_t> c{static_cast<int32_t *>(call.c), call.m, call.n, call.ldc};
    const auto *const a = static_cast<const std::byte *>(call.a.data);
    for (dim_t first = 0; first < call.m; first += rows) {
        const dim_t count = std::min(rows, call.m - first);
        if (a) call.a.data = a + first * product.a_row; // elements are bytes
        KILN_TRY((count == rows ? whole : last).execute(call, sums));
        combine_rows({c.row(first), count, call.n, call.ldc}, call.alpha,
                {sums, count, call.n, call.n}, call.beta, offset.behind(first));
    }
    return dnnl_success;
}

status_t integer_gemm(gemm_call_t call, data_type_t a_type, gemm_offset_t offset) {
    KILN_TRY(check(call));
    KILN_REQUIRE(offset.is_fixed() || offset.is_row() || offset.is_column(), dnnl_invalid_arguments,
            component, "offsetc is '%c'; it must be F, R or C", offset.kind);
    if (call.m == 0 || call.n == 0) return dnnl_success;
    KILN_REQUIRE(offset.values, dnnl_invalid_arguments, component, "co is a null pointer");
    if (call.alpha == 0) call.k = 0; // A and B are not read
    product_t product = product_of(call, a_type, dnnl_s8, dnnl_s32);
    product.adds_c = false;
    product.has_alpha = false;
    product.has_zero_points = call.a_zero_point != 0 || call.b_zero_point != 0;
    memory_desc_t checked;
    KILN_TRY(describe_matrix(checked, call.m, call.k, a_type, product.a_row, product.a_column));
    KILN_TRY(describe_matrix(checked, call.m, call.n, dnnl_s32, call.ldc, 1));
    if (offset.is_zero(call.m, call.n)) offset.values = nullptr;
    if (call.alpha != 1 || (call.beta != 0 && call.beta != 1))
        return combined_gemm(call, product, offset);
    // The primitive adds integers exactly.
    product.adds_c = call.beta == 1;
    if (offset.exists()) {
        product.offset_rows = offset.is_column() ? call.m : 1;
        product.offset_columns = offset.is_row() ? call.n : 1;
    }
    ready_product_t ready;
    KILN_TRY(ready.prepare(product));
    return ready.execute(call, call.c, offset.values);
}

/// Runs `body` with the program's pool of threads.
template <typename body_t> status_t with_threadpool(void *threadpool, const body_t &body) {
    return guarded([&]() -> status_t {
        KILN_TRY(check_threadpool_runtime());
        const threadpool_use_t use(threadpool);
        return body();
    });
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_sgemm(char transa, char transb, dim_t M, dim_t N, dim_t K, float alpha,
        const float *A, dim_t lda, const float *B, dim_t ldb, float beta, float *C, dim_t ldc) {
    return guarded([&] {
        return sgemm({{transa, A, lda}, {transb, B, ldb}, M, N, K, alpha, beta, C, ldc});
    });
}

status_t dnnl_gemm_u8s8s32(char transa, char transb, char offsetc, dim_t M, dim_t N, dim_t K,
        float alpha, const uint8_t *A, dim_t lda, uint8_t ao, const int8_t *B, dim_t ldb, int8_t bo,
        float beta, int32_t *C, dim_t ldc, const int32_t *co) {
    return guarded([&] {
        return integer_gemm(
                {{transa, A, lda}, {transb, B, ldb}, M, N, K, alpha, beta, C, ldc, ao, bo}, dnnl_u8,
                {offsetc, co});
    });
}

status_t dnnl_gemm_s8s8s32(char transa, char transb, char offsetc, dim_t M, dim_t N, dim_t K,
        float alpha, const int8_t *A, dim_t lda, int8_t ao, const int8_t *B, dim_t ldb, int8_t bo,
        float beta, int32_t *C, dim_t ldc, const int32_t *co) {
    return guarded([&] {
        return integer_gemm(
                {{transa, A, lda}, {transb, B, ldb}, M, N, K, alpha, beta, C, ldc, ao, bo}, dnnl_s8,
                {offsetc, co});
    });
}

status_t dnnl_threadpool_interop_sgemm(char transa, char transb, dim_t M, dim_t N, dim_t K,
        float alpha, const float *A, dim_t lda, const float *B, dim_t ldb, float beta, float *C,
        dim_t ldc, void *threadpool) {
    return with_threadpool(threadpool, [&] {
        return dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);
    });
}

status_t dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc, dim_t M,
        dim_t N, dim_t K, float alpha, const uint8_t *A, dim_t lda, uint8_t ao, const int8_t *B,
        dim_t ldb, int8_t bo, float beta, int32_t *C, dim_t ldc, const int32_t *co,
        void *threadpool) {
    return with_threadpool(threadpool, [&] {
        return dnnl_gemm_u8s8s32(
                transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co);
    });
}

status_t dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc, dim_t M,
        dim_t N, dim_t K, float alpha, const int8_t *A, dim_t lda, int8_t ao, const int8_t *B,
        dim_t ldb, int8_t bo, float beta, int32_t *C, dim_t ldc, const int32_t *co,
        void *threadpool) {
    return with_threadpool(threadpool, [&] {
        return dnnl_gemm_s8s8s32(
                transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co);
    });
}
