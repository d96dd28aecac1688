// SPDX-License-Identifier: Apache-2.0
// The short include path of oneapi/dnnl/dnnl_threadpool.hpp.

#ifndef DNNL_THREADPOOL_HPP
#define DNNL_THREADPOOL_HPP

#include "oneapi/dnnl/dnnl_threadpool.hpp"

#endif // DNNL_THREADPOOL_HPP
