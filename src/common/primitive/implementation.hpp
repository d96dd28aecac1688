// SPDX-License-Identifier: Apache-2.0
// One row of an implementation list, and how an implementation refuses.
#pragma once

#include <memory>

#include "common/status.hpp"

namespace kiln {

class batch_normalization_pd_t;
class exec_ctx_t;
class group_normalization_pd_t;
class layer_normalization_pd_t;
class reduction_pd_t;
class reorder_pd_t;

/// What an implementation does once it is made; stateless between executions, shared by threads.
class primitive_impl_t {
public:
    virtual ~primitive_impl_t() = default;
    virtual status_t execute(const exec_ctx_t &ctx) const = 0;
};

/// Why an implementation does not take a problem; empty when it does. Verbose mode prints it.
struct refusal_t {
    const char *reason = nullptr;
    const char *file = nullptr;
    int line = 0;
    explicit operator bool() const { return reason != nullptr; }
};

inline refusal_t accepted() { return {}; }
/// The place that refuses is the caller's.
inline refusal_t refused(
        const char *reason, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {reason, file, line};
}

/// A row of an operation's list. `accept` may settle what the descriptor leaves open (a
/// scratchpad); it is asked in list order and the first that accepts wins.
template <typename pd_t> struct implementation_t {
    const char *name;
    refusal_t (*accept)(pd_t &pd);
    status_t (*create)(const pd_t &pd, std::unique_ptr<primitive_impl_t> &impl);
};

} // namespace kiln
