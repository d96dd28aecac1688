// SPDX-License-Identifier: Apache-2.0
// Pages of code: what they may be used for, who owns them, and what is left when there are none.
#include "cpu/x64/jit/code/executable_code.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "unit/jit/code_sample.hpp"
#include "unit/process_maps.hpp"

namespace kiln::test {

namespace {

using x64::jit::code_batch_t;
using x64::jit::executable_code_t;

executable_code_t number_code(uint32_t number, size_t padding = 0) {
    return {"number", code_that_returns(number, padding)};
}

TEST(jit_code, is_a_copy_that_runs) {
    std::vector<uint8_t> source = code_that_returns(4711);
    const executable_code_t code("number", source);
    const std::vector<uint8_t> expected = source;
    std::fill(source.begin(), source.end(), uint8_t(0));
    EXPECT_EQ(run(code), 4711u);
    ASSERT_EQ(code.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), code.data()));
}

TEST(jit_code, is_executable_and_never_writable) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    for (const size_t padding : {size_t(0), page - 7, page - 6, page - 5, 5 * page}) {
        const executable_code_t code = number_code(1, padding);
        for (const uint8_t *at : {code.data(), code.data() + code.size() - 1})
            EXPECT_EQ(mapping_at(at).permissions, "r-xp") << padding << " bytes of padding";
    }
}

TEST(jit_code, leaves_no_page_both_writable_and_executable) {
    std::vector<executable_code_t> codes;
    for (uint32_t i = 0; i < 50; ++i) codes.push_back(number_code(i, i * 100));
    for (const mapping_t &mapping : process_maps())
        EXPECT_FALSE(mapping.is_writable() && mapping.is_executable())
                << mapping.path << " " << mapping.permissions;
}

TEST(jit_code, does_not_share_pages) {
    const executable_code_t a = number_code(1), b = number_code(2);
    const auto page_of = [](const executable_code_t &code) {
        return reinterpret_cast<uintptr_t>(code.data())
               / static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    };
    EXPECT_NE(page_of(a), page_of(b));
}

TEST(jit_code, starts_where_a_page_does) {
    const executable_code_t code = number_code(1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(code.data())
                      % static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)),
            0u);
}

TEST(jit_code, goes_with_its_object) {
    const uint8_t *at = nullptr;
    {
        const executable_code_t code = number_code(1, 10000);
        at = code.data();
        ASSERT_TRUE(mapping_at(at).is_executable());
    }
    // Something else may have been mapped there since, but no code.
    EXPECT_FALSE(mapping_at(at).is_executable());
    EXPECT_FALSE(mapping_at(at + 10000).is_executable());
}

TEST(jit_code, may_be_absent) {
    const executable_code_t none;
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_EQ(none.size(), 0u);
    const executable_code_t empty("empty", {});
    EXPECT_EQ(empty.data(), nullptr);
    EXPECT_EQ(empty.size(), 0u);
}

TEST(jit_code, moves_to_a_new_object) {
    executable_code_t source = number_code(3);
    const uint8_t *const at = source.data();
    const executable_code_t target(std::move(source));
    EXPECT_EQ(target.data(), at);
    EXPECT_EQ(run(target), 3u);
    EXPECT_EQ(source.data(), nullptr);
    EXPECT_EQ(source.size(), 0u);
}

TEST(jit_code, moves_over_other_code_and_frees_that) {
    executable_code_t source = number_code(3);
    executable_code_t target = number_code(4);
    const uint8_t *const at = source.data(), *const old = target.data();
    target = std::move(source);
    EXPECT_EQ(target.data(), at);
    EXPECT_EQ(run(target), 3u);
    EXPECT_EQ(source.data(), nullptr);
    EXPECT_EQ(source.size(), 0u);
    EXPECT_FALSE(mapping_at(old).is_executable());
}

TEST(jit_code, moved_from_takes_code_again) {
    executable_code_t source = number_code(3);
    const executable_code_t target(std::move(source));
    source = number_code(5);
    EXPECT_EQ(run(source), 5u);
    EXPECT_EQ(run(target), 3u);
}

