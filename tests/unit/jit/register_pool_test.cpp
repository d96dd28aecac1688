// SPDX-License-Identifier: Apache-2.0
// Registers by name.
#include "unit/jit/function.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kiln::x64::jit::test {

namespace {

TEST(register_pool, gives_each_register_once_lowest_first) {
    register_pool_t pool("thing", 0b1011'0100);
    EXPECT_EQ(pool.free_count(), 4);
    std::vector<int> taken;
    while (pool.free_count() > 0) taken.push_back(pool.take("any"));
    EXPECT_EQ(taken, (std::vector<int>{2, 4, 5, 7}));
}

TEST(register_pool, knows_all_thirty_two) {
    register_pool_t pool("thing", 0xffffffff);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(pool.take("any"), i);
    EXPECT_EQ(pool.free_count(), 0);
    for (int i = 0; i < 32; ++i) pool.give_back(i);
    EXPECT_TRUE(pool.is_whole());
}

TEST(register_pool, that_runs_out_names_who_wanted_more) {
    register_pool_t pool("vector register", 1);
    pool.take("mean");
    const std::string error = error_of([&] { pool.take("variance"); });
    EXPECT_NE(error.find("vector register"), std::string::npos) << error;
    EXPECT_NE(error.find("variance"), std::string::npos) << error;
}

TEST(register_pool, gives_a_certain_register_if_it_is_free) {
    register_pool_t pool("general register", 0b1110);
    EXPECT_EQ(pool.take("count", 2), 2);
    const std::string error = error_of([&] { pool.take("shift", 2); });
    EXPECT_NE(error.find("general register"), std::string::npos) << error;
    EXPECT_NE(error.find("shift"), std::string::npos) << error;
    EXPECT_THROW(pool.take("never in the pool", 0), std::logic_error);
    EXPECT_EQ(pool.free_count(), 2) << "a refusal took something";
    EXPECT_EQ(pool.take("next"), 1);
    EXPECT_EQ(pool.take("next"), 3);
}

TEST(register_pool, takes_back) {
    register_pool_t pool("thing", 0b11);
    EXPECT_TRUE(pool.is_whole());
    pool.take("a");
    pool.take("b");
    EXPECT_FALSE(pool.is_whole());
    pool.give_back(0);
    EXPECT_FALSE(pool.is_whole());
    EXPECT_EQ(pool.take("c"), 0);
    pool.give_back(1);
    pool.give_back(0);
    EXPECT_TRUE(pool.is_whole());
}

TEST(held_register, is_free_again_when_its_object_ends) {
    register_pool_t pool("general register", 0b1000);
    {
        const gpr_t held(pool, pool.take("held"), Xbyak::Reg64(3));
        EXPECT_EQ(held.index(), 3);
        EXPECT_EQ((*held).getIdx(), 3);
        EXPECT_EQ(pool.free_count(), 0);
    }
    EXPECT_TRUE(pool.is_whole());
}

TEST(held_register, is_given_back_once_however_it_moves) {
    register_pool_t pool("general register", 0b1000);
    {
        std::vector<gpr_t> kept;
        {
            gpr_t held(pool, pool.take("held"), Xbyak::Reg64(3));
            kept.push_back(std::move(held));
        }
        EXPECT_EQ(pool.free_count(), 0) << "an object that gave its register away gave it back";
        kept.clear();
        EXPECT_EQ(pool.free_count(), 1);
        pool.take("somebody else");
    }
    EXPECT_EQ(pool.free_count(), 0);
}

} // namespace

} // namespace kiln::x64::jit::test
