// SPDX-License-Identifier: Apache-2.0
// Graphs: built, partitioned, compiled, executed.
#include <array>
#include <cstring>

#include "faults/cases.hpp"
#include "faults/injection.hpp"
#include "oneapi/dnnl/dnnl_graph.h"

namespace kiln::test {

namespace {

using lt_t = dnnl_graph_logical_tensor_t;
using op_handle_t = handle_t<dnnl_graph_op_t, dnnl_graph_op_destroy>;
using graph_handle_t = handle_t<dnnl_graph_graph_t, dnnl_graph_graph_destroy>;
using partition_handle_t = handle_t<dnnl_graph_partition_t, dnnl_graph_partition_destroy>;
using compiled_handle_t =
        handle_t<dnnl_graph_compiled_partition_t, dnnl_graph_compiled_partition_destroy>;
using tensor_handle_t = handle_t<dnnl_graph_tensor_t, dnnl_graph_tensor_destroy>;
using allocator_handle_t = handle_t<dnnl_graph_allocator_t, dnnl_graph_allocator_destroy>;

constexpr dnnl_dim_t row_count = 6, row_length = 24;
constexpr size_t bytes = sizeof(float) * row_length * row_length; // of the largest tensor

dnnl_status_t init(lt_t &lt, size_t id, int ndims, const dnnl_dim_t *dims,
        dnnl_data_type_t type = dnnl_f32,
        dnnl_graph_tensor_property_t property = dnnl_graph_tensor_property_variable) {
    return dnnl_graph_logical_tensor_init_with_dims(
            &lt, id, type, ndims, dims, dnnl_graph_layout_type_strided, property);
}

dnnl_status_t matrix(lt_t &lt, size_t id, dnnl_data_type_t type = dnnl_f32) {
    const dnnl_dim_t dims[] = {row_count, row_length};
    return init(lt, id, 2, dims, type);
}

dnnl_status_t row(lt_t &lt, size_t id,
        dnnl_graph_tensor_property_t property = dnnl_graph_tensor_property_variable) {
    return init(lt, id, 1, &row_length, dnnl_f32, property);
}

/// Of any tensor of a case; the same values each time.
struct buffer_t {
    alignas(64) uint8_t bytes[kiln::test::bytes];
    buffer_t() {
        for (size_t i = 0; i < sizeof(bytes) / sizeof(float); ++i) {
            const float value = static_cast<float>(i * 5 % 11) / 4 - 1;
            std::memcpy(bytes + i * sizeof(float), &value, sizeof(float));
        }
    }
};

/// A graph with its partitions, which run one after another.
class network_t {
public:
    dnnl_status_t create(int cache_capacity = 0) {
        device_.cache_capacity = cache_capacity;
        TRY(device_.create());
        return dnnl_graph_graph_create(graph_.out(), dnnl_cpu);
    }
    dnnl_status_t create(dnnl_graph_allocator_t allocator) {
        TRY(dnnl_graph_make_engine_with_allocator(device_.engine.out(), dnnl_cpu, 0, allocator));
        TRY(device_.create_stream());
        return dnnl_graph_graph_create(graph_.out(), dnnl_cpu);
    }

    /// Adds an operation; `set` sets its attributes.
    template <typename set_t>
    dnnl_status_t add(dnnl_graph_op_kind_t kind, std::initializer_list<const lt_t *> inputs,
            std::initializer_list<const lt_t *> outputs, const set_t &set) {
        op_handle_t op;
        TRY(dnnl_graph_op_create(op.out(), ++op_count_, kind, "an operation with a long name"));
        for (const lt_t *const lt : inputs) TRY(dnnl_graph_op_add_input(op, lt));
        for (const lt_t *const lt : outputs) TRY(dnnl_graph_op_add_output(op, lt));
        TRY(set(op));
        return dnnl_graph_add_op(graph_, op);
    }
    dnnl_status_t add(dnnl_graph_op_kind_t kind, std::initializer_list<const lt_t *> inputs,
            std::initializer_list<const lt_t *> outputs) {
        return add(kind, inputs, outputs, [](dnnl_graph_op_t) { return dnnl_success; });
    }

