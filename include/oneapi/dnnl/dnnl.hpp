// SPDX-License-Identifier: Apache-2.0
// The C++11 interface over dnnl.h, header-only: objects that own their handles, and exceptions
// in place of status codes. It has the operations that the library has (reorder,
// reduction and the normalizations) and grows with them; those still missing can be called through
// dnnl.h, which declares the whole interface. It needs nothing of the library but its C functions.

#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_config.h"

#include "oneapi/dnnl/cpp/batch_normalization.hpp"
#include "oneapi/dnnl/cpp/enums.hpp"
#include "oneapi/dnnl/cpp/group_normalization.hpp"
#include "oneapi/dnnl/cpp/layer_normalization.hpp"
#include "oneapi/dnnl/cpp/library.hpp"
#include "oneapi/dnnl/cpp/memory.hpp"
#include "oneapi/dnnl/cpp/post_ops.hpp"
#include "oneapi/dnnl/cpp/primitive.hpp"
#include "oneapi/dnnl/cpp/primitive_attr.hpp"
#include "oneapi/dnnl/cpp/primitive_desc.hpp"
#include "oneapi/dnnl/cpp/reduction.hpp"
#include "oneapi/dnnl/cpp/reorder.hpp"

namespace oneapi {
namespace dnnl = ::dnnl;
} // namespace oneapi

#endif // ONEAPI_DNNL_DNNL_HPP
