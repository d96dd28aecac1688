// SPDX-License-Identifier: Apache-2.0
// The types that primitives and graphs share: status, data types, engine, stream, version.

#ifndef ONEAPI_DNNL_DNNL_COMMON_TYPES_H
#define ONEAPI_DNNL_DNNL_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

// -- Status ---------------------------------------------------------------------------------------

/// The result of a function.
typedef enum {
    dnnl_success = 0,            ///< Success.
    dnnl_out_of_memory = 1,      ///< Memory is exhausted; the library remains usable.
    dnnl_invalid_arguments = 2,  ///< An argument is null, out of range, or contradicts another.
    dnnl_unimplemented = 3,      ///< Valid, but not implemented by this library.
    dnnl_last_impl_reached = 4,  ///< No further implementation of the operation exists.
    dnnl_runtime_error = 5,      ///< Execution failed, or a setting was changed too late.
    dnnl_not_required = 6,       ///< Not applicable to the operation.
    dnnl_invalid_graph = 7,      ///< The graph is not finalized, inconsistent, or has a cycle.
    dnnl_invalid_graph_op = 8,   ///< An operation of the graph does not match its schema.
    dnnl_invalid_shape = 9,      ///< A shape is unknown or does not fit.
    dnnl_invalid_data_type = 10, ///< A data type is unknown or does not fit.
} dnnl_status_t;

// -- Data types and dimensions --------------------------------------------------------------------

/// The type of a tensor's elements.
typedef enum {
    dnnl_data_type_undef = 0, ///< None: the type of a descriptor that describes nothing.
    dnnl_f16 = 1,             ///< IEEE half: 5 bits of exponent, 10 of mantissa.
    dnnl_bf16 = 2,            ///< bfloat16: 8 bits of exponent, 7 of mantissa.
    dnnl_f32 = 3,             ///< IEEE single.
    dnnl_s32 = 4,             ///< Signed, 32 bits.
    dnnl_s8 = 5,              ///< Signed, 8 bits.
    dnnl_u8 = 6,              ///< Unsigned, 8 bits.
    dnnl_f64 = 7,             ///< IEEE double.
    dnnl_boolean = 8,         ///< True or false, the size of a C++ bool.
    dnnl_f8_e5m2 = 9,         ///< OCP 8-bit float: 5 bits of exponent, 2 of mantissa.
    dnnl_f8_e4m3 = 10, ///< OCP 8-bit float: 4 bits of exponent, 3 of mantissa, no infinities.
    dnnl_s4 = 11,      ///< Signed, 4 bits, two to a byte.
    dnnl_u4 = 12,      ///< Unsigned, 4 bits, two to a byte.
    dnnl_e8m0 = 13,    ///< OCP scale: a power of two, 8 bits of exponent.
    dnnl_f4_e2m1 = 14, ///< OCP 4-bit float: 2 bits of exponent, 1 of mantissa.
    dnnl_f4_e3m0 = 15, ///< 4-bit float, 3 bits of exponent. Deprecated.
    dnnl_s64 = 16,     ///< Signed, 64 bits.

    dnnl_data_type_max = 0x7fff, ///< Not a type; makes the enumeration at least 16 bits wide.
} dnnl_data_type_t;

/// The largest number of dimensions of a tensor.
#define DNNL_MAX_NDIMS 12

/// One dimension, stride or offset, counted in elements.
typedef int64_t dnnl_dim_t;

/// One value for each dimension of a tensor; entries from `ndims` on are ignored.
typedef dnnl_dim_t dnnl_dims_t[DNNL_MAX_NDIMS];

// -- Math modes -----------------------------------------------------------------------------------

/// The narrower type to which an f32 computation may convert its inputs.
typedef enum {
    dnnl_fpmath_mode_strict = 0, ///< None. The default.
    dnnl_fpmath_mode_bf16 = 1,   ///< bf16.
    dnnl_fpmath_mode_f16 = 2,    ///< f16.
    dnnl_fpmath_mode_any = 3,    ///< Any of them.
    dnnl_fpmath_mode_tf32 = 4,   ///< tf32.
} dnnl_fpmath_mode_t;

/// The type of accumulators.
typedef enum {
    dnnl_accumulation_mode_strict = 0, ///< f32 (f64 for f64 data), s32 for integers. The default.
    /// The same, but partial sums may be stored in the data's type.
    dnnl_accumulation_mode_relaxed = 1,
    dnnl_accumulation_mode_any = 2, ///< The fastest type.
    dnnl_accumulation_mode_s32 = 3, ///< s32.
    dnnl_accumulation_mode_f32 = 4, ///< f32.
    dnnl_accumulation_mode_f16 = 5, ///< f16.
} dnnl_accumulation_mode_t;

// -- Engine ---------------------------------------------------------------------------------------

/// The kind of device behind an engine.
typedef enum {
    dnnl_any_engine = 0, ///< Unspecified.
    dnnl_cpu = 1,        ///< The host's processors.
    dnnl_gpu = 2,        ///< A graphics processor.
} dnnl_engine_kind_t;

/// An engine: a device that executes computations. Opaque.
struct dnnl_engine;
typedef struct dnnl_engine *dnnl_engine_t;

// -- Stream ---------------------------------------------------------------------------------------

/// The order of executions in a stream.
typedef enum {
    dnnl_stream_in_order = 0x1,     ///< In the order of submission.
    dnnl_stream_out_of_order = 0x2, ///< In any order.
    dnnl_stream_default_flags = dnnl_stream_in_order,

    dnnl_stream_flags_max = 0x7fff, ///< Not a flag; makes the enumeration at least 16 bits wide.
} dnnl_stream_flags_t;

/// A stream: a queue of executions on an engine. Opaque.
struct dnnl_stream;
typedef struct dnnl_stream *dnnl_stream_t;
typedef const struct dnnl_stream *const_dnnl_stream_t;

// -- Version --------------------------------------------------------------------------------------

/// The result of dnnl_version().
typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash;     ///< The commit the library was built from, or "N/A".
    unsigned cpu_runtime; ///< One of DNNL_RUNTIME_*.
    unsigned gpu_runtime; ///< One of DNNL_RUNTIME_*.
} dnnl_version_t;

// -- Special memory handles -----------------------------------------------------------------------

/// Instead of a handle: the memory object has no buffer.
#define DNNL_MEMORY_NONE (NULL)

/// Instead of a handle: the library allocates the buffer and frees it with the memory object.
#define DNNL_MEMORY_ALLOCATE ((void *)(size_t)-1)

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_COMMON_TYPES_H
