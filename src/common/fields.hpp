// SPDX-License-Identifier: Apache-2.0
// One visitor over a descriptor's fields, from which hashing and equality follow.
//
// A descriptor offers `auto fields() const` returning a std::tie of what identifies it. Floats are
// compared by their bits, so that a NaN equals itself and the cache finds what it stored.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace kiln {

template <typename T>
concept has_fields = requires(const T &value) {
    value.fields();
};

/// Calls `visitor` with each field of a descriptor, in order.
template <has_fields T, typename visitor_t>
void for_each_field(const T &value, visitor_t &&visitor) {
    std::apply([&](const auto &...field) { (visitor(field), ...); }, value.fields());
}

/// Collects a hash; order matters.
class hasher_t {
public:
    template <typename T> void operator()(const T &value) {
        if constexpr (has_fields<T>)
            for_each_field(value, *this);
        else if constexpr (requires { value.hash(); })
            mix(value.hash());
        else if constexpr (std::is_same_v<T, float>)
            mix(std::bit_cast<uint32_t>(value));
        else if constexpr (std::is_pointer_v<T>)
            mix(reinterpret_cast<uintptr_t>(value));
        else
            mix(static_cast<uint64_t>(value));
    }

    template <typename T> void operator()(const std::vector<T> &values) {
        mix(values.size());
        for (const auto &value : values) (*this)(value);
    }

    template <typename K, typename V> void operator()(const std::map<K, V> &values) {
        mix(values.size());
        for (const auto &[key, value] : values) (*this)(key), (*this)(value);
    }

    template <typename... Ts> void operator()(const std::variant<Ts...> &value) {
        mix(value.index());
        std::visit([this](const auto &held) { (*this)(held); }, value);
    }

    void operator()(std::monostate) {}

    size_t value() const { return static_cast<size_t>(state_); }

private:
    void mix(uint64_t word) {
        state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
        state_ ^= state_ >> 29;
    }

    uint64_t state_ = 0x243f6a8885a308d3u;
};

template <typename T> size_t hash_of(const T &value) {
    hasher_t hasher;
    hasher(value);
    return hasher.value();
}

template <typename T> bool same(const T &lhs, const T &rhs);
template <typename T> bool same(const std::vector<T> &lhs, const std::vector<T> &rhs);
template <typename K, typename V> bool same(const std::map<K, V> &lhs, const std::map<K, V> &rhs);
template <typename... Ts> bool same(const std::variant<Ts...> &lhs, const std::variant<Ts...> &rhs);

/// Field by field equality.
template <typename T> bool same(const T &lhs, const T &rhs) {
    if constexpr (has_fields<T>) {
        return [&]<size_t... I>(std::index_sequence<I...>) {
            const auto a = lhs.fields();
            const auto b = rhs.fields();
            return (same(std::get<I>(a), std::get<I>(b)) && ...);
        }
        (std::make_index_sequence<std::tuple_size_v<decltype(lhs.fields())>>());
    } else if constexpr (std::is_same_v<T, float>) {
        return std::bit_cast<uint32_t>(lhs) == std::bit_cast<uint32_t>(rhs);
    } else {
        return lhs == rhs;
    }
}

template <typename T> bool same(const std::vector<T> &lhs, const std::vector<T> &rhs) {
    if (lhs.size() != rhs.size()) return false;
    for (size_t i = 0; i < lhs.size(); ++i)
        if (!same(lhs[i], rhs[i])) return false;
    return true;
}

template <typename K, typename V> bool same(const std::map<K, V> &lhs, const std::map<K, V> &rhs) {
    if (lhs.size() != rhs.size()) return false;
    for (auto a = lhs.begin(), b = rhs.begin(); a != lhs.end(); ++a, ++b)
        if (!same(a->first, b->first) || !same(a->second, b->second)) return false;
    return true;
}

template <typename... Ts>
bool same(const std::variant<Ts...> &lhs, const std::variant<Ts...> &rhs) {
    if (lhs.index() != rhs.index()) return false;
    return std::visit(
            [&](const auto &held) {
                return same(held, std::get<std::decay_t<decltype(held)>>(rhs));
            },
            lhs);
}

} // namespace kiln
