// SPDX-License-Identifier: Apache-2.0
// Transposes of vectors in registers, and parts of a vector, on every ISA the machine has. Each
// lane holds another number, so that a wrong one shows.
#include "cpu/x64/jit/interleave.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/lanes_io.hpp"
#include "unit/jit/block.hpp"

namespace kiln::x64::jit::test {

namespace {

constexpr int float_size = sizeof(float);

/// So many vectors of `unit` lanes a unit, of whose transposed ones `count` are wanted.
struct shape_t {
    int unit, rows, count;
};

std::ostream &operator<<(std::ostream &out, const shape_t &shape) {
    return out << shape.rows << " rows of units of " << shape.unit << ", " << shape.count
               << " wanted";
}

class jit_interleave : public jit_block, public ::testing::WithParamInterface<isa_t> {
protected:
    jit_interleave()
        : jit_block(GetParam()) {}

    std::vector<shape_t> shapes() const {
        std::vector<shape_t> result;
        for (int unit = 1; unit <= lanes() / 2; unit *= 2)
            for (int rows = 1; rows <= lanes() / unit; rows *= 2)
                for (int count = 1; count <= rows; ++count) result.push_back({unit, rows, count});
        return result;
    }

    /// All that a transpose may leave to others: it says how many registers it needs.
    int most_registers_in_use(const shape_t &shape) const {
        const int moved = 1, needed = has(isa_, feature_t::avx512_core) ? 1 + 2 : 2;
        return vectors_of(isa_) - moved - needed - shape.rows;
    }

    executable_code_t transpose(const shape_t &shape, int in_use) const {
        return compile(
                [&](generator_t &g, const operands_t &o) {
                    lanes_io_t io(g);
                    const interleave_t interleave(g, shape.unit);
                    std::vector<vec_t> held;
                    std::vector<Xbyak::Xmm> rows;
                    for (int row = 0; row < shape.rows; ++row) {
                        held.push_back(g.vec("row"));
                        rows.push_back(*held.back());
                        io.load(rows.back(), dnnl_f32, o.src + row * lanes() * float_size, lanes());
                    }
                    const std::vector<Xbyak::Xmm> before = rows;
                    interleave.transpose(rows, size_t(shape.count));
                    // In any order, as wide as they were.
                    EXPECT_TRUE(std::is_permutation(
                            rows.begin(), rows.end(), before.begin(), before.end()));
                    for (int row = 0; row < shape.count; ++row)
                        io.store(rows[size_t(row)], dnnl_f32, o.dst + row * lanes() * float_size,
                                lanes());
                },
                in_use);
    }

    /// Unit 0 of each row, unit 1 of each row, ...
    std::vector<float> columns(const std::vector<float> &src, const shape_t &shape) const {
        std::vector<float> result;
        for (int first = 0; first < lanes(); first += shape.unit)
            for (int row = 0; row < shape.rows; ++row)
                for (int i = 0; i < shape.unit; ++i)
                    result.push_back(src[size_t(row * lanes() + first + i)]);
        result.resize(size_t(shape.count * lanes()));
        return result;
    }
};

TEST_P(jit_interleave, rows_of_units_become_columns_as_far_as_they_are_wanted) {
    for (const shape_t &shape : shapes())
        for (const int in_use : {0, most_registers_in_use(shape)}) {
            const auto code = transpose(shape, in_use);
            std::vector<float> src(size_t(shape.rows * lanes()));
            std::iota(src.begin(), src.end(), 1.f);
            std::vector<float> dst(size_t(shape.count * lanes()));
            run(code, src.data(), dst.data());
            ASSERT_EQ(dst, columns(src, shape)) << shape << ", " << in_use << " registers in use";
        }
}

TEST_P(jit_interleave, bits_that_are_no_numbers_stay_as_they_are) {
    const shape_t shape{1, lanes(), lanes()};
    const auto code = transpose(shape, 0);
    std::vector<float> src(size_t(shape.rows * lanes()));
    std::vector<uint32_t> bits(src.size());
    for (size_t i = 0; i < bits.size(); ++i) bits[i] = (i % 2 ? 0x7f800001u : 0xffu) + uint32_t(i);
    std::memcpy(src.data(), bits.data(), bits.size() * sizeof(bits[0]));
    std::vector<float> dst(src.size());
    run(code, src.data(), dst.data());
    const std::vector<float> expected = columns(src, shape);
    EXPECT_EQ(std::memcmp(dst.data(), expected.data(), dst.size() * sizeof(float)), 0);
}

TEST_P(jit_interleave, each_part_of_a_vector_is_extracted_with_zeros_above) {
    const int vector_bytes = lanes() * float_size;
    std::vector<std::byte> src(static_cast<size_t>(vector_bytes));
    for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<std::byte>(1 + i);
    for (int size = 4; size <= vector_bytes; size *= 2)
        for (int first = 0; first < vector_bytes; first += size)
            for (const int in_use : {0, vectors_of(isa_) - 2}) {
                const auto code = compile(
                        [&](generator_t &g, const operands_t &o) {
                            lanes_io_t io(g);
                            const vec_t part = g.vec("part");
                            g.broadcast(part, 5); // must not shine through
                            io.load(o.vec, dnnl_f32, o.src, lanes());
                            extract_part(g, part, o.vec, first, size);
                            io.store(part, dnnl_f32, o.dst, lanes());
                            io.store(o.vec, dnnl_f32, o.kept, lanes());
                        },
                        in_use);
                std::vector<std::byte> expected(src.size()), dst(src.size());
                std::copy_n(src.begin() + first, size, expected.begin());
                std::vector<float> kept = vector_of(0);
                run(code, src.data(), dst.data(), kept.data());
                ASSERT_TRUE(dst == expected) << size << " bytes from " << first;
                ASSERT_EQ(std::memcmp(kept.data(), src.data(), src.size()), 0);
            }
}

INSTANTIATE_TEST_SUITE_P(each, jit_interleave, ::testing::ValuesIn(levels),
        [](const ::testing::TestParamInfo<isa_t> &info) { return isa_name(info.param); });

} // namespace

} // namespace kiln::x64::jit::test
