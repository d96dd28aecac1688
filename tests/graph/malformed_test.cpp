// SPDX-License-Identifier: Apache-2.0
// What a program must not pass to the graph interface: each is refused with a status by every
// function that takes it.
#include <climits>
#include <functional>

#include <gtest/gtest.h>

#include "oneapi/dnnl/dnnl_graph.h"
#include "support/handle.hpp"

namespace kiln::test {

namespace {

using lt_t = dnnl_graph_logical_tensor_t;
using op_handle_t = handle_t<dnnl_graph_op_t, dnnl_graph_op_destroy>;
using graph_handle_t = handle_t<dnnl_graph_graph_t, dnnl_graph_graph_destroy>;
using partition_handle_t = handle_t<dnnl_graph_partition_t, dnnl_graph_partition_destroy>;
using compiled_handle_t =
        handle_t<dnnl_graph_compiled_partition_t, dnnl_graph_compiled_partition_destroy>;
using tensor_handle_t = handle_t<dnnl_graph_tensor_t, dnnl_graph_tensor_destroy>;

constexpr auto success = dnnl_success;
constexpr auto invalid = dnnl_invalid_arguments;

/// A row-major f32 matrix of `rows` x 4.
lt_t matrix(size_t id, dnnl_dim_t rows = 2) {
    const dnnl_dim_t dims[] = {rows, 4};
    lt_t lt;
    require(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dnnl_f32, 2, dims,
                    dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable),
            "logical_tensor_init_with_dims");
    return lt;
}

lt_t column(size_t id) {
    const dnnl_dim_t rows = 2;
    lt_t lt;
    require(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dnnl_f32, 1, &rows,
                    dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable),
            "logical_tensor_init_with_dims");
    return lt;
}

lt_t absent(size_t id) {
    lt_t lt = matrix(id);
    lt.data_type = dnnl_data_type_undef;
    return lt;
}

// ---- operations

using lts_t = std::vector<lt_t>;

op_handle_t make_op(dnnl_graph_op_kind_t kind, const lts_t &inputs, const lts_t &outputs) {
    op_handle_t op;
    require(dnnl_graph_op_create(op.out(), 1, kind, ""), "op_create");
    for (const lt_t &lt : inputs) require(dnnl_graph_op_add_input(op, &lt), "add_input");
    for (const lt_t &lt : outputs) require(dnnl_graph_op_add_output(op, &lt), "add_output");
    return op;
}

/// The status of the first step that refuses: adding the operation to a graph, finalizing that.
dnnl_status_t status_in_graph(dnnl_graph_op_t op) {
    graph_handle_t graph;
    require(dnnl_graph_graph_create(graph.out(), dnnl_cpu), "graph_create");
    const dnnl_status_t status = dnnl_graph_add_op(graph, op);
    return status == success ? dnnl_graph_graph_finalize(graph) : status;
}

dnnl_status_t status_alone(dnnl_graph_op_t op) {
    partition_handle_t partition;
    return dnnl_graph_partition_create_with_op(partition.out(), op, dnnl_cpu);
}

struct op_case_t {
    const char *name;
    dnnl_graph_op_kind_t kind;
    lts_t inputs, outputs;
    dnnl_status_t in_graph, alone;
};

