// SPDX-License-Identifier: Apache-2.0
// Loads, stores and reductions of generated code against scalar models that know only what the
// formats mean, on every ISA the machine has.
#include "cpu/x64/jit/lanes_io.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "support/guarded_buffer.hpp"

namespace kiln::x64::jit::test {

namespace {

using kiln::test::guarded_buffer_t;
using kiln::test::placement_t;

// --- Models -------------------------------------------------------------------------------------

struct format_t {
    int exponent_bits;
    int mantissa_bits;

    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    uint32_t infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
    uint32_t sign() const { return 1u << (exponent_bits + mantissa_bits); }
};

constexpr format_t bf16_format{8, 7};
constexpr format_t f16_format{5, 10};

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

float decode(const format_t &format, uint32_t code) {
    const uint32_t magnitude = code & (format.sign() - 1);
    const uint32_t fraction = magnitude & ((1u << format.mantissa_bits) - 1);
    const int exponent = static_cast<int>(magnitude >> format.mantissa_bits);
    const double unsigned_value =
            std::ldexp(fraction + (exponent != 0 ? std::ldexp(1, format.mantissa_bits) : 0),
                    std::max(exponent, 1) - format.bias() - format.mantissa_bits);
    uint32_t bits = bits_of(static_cast<float>(unsigned_value));
    if (magnitude >= format.infinity()) bits = 0x7f800000 | fraction << (23 - format.mantissa_bits);
    // Words that compute quiet a NaN; bf16 is moved.
    if (magnitude > format.infinity() && format.mantissa_bits == 10) bits |= 0x00400000;
    return float_of(bits | (code & format.sign() ? 0x80000000 : 0));
}

uint32_t encode(const format_t &format, float value) {
    const uint32_t sign = std::signbit(value) ? format.sign() : 0;
    if (std::isnan(value)) {
        const uint32_t payload = (bits_of(value) & 0x7fffff) >> (23 - format.mantissa_bits);
        return sign | format.infinity() | payload | 1u << (format.mantissa_bits - 1);
    }
    if (std::isinf(value)) return sign | format.infinity();
    int exponent = 0;
    std::frexp(value, &exponent);
    // The exponent of the unit in the last place, then how many units: a carry into the next
    // power of two, infinity too, comes out right by itself.
    const int lowest = 1 - format.bias();
    const int field = value == 0 ? lowest : std::max(exponent - 1, lowest);
    const double units =
            std::nearbyint(std::ldexp(std::fabs(double(value)), format.mantissa_bits - field));
    const double code = std::ldexp(field - lowest, format.mantissa_bits) + units;
    return sign | static_cast<uint32_t>(std::min(code, double(format.infinity())));
}

uint32_t to_integer(float value, int lowest, int highest) {
    if (std::isnan(value)) return 0;
    const double clamped = std::clamp(double(value), double(lowest), double(highest));
    return static_cast<uint32_t>(static_cast<int>(std::nearbyint(clamped)) & 0xff);
}

/// What an element with these bits reads as.
float model_load(data_type_t type, uint32_t code) {
    switch (type) {
    case dnnl_f32: return float_of(code);
    case dnnl_bf16: return decode(bf16_format, code);
    case dnnl_f16: return decode(f16_format, code);
    case dnnl_s8: return static_cast<float>(code < 128 ? int(code) : int(code) - 256);
    default: return static_cast<float>(code);
    }
}

/// The bits of an element that was made from a float.
uint32_t model_store(data_type_t type, float value) {
    switch (type) {
    case dnnl_f32: return bits_of(value);
    case dnnl_bf16: return encode(bf16_format, value);
    case dnnl_f16: return encode(f16_format, value);
    case dnnl_s8: return to_integer(value, -128, 127);
    default: return to_integer(value, 0, 255);
    }
}

int size_of(data_type_t type) {
    switch (type) {
    case dnnl_f32: return 4;
    case dnnl_bf16:
    case dnnl_f16: return 2;
    default: return 1;
    }
}

uint32_t read_code(const void *base, size_t index, int size) {
    uint32_t code = 0;
    std::memcpy(&code, static_cast<const std::byte *>(base) + index * size_t(size), size_t(size));
    return code;
}

void write_code(void *base, size_t index, int size, uint32_t code) {
    std::memcpy(static_cast<std::byte *>(base) + index * size_t(size), &code, size_t(size));
}

// --- Data ---------------------------------------------------------------------------------------

/// Every upper half of a float, with lower halves around each format's ties, and around the
/// halves between integers.
const std::vector<float> &dense_floats() {
    static const std::vector<float> floats = [] {
        std::vector<float> values;
        for (uint32_t upper = 0; upper < 0x10000; ++upper)
            for (uint32_t middle = 0; middle < 8; ++middle)
                for (const uint32_t lowest : {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu})
                    values.push_back(float_of(upper << 16 | middle << 13 | lowest));
        constexpr float infinity = std::numeric_limits<float>::infinity();
        for (int halves = -600; halves <= 600; ++halves) {
            const auto value = static_cast<float>(halves) / 2;
            values.insert(values.end(),
                    {value, std::nextafter(value, infinity), std::nextafter(value, -infinity)});
        }
        return values;
    }();
    return floats;
}

/// All elements of a narrow type; dense_floats() for f32.
std::vector<uint32_t> all_codes(data_type_t type) {
    std::vector<uint32_t> codes;
    if (type == dnnl_f32) {
        for (const float value : dense_floats()) codes.push_back(bits_of(value));
    } else {
        codes.resize(size_of(type) == 2 ? 0x10000 : 0x100);
        std::iota(codes.begin(), codes.end(), 0u);
    }
    return codes;
}

// --- Programs -----------------------------------------------------------------------------------

struct arguments_t {
    const void *src;
    void *dst;
    float *kept; // the register after a store
};

struct operands_t {
    Xbyak::Reg64 src;
    Xbyak::Reg64 dst;
    Xbyak::Reg64 kept;
    Xbyak::Xmm vec;
};

using body_t = std::function<void(generator_t &, const operands_t &)>;

class program_t : public generator_t {
public:
    /// `registers_in_use` are taken before the body's, so that it gets others.
    program_t(isa_t isa, int registers_in_use, body_t body)
        : generator_t(isa, "lanes_io_test")
        , registers_in_use_(registers_in_use)
        , body_(std::move(body)) {}

protected:
    void generate() override {
        const gpr_t src = gpr("src");
        const gpr_t dst = gpr("dst");
        const gpr_t kept = gpr("kept");
        mov(*src, ptr[arguments() + offsetof(arguments_t, src)]);
        mov(*dst, ptr[arguments() + offsetof(arguments_t, dst)]);
        mov(*kept, ptr[arguments() + offsetof(arguments_t, kept)]);
        std::vector<vec_t> in_use;
        for (int i = 0; i < registers_in_use_; ++i) in_use.push_back(vec("in use"));
        const vec_t moved = vec("moved");
        body_(*this, {*src, *dst, *kept, *moved});
    }

private:
    const int registers_in_use_;
    const body_t body_;
};

void run(const executable_code_t &code, const void *src, void *dst, float *kept = nullptr) {
    arguments_t arguments{src, dst, kept};
    code.entry<void (*)(const arguments_t *)>()(&arguments);
}

std::string describe_isa(isa_t isa) { return isa_name(isa); }

std::string type_name(data_type_t type) {
    switch (type) {
    case dnnl_f32: return "f32";
    case dnnl_bf16: return "bf16";
    case dnnl_f16: return "f16";
    case dnnl_s8: return "s8";
    default: return "u8";
    }
}

class jit_word : public ::testing::Test {
protected:
    explicit jit_word(isa_t isa)
        : isa_(isa) {}

