// SPDX-License-Identifier: Apache-2.0
// Forwards to the header of the same name in oneapi/dnnl, for programs that include it without a
// path.

#ifndef DNNL_VERSION_H
#define DNNL_VERSION_H

#include "oneapi/dnnl/dnnl_version.h"

#endif // DNNL_VERSION_H