TEST(malformed_operation, is_refused_in_a_graph_and_as_a_partition) {
    constexpr auto norm = dnnl_graph_op_layer_norm;
    constexpr auto add = dnnl_graph_op_add;
    constexpr auto bad_op = dnnl_invalid_graph_op;
    constexpr auto bad_graph = dnnl_invalid_graph;
    const lt_t src = matrix(0), gamma = column(20), beta = column(21);
    const op_case_t cases[] = {
            {"no defect", norm, {src}, {matrix(1), column(2), column(3)}, success, success},
            {"an output twice", norm, {src}, {matrix(1), column(2), column(2)}, bad_graph, bad_op},
            {"the first output again, as the last", norm, {src}, {matrix(1), column(2), matrix(1)},
                    bad_graph, bad_op},
            {"one id for outputs of two shapes", norm, {src}, {matrix(1), column(1), column(3)},
                    bad_graph, bad_op},
            {"one id for two absent outputs", norm, {src}, {matrix(1), absent(2), absent(2)},
                    success, success},
            {"an input twice", add, {src, src}, {matrix(1)}, success, success},
            {"one id for inputs of two shapes", add, {src, matrix(0, 1)}, {matrix(1)}, bad_graph,
                    bad_op},
            {"an output that is an input", add, {src, matrix(1)}, {matrix(1)}, bad_graph, bad_op},
            {"an output that is an input of another shape", norm, {src, gamma, beta},
                    {matrix(1), column(20), column(3)}, bad_graph, bad_op},
            {"too few inputs", add, {src}, {matrix(1)}, bad_op, bad_op},
            {"too many inputs", add, {src, src, src}, {matrix(1)}, bad_op, bad_op},
            {"no output", add, {src, src}, {}, bad_op, bad_op},
            {"absent outputs only", add, {src, src}, {absent(1)}, bad_op, bad_op},
            {"an absent input", add, {src, absent(5)}, {matrix(1)}, bad_op, bad_op},
    };
    for (const op_case_t &one : cases) {
        const op_handle_t op = make_op(one.kind, one.inputs, one.outputs);
        EXPECT_EQ(status_in_graph(op), one.in_graph) << one.name;
        EXPECT_EQ(status_alone(op), one.alone) << one.name;
    }
}

TEST(malformed_operation, with_each_pair_of_outputs_alike_is_refused) {
    // The output ids of an operation with up to four outputs, as digits.
    constexpr dnnl_graph_op_kind_t any_op = dnnl_graph_op_wildcard;
    for (int ids = 0; ids < 256; ++ids) {
        lts_t outputs;
        bool is_repeated = false;
        for (int i = 0; i < 4; ++i) {
            const auto id = static_cast<size_t>(ids >> 2 * i & 3) + 1;
            for (const lt_t &other : outputs) is_repeated |= other.id == id;
            outputs.push_back(matrix(id));
        }
        const op_handle_t op = make_op(any_op, {matrix(0)}, outputs);
        EXPECT_EQ(status_alone(op), is_repeated ? dnnl_invalid_graph_op : success) << ids;
        EXPECT_EQ(status_in_graph(op), is_repeated ? dnnl_invalid_graph : success) << ids;
    }
}

// ---- logical tensors, which are plain structs

struct lt_case_t {
    const char *name;
    std::function<void(lt_t &)> spoil;
};

template <typename enum_t> enum_t bad(int value) { return static_cast<enum_t>(value); }

const std::vector<lt_case_t> &spoiled() {
    using type_t = dnnl_data_type_t;
    using layout_t = dnnl_graph_layout_type_t;
    using property_t = dnnl_graph_tensor_property_t;
    static const std::vector<lt_case_t> cases = {
            {"13 dims", [](lt_t &lt) { lt.ndims = 13; }},
            {"INT_MAX dims", [](lt_t &lt) { lt.ndims = INT_MAX; }},
            {"-2 dims", [](lt_t &lt) { lt.ndims = -2; }},
            {"INT_MIN dims", [](lt_t &lt) { lt.ndims = INT_MIN; }},
            {"type 17", [](lt_t &lt) { lt.data_type = bad<type_t>(17); }},
            {"type -1", [](lt_t &lt) { lt.data_type = bad<type_t>(-1); }},
            {"type dnnl_data_type_max", [](lt_t &lt) { lt.data_type = dnnl_data_type_max; }},
            {"layout type 4", [](lt_t &lt) { lt.layout_type = bad<layout_t>(4); }},
            {"layout type -1", [](lt_t &lt) { lt.layout_type = bad<layout_t>(-1); }},
            {"property 4", [](lt_t &lt) { lt.property = bad<property_t>(4); }},
            {"property -1", [](lt_t &lt) { lt.property = bad<property_t>(-1); }},
            {"a host scalar of 2 dims",
                    [](lt_t &lt) { lt.property = dnnl_graph_tensor_property_host_scalar; }},
            {"a host scalar of bf16",
                    [](lt_t &lt) {
                        lt.property = dnnl_graph_tensor_property_host_scalar;
                        lt.ndims = 0;
                        lt.data_type = dnnl_bf16;
                    }},
    };
    return cases;
}