    void SetUp() override {
        if (!has_isa(isa_)) GTEST_SKIP() << "no " << isa_name(isa_) << " here";
    }

    int lanes() const { return isa_ == isa_t::avx2 ? 8 : 16; }

    std::vector<float> vector_of(float value) const {
        return std::vector<float>(static_cast<size_t>(lanes()), value);
    }

    executable_code_t compile(const body_t &body, int registers_in_use = 0) const {
        return program_t(isa_, registers_in_use, body).finish();
    }

    /// None, and so many that the registers left need a prefix of their own.
    std::vector<int> register_pressures() const { return {0, isa_ == isa_t::avx2 ? 13 : 29}; }

    const isa_t isa_;
};

using parameters_t = std::tuple<isa_t, data_type_t>;

class jit_lanes_io : public jit_word, public ::testing::WithParamInterface<parameters_t> {
protected:
    jit_lanes_io()
        : jit_word(std::get<0>(GetParam()))
        , type_(std::get<1>(GetParam()))
        , size_(size_of(type_)) {}

    size_t bytes(int count) const { return size_t(count) * size_t(size_); }

    const data_type_t type_;
    const int size_;
};

constexpr placement_t placements[] = {placement_t::ends_at_guard, placement_t::begins_at_guard};
constexpr isa_t levels[] = {isa_t::avx2, isa_t::avx512_core, isa_t::avx512_core_bf16};

/// Values whose order shows, some of each sort that a conversion must treat specially.
std::vector<float> varied_floats(int count, uint32_t seed) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> plain(-300, 300);
    const float special[] = {std::numeric_limits<float>::infinity(), std::nanf(""), 1e-40f, 1e38f,
            -0.f, 126.5f, -128.5f, 255.5f, 65520.f, 6e-8f};
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(generator() % 3 == 0 ? special[generator() % std::size(special)]
                                              : plain(generator));
    return values;
}

/// A buffer at a guard page whose slack is marked, to see that nobody writes there.
class marked_buffer_t {
public:
    marked_buffer_t(size_t size, placement_t placement)
        : buffer_(size, placement) {
        buffer_.open_all();
        std::memset(buffer_.data(), mark, size);
        std::memset(buffer_.slack(), mark, buffer_.slack_size());
    }
    std::byte *data() const { return buffer_.data(); }
    bool slack_is_untouched() const {
        return std::all_of(buffer_.slack(), buffer_.slack() + buffer_.slack_size(),
                [](std::byte byte) { return byte == std::byte{mark}; });
    }

private:
    static constexpr unsigned char mark = 0xa7;
    guarded_buffer_t buffer_;
};

// --- Full vectors -------------------------------------------------------------------------------

TEST_P(jit_lanes_io, loads_every_element_as_it_is_defined) {
    std::vector<uint32_t> codes = all_codes(type_);
    codes.resize((codes.size() + 15) / 16 * 16, 0);
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, type_, o.src + size_ * lanes(), lanes());
                    io.store(o.vec, dnnl_f32, o.dst, lanes());
                },
                in_use);
        std::vector<std::byte> src(bytes(2 * lanes()));
        std::vector<float> dst = vector_of(0);
        for (size_t first = 0; first < codes.size(); first += size_t(lanes())) {
            for (size_t i = 0; i < size_t(lanes()); ++i)
                write_code(src.data(), size_t(lanes()) + i, size_, codes[first + i]);
            run(code, src.data(), dst.data());
            for (size_t i = 0; i < size_t(lanes()); ++i)
                ASSERT_EQ(bits_of(dst[i]), bits_of(model_load(type_, codes[first + i])))
                        << std::hex << "element " << codes[first + i] << " in lane " << i;
        }
    }
}