    dnnl_status_t run(results_t &results) {
        TRY(dnnl_graph_graph_finalize(graph_));
        TRY(dnnl_graph_graph_filter(graph_, dnnl_graph_partition_policy_fusion));
        size_t count = 0;
        TRY(dnnl_graph_graph_get_partition_num(graph_, &count));
        dnnl_graph_partition_t found[most];
        if (count > most) return dnnl_runtime_error;
        TRY(dnnl_graph_graph_get_partitions(graph_, count, found));
        std::array<partition_handle_t, most> partitions;
        for (size_t i = 0; i < count; ++i) partitions[i] = partition_handle_t(found[i]);
        for (size_t i = 0; i < count; ++i) {
            uint8_t is_supported = 0;
            TRY(dnnl_graph_partition_is_supported(partitions[i], &is_supported));
            if (is_supported) TRY(run(partitions[i], results));
        }
        return dnnl_success;
    }

    dnnl_status_t run(dnnl_graph_partition_t partition, results_t &results) {
        compiled_handle_t compiled;
        std::array<lt_t, most> inputs, outputs;
        std::array<const lt_t *, most> input_list, output_list;
        size_t input_count = 0, output_count = 0;
        TRY(dnnl_graph_compiled_partition_create(compiled.out(), partition));
        TRY(dnnl_graph_partition_get_input_ports_num(partition, &input_count));
        TRY(dnnl_graph_partition_get_output_ports_num(partition, &output_count));
        if (input_count > most || output_count > most) return dnnl_runtime_error;
        TRY(dnnl_graph_partition_get_input_ports(partition, input_count, inputs.data()));
        TRY(dnnl_graph_partition_get_output_ports(partition, output_count, outputs.data()));
        for (size_t i = 0; i < most; ++i) input_list[i] = &inputs[i], output_list[i] = &outputs[i];
        TRY(dnnl_graph_partition_compile(partition, compiled, input_count, input_list.data(),
                output_count, output_list.data(), device_.engine));
        std::array<buffer_t, most> from, to;
        std::array<tensor_handle_t, most> sources, targets;
        std::array<const_dnnl_graph_tensor_t, most> source_list, target_list;
        for (size_t i = 0; i < input_count; ++i)
            TRY(tensor(sources[i], source_list[i], inputs[i], from[i]));
        for (size_t i = 0; i < output_count; ++i)
            TRY(tensor(targets[i], target_list[i], outputs[i], to[i]));
        for (int i = 0; i < 2; ++i)
            TRY(dnnl_graph_compiled_partition_execute(compiled, device_.stream, input_count,
                    source_list.data(), output_count, target_list.data()));
        for (size_t i = 0; i < output_count; ++i) results.add(to[i].bytes, sizeof(to[i].bytes));
        return dnnl_success;
    }

private:
    static constexpr size_t most = 8;

    dnnl_status_t tensor(tensor_handle_t &handle, const_dnnl_graph_tensor_t &listed, const lt_t &lt,
            buffer_t &buffer) {
        TRY(dnnl_graph_tensor_create(handle.out(), &lt, device_.engine, buffer.bytes));
        listed = handle;
        return dnnl_success;
    }

    device_t device_;
    graph_handle_t graph_;
    size_t op_count_ = 0;
};

dnnl_status_t set_scales(dnnl_graph_op_t op) {
    float scales[row_length];
    int64_t points[row_length], axis = 1;
    for (dnnl_dim_t i = 0; i < row_length; ++i)
        scales[i] = static_cast<float>(i + 1) / 64, points[i] = i % 3;
    constexpr const char *per_channel = "per_channel";
    TRY(dnnl_graph_op_set_attr_str(op, dnnl_graph_op_attr_qtype, per_channel, 1));
    TRY(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axis, &axis, 1));
    TRY(dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_scales, scales, row_length));
    return dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_zps, points, row_length);
}