/// Src and dst of a ReLU, its partition, and an object to compile into.
struct relu_t {
    lt_t src = matrix(0), dst = matrix(1);
    op_handle_t op = make_op(dnnl_graph_op_relu, {src}, {dst});
    partition_handle_t partition;
    compiled_handle_t compiled;

    relu_t() {
        require(dnnl_graph_partition_create_with_op(partition.out(), op, dnnl_cpu), "partition");
        require(dnnl_graph_compiled_partition_create(compiled.out(), partition), "compiled");
    }
    dnnl_status_t compile(std::vector<const lt_t *> inputs, std::vector<const lt_t *> outputs) {
        return dnnl_graph_partition_compile(partition, compiled, inputs.size(), inputs.data(),
                outputs.size(), outputs.data(), cpu_engine());
    }
};

TEST(malformed_logical_tensor, is_refused_by_every_function_that_takes_one) {
    relu_t relu;
    float value = 0;
    size_t size = 0;
    uint8_t is_equal = 0;
    const lt_t good = matrix(0);
    const std::pair<const char *, std::function<dnnl_status_t(const lt_t &)>> functions[] = {
            {"op_add_input", [&](auto &lt) { return dnnl_graph_op_add_input(relu.op, &lt); }},
            {"op_add_output", [&](auto &lt) { return dnnl_graph_op_add_output(relu.op, &lt); }},
            {"get_mem_size",
                    [&](auto &lt) { return dnnl_graph_logical_tensor_get_mem_size(&lt, &size); }},
            {"is_equal, first",
                    [&](auto &lt) {
                        return dnnl_graph_logical_tensor_is_equal(&lt, &good, &is_equal);
                    }},
            {"is_equal, second",
                    [&](auto &lt) {
                        return dnnl_graph_logical_tensor_is_equal(&good, &lt, &is_equal);
                    }},
            {"tensor_create",
                    [&](auto &lt) {
                        tensor_handle_t tensor;
                        return dnnl_graph_tensor_create(tensor.out(), &lt, cpu_engine(), &value);
                    }},
            {"tensor_create_scalar",
                    [&](auto &lt) {
                        tensor_handle_t tensor;
                        return dnnl_graph_tensor_create_scalar(tensor.out(), &lt, &value);
                    }},
            {"compile, input", [&](auto &lt) { return relu.compile({&lt}, {&relu.dst}); }},
            {"compile, output", [&](auto &lt) { return relu.compile({&relu.src}, {&lt}); }},
            {"compile, input that is not a port",
                    [&](auto &lt) {
                        return relu.compile({&relu.src, &lt}, {&relu.dst});
                    }},
    };
    for (const lt_case_t &one : spoiled())
        for (const auto &[name, function] : functions) {
            const bool is_compile = std::string(name).starts_with("compile");
            lt_t lt = is_compile && std::string(name) == "compile, output" ? relu.dst : good;
            one.spoil(lt);
            EXPECT_EQ(function(lt), invalid) << name << " of " << one.name;
        }
    EXPECT_EQ(relu.compile({&relu.src}, {&relu.dst}), success);
}

