// SPDX-License-Identifier: Apache-2.0
// The primitive cache: which requests share a primitive, the order of eviction, the capacity, and
// requests of many threads. Hits and misses are read from the lines of verbose mode.

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "api/primitive/primitive_cache_scenarios.hpp"

namespace kiln::test {

namespace {

/// By part, a letter for each primitive that is created, in order: m for a miss, h for a hit. The
/// lines before the first mark are part "".
std::map<std::string, std::string> outcomes_of(
        const char *scenario, std::vector<std::string> variables = {}) {
    variables.push_back("ONEDNN_VERBOSE=profile_create");
    const scenario_result_t result = run_scenario(scenario, variables);
    EXPECT_TRUE(result.succeeded) << result.output;
    std::map<std::string, std::string> outcomes;
    std::string part;
    for (const std::string &line : result.lines()) {
        if (line.starts_with("part ")) part = line.substr(5);
        std::string &letters = outcomes[part];
        if (line.find(",create:cache_miss,") != std::string::npos) letters += 'm';
        if (line.find(",create:cache_hit,") != std::string::npos) letters += 'h';
    }
    return outcomes;
}

TEST(primitive_cache, the_second_of_two_equal_primitives_is_a_hit) {
    EXPECT_EQ(outcomes_of("create_twice")[""], "mh");
}

TEST(primitive_cache, whatever_differs_has_a_primitive_of_its_own) {
    auto outcomes = outcomes_of("create_different");
    for (const auto &difference : differences())
        EXPECT_EQ(outcomes[difference.name], "mh") << difference.name;
}

TEST(primitive_cache, what_is_the_same_in_another_guise_is_shared) {
    auto outcomes = outcomes_of("create_alike");
    EXPECT_EQ(outcomes[""], "m");
    EXPECT_EQ(outcomes["by strides"], "h");
    EXPECT_EQ(outcomes["with default attributes"], "h");
    EXPECT_EQ(outcomes["from a copy"], "h");
    EXPECT_EQ(outcomes["from a primitive's descriptor"], "hh");
    EXPECT_EQ(outcomes["on another engine object"], "h");
    EXPECT_EQ(outcomes["from equal attributes"], "mh");
}

TEST(primitive_cache, the_least_recently_used_entry_leaves_first) {
    EXPECT_EQ(outcomes_of("create_beyond_capacity")[""], "mmhmhhmm");
}

TEST(primitive_cache, a_smaller_capacity_keeps_the_most_recent_entries) {
    auto outcomes = outcomes_of("shrink");
    EXPECT_EQ(outcomes[""], "mmmmm");
    EXPECT_EQ(outcomes["after"], "hhm");
    EXPECT_EQ(outcomes["grown"], "hhmmhh");
}

TEST(primitive_cache, without_capacity_nothing_is_kept) {
    auto outcomes = outcomes_of("switch_off_and_on");
    EXPECT_EQ(outcomes["off"], "mm");
    EXPECT_EQ(outcomes["on"], "mh");
}

TEST(primitive_cache, the_environment_sets_its_capacity) {
    const struct {
        std::vector<std::string> variables;
        const char *capacity, *outcomes;
    } cases[] = {
            {{}, "capacity 1024", "mh"},
            {{"ONEDNN_PRIMITIVE_CACHE_CAPACITY=7"}, "capacity 7", "mh"},
            {{"ONEDNN_PRIMITIVE_CACHE_CAPACITY=0"}, "capacity 0", "mm"},
            {{"DNNL_PRIMITIVE_CACHE_CAPACITY=9"}, "capacity 9", "mh"},
            {{"ONEDNN_PRIMITIVE_CACHE_CAPACITY=1", "DNNL_PRIMITIVE_CACHE_CAPACITY=0"}, "capacity 1",
                    "mh"},
    };
    for (const auto &[variables, capacity, expected] : cases) {
        auto outcomes = outcomes_of("create_by_the_environment", variables);
        EXPECT_EQ(outcomes[capacity], expected)
                << capacity << (variables.empty() ? "" : " by " + variables[0]);
    }
}

TEST(primitive_cache, of_many_threads_that_want_the_same_one_makes_it) {
    const std::string outcomes = outcomes_of("create_the_same_in_threads")[""];
    EXPECT_EQ(outcomes.size(), 80u);
    EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), 'm'), 1) << outcomes;
}

