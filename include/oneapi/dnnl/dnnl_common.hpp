// SPDX-License-Identifier: Apache-2.0
// Classes that primitives and graphs share: errors, handles, engine, stream and math modes.

#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

// Not all of these are used here; programs written for oneDNN rely on their inclusion.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl_common.h"

/// 1 if a failure throws dnnl::error, 0 if it prints its message and aborts the program. By default
/// the setting of the compiler.
#ifndef DNNL_ENABLE_EXCEPTIONS
#if defined(__EXCEPTIONS) || defined(__cpp_exceptions)
#define DNNL_ENABLE_EXCEPTIONS 1
#else
#define DNNL_ENABLE_EXCEPTIONS 0
#endif
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define DNNL_TRAP() __debugbreak()
#else
#define DNNL_TRAP() __builtin_trap()
#endif

#if DNNL_ENABLE_EXCEPTIONS
#define DNNL_THROW_ERROR(status, msg) throw ::dnnl::error(status, msg)
#else
#include <cstdio>
#define DNNL_THROW_ERROR(status, msg)                                                              \
    do {                                                                                           \
        static_cast<void>(status);                                                                 \
        std::fprintf(stderr, "%s\n", msg);                                                         \
        DNNL_TRAP();                                                                               \
    } while (0)
#endif

namespace dnnl {

/// The exception of a failing call: the C status and a message that names the failed operation. If
/// verbose mode prints the reason, the message says so. The message must outlive the exception;
/// this interface passes string literals only.
struct error : public std::exception {
    dnnl_status_t status;
    const char *message;

    error(dnnl_status_t astatus, const char *amessage)
        : status(astatus)
        , message(amessage) {}

    const char *what() const noexcept override { return message; }

    /// Throws error(astatus, amessage) unless astatus is dnnl_success.
    static void wrap_c_api(dnnl_status_t astatus, const char *amessage) {
        if (astatus != dnnl_success) DNNL_THROW_ERROR(astatus, amessage);
    }
};

/// Specializations have a static function `destructor` that destroys a C handle of type T.
template <typename T> struct handle_traits {};

namespace detail {

/// The base of a handle_traits specialization with the C function `destroy`.
template <typename T, dnnl_status_t (*destroy)(T)> struct destroyed_by {
    static dnnl_status_t destructor(T handle) { return destroy(handle); }
};

} // namespace detail

/// Base of all objects: a C handle that copies of the object share, and that is destroyed with the
/// last of them. A weak object does not own its handle. A default-constructed or moved-from object
/// is empty.
template <typename T, typename traits = handle_traits<T>> struct handle {
    /// An empty object.
    handle() = default;

    handle(const handle &) = default;
    handle(handle &&) = default;
    handle &operator=(const handle &) = default;
    handle &operator=(handle &&) = default;

    /// Takes ownership of t unless weak.
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /// Releases the present handle and takes ownership of t unless weak. With a null t the object
    /// becomes empty.
    void reset(T t, bool weak = false) {
        if (t == nullptr)
            data_.reset();
        else
            data_.reset(t, weak ? &leave_alone : &traits::destructor);
    }

    /// The C handle. If there is none, throws dnnl_invalid_arguments, or returns null with
    /// allow_empty.
    T get(bool allow_empty = false) const {
        if (!allow_empty && !data_)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "an empty object was used");
        return data_.get();
    }

    /// The C handle, null if there is none.
    explicit operator T() const { return data_.get(); }

    /// True if there is a handle.
    explicit operator bool() const { return data_ != nullptr; }

    /// Whether the handles are equal; two empty objects are equal.
    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return !(*this == other); }

protected:
    bool operator==(const T other) const { return data_.get() == other; }
    bool operator!=(const T other) const { return !(*this == other); }

private:
    static dnnl_status_t leave_alone(T) { return dnnl_success; }

    std::shared_ptr<typename std::remove_pointer<T>::type> data_;
};

template <>
struct handle_traits<dnnl_engine_t>
    : public detail::destroyed_by<dnnl_engine_t, dnnl_engine_destroy> {};

template <>
struct handle_traits<dnnl_stream_t>
    : public detail::destroyed_by<dnnl_stream_t, dnnl_stream_destroy> {};

/// A device that has memory and executes primitives.
struct engine : public handle<dnnl_engine_t> {
    enum class kind {
        any = dnnl_any_engine,
        cpu = dnnl_cpu,
        gpu = dnnl_gpu,
    };

    using handle::handle;

