// SPDX-License-Identifier: Apache-2.0
// One row of an implementation list, how an implementation refuses, and the plan that it makes when
// it accepts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "common/status.hpp"

namespace kiln {

class exec_ctx_t;
class primitive_desc_t;

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

/// What an implementation works out when it accepts a problem: loops, sizes, specs of kernels. It
/// is immutable. The descriptor that accepted owns it and shares it with its clones and with the
/// primitives that are made from it, so an implementation may refer to its plan. A plan holds no
/// pointer into the descriptor.
class plan_t {
public:
    virtual ~plan_t() = default;
    /// Makes the implementation for the descriptor that the plan belongs to.
    virtual std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const = 0;
    /// The plan in words, a line for each pass, each ended by '\n' (kiln/plan.h); may be empty.
    virtual std::string text() const { return ""; }
};
using plan_ptr_t = std::shared_ptr<const plan_t>;

/// A row of an operation's list. Rows are asked in order and the first that accepts is used. Where
/// `accept` accepts, it sets `plan`; it may set the size of the scratchpad.
template <typename pd_t> struct implementation_t {
    const char *name;
    refusal_t (*accept)(pd_t &pd, plan_ptr_t &plan);
    /// Whether `accept` sees the formats as the user gave them, and may give those that are `any` a
    /// layout of its choice, e.g. packed weights. What it leaves `any` gets the default layout
    /// afterwards. Other implementations see default layouts instead of `any`.
    bool settles_formats = false;
    /// Whether the row takes problems with dims or strides that only an execution knows
    /// (DNNL_RUNTIME_DIM_VAL), and only these. Other rows are not asked about such problems.
    bool is_for_runtime_values = false;
};

/// The plan of an implementation that works out nothing: `impl_t` is made from the descriptor.
template <typename impl_t, typename pd_t> class create_only_plan_t : public plan_t {
public:
    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &pd) const override {
        return std::make_unique<impl_t>(static_cast<const pd_t &>(pd));
    }
};

/// The plan of an implementation that is made from `work_t` alone, and may refer to it.
template <typename impl_t, typename work_t> class plan_of_t : public plan_t {
public:
    template <typename... args_t>
    explicit plan_of_t(args_t &&...args)
        : work{std::forward<args_t>(args)...} {}

    std::unique_ptr<primitive_impl_t> create(const primitive_desc_t &) const override {
        return std::make_unique<impl_t>(work);
    }
    std::string text() const override { return text_of(work); }

    work_t work;

private:
    /// What `part` says of itself, or each element of a vector; nothing for others.
    template <typename part_t> static std::string text_of(const part_t &part) {
        std::string text;
        if constexpr (requires { part.text(); })
            text = part.text();
        else if constexpr (requires { part.front().text(); })
            for (const auto &element : part) text += element.text();
        return text;
    }
};

/// Where `init(work)`, which fills a work_t, accepts, `plan` becomes the plan_of_t of `impl_t`.
template <typename impl_t, typename work_t, typename init_t>
refusal_t accept_plan_of(plan_ptr_t &plan, const init_t &init) {
    const auto made = std::make_shared<plan_of_t<impl_t, work_t>>();
    if (const refusal_t refusal = init(made->work)) return refusal;
    plan = made;
    return accepted();
}

/// `plan` becomes the create_only_plan_t of `impl_t`. There is one object of it, and no allocation.
template <typename impl_t, typename pd_t> refusal_t accepted_for(const pd_t &, plan_ptr_t &plan) {
    static constexpr create_only_plan_t<impl_t, pd_t> the_plan;
    plan = plan_ptr_t(plan_ptr_t(), &the_plan);
    return accepted();
}

} // namespace kiln
