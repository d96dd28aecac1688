// SPDX-License-Identifier: Apache-2.0
// Functions of the library as a whole: version, verbose mode, generated code, instruction sets,
// primitive cache, and matrix products without primitives.

#ifndef ONEAPI_DNNL_CPP_LIBRARY_HPP
#define ONEAPI_DNNL_CPP_LIBRARY_HPP

#include "oneapi/dnnl/cpp/enums.hpp"

namespace dnnl {

using version_t = dnnl_version_t;

/// The version of the interface that the library implements. Never null.
inline const version_t *version() { return dnnl_version(); }

/// Sets the verbose level: 0 prints nothing, 1 executions, 2 executions and creations. Overrides
/// ONEDNN_VERBOSE.
inline status set_verbose(int level) { return static_cast<status>(dnnl_set_verbose(level)); }

/// The default math mode of new attributes.
inline fpmath_mode get_default_fpmath_mode() {
    dnnl_fpmath_mode_t mode;
    error::wrap_c_api(dnnl_get_default_fpmath_mode(&mode), "cannot get the default fpmath mode");
    return static_cast<fpmath_mode>(mode);
}

inline status set_default_fpmath_mode(fpmath_mode mode) {
    return static_cast<status>(dnnl_set_default_fpmath_mode(convert_to_c(mode)));
}

/// Dumps generated code to files if enable is not 0.
inline status set_jit_dump(int enable) { return static_cast<status>(dnnl_set_jit_dump(enable)); }

/// Selects the profilers that are informed of generated code: a combination of DNNL_JIT_PROFILE_
/// values.
inline status set_jit_profiling_flags(unsigned flags) {
    return static_cast<status>(dnnl_set_jit_profiling_flags(flags));
}

/// Sets the directory of DNNL_JIT_PROFILE_LINUX_JITDUMP.
inline status set_jit_profiling_jitdumpdir(const std::string &dir) {
    return static_cast<status>(dnnl_set_jit_profiling_jitdumpdir(dir.c_str()));
}

/// Limits the instruction set of generated code. Returns status::invalid_arguments if the library
/// has chosen the instruction set already.
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}

/// The instruction set of generated code: the best of the processor within the limit.
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

/// Returns status::runtime_error if the library has used the hints already.
inline status set_cpu_isa_hints(cpu_isa_hints isa_hints) {
    return static_cast<status>(
            dnnl_set_cpu_isa_hints(static_cast<dnnl_cpu_isa_hints_t>(isa_hints)));
}

inline cpu_isa_hints get_cpu_isa_hints() {
    return static_cast<cpu_isa_hints>(dnnl_get_cpu_isa_hints());
}

/// The capacity of the primitive cache; 0 means that it is disabled.
inline int get_primitive_cache_capacity() {
    int capacity = 0;
    error::wrap_c_api(dnnl_get_primitive_cache_capacity(&capacity),
            "cannot get the capacity of the primitive cache");
    return capacity;
}

/// Throws if the capacity is negative.
inline void set_primitive_cache_capacity(int capacity) {
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity),
            "cannot set the capacity of the primitive cache; ONEDNN_VERBOSE=all says why");
}

/// C = alpha * op(A) * op(B) + beta * C for row-major matrices, where op(A) is M x K and op(B) K x
/// N. op is the transpose for the characters T and t, the identity for N and n. The leading
/// dimensions are the strides between rows.
inline status sgemm(char transa, char transb, dnnl_dim_t M, dnnl_dim_t N, dnnl_dim_t K, float alpha,
        const float *A, dnnl_dim_t lda, const float *B, dnnl_dim_t ldb, float beta, float *C,
        dnnl_dim_t ldc) {
    return static_cast<status>(
            dnnl_sgemm(transa, transb, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc));
}

/// C = alpha * (op(A) - ao) * (op(B) - bo) + beta * C + co. offsetc gives the shape of co: F one
/// value, C a value for each row of C, R a value for each column.
inline status gemm_u8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const uint8_t *A, dnnl_dim_t lda, uint8_t ao, const int8_t *B,
        dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_u8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

/// The same with signed A.
inline status gemm_s8s8s32(char transa, char transb, char offsetc, dnnl_dim_t M, dnnl_dim_t N,
        dnnl_dim_t K, float alpha, const int8_t *A, dnnl_dim_t lda, int8_t ao, const int8_t *B,
        dnnl_dim_t ldb, int8_t bo, float beta, int32_t *C, dnnl_dim_t ldc, const int32_t *co) {
    return static_cast<status>(dnnl_gemm_s8s8s32(
            transa, transb, offsetc, M, N, K, alpha, A, lda, ao, B, ldb, bo, beta, C, ldc, co));
}

} // namespace dnnl

#endif // ONEAPI_DNNL_CPP_LIBRARY_HPP
