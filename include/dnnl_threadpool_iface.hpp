// SPDX-License-Identifier: Apache-2.0
// The short include path of oneapi/dnnl/dnnl_threadpool_iface.hpp.

#ifndef DNNL_THREADPOOL_IFACE_HPP
#define DNNL_THREADPOOL_IFACE_HPP

#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

#endif // DNNL_THREADPOOL_IFACE_HPP
