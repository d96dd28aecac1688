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

// The conventions at the beginning of dnnl.h apply.

// -- Engine ---------------------------------------------------------------------------------------

/// Returns the number of engines of a kind: 1 for the CPU, 0 for a kind that the library does not
/// have.
size_t DNNL_API dnnl_engine_get_count(dnnl_engine_kind_t kind);

/// Creates the engine with this index, from 0 to dnnl_engine_get_count() - 1;
/// dnnl_invalid_arguments for other indices.
dnnl_status_t DNNL_API dnnl_engine_create(
        dnnl_engine_t *engine, dnnl_engine_kind_t kind, size_t index);

/// Returns the kind of an engine.
dnnl_status_t DNNL_API dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t *kind);

/// Destroys an engine.
dnnl_status_t DNNL_API dnnl_engine_destroy(dnnl_engine_t engine);

// -- Stream ---------------------------------------------------------------------------------------

/// Creates a stream on an engine. `flags` is a combination of dnnl_stream_flags_t values.
dnnl_status_t DNNL_API dnnl_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags);

/// Returns the engine of a stream, without ownership.
dnnl_status_t DNNL_API dnnl_stream_get_engine(const_dnnl_stream_t stream, dnnl_engine_t *engine);

/// Waits until all executions in the stream are complete. On a CPU they are complete when they have
/// been submitted.
dnnl_status_t DNNL_API dnnl_stream_wait(dnnl_stream_t stream);

/// Destroys a stream. Its executions must be complete.
dnnl_status_t DNNL_API dnnl_stream_destroy(dnnl_stream_t stream);

// -- Floating-point math mode ---------------------------------------------------------------------

/// Returns the default mode of new attributes.
dnnl_status_t DNNL_API dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode);

/// Sets the default mode of new attributes for all threads. Overrides the environment variable
/// ONEDNN_DEFAULT_FPMATH_MODE. dnnl_invalid_arguments for an unknown mode.
dnnl_status_t DNNL_API dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode);

// -- Service --------------------------------------------------------------------------------------

/// Sets the verbose level: 0 prints nothing to stdout, 1 executions, 2 executions and creations.
/// dnnl_invalid_arguments for other values. Overrides the environment variable ONEDNN_VERBOSE,
/// which has more options.
dnnl_status_t DNNL_API dnnl_set_verbose(int level);

/// Returns version and build of the library; the struct remains valid until the program ends.
const dnnl_version_t DNNL_API *dnnl_version(void);

#ifdef __cplusplus
}
#endif

#endif // ONEAPI_DNNL_DNNL_COMMON_H
