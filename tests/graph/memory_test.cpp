// SPDX-License-Identifier: Apache-2.0
// Memory of graphs: allocators, the constant tensor cache, the compiled partition cache.
#include <atomic>
#include <cstdlib>

#include "api/status_of.hpp"
#include "graph/call.hpp"

namespace kiln::test {

namespace {

using dnnl::engine;
using dnnl::graph::tensor;

// ---- a counting allocator

std::atomic<int> allocations, deallocations;
std::atomic<int> allowed{1 << 30}; ///< number of further allocations that succeed

void *allocate(size_t size, size_t alignment) {
    if (allowed-- <= 0) return nullptr;
    ++allocations;
    const size_t step = std::max(alignment, sizeof(void *));
    return std::aligned_alloc(step, (size + step - 1) / step * step);
}

void deallocate(void *buffer) {
    if (buffer) ++deallocations;
    std::free(buffer);
}

/// Empties the caches and restores their defaults.
class graph_memory : public testing::Test {
protected:
    graph_memory()
        : allocator(allocate, deallocate)
        , counted_engine(dnnl::graph::make_engine_with_allocator(engine::kind::cpu, 0, allocator)) {
        reset();
    }
    ~graph_memory() override { reset(); }

    static void reset() {
        dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 0);
        dnnl::graph::set_compiled_partition_cache_capacity(0);
        dnnl::graph::set_compiled_partition_cache_capacity(1024);
        allocations = deallocations = 0;
        allowed = 1 << 30;
    }
    /// The number of allocations of a call.
    template <typename what_t> static int allocations_of(const what_t &what) {
        const int before = allocations;
        what();
        return allocations - before;
    }

    dnnl::graph::allocator allocator;
    engine counted_engine;
};

/// A norm whose strided src must be copied.
network_t network_with_scratch() {
    network_t net;
    net.add(kind_t::RMSNorm, {net.input(f32, {3, 4, 8}, {.strides = {1, 24, 3}})}, with_axis(1));
    return net;
}

/// A norm with weights that must be converted to f32.
network_t network_with_constants(type_t type = bf16, int64_t channels = 16) {
    network_t net;
    const auto weight = [&] { return net.weight(type, {channels}, 0.5, 1.5); };
    const size_t src = net.input(type, {2, 4, channels});
    const size_t gamma = weight(), beta = weight(), mean = weight(), variance = weight();
    net.add(kind_t::BatchNormInference, {src, gamma, beta, mean, variance}, with_epsilon(1e-3f));
    return net;
}

TEST_F(graph_memory, comes_from_the_engines_allocator_and_is_returned) {
    for (const network_t &net : {network_with_scratch(), network_with_constants()}) {
        {
            const call_t call(net, counted_engine);
            const int count = allocations_of([&] { EXPECT_TRUE(call.is_right()); });
            EXPECT_EQ(count, 1);
            EXPECT_EQ(allocations_of([&] { call.execute(); }), count);
        }
        dnnl::graph::set_compiled_partition_cache_capacity(0);
        EXPECT_EQ(allocations, deallocations);
    }
}

TEST_F(graph_memory, of_tensors_comes_from_the_allocator) {
    {
        const logical_tensor lt(1, f32, dims_t{5, 5}, logical_tensor::layout_type::strided);
        const tensor made(lt, counted_engine);
        EXPECT_NE(made.get_data_handle(), nullptr);
        EXPECT_EQ(allocations, 1);
    }
    EXPECT_EQ(deallocations, 1);
}

TEST_F(graph_memory, is_not_allocated_if_the_caller_passes_a_scratchpad) {
    const network_t net = network_with_scratch();
    const call_t call(net, counted_engine);
    const auto needed = call.compiled.get_scratchpad_logical_tensor();
    std::vector<std::byte> buffer(needed.get_mem_size());
    const tensor scratchpad(needed, counted_engine, buffer.data());
    EXPECT_EQ(allocations_of([&] {
        EXPECT_EQ(
                call.status_of_execution(call.inputs(), call.outputs(), scratchpad), dnnl_success);
    }),
            0);
}

TEST_F(graph_memory, exhaustion_is_reported_and_the_next_execution_works) {
    for (const network_t &net : {network_with_scratch(), network_with_constants()})
        for (const bool has_cache : {false, true}) {
            dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, has_cache ? 1 : 0);
            const call_t call(net, counted_engine);
            // The first allocation fails, then the second, until none fails.
            dnnl_status_t status = dnnl_out_of_memory;
            int failures = 0;
            for (; status != dnnl_success; ++failures) {
                ASSERT_EQ(status, dnnl_out_of_memory);
                ASSERT_LT(failures, 5);
                allowed = failures;
                status = call.status_of_execution(call.inputs(), call.outputs());
            }
            EXPECT_GT(failures, 1);
            allowed = 1 << 30;
            EXPECT_TRUE(call.is_right());
        }
    allowed = 0;
    const logical_tensor lt(1, f32, dims_t{5, 5}, logical_tensor::layout_type::strided);
    EXPECT_EQ(status_of([&] { tensor(lt, counted_engine); }), dnnl_out_of_memory);
    reset();
}

