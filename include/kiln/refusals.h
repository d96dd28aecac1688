/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a call was refused, as text: for bindings that turn a status into an exception, and for
 * tools. The reasons are those that ONEDNN_VERBOSE=check,dispatch prints; that setting stays as it
 * is.
 *
 *     if (dnnl_layer_normalization_forward_primitive_desc_create(&pd, ...) != dnnl_success) {
 *         kiln_record_refusals(1);
 *         dnnl_layer_normalization_forward_primitive_desc_create(&pd, ...);
 *         fputs(kiln_recorded_refusals(), stderr);
 *         kiln_record_refusals(0);
 *     }
 *
 * A program that also runs with other libraries of this interface finds the functions by dlsym().
 */
#ifndef KILN_REFUSALS_H
#define KILN_REFUSALS_H

#include "oneapi/dnnl/dnnl_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With 1, the calling thread forgets its reasons and begins to keep those of its calls; with 0, it
 * ends. Calls that succeed are included: an implementation may have refused before another one
 * accepted. */
void DNNL_API kiln_record_refusals(int on);

/* The reasons that the calling thread has kept, one a line: "WHO: REASON", where WHO is an
 * implementation with its operation ("reorder jit:rows") or the kind of object whose argument was
 * wrong ("lnorm"). Operations that serve another one are included. Empty if
 * there is none; at most 4095 characters, whole lines. If there were more, the last line is
 * "(more)". The text is valid until the thread's next call of this library. A thread that ends
 * should have stopped keeping. */
const char DNNL_API *kiln_recorded_refusals(void);

#ifdef __cplusplus
}
#endif

#endif