TEST(primitive_cache, backward_primitives_are_told_apart_by_what_their_hints_decide) {
    const scenario_result_t result =
            run_scenario("create_from_hints", {"ONEDNN_VERBOSE=profile_create"});
    ASSERT_TRUE(result.succeeded) << result.output;
    EXPECT_EQ(result.output.find("not as the hint"), std::string::npos) << result.output;
    std::string outcomes;
    for (const auto &[part, letters] : outcomes_of("create_from_hints")) outcomes += letters;
    EXPECT_EQ(outcomes, "mmhh");
}

// ---- descriptors of primitives that are in the cache

/// A sum of a column and a matrix, whose layout and dst's follow the column's: its strides along
/// the axis of one element.
primitive_desc_handle_t broadcast_sum(const dims_t &column_strides) {
    memory_desc_handle_t column;
    const dims_t dims{3, 1, 4};
    require(dnnl_memory_desc_create_with_strides(
                    column.out(), 3, dims.data(), dnnl_f32, column_strides.data()),
            "a column");
    const auto any = make_desc({3, 5, 4}, dnnl_f32, "any");
    primitive_desc_handle_t pd;
    require(dnnl_binary_primitive_desc_create(
                    pd.out(), cpu_engine(), dnnl_binary_add, column, any, any, nullptr),
            "creating a sum");
    return pd;
}

TEST(primitive_cache, descriptors_have_the_layouts_of_their_own_request) {
    const dims_t strides[] = {{4, 4, 1}, {4, 1, 1}};
    const auto dst_of = [](const primitive_desc_handle_t &pd) {
        return dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
    };
    const auto first = broadcast_sum(strides[0]), second = broadcast_sum(strides[1]);
    ASSERT_FALSE(dnnl_memory_desc_equal(dst_of(first), dst_of(second)));
    const auto of_first = make_primitive(first), of_second = make_primitive(second);
    for (int repetition = 0; repetition < 2; ++repetition) {
        EXPECT_TRUE(dnnl_memory_desc_equal(dst_of(broadcast_sum(strides[0])), dst_of(first)));
        EXPECT_TRUE(dnnl_memory_desc_equal(dst_of(broadcast_sum(strides[1])), dst_of(second)));
    }
}

TEST(primitive_cache, descriptors_name_the_engine_that_they_were_created_with) {
    engine_handle_t engine;
    require(dnnl_engine_create(engine.out(), dnnl_cpu, 0), "dnnl_engine_create");
    for (const dnnl_engine_t wanted : {cpu_engine(), dnnl_engine_t(engine), cpu_engine()}) {
        const auto pd = made_pd(of_rows(77), nullptr, wanted);
        const auto primitive = make_primitive(pd);
        dnnl_engine_t got = nullptr;
        require(dnnl_primitive_desc_query(pd, dnnl_query_engine, 0, &got), "engine");
        EXPECT_EQ(got, wanted);
    }
}

TEST(primitive_cache, the_first_implementation_is_found_after_a_later_one_was_used) {
    const auto name_of = [](const primitive_desc_handle_t &pd) {
        const char *name = nullptr;
        require(dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name), "name");
        return std::string(name);
    };
    const auto pd = made_pd(of_rows(78));
    const std::string first = name_of(pd);
    require(dnnl_primitive_desc_next_impl(pd), "dnnl_primitive_desc_next_impl");
    const auto primitive = make_primitive(pd);
    EXPECT_NE(name_of(pd), first);
    EXPECT_EQ(name_of(made_pd(of_rows(78))), first);
}

TEST(primitive_cache, descriptors_have_the_default_mode_of_their_creation) {
    for (const dnnl_fpmath_mode_t mode : {dnnl_fpmath_mode_strict, dnnl_fpmath_mode_bf16}) {
        require(dnnl_set_default_fpmath_mode(mode), "dnnl_set_default_fpmath_mode");
        const auto pd = made_pd(of_rows(79));
        const auto primitive = make_primitive(pd);
        const_dnnl_primitive_attr_t attr = nullptr;
        dnnl_fpmath_mode_t got = dnnl_fpmath_mode_any;
        require(dnnl_primitive_desc_get_attr(pd, &attr), "attributes");
        require(dnnl_primitive_attr_get_fpmath_mode(attr, &got), "mode");
        EXPECT_EQ(got, mode);
    }
    require(dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_strict), "restoring the default");
}

