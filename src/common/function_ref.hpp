// SPDX-License-Identifier: Apache-2.0
// A parameter that is a function.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace kiln {

template <typename signature_t> class function_ref_t;

/// Refers to a function object of its caller, which lives while the called function runs. It owns
/// nothing and allocates nothing. For parameters only: an object that is kept is a dangling one.
template <typename result_t, typename... args_t> class function_ref_t<result_t(args_t...)> {
public:
    /// No function.
    function_ref_t() = default;

    template <typename function_t>
    requires(!std::is_same_v<std::remove_cvref_t<function_t>, function_ref_t>)
            function_ref_t(function_t &&function)
        : object_(const_cast<void *>(static_cast<const void *>(std::addressof(function))))
        , call_([](void *object, args_t... args) -> result_t {
            return (*static_cast<std::remove_reference_t<function_t> *>(object))(
                    std::forward<args_t>(args)...);
        }) {}

    explicit operator bool() const { return call_ != nullptr; }
    result_t operator()(args_t... args) const {
        return call_(object_, std::forward<args_t>(args)...);
    }

private:
    void *object_ = nullptr;
    result_t (*call_)(void *, args_t...) = nullptr;
};

} // namespace kiln
