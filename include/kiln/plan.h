/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a primitive will do its work, as text for people: benchdnn --explain prints it. Programs
 * should not read it; it changes from version to version.
 */
#ifndef KILN_PLAN_H
#define KILN_PLAN_H

#include <stddef.h>

#include "oneapi/dnnl/dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the plan's lines, each ended by '\n', as a string to `text`, which has room for `size`
 * characters; what does not fit is left out. Returns the length of the whole text, without the end
 * of the string. It is 0 for NULL and for implementations without a plan, such as references.
 * `text` may be NULL: then nothing is written. */
size_t DNNL_API kiln_plan_text(const_dnnl_primitive_desc_t primitive_desc, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
