// SPDX-License-Identifier: Apache-2.0
// The configuration of this library as macros: runtimes, features, operations.

#ifndef ONEAPI_DNNL_DNNL_CONFIG_H
#define ONEAPI_DNNL_DNNL_CONFIG_H

// Visibility. The library hides every symbol that is not marked DNNL_API.
#if defined _WIN32 || defined __CYGWIN__
#define DNNL_HELPER_DLL_IMPORT __declspec(dllimport)
#define DNNL_HELPER_DLL_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DNNL_HELPER_DLL_IMPORT __attribute__((visibility("default")))
#define DNNL_HELPER_DLL_EXPORT __attribute__((visibility("default")))
#else
#define DNNL_HELPER_DLL_IMPORT
#define DNNL_HELPER_DLL_EXPORT
#endif

// DNNL_DLL: a shared library is built or used. DNNL_DLL_EXPORTS: it is being built.
#if !defined(DNNL_DLL)
#define DNNL_API
#elif defined(DNNL_DLL_EXPORTS)
#define DNNL_API DNNL_HELPER_DLL_EXPORT
#else
#define DNNL_API DNNL_HELPER_DLL_IMPORT
#endif

#if defined(__GNUC__)
#define DNNL_DEPRECATED __attribute__((deprecated))
#elif defined(_MSC_VER)
#define DNNL_DEPRECATED __declspec(deprecated)
#else
#define DNNL_DEPRECATED
#endif

// -- Runtimes -------------------------------------------------------------------------------------

// Values of DNNL_CPU_RUNTIME, DNNL_GPU_RUNTIME and the fields of dnnl_version_t.
#define DNNL_RUNTIME_NONE 0u       ///< There is no such engine.
#define DNNL_RUNTIME_SEQ 1u        ///< One thread.
#define DNNL_RUNTIME_OMP 2u        ///< OpenMP.
#define DNNL_RUNTIME_TBB 4u        ///< oneTBB.
#define DNNL_RUNTIME_THREADPOOL 8u ///< Threads of the caller.
#define DNNL_RUNTIME_OCL 256u      ///< OpenCL.
#define DNNL_RUNTIME_SYCL 512u     ///< SYCL.
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL
#define DNNL_RUNTIME_ZE 1024u ///< Level Zero.

#define DNNL_VENDOR_NONE 0u
#define DNNL_VENDOR_INTEL 1u
#define DNNL_VENDOR_NVIDIA 2u
#define DNNL_VENDOR_AMD 4u
#define DNNL_VENDOR_GENERIC 8u

// This library has a CPU engine with oneTBB threads and no GPU engine.
#define DNNL_CPU_THREADING_RUNTIME DNNL_RUNTIME_TBB
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_TBB
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_NONE
// Programs use this value for a library without GPU engine, too.
#define DNNL_GPU_VENDOR DNNL_VENDOR_INTEL

// -- Features -------------------------------------------------------------------------------------

// Tested with #ifdef. Defined: the library has the graph interface of dnnl_graph.h.
#define ONEDNN_BUILD_GRAPH
// The other macros of this kind (DNNL_EXPERIMENTAL, DNNL_EXPERIMENTAL_UKERNEL,
// DNNL_EXPERIMENTAL_PROFILING, DNNL_EXPERIMENTAL_LOGGING, DNNL_ENABLE_CONCURRENT_EXEC,
// DNNL_ENABLE_STACK_CHECKER, DNNL_SAFE_RBP, DNNL_WITH_SYCL, ...) are not defined: this library has
// none of those features.

// 0 or 1.
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 0

// -- What is built in -----------------------------------------------------------------------------

// Forward and backward propagation. BUILD_INFERENCE would mean "forward only".
#define BUILD_TRAINING 1
#define BUILD_INFERENCE 0

// Operations: 1 if implemented. With 0 the functions exist and return dnnl_unimplemented.
#define BUILD_PRIMITIVE_ALL 0
#define BUILD_BATCH_NORMALIZATION 1
#define BUILD_BINARY 1
#define BUILD_CONCAT 1
#define BUILD_CONVOLUTION 0
#define BUILD_DECONVOLUTION 0
#define BUILD_ELTWISE 1
#define BUILD_GATED_MLP 0
#define BUILD_GROUP_NORMALIZATION 1
#define BUILD_INNER_PRODUCT 0
#define BUILD_LAYER_NORMALIZATION 1
#define BUILD_LRN 0
#define BUILD_MATMUL 0
#define BUILD_POOLING 0
#define BUILD_PRELU 1
#define BUILD_REDUCTION 1
#define BUILD_REORDER 1
#define BUILD_RESAMPLING 0
#define BUILD_RNN 0
#define BUILD_SDPA 0
#define BUILD_SHUFFLE 1
#define BUILD_SOFTMAX 1
#define BUILD_SUM 1

// Instruction sets. _ALL includes each one that the library knows; the others are 0 then.
#define BUILD_PRIMITIVE_CPU_ISA_ALL 1
#define BUILD_SSE41 0
#define BUILD_AVX2 0
#define BUILD_AVX512 0
#define BUILD_AMX 0

// There is no GPU engine to build kernels for.
#define BUILD_PRIMITIVE_GPU_ISA_ALL 0
#define BUILD_XELP 0
#define BUILD_XEHP 0
#define BUILD_XEHPG 0
#define BUILD_XEHPC 0
#define BUILD_XE2 0
#define BUILD_XE3 0
#define BUILD_XE3P 0

// Matrix multiplication has no generated kernels.
#define BUILD_GEMM_KERNELS_ALL 0
#define BUILD_GEMM_KERNELS_NONE 1
#define BUILD_GEMM_SSE41 0
#define BUILD_GEMM_AVX2 0
#define BUILD_GEMM_AVX512 0

#endif // ONEAPI_DNNL_DNNL_CONFIG_H