/// x + residual -> RMSNorm -> GELU, fused; the sum is an output.
dnnl_status_t build_residual_block(network_t &network) {
    lt_t x, residual, sum, gamma, norm, dst;
    TRY(matrix(x, 0));
    TRY(matrix(residual, 1));
    TRY(matrix(sum, 2));
    TRY(row(gamma, 3));
    TRY(matrix(norm, 4));
    TRY(matrix(dst, 5));
    TRY(network.add(dnnl_graph_op_add, {&x, &residual}, {&sum}));
    TRY(network.add(dnnl_graph_op_rms_norm, {&sum, &gamma}, {&norm}));
    TRY(network.add(dnnl_graph_op_gelu, {&norm}, {&dst}));
    return network.add(dnnl_graph_op_end, {&sum}, {});
}

dnnl_status_t run_fused(results_t &results) {
    network_t network;
    TRY(network.create());
    TRY(build_residual_block(network));
    return network.run(results);
}

dnnl_status_t run_cached(results_t &results) {
    for (int i = 0; i < 2; ++i) {
        network_t network;
        TRY(network.create(4));
        TRY(build_residual_block(network));
        TRY(network.run(results));
    }
    return dnnl_success;
}

/// LayerNorm -> Quantize with values from attributes.
dnnl_status_t run_quantized(results_t &results) {
    network_t network;
    lt_t src, norm, dst;
    TRY(network.create());
    TRY(matrix(src, 0));
    TRY(matrix(norm, 1));
    TRY(matrix(dst, 2, dnnl_s8));
    TRY(network.add(dnnl_graph_op_layer_norm, {&src}, {&norm}, [](dnnl_graph_op_t op) {
        const uint8_t no = 0;
        TRY(dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_keep_stats, &no, 1));
        return dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_use_affine, &no, 1);
    }));
    TRY(network.add(dnnl_graph_op_quantize, {&norm}, {&dst}, set_scales));
    return network.run(results);
}

/// Several partitions, one of them not supported: ReLU, Wildcard, and a reduction with a TypeCast.
dnnl_status_t run_unfused(results_t &results) {
    network_t network;
    lt_t src, positive, other, sums, cast;
    const dnnl_dim_t reduced[] = {row_count, 1};
    TRY(network.create());
    TRY(matrix(src, 0));
    TRY(matrix(positive, 1));
    TRY(matrix(other, 2));
    TRY(init(sums, 3, 2, reduced));
    TRY(init(cast, 4, 2, reduced, dnnl_bf16));
    TRY(network.add(dnnl_graph_op_relu, {&src}, {&positive}));
    TRY(network.add(dnnl_graph_op_wildcard, {&positive}, {&other}));
    TRY(network.add(dnnl_graph_op_reduce_sum, {&positive}, {&sums}, [](dnnl_graph_op_t op) {
        const int64_t axis = 1;
        const uint8_t yes = 1;
        TRY(dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axes, &axis, 1));
        return dnnl_graph_op_set_attr_bool(op, dnnl_graph_op_attr_keep_dims, &yes, 1);
    }));
    TRY(network.add(dnnl_graph_op_type_cast, {&sums}, {&cast}));
    return network.run(results);
}

/// BatchNormInference, whose scale and shift are computed from constants, with the cache for them.
dnnl_status_t run_constants(results_t &results) {
    struct enabled_t {
        ~enabled_t() { dnnl_graph_set_constant_tensor_cache(0); }
    } const enabled;
    TRY(dnnl_graph_set_constant_tensor_cache(1));
    network_t network;
    lt_t src, weights[4], dst;
    TRY(network.create());
    TRY(matrix(src, 0));
    TRY(matrix(dst, 1));
    for (size_t i = 0; i < 4; ++i) TRY(row(weights[i], 2 + i, dnnl_graph_tensor_property_constant));
    TRY(network.add(dnnl_graph_op_batch_norm_inference,
            {&src, &weights[0], &weights[1], &weights[2], &weights[3]}, {&dst},
            [](dnnl_graph_op_t op) {
                const float epsilon = 0.5f;
                return dnnl_graph_op_set_attr_f32(op, dnnl_graph_op_attr_epsilon, &epsilon, 1);
            }));
    return network.run(results);
}

