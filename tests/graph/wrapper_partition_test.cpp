// SPDX-License-Identifier: Apache-2.0
// The C++ interface of graphs: allocators, tensors, partitions, executions and settings. Calls the
// C++ interface only.
#include "oneapi/dnnl/dnnl_graph.hpp"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "api/status_of.hpp"

using namespace dnnl::graph;
using kiln::test::status_of;

using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;
using dims = logical_tensor::dims;

namespace {

constexpr int64_t rows = 3, cols = 8;

logical_tensor matrix(size_t id) {
    return {id, data_type::f32, dims{rows, cols}, layout_type::strided};
}
logical_tensor vector(size_t id) { return {id, data_type::f32, dims{cols}, layout_type::strided}; }

/// src (0), gamma (1), beta (2) to dst (3).
op layer_norm(size_t id) {
    op norm(id, op::kind::LayerNorm, {matrix(0), vector(1), vector(2)}, {matrix(3)}, "norm");
    norm.set_attr(op::attr::keep_stats, false);
    return norm;
}

/// Element c of gamma is 1 + c, of beta c / 4.
struct layer_norm_values_t {
    std::vector<float> src, gamma, beta, dst = std::vector<float>(rows * cols, NAN);

    layer_norm_values_t() {
        for (int64_t i = 0; i < rows * cols; ++i)
            src.push_back(static_cast<float>(i * 7 % 11) - 5.f);
        for (int64_t c = 0; c < cols; ++c) gamma.push_back(1.f + static_cast<float>(c));
        for (int64_t c = 0; c < cols; ++c) beta.push_back(static_cast<float>(c) / 4);
    }

    void expect_right() const {
        for (int64_t r = 0; r < rows; ++r) {
            double mean = 0, variance = 0;
            for (int64_t c = 0; c < cols; ++c) mean += src[r * cols + c] / double(cols);
            for (int64_t c = 0; c < cols; ++c)
                variance += std::pow(src[r * cols + c] - mean, 2) / double(cols);
            for (int64_t c = 0; c < cols; ++c) {
                const double expected =
                        gamma[c] * (src[r * cols + c] - mean) / std::sqrt(variance + 1e-5)
                        + beta[c];
                EXPECT_NEAR(dst[r * cols + c], expected, 1e-5 * (1 + std::fabs(expected)))
                        << "row " << r << ", column " << c;
            }
        }
    }
};

class graph_wrapper_partitions : public testing::Test {
protected:
    tensor over(const logical_tensor &lt, std::vector<float> &values) {
        return tensor(lt, cpu_, values.data());
    }

