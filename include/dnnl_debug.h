// SPDX-License-Identifier: Apache-2.0
// Forwards to the header of the same name in oneapi/dnnl, for programs that include it without a
// path.

#ifndef DNNL_DEBUG_H
#define DNNL_DEBUG_H

#include "oneapi/dnnl/dnnl_debug.h"

#endif // DNNL_DEBUG_H
