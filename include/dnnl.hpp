// SPDX-License-Identifier: Apache-2.0
// The short include path of the C++ interface; everything is in oneapi/dnnl/dnnl.hpp.

#ifndef DNNL_HPP
#define DNNL_HPP

#include "oneapi/dnnl/dnnl.hpp"

#endif // DNNL_HPP
