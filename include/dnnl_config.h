// SPDX-License-Identifier: Apache-2.0
// Forwards to the header of the same name in oneapi/dnnl, for programs that include it without a
// path.

#ifndef DNNL_CONFIG_H
#define DNNL_CONFIG_H

#include "oneapi/dnnl/dnnl_config.h"

#endif // DNNL_CONFIG_H
