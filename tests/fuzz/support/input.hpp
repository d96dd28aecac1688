// SPDX-License-Identifier: Apache-2.0
// The bytes of one fuzzing input, read as numbers, choices and texts. Beyond the end every read
// gives the first value of its range, and targets put plain and legal values there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace kiln::fuzz {

class input_t {
public:
    input_t(const uint8_t *data, size_t size)
        : data_(data)
        , end_(data + size) {}

    bool is_empty() const { return data_ == end_; }
    uint8_t byte() { return is_empty() ? uint8_t(0) : *data_++; }

    /// A little-endian number of at most 8 bytes.
    uint64_t bits(int bytes) {
        uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) value |= uint64_t(byte()) << 8 * i;
        return value;
    }
    int64_t any_s64() { return static_cast<int64_t>(bits(8)); }
    int any_int() { return static_cast<int>(bits(4)); }

    /// A number of [low, high]; it consumes as few bytes as can tell these apart.
    int64_t between(int64_t low, int64_t high) {
        const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
        const int bytes = (std::bit_width(span) + 7) / 8;
        const uint64_t value = bits(bytes);
        return static_cast<int64_t>(
                static_cast<uint64_t>(low) + (bytes == 8 ? value : value % (span + 1)));
    }
    size_t below(size_t count) {
        return static_cast<size_t>(between(0, static_cast<int64_t>(count) - 1));
    }

    /// True for one byte value in `n`, never for 0.
    bool one_in(unsigned n) { return byte() % n == n - 1; }

    template <typename list_t> auto pick(const list_t &list) {
        return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
    }
    template <typename T> T pick(std::initializer_list<T> list) {
        return *(list.begin() + below(list.size()));
    }

    /// 1, another usual number, a special one, or any bits.
    float number() {
        constexpr float usual[] = {1, 0, -1, 0.5f, 2, 1e-5f, 3, -0.25f, 100, 1e-30f, 1e30f, -0.f,
                std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::denorm_min()};
        if (!one_in(16)) return pick(usual);
        return std::bit_cast<float>(static_cast<uint32_t>(bits(4)));
    }

    /// At most `most` characters; none of them is 0.
    std::string text(size_t most) {
        std::string result(below(most + 1), ' ');
        for (char &c : result) c = static_cast<char>(byte());
        std::replace(result.begin(), result.end(), '\0', ' ');
        return result;
    }
    /// All bytes that are left.
    std::string rest() {
        std::string result(reinterpret_cast<const char *>(data_), end_ - data_);
        data_ = end_;
        return result;
    }

private:
    const uint8_t *data_;
    const uint8_t *end_;
};

} // namespace kiln::fuzz
