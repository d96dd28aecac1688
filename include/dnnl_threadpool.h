// SPDX-License-Identifier: Apache-2.0
// The short include path of oneapi/dnnl/dnnl_threadpool.h.

#ifndef DNNL_THREADPOOL_H
#define DNNL_THREADPOOL_H

#include "oneapi/dnnl/dnnl_threadpool.h"

#endif // DNNL_THREADPOOL_H