TEST(malformed_logical_tensor, is_not_made) {
    lt_t lt{};
    const auto init = [&](dnnl_data_type_t type, int ndims, int layout, int property) {
        return dnnl_graph_logical_tensor_init(&lt, 0, type, ndims,
                bad<dnnl_graph_layout_type_t>(layout), bad<dnnl_graph_tensor_property_t>(property));
    };
    EXPECT_EQ(init(dnnl_f32, 12, 1, 1), success);
    EXPECT_EQ(init(dnnl_f32, -1, 1, 1), success);
    EXPECT_EQ(init(dnnl_data_type_undef, 0, 0, 0), success);
    for (const int ndims : {13, INT_MAX, -2, INT_MIN})
        EXPECT_EQ(init(dnnl_f32, ndims, 1, 1), invalid) << ndims;
    EXPECT_EQ(init(bad<dnnl_data_type_t>(999), 2, 1, 1), invalid);
    EXPECT_EQ(init(dnnl_f32, 2, 4, 1), invalid);
    EXPECT_EQ(init(dnnl_f32, 2, 1, 4), invalid);
}

// ---- null pointers

TEST(null_pointers_in_arrays, are_refused_by_compilation) {
    relu_t relu;
    EXPECT_EQ(relu.compile({nullptr}, {&relu.dst}), invalid);
    EXPECT_EQ(relu.compile({&relu.src}, {nullptr}), invalid);
    EXPECT_EQ(relu.compile({&relu.src, nullptr}, {&relu.dst}), invalid);
    EXPECT_EQ(relu.compile({nullptr, &relu.src}, {&relu.dst}), invalid);
    EXPECT_EQ(relu.compile({&relu.src}, {&relu.dst, nullptr}), invalid);
    for (const bool has_inputs : {true, false}) {
        const lt_t *one = has_inputs ? &relu.src : &relu.dst;
        EXPECT_EQ(
                dnnl_graph_partition_compile(relu.partition, relu.compiled, 1,
                        has_inputs ? &one : nullptr, 1, has_inputs ? nullptr : &one, cpu_engine()),
                invalid);
    }
    EXPECT_EQ(relu.compile({&relu.src}, {&relu.dst}), success);
}

TEST(null_pointers_in_arrays, are_passed_over_by_execution) {
    relu_t relu;
    ASSERT_EQ(relu.compile({&relu.src}, {&relu.dst}), success);
    float from[8] = {-1, 2, -3, 4, 5, 6, 7, 8}, to[8] = {};
    tensor_handle_t src, dst;
    require(dnnl_graph_tensor_create(src.out(), &relu.src, cpu_engine(), from), "src");
    require(dnnl_graph_tensor_create(dst.out(), &relu.dst, cpu_engine(), to), "dst");
    const_dnnl_graph_tensor_t inputs[] = {nullptr, src}, outputs[] = {nullptr, dst};
    EXPECT_EQ(dnnl_graph_compiled_partition_execute(
                      relu.compiled, cpu_stream(), 2, inputs, 2, outputs),
            success);
    EXPECT_EQ(to[0], 0);
    EXPECT_EQ(to[7], 8);
    EXPECT_EQ(dnnl_graph_compiled_partition_execute(
                      relu.compiled, cpu_stream(), 1, inputs, 2, outputs),
            invalid);
}

