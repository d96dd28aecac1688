// SPDX-License-Identifier: Apache-2.0
// Work for the tests of runtimes: a primitive that takes several tasks and adds up partial results.
#pragma once

#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

namespace kiln::test {

/// The backward pass of a layer normalization with scale and shift: rows are independent, the
/// gradients of scale and shift are sums over all rows.
class work_t {
public:
    work_t();

    /// The bytes of all outputs after an execution.
    std::vector<float> run(dnnl::stream &stream) const;

    const dnnl::engine &engine() const { return engine_; }

private:
    dnnl::memory filled(const dnnl::memory::desc &desc, int seed) const;

    dnnl::engine engine_;
    dnnl::layer_normalization_backward::primitive_desc desc_;
    dnnl::primitive primitive_;
    dnnl::memory src_, diff_dst_, mean_, variance_, scale_;
};

} // namespace kiln::test
