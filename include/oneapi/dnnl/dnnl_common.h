// SPDX-License-Identifier: Apache-2.0
// The C functions that primitives and graphs share: engine, stream, math mode, verbose, version.

#ifndef ONEAPI_DNNL_DNNL_COMMON_H
#define ONEAPI_DNNL_DNNL_COMMON_H

#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"

#ifdef __cplusplus
extern "C" {
#endif

// The conventions of dnnl.h hold here: see its beginning.

// -- Engine ---------------------------------------------------------------------------------------

/// Returns how many engines of a kind there are: 1 for the CPU, 0 for a kind this library does not
/// have.
size_t DNNL_API dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Creates the engine with this index, from 0 to dnnl_engine_get_count() - 1. Anything beyond is
/// dnnl_invalid_arguments.
dnnl_status_t DNNL_API dnnl_engine_create(
        dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/// Tells the kind of an engine.
dnnl_status_t DNNL_API dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/// Destroys an engine.
dnnl_status_t DNNL_API dnnl_engine_destroy(dnnl_engine_t engine);

// -- Stream ---------------------------------------------------------------------------------------

/// Creates a stream on an engine. `flags` is a sum of dnnl_stream_flags_t values.
dnnl_status_t DNNL_API dnnl_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/// Tells the engine of a stream; it remains the caller's.
dnnl_status_t DNNL_API dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);

/// Returns when everything submitted to the stream is done. The CPU engine executes before it
/// returns, so there is nothing to wait for.
dnnl_status_t DNNL_API dnnl_stream_wait(dnnl_stream_t stream);

/// Destroys a stream; wait for it first.
dnnl_status_t DNNL_API dnnl_stream_destroy(dnnl_stream_t stream);

// -- Floating-point math mode ---------------------------------------------------------------------

/// Tells the mode that new attributes start with.
dnnl_status_t DNNL_API dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);

/// Sets the mode that new attributes start with, for all threads. It overrides the environment
/// variable ONEDNN_DEFAULT_FPMATH_MODE. dnnl_invalid_arguments for a value that is no mode.
dnnl_status_t DNNL_API dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

// -- Service --------------------------------------------------------------------------------------

/// Sets what is printed to stdout: 0 nothing, 1 each execution, 2 each creation too. Anything else
/// is dnnl_invalid_arguments. It overrides the environment variable ONEDNN_VERBOSE, which offers
/// more.
dnnl_status_t DNNL_API dnnl_set_verbose(int level);

/// Returns version and build of the library; the struct lives as long as the program.
const dnnl_version_t DNNL_API *dnnl_version(void);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_COMMON_H
