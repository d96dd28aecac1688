// SPDX-License-Identifier: Apache-2.0
// Forwards to the header of the same name in oneapi/dnnl, for programs that include it without a
// path.

#ifndef DNNL_TYPES_H
#define DNNL_TYPES_H

#include "oneapi/dnnl/dnnl_types.h"

#endif // DNNL_TYPES_H
