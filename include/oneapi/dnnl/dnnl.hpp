// SPDX-License-Identifier: Apache-2.0
// The C++11 interface over dnnl.h, header-only: objects that own their handles, and exceptions
// instead of status codes. It uses the C functions of the library only. Creating a descriptor of an
// operation that the library does not implement throws dnnl_unimplemented; dnnl_config.h says
// which.

#ifndef ONEAPI_DNNL_DNNL_HPP
#define ONEAPI_DNNL_DNNL_HPP

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_config.h"

#include "oneapi/dnnl/cpp/batch_normalization.hpp"
#include "oneapi/dnnl/cpp/binary.hpp"
#include "oneapi/dnnl/cpp/concat.hpp"
#include "oneapi/dnnl/cpp/convolution.hpp"
#include "oneapi/dnnl/cpp/deconvolution.hpp"
#include "oneapi/dnnl/cpp/eltwise.hpp"
#include "oneapi/dnnl/cpp/enums.hpp"
#include "oneapi/dnnl/cpp/group_normalization.hpp"
#include "oneapi/dnnl/cpp/inner_product.hpp"
#include "oneapi/dnnl/cpp/layer_normalization.hpp"
#include "oneapi/dnnl/cpp/library.hpp"
#include "oneapi/dnnl/cpp/lrn.hpp"
#include "oneapi/dnnl/cpp/matmul.hpp"
#include "oneapi/dnnl/cpp/memory.hpp"
#include "oneapi/dnnl/cpp/pooling.hpp"
#include "oneapi/dnnl/cpp/post_ops.hpp"
#include "oneapi/dnnl/cpp/prelu.hpp"
#include "oneapi/dnnl/cpp/primitive.hpp"
#include "oneapi/dnnl/cpp/primitive_attr.hpp"
#include "oneapi/dnnl/cpp/primitive_desc.hpp"
#include "oneapi/dnnl/cpp/reduction.hpp"
#include "oneapi/dnnl/cpp/reorder.hpp"
#include "oneapi/dnnl/cpp/resampling.hpp"
#include "oneapi/dnnl/cpp/rnn/augru.hpp"
#include "oneapi/dnnl/cpp/rnn/gru.hpp"
#include "oneapi/dnnl/cpp/rnn/lstm.hpp"
#include "oneapi/dnnl/cpp/rnn/vanilla_rnn.hpp"
#include "oneapi/dnnl/cpp/shuffle.hpp"
#include "oneapi/dnnl/cpp/softmax.hpp"
#include "oneapi/dnnl/cpp/sum.hpp"

namespace oneapi {
namespace dnnl = ::dnnl;
} // namespace oneapi

#endif // ONEAPI_DNNL_DNNL_HPP