    /// An empty engine.
    engine() = default;

    /// The index-th engine of a kind; throws if there is none.
    engine(kind akind, size_t index) {
        dnnl_engine_t result = nullptr;
        error::wrap_c_api(dnnl_engine_create(&result, to_c(akind), index),
                "cannot make an engine; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// The number of engines of a kind; 0 for a kind that the library does not have.
    static size_t get_count(kind akind) { return dnnl_engine_get_count(to_c(akind)); }

    kind get_kind() const {
        dnnl_engine_kind_t result;
        error::wrap_c_api(
                dnnl_engine_get_kind(get(), &result), "cannot tell what kind of engine this is");
        return static_cast<kind>(result);
    }

private:
    static dnnl_engine_kind_t to_c(kind akind) { return static_cast<dnnl_engine_kind_t>(akind); }
};

inline dnnl_engine_kind_t convert_to_c(engine::kind akind) {
    return static_cast<dnnl_engine_kind_t>(akind);
}

/// A queue of executions on an engine.
struct stream : public handle<dnnl_stream_t> {
    /// Flags; in-order by default.
    enum class flags : unsigned {
        in_order = dnnl_stream_in_order,
        out_of_order = dnnl_stream_out_of_order,
        default_flags = dnnl_stream_default_flags,
    };

    using handle::handle;

    /// An empty stream.
    stream() = default;

    explicit stream(const engine &aengine, flags aflags = flags::default_flags) {
        dnnl_stream_t result = nullptr;
        error::wrap_c_api(dnnl_stream_create(&result, aengine.get(), static_cast<unsigned>(aflags)),
                "cannot make a stream; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// The engine of the stream, without ownership: it must outlive the result.
    engine get_engine() const {
        dnnl_engine_t result;
        error::wrap_c_api(
                dnnl_stream_get_engine(get(), &result), "cannot get the engine of a stream");
        return engine(result, true);
    }

    /// Waits until all executions are complete.
    stream &wait() {
        error::wrap_c_api(dnnl_stream_wait(get()), "cannot wait for a stream");
        return *this;
    }
};

/// Defines the operators | & ^ ~ |= &= ^= of an enum class of flags.
#define DNNL_DEFINE_BITMASK_OPS(flags_t)                                                           \
    constexpr flags_t operator~(flags_t a) {                                                       \
        return static_cast<flags_t>(~static_cast<unsigned>(a));                                    \
    }                                                                                              \
    DNNL_DEFINE_BITMASK_OP(flags_t, |)                                                             \
    DNNL_DEFINE_BITMASK_OP(flags_t, &)                                                             \
    DNNL_DEFINE_BITMASK_OP(flags_t, ^)

#define DNNL_DEFINE_BITMASK_OP(flags_t, op)                                                        \
    constexpr flags_t operator op(flags_t a, flags_t b) {                                          \
        return static_cast<flags_t>(static_cast<unsigned>(a) op static_cast<unsigned>(b));         \
    }                                                                                              \
    inline flags_t &operator op##=(flags_t &a, flags_t b) { return a = a op b; }

DNNL_DEFINE_BITMASK_OPS(stream::flags)

/// The narrower types to which f32 computations may convert their inputs; strict: none.
enum class fpmath_mode {
    strict = dnnl_fpmath_mode_strict,
    bf16 = dnnl_fpmath_mode_bf16,
    f16 = dnnl_fpmath_mode_f16,
    tf32 = dnnl_fpmath_mode_tf32,
    any = dnnl_fpmath_mode_any,
};

inline dnnl_fpmath_mode_t convert_to_c(fpmath_mode mode) {
    return static_cast<dnnl_fpmath_mode_t>(mode);
}

/// The type of accumulators. strict: f32 for floating-point data, s32 for integers; relaxed: as
/// strict, but partial sums may be stored in the type of the data; any: the fastest type.
enum class accumulation_mode {
    strict = dnnl_accumulation_mode_strict,
    relaxed = dnnl_accumulation_mode_relaxed,
    any = dnnl_accumulation_mode_any,
    s32 = dnnl_accumulation_mode_s32,
    f32 = dnnl_accumulation_mode_f32,
    f16 = dnnl_accumulation_mode_f16,
};

inline dnnl_accumulation_mode_t convert_to_c(accumulation_mode mode) {
    return static_cast<dnnl_accumulation_mode_t>(mode);
}

} // namespace dnnl

#endif // ONEAPI_DNNL_DNNL_COMMON_HPP