TEST_P(jit_lanes_io, stores_the_nearest_element_and_keeps_the_register) {
    std::vector<float> values = dense_floats();
    values.resize((values.size() + 15) / 16 * 16, 1.f);
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, dnnl_f32, o.src, lanes());
                    io.store(o.vec, type_, o.dst + size_ * lanes(), lanes());
                    io.store(o.vec, dnnl_f32, o.kept, lanes());
                },
                in_use);
        std::vector<std::byte> dst(bytes(2 * lanes()));
        std::vector<float> kept = vector_of(0);
        for (size_t first = 0; first < values.size(); first += size_t(lanes())) {
            run(code, &values[first], dst.data(), kept.data());
            ASSERT_EQ(std::memcmp(kept.data(), &values[first], sizeof(float) * kept.size()), 0);
            for (size_t i = 0; i < size_t(lanes()); ++i)
                ASSERT_EQ(read_code(dst.data(), size_t(lanes()) + i, size_),
                        model_store(type_, values[first + i]))
                        << std::hexfloat << "value " << values[first + i] << " with bits "
                        << std::hex << bits_of(values[first + i]) << " in lane " << i;
        }
    }
}

TEST_P(jit_lanes_io, touches_nothing_around_a_full_vector) {
    const auto code = compile([this](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        io.load(o.vec, type_, o.src, lanes());
        io.store(o.vec, type_, o.dst, lanes());
    });
    for (const placement_t placement : placements) {
        const marked_buffer_t src(bytes(lanes()), placement);
        const marked_buffer_t dst(bytes(lanes()), placement);
        for (int i = 0; i < lanes(); ++i) write_code(src.data(), size_t(i), size_, uint32_t(7 * i));
        run(code, src.data(), dst.data());
        EXPECT_EQ(std::memcmp(src.data(), dst.data(), bytes(lanes())), 0);
        EXPECT_TRUE(dst.slack_is_untouched());
    }
}

