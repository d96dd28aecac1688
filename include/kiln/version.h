/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of Kiln. dnnl_version() says which version of oneDNN's interface the library has; a
 * report of a defect of Kiln names this one.
 */

#ifndef KILN_VERSION_H
#define KILN_VERSION_H

#include "oneapi/dnnl/dnnl_config.h"

/** The version of the headers: a program may compare it with that of the library. */
#define KILN_VERSION_MAJOR 0
#define KILN_VERSION_MINOR 1
#define KILN_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/** A version of the library. */
typedef struct {
    int major;
    int minor;
    int patch;
    const char *hash; /**< The commit that it was built from; "N/A" if that is unknown. */
} kiln_version_t;

/** The version of the library that the program runs with. Never null. */
const kiln_version_t DNNL_API *kiln_version(void);

#ifdef __cplusplus
}
#endif

#endif /* KILN_VERSION_H */