/// MatMul with a bias -> GELU -> Multiply, fused: a square matrix of weights.
dnnl_status_t run_matmul(results_t &results) {
    network_t network;
    lt_t src, weights, bias, product, gelu, other, dst;
    const dnnl_dim_t square[] = {row_length, row_length};
    TRY(network.create());
    TRY(matrix(src, 0));
    TRY(init(weights, 1, 2, square));
    TRY(row(bias, 2));
    TRY(matrix(product, 3));
    TRY(matrix(gelu, 4));
    TRY(matrix(other, 5));
    TRY(matrix(dst, 6));
    TRY(network.add(dnnl_graph_op_matmul, {&src, &weights, &bias}, {&product}));
    TRY(network.add(dnnl_graph_op_gelu, {&product}, {&gelu}));
    TRY(network.add(dnnl_graph_op_multiply, {&gelu, &other}, {&dst}));
    return network.run(results);
}

/// SoftMax of the rows.
dnnl_status_t run_softmax(results_t &results) {
    network_t network;
    lt_t src, dst;
    TRY(network.create());
    TRY(matrix(src, 0));
    TRY(matrix(dst, 1));
    TRY(network.add(dnnl_graph_op_softmax, {&src}, {&dst}, [](dnnl_graph_op_t op) {
        const int64_t axis = 1;
        return dnnl_graph_op_set_attr_s64(op, dnnl_graph_op_attr_axis, &axis, 1);
    }));
    return network.run(results);
}

dnnl_status_t run_single_operation(results_t &results) {
    network_t network;
    lt_t src, dst;
    op_handle_t op;
    partition_handle_t partition;
    TRY(network.create());
    TRY(matrix(src, 0));
    TRY(matrix(dst, 1, dnnl_s8));
    TRY(dnnl_graph_op_create(op.out(), 1, dnnl_graph_op_quantize, ""));
    TRY(dnnl_graph_op_add_input(op, &src));
    TRY(dnnl_graph_op_add_output(op, &dst));
    TRY(set_scales(op));
    TRY(dnnl_graph_partition_create_with_op(partition.out(), op, dnnl_cpu));
    return network.run(partition, results);
}

// ---- the program's allocator

void *allocate(size_t size, size_t alignment) {
    if (fails_now(fault_t::allocation)) return nullptr;
    return ::operator new(size, std::align_val_t(std::max<size_t>(alignment, 64)), std::nothrow);
}
void deallocate(void *buffer) { ::operator delete(buffer, std::align_val_t(64)); }

dnnl_status_t run_with_allocator(results_t &results) {
    allocator_handle_t allocator;
    TRY(dnnl_graph_allocator_create(allocator.out(), allocate, deallocate));
    network_t network;
    TRY(network.create(allocator));
    TRY(build_residual_block(network));
    return network.run(results);
}

constexpr fault_case_t cases[] = {
        {"graph of a fused block", run_fused},
        {"graph of a fused block, cached", run_cached},
        {"graph of a normalization and a quantization", run_quantized},
        {"graph of several partitions", run_unfused},
        {"graph with constants", run_constants},
        {"graph of a matrix product", run_matmul},
        {"graph of a softmax", run_softmax},
        {"partition of one operation", run_single_operation},
        {"graph with an allocator", run_with_allocator},
};

} // namespace

std::span<const fault_case_t> graph_cases() { return cases; }

} // namespace kiln::test