TEST_P(jit_lanes_io, stores_the_same_past_the_cache) {
    if (size_ == 1) return; // not offered
    const auto program = [this](store_t how) {
        return compile([this, how](generator_t &g, const operands_t &o) {
            lanes_io_t io(g);
            io.load(o.vec, dnnl_f32, o.src, lanes());
            io.store(o.vec, type_, o.dst, lanes(), how);
        });
    };
    const auto ordinary = program(store_t::ordinary);
    const auto non_temporal = program(store_t::non_temporal);
    alignas(64) std::byte expected[64] = {};
    alignas(64) std::byte found[64] = {};
    for (uint32_t seed = 0; seed < 100; ++seed) {
        const auto values = varied_floats(lanes(), seed);
        run(ordinary, values.data(), expected);
        run(non_temporal, values.data(), found);
        ASSERT_EQ(std::memcmp(expected, found, sizeof found), 0) << "seed " << seed;
    }
    // The two differ in the opcode of one instruction: MOVUPS and MOVNTPS.
    ASSERT_EQ(ordinary.size(), non_temporal.size());
    const auto [one, other] =
            std::mismatch(ordinary.data(), ordinary.data() + ordinary.size(), non_temporal.data());
    ASSERT_NE(one, ordinary.data() + ordinary.size());
    EXPECT_EQ(*one, 0x11);
    EXPECT_EQ(*other, 0x2b);
    EXPECT_TRUE(std::equal(one + 1, ordinary.data() + ordinary.size(), other + 1));
}

// --- Partial vectors ----------------------------------------------------------------------------

TEST_P(jit_lanes_io, loads_partial_vectors_up_to_unmapped_pages) {
    for (int count = 1; count < lanes(); ++count)
        for (const int in_use : register_pressures()) {
            const auto code = compile(
                    [this, count](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.prepare_tail(count);
                        g.broadcast(o.vec, 5); // must not shine through
                        io.load(o.vec, type_, o.src, count);
                        io.store(o.vec, dnnl_f32, o.dst, lanes());
                    },
                    in_use);
            for (const placement_t placement : placements) {
                const marked_buffer_t src(bytes(count), placement);
                const auto values = varied_floats(count, uint32_t(count));
                for (int i = 0; i < count; ++i)
                    write_code(src.data(), size_t(i), size_, model_store(type_, values[size_t(i)]));
                std::vector<float> dst = vector_of(3);
                run(code, src.data(), dst.data());
                for (int i = 0; i < lanes(); ++i) {
                    const uint32_t expected = i < count ? bits_of(model_load(type_,
                                                      read_code(src.data(), size_t(i), size_)))
                                                        : 0;
                    ASSERT_EQ(bits_of(dst[size_t(i)]), expected) << "lane " << i << " of " << count;
                }
            }
        }
}

TEST_P(jit_lanes_io, stores_partial_vectors_and_no_byte_more) {
    for (int count = 1; count < lanes(); ++count)
        for (const int in_use : register_pressures()) {
            const auto code = compile(
                    [this, count](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.prepare_tail(count);
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        io.store(o.vec, type_, o.dst, count);
                        io.store(o.vec, dnnl_f32, o.kept, lanes());
                    },
                    in_use);
            for (const placement_t placement : placements) {
                const auto values = varied_floats(lanes(), uint32_t(count));
                const marked_buffer_t dst(bytes(count), placement);
                std::vector<float> kept = vector_of(0);
                run(code, values.data(), dst.data(), kept.data());
                EXPECT_TRUE(dst.slack_is_untouched()) << count;
                EXPECT_EQ(std::memcmp(kept.data(), values.data(), sizeof(float) * kept.size()), 0);
                for (int i = 0; i < count; ++i)
                    ASSERT_EQ(read_code(dst.data(), size_t(i), size_),
                            model_store(type_, values[size_t(i)]))
                            << "lane " << i << " of " << count;
            }
        }
}

TEST_P(jit_lanes_io, prepares_another_tail_after_release) {
    const int second = lanes() - 1;
    const auto code = compile([&](generator_t &g, const operands_t &o) {
        lanes_io_t io(g);
        io.prepare_tail(1);
        io.load(o.vec, type_, o.src, 1);
        io.release();
        io.prepare_tail(second);
        io.load(o.vec, type_, o.src, second);
        io.store(o.vec, dnnl_f32, o.dst, lanes());
    });
    std::vector<std::byte> src(bytes(lanes()), std::byte{1});
    std::vector<float> dst = vector_of(3);
    run(code, src.data(), dst.data());
    const float element = model_load(type_, read_code(src.data(), 0, size_));
    for (int i = 0; i < lanes(); ++i) EXPECT_EQ(dst[size_t(i)], i < second ? element : 0.f) << i;
}