    engine cpu_{engine::kind::cpu, 0};
    stream stream_{cpu_};
};

std::atomic<int> allocated{0}, freed{0};

void *counted_malloc(size_t size, size_t alignment) {
    ++allocated;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void counted_free(void *buffer) {
    ++freed;
    std::free(buffer);
}

} // namespace

// ---- allocators and tensors

TEST_F(graph_wrapper_partitions, an_engine_allocates_with_its_allocator) {
    const allocator own(counted_malloc, counted_free);
    allocated = freed = 0;
    {
        const engine cpu = make_engine_with_allocator(engine::kind::cpu, 0, own);
        EXPECT_EQ(cpu.get_kind(), engine::kind::cpu);
        const tensor held(matrix(0), cpu);
        EXPECT_NE(held.get_data_handle(), nullptr);
        EXPECT_EQ(allocated, 1);
    }
    EXPECT_EQ(freed, 1);
    const allocator of_library;
    EXPECT_EQ(make_engine_with_allocator(engine::kind::cpu, 0, of_library).get_kind(),
            engine::kind::cpu);
    EXPECT_NE(status_of([&] { make_engine_with_allocator(engine::kind::gpu, 0, own); }),
            dnnl_success);
}

TEST_F(graph_wrapper_partitions, a_tensor_returns_its_arguments) {
    float values[rows * cols];
    tensor of_mine(matrix(5), cpu_, values);
    EXPECT_EQ(of_mine.get_data_handle(), values);
    EXPECT_EQ(of_mine.get_engine(), cpu_);
    EXPECT_TRUE(of_mine.get_logical_tensor().is_equal(matrix(5)));

    tensor of_nobody(matrix(5), cpu_, DNNL_MEMORY_NONE);
    EXPECT_EQ(of_nobody.get_data_handle(), nullptr);
    of_nobody.set_data_handle(values);
    EXPECT_EQ(of_nobody.get_data_handle(), values);

    const tensor of_library(matrix(5), cpu_);
    EXPECT_NE(of_library.get_data_handle(), nullptr);
    EXPECT_FALSE(tensor());
    EXPECT_EQ(status_of([&] { tensor(logical_tensor(1, data_type::f32), cpu_); }),
            dnnl_invalid_arguments);
}

TEST_F(graph_wrapper_partitions, a_host_scalar_has_a_value_and_no_buffer) {
    const logical_tensor lt(1, data_type::s32, 0, layout_type::strided, property_type::host_scalar);
    int32_t value = 3;
    tensor scalar = tensor::make_scalar_tensor(lt, &value);
    EXPECT_EQ(scalar.get_data_handle(), nullptr);
    EXPECT_FALSE(scalar.get_engine());
    EXPECT_TRUE(scalar.get_logical_tensor().is_equal(lt));
    EXPECT_EQ(status_of([&] { scalar.set_data_handle(&value); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { tensor(lt, cpu_, &value); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([&] { tensor::make_scalar_tensor(matrix(0), &value); }),
            dnnl_invalid_arguments);
}

// ---- graphs

TEST_F(graph_wrapper_partitions, a_violated_schema_is_thrown_or_returned) {
    graph whole(engine::kind::cpu);
    const op lacks_an_input(0, op::kind::Add, {matrix(0)}, {matrix(1)});
    EXPECT_EQ(whole.add_op(lacks_an_input, false), status::invalid_graph_op);
    EXPECT_EQ(status_of([&] { whole.add_op(lacks_an_input); }), dnnl_invalid_graph_op);
    EXPECT_EQ(status_of([&] { partition(lacks_an_input, engine::kind::cpu); }),
            dnnl_invalid_graph_op);
}

TEST_F(graph_wrapper_partitions, a_graph_has_a_math_mode) {
    fpmath_mode mode = fpmath_mode::any;
    bool applies_to_int = true;
    graph strict(engine::kind::cpu);
    strict.get_fpmath_mode(mode, applies_to_int);
    EXPECT_EQ(mode, fpmath_mode::strict);
    EXPECT_FALSE(applies_to_int);

    graph narrow(engine::kind::cpu, fpmath_mode::bf16);
    narrow.get_fpmath_mode(mode, applies_to_int);
    EXPECT_EQ(mode, fpmath_mode::bf16);
    narrow.set_fpmath_mode(fpmath_mode::f16, true);
    narrow.get_fpmath_mode(mode, applies_to_int);
    EXPECT_EQ(mode, fpmath_mode::f16);
    EXPECT_TRUE(applies_to_int);
    narrow.set_fpmath_mode(fpmath_mode::tf32);
    narrow.get_fpmath_mode(mode, applies_to_int);
    EXPECT_EQ(mode, fpmath_mode::tf32);
    EXPECT_FALSE(applies_to_int);
}

// ---- partitions

TEST_F(graph_wrapper_partitions, one_operation_makes_a_partition_without_a_graph) {
    const partition part(layer_norm(7), engine::kind::cpu);
    EXPECT_EQ(part.get_ops_num(), 1U);
    EXPECT_EQ(part.get_ops(), (std::vector<size_t>{7}));
    EXPECT_EQ(part.get_engine_kind(), engine::kind::cpu);
    EXPECT_TRUE(part.is_supported());
    // The order differs from the operation's; shape and layout of the output are unknown.
    const logical_tensor open_dst(3, data_type::f32, layout_type::any);
    const auto compiled = part.compile({vector(2), vector(1), matrix(0)}, {open_dst}, cpu_);
    const logical_tensor dst = compiled.query_logical_tensor(3);
    EXPECT_EQ(dst.get_dims(), (dims{rows, cols}));
    EXPECT_EQ(dst.get_mem_size(), size_t(rows * cols) * sizeof(float));
    EXPECT_EQ(status_of([&] { compiled.query_logical_tensor(99); }), dnnl_invalid_arguments);

    layer_norm_values_t values;
    const logical_tensor scratchpad_lt = compiled.get_scratchpad_logical_tensor();
    EXPECT_EQ(scratchpad_lt.get_data_type(), data_type::u8);
    ASSERT_EQ(scratchpad_lt.get_dims().size(), 1U);
    std::vector<uint8_t> bytes(static_cast<size_t>(scratchpad_lt.get_dims()[0]) + 1);
    compiled.execute(stream_,
            {over(vector(2), values.beta), over(vector(1), values.gamma),
                    over(matrix(0), values.src)},
            {over(dst, values.dst)}, tensor(scratchpad_lt, cpu_, bytes.data()));
    stream_.wait();
    values.expect_right();
}

TEST_F(graph_wrapper_partitions, empty_objects_throw) {
    EXPECT_EQ(status_of([] { partition().get_id(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { compiled_partition().get_inplace_ports(); }), dnnl_invalid_arguments);
    EXPECT_EQ(status_of([] { tensor().get_data_handle(); }), dnnl_invalid_arguments);
}

// ---- settings

TEST_F(graph_wrapper_partitions, dump_modes_are_two_bits) {
    EXPECT_EQ(set_dump_mode(graph_dump_mode::graph | graph_dump_mode::subgraph), status::success);
    EXPECT_EQ(set_dump_mode(static_cast<graph_dump_mode>(8)), status::invalid_arguments);
    EXPECT_EQ(set_dump_mode(graph_dump_mode::none), status::success);
}