// ---- constants

TEST_F(graph_memory, keeps_constants_if_the_cache_has_capacity) {
    const network_t net = network_with_constants();
    const call_t call(net, counted_engine);
    const int without = allocations_of([&] { call.execute(); });
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 1);
    const int first = allocations_of([&] { EXPECT_TRUE(call.is_right()); });
    const int second = allocations_of([&] { EXPECT_TRUE(call.is_right()); });
    EXPECT_EQ(first, without + 1) << "the converted weights";
    EXPECT_EQ(second, without) << "from the cache";
    const int held = allocations - deallocations;
    EXPECT_EQ(held, 1);
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 0);
    EXPECT_EQ(allocations, deallocations);
    EXPECT_TRUE(call.is_right());
}

TEST_F(graph_memory, keeps_constants_as_long_as_their_program) {
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 1);
    const network_t net = network_with_constants();
    {
        const call_t call(net, counted_engine);
        call.execute();
    }
    EXPECT_GT(allocations, deallocations) << "the compiled partition is in a cache";
    dnnl::graph::set_compiled_partition_cache_capacity(0);
    EXPECT_EQ(allocations, deallocations);
}

TEST_F(graph_memory, computes_constants_again_at_other_addresses) {
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 1);
    const network_t net = network_with_constants();
    call_t call(net, counted_engine);
    EXPECT_TRUE(call.is_right());
    const auto before = call.execute();
    // The same network with another gamma.
    network_t other;
    const size_t filler = other.input(bf16, {1});
    const size_t gamma = other.weight(bf16, {16}, 3, 4);
    EXPECT_NE(filler, gamma);
    call.replace(2, other, gamma);
    const auto after = call.execute();
    EXPECT_NE(before, after);
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 0);
    EXPECT_EQ(call.execute(), after);
}

TEST_F(graph_memory, keeps_no_constants_that_exceed_the_capacity) {
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 1);
    const network_t net = network_with_constants(bf16, 100000);
    const call_t call(net, counted_engine);
    EXPECT_EQ(allocations_of([&] { EXPECT_TRUE(call.is_right()); }), 1);
    EXPECT_EQ(allocations, deallocations);
}

TEST_F(graph_memory, a_partition_of_constants_alone_is_right_with_the_cache_and_without) {
    for (const bool has_cache : {true, false}) {
        dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, has_cache);
        network_t net; // a residual that is broadcast: several steps
        const size_t x = net.weight(bf16, {5, 8}), residual = net.weight(bf16, {8});
        const size_t sum = net.add(kind_t::Add, {x, residual});
        const size_t dst = net.add(kind_t::LayerNorm,
                {sum, net.weight(bf16, {8}), net.weight(bf16, {8})}, types_t{bf16, f32, f32})[0];
        for (const size_t tensor : {x, residual, sum, dst}) net.forget_shape(tensor);
        const call_t call(net);
        for (int turn = 0; turn < 3; ++turn) EXPECT_TRUE(call.is_right());
    }
}

