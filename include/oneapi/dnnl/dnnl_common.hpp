// SPDX-License-Identifier: Apache-2.0
// What primitives and graphs share in C++: errors, handles, engine, stream and the math modes.

#ifndef ONEAPI_DNNL_DNNL_COMMON_HPP
#define ONEAPI_DNNL_DNNL_COMMON_HPP

// Not all of these are needed here, but programs written for oneDNN rely on getting them.
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

/// 1 if a failure throws dnnl::error, 0 if it prints its message and stops the program. Follows
/// the compiler's exception setting unless the program defines it first.
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

/// What every failing call of this interface throws: the C status and a message that names the
/// failed operation. Where verbose mode prints the reason, the message says so. The message must
/// outlive the exception; the wrapper passes string literals only.
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

/// How a C handle of type T is destroyed: a specialization has a static function `destructor`.
template <typename T> struct handle_traits {};

namespace detail {

/// The body of a handle_traits specialization whose C destructor is `destroy`.
template <typename T, dnnl_status_t (*destroy)(T)> struct destroyed_by {
    static dnnl_status_t destructor(T handle) { return destroy(handle); }
};

} // namespace detail

/// Base of every object here: a C handle, shared among the copies of the object and destroyed with
/// the last of them. A weak object only borrows its handle. A default-constructed or moved-from
/// one is empty.
template <typename T, typename traits = handle_traits<T>> struct handle {
    /// An empty object.
    handle() = default;

    handle(const handle &) = default;
    handle(handle &&) = default;
    handle &operator=(const handle &) = default;
    handle &operator=(handle &&) = default;

    /// Takes over t, or borrows it if weak.
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /// Lets go of the present handle and takes over t, or borrows it if weak. A null t empties
    /// the object.
    void reset(T t, bool weak = false) {
        if (t == nullptr)
            data_.reset();
        else
            data_.reset(t, weak ? &leave_alone : &traits::destructor);
    }

    /// The C handle. If there is none, throws with dnnl_invalid_arguments, or returns null where
    /// allow_empty says so.
    T get(bool allow_empty = false) const {
        if (!allow_empty && !data_)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "an empty object was used");
        return data_.get();
    }

    /// The C handle, null if there is none.
    explicit operator T() const { return data_.get(); }

    /// True if there is a handle.
    explicit operator bool() const { return data_ != nullptr; }

    /// Same handle; two empty objects are equal.
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

/// The device that memory lives on and primitives run on.
struct engine : public handle<dnnl_engine_t> {
    enum class kind {
        any = dnnl_any_engine,
        cpu = dnnl_cpu,
        gpu = dnnl_gpu,
    };

    using handle::handle;

    /// An empty engine.
    engine() = default;

    /// The index-th engine of a kind; throws if there are not so many.
    engine(kind akind, size_t index) {
        dnnl_engine_t result = nullptr;
        error::wrap_c_api(dnnl_engine_create(&result, to_c(akind), index),
                "cannot make an engine; ONEDNN_VERBOSE=all says why");
        reset(result);
    }

    /// How many engines of a kind there are; 0 for a kind this library was not built for.
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

/// The queue of an engine in which primitives are executed.
struct stream : public handle<dnnl_stream_t> {
    /// Bits; in-order unless said otherwise.
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

    /// The engine the stream was made on, borrowed: its owner must outlive the result.
    engine get_engine() const {
        dnnl_engine_t result;
        error::wrap_c_api(
                dnnl_stream_get_engine(get(), &result), "cannot get the engine of a stream");
        return engine(result, true);
    }

    /// Returns once everything submitted has finished.
    stream &wait() {
        error::wrap_c_api(dnnl_stream_wait(get()), "cannot wait for a stream");
        return *this;
    }
};

/// Gives an enum class of bits the operators | & ^ ~ and |= &= ^=.
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

/// Which narrower types f32 arithmetic may use inside a primitive; strict forbids all.
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

/// The type sums are kept in. strict: f32 for floating-point data, s32 for integers; relaxed: as
/// strict, but partial sums may be stored in the type of the data; any: whatever is fastest.
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