TEST(null_pointers, are_refused_by_every_function) {
    relu_t relu;
    require(relu.compile({&relu.src}, {&relu.dst}), "compile");
    graph_handle_t graph;
    require(dnnl_graph_graph_create(graph.out(), dnnl_cpu), "graph_create");
    size_t number = 0;
    uint8_t flag = 0;
    float values[8] = {};
    lt_t lt{};
    const dnnl_dim_t dims[] = {2, 4};
    dnnl_graph_op_t op = nullptr;
    dnnl_graph_partition_t partition = nullptr;
    dnnl_graph_tensor_t tensor = nullptr;
    dnnl_graph_op_kind_t kind;
    dnnl_engine_kind_t engine_kind;
    const dnnl_graph_inplace_pair_t *pairs = nullptr;
    constexpr auto layout = dnnl_graph_layout_type_strided;
    constexpr auto property = dnnl_graph_tensor_property_variable;
    constexpr auto attr = dnnl_graph_op_attr_alpha;
    const std::pair<const char *, dnnl_status_t> calls[] = {
            {"lt_init", dnnl_graph_logical_tensor_init(nullptr, 0, dnnl_f32, 2, layout, property)},
            {"lt_init_with_dims, lt", dnnl_graph_logical_tensor_init_with_dims(
                                              nullptr, 0, dnnl_f32, 2, dims, layout, property)},
            {"lt_init_with_dims, dims", dnnl_graph_logical_tensor_init_with_dims(
                                                &lt, 0, dnnl_f32, 2, nullptr, layout, property)},
            {"lt_init_with_strides, lt", dnnl_graph_logical_tensor_init_with_strides(
                                                 nullptr, 0, dnnl_f32, 2, dims, dims, property)},
            {"lt_init_with_strides, dims", dnnl_graph_logical_tensor_init_with_strides(
                                                   &lt, 0, dnnl_f32, 2, nullptr, dims, property)},
            {"lt_init_with_strides, strides", dnnl_graph_logical_tensor_init_with_strides(&lt, 0,
                                                      dnnl_f32, 2, dims, nullptr, property)},
            {"get_mem_size, lt", dnnl_graph_logical_tensor_get_mem_size(nullptr, &number)},
            {"get_mem_size, size", dnnl_graph_logical_tensor_get_mem_size(&relu.src, nullptr)},
            {"lt_is_equal, 1", dnnl_graph_logical_tensor_is_equal(nullptr, &relu.src, &flag)},
            {"lt_is_equal, 2", dnnl_graph_logical_tensor_is_equal(&relu.src, nullptr, &flag)},
            {"lt_is_equal, out", dnnl_graph_logical_tensor_is_equal(&relu.src, &relu.src, nullptr)},
            {"tensor_create, out",
                    dnnl_graph_tensor_create(nullptr, &relu.src, cpu_engine(), values)},
            {"tensor_create, lt", dnnl_graph_tensor_create(&tensor, nullptr, cpu_engine(), values)},
            {"tensor_create, engine",
                    dnnl_graph_tensor_create(&tensor, &relu.src, nullptr, values)},
            {"tensor_create_scalar", dnnl_graph_tensor_create_scalar(&tensor, nullptr, values)},
            {"op_create, out", dnnl_graph_op_create(nullptr, 0, dnnl_graph_op_relu, "")},
            {"op_create, name", dnnl_graph_op_create(&op, 0, dnnl_graph_op_relu, nullptr)},
            {"op_create, kind",
                    dnnl_graph_op_create(&op, 0, bad<dnnl_graph_op_kind_t>(0x7fff), "")},
            {"op_create, negative kind",
                    dnnl_graph_op_create(&op, 0, bad<dnnl_graph_op_kind_t>(-1), "")},
            {"add_input, op", dnnl_graph_op_add_input(nullptr, &relu.src)},
            {"add_input, lt", dnnl_graph_op_add_input(relu.op, nullptr)},
            {"add_output, op", dnnl_graph_op_add_output(nullptr, &relu.dst)},
            {"add_output, lt", dnnl_graph_op_add_output(relu.op, nullptr)},
            {"set_attr_f32, op", dnnl_graph_op_set_attr_f32(nullptr, attr, values, 1)},
            {"set_attr_f32, value", dnnl_graph_op_set_attr_f32(relu.op, attr, nullptr, 1)},
            {"set_attr_f32, too many values", dnnl_graph_op_set_attr_f32(relu.op,
                                                      dnnl_graph_op_attr_scales, values, SIZE_MAX)},
            {"set_attr_s64, value", dnnl_graph_op_set_attr_s64(relu.op, attr, nullptr, 1)},
            {"set_attr_bool, value", dnnl_graph_op_set_attr_bool(relu.op, attr, nullptr, 1)},
            {"set_attr_str, value", dnnl_graph_op_set_attr_str(relu.op, attr, nullptr, 1)},
            {"op_get_id, op", dnnl_graph_op_get_id(nullptr, &number)},
            {"op_get_id, out", dnnl_graph_op_get_id(relu.op, nullptr)},
            {"op_get_kind, op", dnnl_graph_op_get_kind(nullptr, &kind)},
            {"op_get_kind, out", dnnl_graph_op_get_kind(relu.op, nullptr)},
            {"graph_create", dnnl_graph_graph_create(nullptr, dnnl_cpu)},
            {"add_op, graph", dnnl_graph_add_op(nullptr, relu.op)},
            {"add_op, op", dnnl_graph_add_op(graph, nullptr)},
            {"finalize", dnnl_graph_graph_finalize(nullptr)},
            {"is_finalized", dnnl_graph_graph_is_finalized(graph, nullptr)},
            {"create_with_op, out",
                    dnnl_graph_partition_create_with_op(nullptr, relu.op, dnnl_cpu)},
            {"create_with_op, op",
                    dnnl_graph_partition_create_with_op(&partition, nullptr, dnnl_cpu)},
            {"get_op_num", dnnl_graph_partition_get_op_num(relu.partition, nullptr)},
            {"get_ops", dnnl_graph_partition_get_ops(relu.partition, 1, nullptr)},
            {"get_partition_id", dnnl_graph_partition_get_id(nullptr, &number)},
            {"input_ports", dnnl_graph_partition_get_input_ports(relu.partition, 1, nullptr)},
            {"output_ports", dnnl_graph_partition_get_output_ports(relu.partition, 1, nullptr)},
            {"input_ports, another count",
                    dnnl_graph_partition_get_input_ports(relu.partition, 2, &lt)},
            {"is_supported", dnnl_graph_partition_is_supported(relu.partition, nullptr)},
            {"engine_kind", dnnl_graph_partition_get_engine_kind(nullptr, &engine_kind)},
            {"compiled_create, out", dnnl_graph_compiled_partition_create(nullptr, relu.partition)},
            {"query_lt, compiled",
                    dnnl_graph_compiled_partition_query_logical_tensor(nullptr, 0, &lt)},
            {"query_lt, lt",
                    dnnl_graph_compiled_partition_query_logical_tensor(relu.compiled, 0, nullptr)},
            {"inplace_ports, count", dnnl_graph_compiled_partition_get_inplace_ports(
                                             relu.compiled, nullptr, &pairs)},
            {"inplace_ports, pairs", dnnl_graph_compiled_partition_get_inplace_ports(
                                             relu.compiled, &number, nullptr)},
            {"execute, inputs", dnnl_graph_compiled_partition_execute(
                                        relu.compiled, cpu_stream(), 1, nullptr, 0, nullptr)},
            {"execute, stream", dnnl_graph_compiled_partition_execute(
                                        relu.compiled, nullptr, 0, nullptr, 0, nullptr)},
            {"allocator_create", dnnl_graph_allocator_create(nullptr, nullptr, nullptr)},
    };
    for (const auto &[name, status] : calls) EXPECT_EQ(status, invalid) << name;
    EXPECT_EQ(dnnl_graph_graph_filter(nullptr, dnnl_graph_partition_policy_fusion),
            dnnl_invalid_graph);
    require(dnnl_graph_graph_finalize(graph), "finalize");
    EXPECT_EQ(dnnl_graph_graph_filter(graph, bad<dnnl_graph_partition_policy_t>(3)), invalid);
    EXPECT_EQ(dnnl_graph_graph_filter(graph, bad<dnnl_graph_partition_policy_t>(0)), invalid);
}

} // namespace

} // namespace kiln::test
