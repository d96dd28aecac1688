// SPDX-License-Identifier: Apache-2.0
// Owners of the C interface's objects: each destroys what it holds. They know no operation.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln::test {

/// Stops a test whose set-up fails; what a test is about is compared with EXPECT_EQ instead.
inline void require(dnnl_status_t status, const std::string &what) {
    if (status != dnnl_success)
        throw std::runtime_error(what + " answered " + dnnl_status2str(status));
}

template <typename object_t, dnnl_status_t (*destroy)(object_t)> class handle_t {
public:
    handle_t() = default;
    explicit handle_t(object_t object)
        : object_(object) {}
    handle_t(handle_t &&other) noexcept
        : object_(std::exchange(other.object_, nullptr)) {}
    handle_t &operator=(handle_t &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~handle_t() { destroy(object_); }

    operator object_t() const { return object_; }

    /// Where a *_create function puts its result.
    object_t *out() {
        destroy(std::exchange(object_, nullptr));
        return &object_;
    }

private:
    object_t object_ = nullptr;
};

using engine_handle_t = handle_t<dnnl_engine_t, dnnl_engine_destroy>;
using stream_handle_t = handle_t<dnnl_stream_t, dnnl_stream_destroy>;
using memory_desc_handle_t = handle_t<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
using memory_handle_t = handle_t<dnnl_memory_t, dnnl_memory_destroy>;
using post_ops_handle_t = handle_t<dnnl_post_ops_t, dnnl_post_ops_destroy>;
using attr_handle_t = handle_t<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using primitive_desc_handle_t = handle_t<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using primitive_handle_t = handle_t<dnnl_primitive_t, dnnl_primitive_destroy>;

/// The CPU engine of the test program.
dnnl_engine_t cpu_engine();

/// A stream on it, for tests that execute from one thread.
dnnl_stream_t cpu_stream();

stream_handle_t make_stream();
attr_handle_t make_attr();
attr_handle_t copy_of(const_dnnl_primitive_attr_t attr);
primitive_handle_t make_primitive(const_dnnl_primitive_desc_t primitive_desc);

} // namespace kiln::test
