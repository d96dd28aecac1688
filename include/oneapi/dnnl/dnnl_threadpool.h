// SPDX-License-Identifier: Apache-2.0
// Functions for programs that hand a pool of threads to the library. A pool is a pointer to a
// dnnl::threadpool_interop::threadpool_iface (dnnl_threadpool_iface.hpp). In a library that is
// built for other threads (DNNL_CPU_RUNTIME is not DNNL_RUNTIME_THREADPOOL) each function returns
// dnnl_unimplemented.

#ifndef ONEAPI_DNNL_DNNL_THREADPOOL_H
#define ONEAPI_DNNL_DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A stream whose executions run on the threads of a pool, which must outlive it. The flags are
/// dnnl_stream_default_flags. Executions on a stream without a pool, as dnnl_stream_create makes
/// it, run on the calling thread alone.
dnnl_status_t DNNL_API dnnl_threadpool_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, void *threadpool);

/// The pool of a stream; null for a stream without one.
dnnl_status_t DNNL_API dnnl_threadpool_interop_stream_get_threadpool(
        dnnl_stream_t astream, void **threadpool);

/// The number of threads that the calling thread creates primitives for: by default the number of
/// processors that it may run on when it first asks. Values below 1 are dnnl_invalid_arguments.
/// Results do not depend on it.
dnnl_status_t DNNL_API dnnl_threadpool_interop_set_max_concurrency(int max_concurrency);
dnnl_status_t DNNL_API dnnl_threadpool_interop_get_max_concurrency(int *max_concurrency);

/// The matrix products of dnnl.h on the threads of a pool.
dnnl_status_t DNNL_API dnnl_threadpool_interop_sgemm(char transa, char transb, dnnl_dim_t M,
        dnnl_dim_t N, dnnl_dim_t K, float alpha, const float *A, dnnl_dim_t lda, const float *B,
        dnnl_dim_t ldb, float beta, float *C, dnnl_dim_t ldc, void *threadpool);
dnnl_status_t DNNL_API dnnl_threadpool_interop_gemm_u8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda,
        uint8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C,
        dnnl_dim_t ldc, const int32_t *co, void *threadpool);
dnnl_status_t DNNL_API dnnl_threadpool_interop_gemm_s8s8s32(char transa, char transb, char offsetc,
        dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda,
        int8_t ao, const int8_t *B, dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C,
        dnnl_dim_t ldc, const int32_t *co, void *threadpool);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_THREADPOOL_H