TEST(primitive_cache, why_implementations_refuse_is_said_each_time) {
    const scenario_result_t result =
            run_scenario("create_relaid_twice", {"ONEDNN_VERBOSE=dispatch"});
    ASSERT_TRUE(result.succeeded) << result.output;
    std::map<std::string, int> times;
    for (const std::string &line : result.lines())
        if (line.find("create:dispatch") != std::string::npos) ++times[line];
    EXPECT_FALSE(times.empty()) << result.output;
    for (const auto &[line, count] : times) EXPECT_EQ(count % 2, 0) << line;
}

// ---- capacity

class capacity_kept_t {
public:
    ~capacity_kept_t() { dnnl_set_primitive_cache_capacity(before_); }

private:
    int before_ = capacity();
};

TEST(primitive_cache, keeps_the_capacity_that_is_set) {
    const capacity_kept_t restored;
    for (const int value : {0, 1, 5, 1 << 30, 1024}) {
        EXPECT_EQ(dnnl_set_primitive_cache_capacity(value), dnnl_success) << value;
        EXPECT_EQ(capacity(), value);
    }
    EXPECT_EQ(dnnl_set_primitive_cache_capacity(-1), dnnl_invalid_arguments);
    EXPECT_EQ(capacity(), 1024);
    EXPECT_EQ(dnnl_get_primitive_cache_capacity(nullptr), dnnl_invalid_arguments);
}

// ---- threads

/// Creates a primitive of rows of 4 elements and checks a result.
void expect_computes(dnnl_dim_t rows) {
    const auto pd = made_pd(
            {dnnl_forward_inference, 0, {rows, 4}, "", "any", dnnl_f32, dnnl_f32, 0x1p-40f});
    const auto primitive = make_primitive(pd);
    const stream_handle_t stream = make_stream();
    std::vector<float> src(static_cast<size_t>(4 * rows)), dst(src.size());
    for (size_t i = 0; i < src.size(); ++i) src[i] = i % 2 ? 3 : 1;
    const auto md = dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0);
    memory_handle_t src_memory, dst_memory;
    require(dnnl_memory_create(src_memory.out(), md, cpu_engine(), src.data()), "memory");
    require(dnnl_memory_create(dst_memory.out(), md, cpu_engine(), dst.data()), "memory");
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src_memory}, {DNNL_ARG_DST, dst_memory}};
    EXPECT_EQ(dnnl_primitive_execute(primitive, stream, 2, args), dnnl_success);
    EXPECT_EQ(dnnl_stream_wait(stream), dnnl_success);
    for (size_t i = 0; i < dst.size(); ++i)
        ASSERT_EQ(dst[i], i % 2 ? 1 : -1) << rows << " rows, element " << i;
}

TEST(primitive_cache, threads_that_want_different_primitives_get_their_own) {
    const capacity_kept_t restored;
    set_capacity(3); // entries leave while others are made
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([i] {
            for (int k = 0; k < 100; ++k) expect_computes(1 + (i + k) % 7);
        });
    for (auto &thread : threads) thread.join();
}

TEST(primitive_cache, its_capacity_may_change_while_primitives_are_made) {
    const capacity_kept_t restored;
    std::atomic<bool> done = false;
    std::thread changer([&] {
        for (int k = 0; !done; ++k) set_capacity(k % 4);
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([i] {
            for (int k = 0; k < 100; ++k) expect_computes(1 + (i + k) % 5);
        });
    for (auto &thread : threads) thread.join();
    done = true;
    changer.join();
}

TEST(primitive_cache, a_primitive_outlives_its_entry) {
    const capacity_kept_t restored;
    set_capacity(1);
    const auto first = make_primitive(made_pd(of_rows(1)));
    const auto again = make_primitive(made_pd(of_rows(1)));
    make_primitive(made_pd(of_rows(2)));
    set_capacity(0);
    for (const auto *primitive : {&first, &again}) {
        const_dnnl_primitive_desc_t pd = nullptr;
        ASSERT_EQ(dnnl_primitive_get_primitive_desc(*primitive, &pd), dnnl_success);
        EXPECT_TRUE(dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(pd, dnnl_query_src_md, 0),
                make_desc({1, 16}, dnnl_f32)));
    }
}

} // namespace

} // namespace kiln::test

int main(int argc, char **argv) {
    return kiln::test::main_with_scenarios(argc, argv, kiln::test::primitive_cache_scenarios());
}