TEST(jit_code, survives_a_move_to_itself) {
    executable_code_t code = number_code(6);
    executable_code_t &same = code;
    code = std::move(same);
    EXPECT_EQ(run(code), 6u);
}

TEST(jit_code, that_finds_no_memory_throws_and_leaves_nothing) {
    const std::vector<uint8_t> bytes = code_that_returns(1);
    const size_t before = process_maps().size();
    // More than an address space holds; not a byte of it is read.
    const std::span<const uint8_t> endless(bytes.data(), size_t(1) << 60);
    for (int i = 0; i < 20; ++i)
        EXPECT_THROW(executable_code_t("endless", endless), std::bad_alloc);
    EXPECT_EQ(process_maps().size(), before);
    EXPECT_EQ(run(number_code(7)), 7u);
}

TEST(jit_code, of_a_batch_shares_pages_that_live_as_long_as_any_of_it) {
    std::vector<executable_code_t> codes;
    {
        code_batch_t batch;
        for (uint32_t i = 0; i < 3; ++i) codes.push_back(number_code(i, 100));
        for (const executable_code_t &code : codes)
            EXPECT_EQ(mapping_at(code.data()).permissions, "rw-p");
        batch.finish();
    }
    const uint8_t *const first = codes[0].data();
    for (uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(codes[i].data(), first + i * 128);
        EXPECT_EQ(mapping_at(codes[i].data()).permissions, "r-xp");
    }
    EXPECT_NE(number_code(7).data(), first + 3 * 128) << "of code behind the batch";
    codes.erase(codes.begin(), codes.begin() + 2);
    EXPECT_EQ(run(codes[0]), 2u);
    codes.clear();
    EXPECT_FALSE(mapping_at(first).is_executable());
}

TEST(jit_code, that_does_not_fit_into_a_batch_has_pages_of_its_own) {
    code_batch_t batch;
    const executable_code_t small = number_code(1), large = number_code(2, 40000);
    EXPECT_EQ(run(large), 2u);
    const executable_code_t other = number_code(3);
    batch.finish();
    EXPECT_EQ(run(small), 1u);
    EXPECT_EQ(run(other), 3u);
    EXPECT_EQ(other.data(), small.data() + 64);
}

TEST(jit_code, of_a_batch_inside_of_another_has_other_pages) {
    code_batch_t outer;
    const executable_code_t before = number_code(1);
    executable_code_t inside;
    {
        code_batch_t inner;
        inside = number_code(2);
        inner.finish();
    }
    const executable_code_t after = number_code(3);
    EXPECT_EQ(run(inside), 2u);
    outer.finish();
    EXPECT_EQ(run(before) + run(after), 4u);
    EXPECT_EQ(after.data(), before.data() + 64);
}

TEST(jit_code, of_a_batch_that_is_not_finished_leaves_nothing) {
    // Pages for several batches are mapped at once, so one batch may map more than it uses.
    constexpr size_t batches = 200, slack = size_t{1} << 20;
    const size_t before = mapped_bytes();
    size_t placed = 0;
    for (size_t i = 0; i < batches; ++i) {
        code_batch_t batch;
        const executable_code_t code = number_code(1, 8000);
        placed += code.size();
    }
    ASSERT_GT(placed, slack);
    EXPECT_LT(mapped_bytes(), before + slack);
    EXPECT_EQ(run(number_code(7)), 7u);
}

TEST(jit_code, is_made_and_freed_by_many_threads) {
    constexpr uint32_t threads = 8, rounds = 200;
    std::vector<uint32_t> wrong(threads);
    std::vector<std::thread> running;
    for (uint32_t t = 0; t < threads; ++t)
        running.emplace_back([&wrong, t] {
            std::vector<executable_code_t> kept;
            for (uint32_t i = 0; i < rounds; ++i) {
                kept.push_back(number_code(t * rounds + i, i));
                const uint32_t at = i / 2;
                if (run(kept[at]) != t * rounds + at) ++wrong[t];
                if (i % 3 == 0) kept[at] = number_code(t * rounds + at);
            }
        });
    for (std::thread &thread : running) thread.join();
    EXPECT_EQ(wrong, std::vector<uint32_t>(threads));
}

} // namespace

} // namespace kiln::test
