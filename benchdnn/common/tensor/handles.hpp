// SPDX-License-Identifier: Apache-2.0
// Owners of the C interface's handles, and the conversion of a status into an exception.
#pragma once

#include <stdexcept>
#include <string>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"

namespace benchdnn {

// A call of the library returned another status than success.
struct status_error_t : std::runtime_error {
    status_error_t(dnnl_status_t status, const std::string &call)
        : std::runtime_error(call + " returned " + dnnl_status2str(status))
        , status(status) {}
    dnnl_status_t status;
};

inline void require_success(dnnl_status_t status, const char *call) {
    if (status != dnnl_success) throw status_error_t(status, call);
}

template <typename handle_type, dnnl_status_t (*destroy)(handle_type)> class owner_t {
public:
    owner_t() = default;
    explicit owner_t(handle_type handle)
        : handle_(handle) {}
    owner_t(owner_t &&other) noexcept
        : handle_(other.release()) {}
    owner_t &operator=(owner_t &&other) noexcept {
        reset(other.release());
        return *this;
    }
    ~owner_t() { reset(); }

    handle_type get() const { return handle_; }
    explicit operator bool() const { return handle_ != nullptr; }
    // Where a call that creates a handle writes it.
    handle_type *out() {
        reset();
        return &handle_;
    }
    void reset(handle_type handle = nullptr) {
        if (handle_) destroy(handle_);
        handle_ = handle;
    }
    handle_type release() {
        handle_type handle = handle_;
        handle_ = nullptr;
        return handle;
    }

private:
    handle_type handle_ = nullptr;
};

using engine_t = owner_t<dnnl_engine_t, dnnl_engine_destroy>;
using stream_t = owner_t<dnnl_stream_t, dnnl_stream_destroy>;
using memory_desc_t = owner_t<dnnl_memory_desc_t, dnnl_memory_desc_destroy>;
using memory_t = owner_t<dnnl_memory_t, dnnl_memory_destroy>;
using attr_t = owner_t<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using post_ops_handle_t = owner_t<dnnl_post_ops_t, dnnl_post_ops_destroy>;
using primitive_desc_t = owner_t<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using primitive_t = owner_t<dnnl_primitive_t, dnnl_primitive_destroy>;

} // namespace benchdnn