TEST_F(graph_memory, keeps_nothing_of_variable_tensors) {
    dnnl::graph::set_constant_tensor_cache_capacity(engine::kind::cpu, 1);
    network_t net;
    const size_t src = net.input(bf16, {2, 4, 16});
    const auto vary = [&] { return net.input(bf16, {16}, {.low = 0.5, .high = 1.5}); };
    const size_t gamma = vary(), beta = vary(), mean = vary(), variance = vary();
    net.add(kind_t::BatchNormInference, {src, gamma, beta, mean, variance}, with_epsilon(1e-3f));
    const call_t call(net, counted_engine);
    EXPECT_TRUE(call.is_right());
    EXPECT_EQ(allocations, deallocations);
}

TEST_F(graph_memory, the_constant_tensor_cache_is_set_by_a_flag_or_in_mebibytes) {
    using namespace dnnl::graph;
    EXPECT_EQ(get_constant_tensor_cache(), 0);
    set_constant_tensor_cache_capacity(engine::kind::cpu, 5);
    EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 5U);
    EXPECT_EQ(get_constant_tensor_cache(), 1);
    set_constant_tensor_cache(0);
    EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 0U);
    set_constant_tensor_cache(1);
    EXPECT_GT(get_constant_tensor_cache_capacity(engine::kind::cpu), 1U << 20);
    EXPECT_EQ(status_of([] { set_constant_tensor_cache(-1); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { set_constant_tensor_cache_capacity(engine::kind::gpu, 1); }),
            dnnl_invalid_arguments);
}

// ---- compiled partitions

/// The event of the compilation: "compile:cache_hit".
std::string event_of_compilation(
        const network_t &net, const dnnl::graph::partition &partition, const engine &an_engine) {
    dnnl_set_verbose(2);
    testing::internal::CaptureStdout();
    const call_t call(net, partition, an_engine);
    const std::string text = testing::internal::GetCapturedStdout();
    dnnl_set_verbose(0);
    const size_t begin = text.find("compile:");
    return begin == std::string::npos ? text : text.substr(begin, text.find(',', begin) - begin);
}

TEST_F(graph_memory, keeps_compiled_partitions_by_partition_and_shapes) {
    const std::string hit = "compile:cache_hit", miss = "compile:cache_miss";
    network_t net, other;
    net.add(kind_t::ReLU, {net.input(f32, {4, 4})});
    other.add(kind_t::ReLU, {other.input(f32, {4, 5})});
    auto graph = net.make_graph();
    const auto partition = graph.get_partitions()[0];
    EXPECT_EQ(event_of_compilation(net, partition, test_engine()), miss);
    EXPECT_EQ(event_of_compilation(net, partition, test_engine()), hit);
    EXPECT_EQ(event_of_compilation(net, partition, counted_engine), miss) << "another allocator";
    EXPECT_EQ(event_of_compilation(net, graph.get_partitions()[0], test_engine()), miss)
            << "another partition";
    dnnl::graph::set_compiled_partition_cache_capacity(0);
    EXPECT_EQ(event_of_compilation(net, partition, test_engine()), miss);
    EXPECT_EQ(event_of_compilation(net, partition, test_engine()), miss);
    EXPECT_EQ(dnnl::graph::get_compiled_partition_cache_capacity(), 0);
    dnnl::graph::set_compiled_partition_cache_capacity(7);
    EXPECT_EQ(status_of([] { dnnl::graph::set_compiled_partition_cache_capacity(-1); }),
            dnnl_invalid_arguments);
    EXPECT_EQ(dnnl::graph::get_compiled_partition_cache_capacity(), 7);
    dnnl::graph::set_compiled_partition_cache_capacity(0);
}

TEST_F(graph_memory, a_compiled_partition_outlives_the_cache) {
    const network_t net = network_with_constants();
    const call_t call(net);
    dnnl::graph::set_compiled_partition_cache_capacity(0);
    EXPECT_TRUE(call.is_right());
}

} // namespace

} // namespace kiln::test
