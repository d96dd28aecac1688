// SPDX-License-Identifier: Apache-2.0
// The version of the interface this library implements.

#ifndef ONEAPI_DNNL_DNNL_VERSION_H
#define ONEAPI_DNNL_DNNL_VERSION_H

#define DNNL_VERSION_MAJOR 3
#define DNNL_VERSION_MINOR 13
#define DNNL_VERSION_PATCH 1

#endif // ONEAPI_DNNL_DNNL_VERSION_H