// --- Single elements ----------------------------------------------------------------------------

TEST_P(jit_lanes_io, broadcasts_one_element) {
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load_broadcast(o.vec, type_, o.src);
                    io.store(o.vec, dnnl_f32, o.dst, lanes());
                },
                in_use);
        for (const placement_t placement : placements) {
            const marked_buffer_t src(bytes(1), placement);
            std::vector<float> dst = vector_of(0);
            for (const uint32_t element : all_codes(type_)) {
                write_code(src.data(), 0, size_, element);
                run(code, src.data(), dst.data());
                const uint32_t expected = bits_of(model_load(type_, element));
                for (const float found : dst)
                    ASSERT_EQ(bits_of(found), expected) << std::hex << "element " << element;
            }
        }
    }
}

TEST_P(jit_lanes_io, stores_lane_0_alone) {
    for (const int in_use : register_pressures()) {
        const auto code = compile(
                [this](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    io.load(o.vec, dnnl_f32, o.src, lanes());
                    io.store_scalar(o.vec, type_, o.dst);
                    io.store(o.vec, dnnl_f32, o.kept, lanes());
                },
                in_use);
        for (const placement_t placement : placements)
            for (uint32_t seed = 0; seed < 100; ++seed) {
                const auto values = varied_floats(lanes(), seed);
                const marked_buffer_t dst(bytes(1), placement);
                std::vector<float> kept = vector_of(0);
                run(code, values.data(), dst.data(), kept.data());
                ASSERT_EQ(read_code(dst.data(), 0, size_), model_store(type_, values[0]));
                EXPECT_TRUE(dst.slack_is_untouched());
                EXPECT_EQ(std::memcmp(kept.data(), values.data(), sizeof(float) * kept.size()), 0);
            }
    }
}

INSTANTIATE_TEST_SUITE_P(each, jit_lanes_io,
        ::testing::Combine(::testing::ValuesIn(levels),
                ::testing::Values(dnnl_f32, dnnl_bf16, dnnl_f16, dnnl_s8, dnnl_u8)),
        [](const auto &info) {
            return describe_isa(std::get<0>(info.param)) + "_" + type_name(std::get<1>(info.param));
        });

// --- Reductions ---------------------------------------------------------------------------------

class jit_reduction : public jit_word, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_reduction()
        : jit_word(GetParam()) {}

    using reduce_t = void (*)(generator_t &, const Xbyak::Xmm &);

    /// Reduces vectors of whole numbers, whose sums are exact in any order.
    void check(reduce_t reduce, const std::function<double(double, double)> &combine) const {
        for (const int in_use : register_pressures()) {
            const auto code = compile(
                    [&](generator_t &g, const operands_t &o) {
                        lanes_io_t io(g);
                        io.load(o.vec, dnnl_f32, o.src, lanes());
                        reduce(g, o.vec);
                        io.store(o.vec, dnnl_f32, o.dst, lanes());
                    },
                    in_use);
            std::mt19937 generator(1);
            std::uniform_int_distribution<int> whole(-100000, 100000);
            for (int trial = 0; trial < 1000; ++trial) {
                std::vector<float> src = vector_of(0);
                // First one lane after another alone, then all of them.
                for (int i = 0; i < lanes(); ++i)
                    src[size_t(i)] = trial < lanes() ? static_cast<float>(i == trial)
                                                     : static_cast<float>(whole(generator));
                const double expected =
                        std::accumulate(src.begin() + 1, src.end(), double(src[0]), combine);
                std::vector<float> dst = vector_of(0);
                run(code, src.data(), dst.data());
                for (const float found : dst) ASSERT_EQ(double(found), expected) << trial;
            }
        }
    }
};

TEST_P(jit_reduction, sums_all_lanes) { check(reduce_sum, std::plus<>()); }

TEST_P(jit_reduction, finds_the_largest_lane) {
    check(reduce_max, [](double a, double b) { return std::max(a, b); });
}

INSTANTIATE_TEST_SUITE_P(each, jit_reduction, ::testing::ValuesIn(levels),
        [](const auto &info) { return describe_isa(info.param); });

} // namespace

} // namespace kiln::x64::jit::test
