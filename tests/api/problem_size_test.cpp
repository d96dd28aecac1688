// SPDX-License-Identifier: Apache-2.0
// Tensors that a descriptor can describe but no memory can hold: every operation refuses them,
// before it computes sizes of which products and sums do not fit into 64 bits (a sanitizer build
// reports those).
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/layout.hpp"

namespace kiln::test {

namespace {

constexpr dnnl_dim_t power(int exponent) { return dnnl_dim_t(1) << exponent; }

struct tensor_t {
    std::string name;
    memory_desc_handle_t md;
    bool is_output = true; // its elements do not overlap
};

memory_desc_handle_t box_of(const dims_t &parent, const dims_t &dims, const dims_t &offsets) {
    memory_desc_handle_t box;
    require(dnnl_memory_desc_create_submemory(
                    box.out(), make_desc(parent, dnnl_f32), dims.data(), offsets.data()),
            "dnnl_memory_desc_create_submemory");
    return box;
}

/// Of f32. Each descriptor is legal by itself.
std::vector<tensor_t> huge_tensors() {
    std::vector<tensor_t> tensors;
    const auto add = [&](const std::string &name, const dims_t &dims, const auto &layout,
                             bool is_output = true) {
        tensors.push_back({name, make_desc(dims, dnnl_f32, layout), is_output});
    };
    for (const std::string format : {"abc", "acb", "cab", "bca"}) {
        add("a long first axis, " + format, {power(52), 16, 8}, format);
        add("a long middle axis, " + format, {4, power(52), 16}, format);
        add("a long last axis, " + format, {4, 16, power(54)}, format);
        add("all axes are long, " + format, {power(20), power(20), power(20)}, format);
    }
    add("rows far apart", {2, 3, 16}, dims_t{power(59), 16, 1});
    add("steps far apart", {2, 16, 3}, dims_t{16, 1, power(58)});
    add("blocks far apart", {3, 2, 16}, dims_t{power(58), 16, 1});
    add("repeated elements", {4, power(30), power(30)}, dims_t{1, 0, 0}, false);
    add("repeated rows", {power(50), 16, 16}, dims_t{0, 16, 1}, false);
    tensors.push_back(
            {"far from its buffer", box_of({power(54), 4, 16}, {2, 4, 16}, {power(53), 0, 0})});
    return tensors;
}

struct operation_t {
    std::string name;
    std::function<dnnl_status_t(primitive_desc_handle_t &, const tensor_t &)> create;
};

/// dst as src, if elements of src do not overlap, else of format any.
memory_desc_handle_t output_of(const tensor_t &tensor) {
    if (tensor.is_output) return clone_desc(tensor.md);
    return make_desc(layout_t(tensor.md).dims(), dnnl_f32, "any");
}

std::vector<operation_t> operations() {
    std::vector<operation_t> list;
    const unsigned weights = dnnl_use_scale | dnnl_use_shift;
    for (const unsigned flags : {0u, weights, weights | dnnl_use_global_stats}) {
        list.push_back({"layer normalization", [flags](auto &pd, const tensor_t &tensor) {
                            return dnnl_layer_normalization_forward_primitive_desc_create_v2(
                                    pd.out(), cpu_engine(), dnnl_forward_training, tensor.md,
                                    output_of(tensor), nullptr, dnnl_bf16, 1e-5f, flags, nullptr);
                        }});
        list.push_back({"layer normalization backward", [flags](auto &pd, const tensor_t &tensor) {
                            return dnnl_layer_normalization_backward_primitive_desc_create_v2(
                                    pd.out(), cpu_engine(), dnnl_backward, output_of(tensor),
                                    tensor.md, tensor.md, nullptr, dnnl_bf16, dnnl_f32, 1e-5f,
                                    flags, nullptr, nullptr);
                        }});
        list.push_back({"batch normalization", [flags](auto &pd, const tensor_t &tensor) {
                            return dnnl_batch_normalization_forward_primitive_desc_create(pd.out(),
                                    cpu_engine(), dnnl_forward_training, tensor.md,
                                    output_of(tensor), 1e-5f, flags | dnnl_fuse_norm_relu, nullptr);
                        }});
        list.push_back({"batch normalization backward", [flags](auto &pd, const tensor_t &tensor) {
                            return dnnl_batch_normalization_backward_primitive_desc_create(pd.out(),
                                    cpu_engine(), dnnl_backward, output_of(tensor), tensor.md,
                                    tensor.md, 1e-5f, flags, nullptr, nullptr);
                        }});
        list.push_back({"group normalization", [flags](auto &pd, const tensor_t &tensor) {
                            return dnnl_group_normalization_forward_primitive_desc_create(pd.out(),
                                    cpu_engine(), dnnl_forward_training, tensor.md,
                                    output_of(tensor), 1, 1e-5f, flags, nullptr);
                        }});
    }
    for (const auto alg : {dnnl_reduction_max, dnnl_reduction_mean, dnnl_reduction_norm_lp_sum})
        for (const size_t axis : {0, 1, 2})
            list.push_back({"reduction", [alg, axis](auto &pd, const tensor_t &tensor) {
                                dims_t dims = layout_t(tensor.md).dims();
                                dims[axis] = 1;
                                return dnnl_reduction_primitive_desc_create(pd.out(), cpu_engine(),
                                        alg, tensor.md, make_desc(dims, dnnl_f32, "any"), 2, 0.5f,
                                        nullptr);
                            }});
    for (const std::string format : {"abc", "cba"})
        list.push_back({"reorder", [format](auto &pd, const tensor_t &tensor) {
                            const auto dst = make_desc(layout_t(tensor.md).dims(), dnnl_s8, format);
                            return dnnl_reorder_primitive_desc_create(
                                    pd.out(), tensor.md, cpu_engine(), dst, cpu_engine(), nullptr);
                        }});
    return list;
}

TEST(problem_size, every_operation_refuses_tensors_that_no_memory_holds) {
    const auto tensors = huge_tensors();
    for (const operation_t &operation : operations())
        for (const tensor_t &tensor : tensors) {
            primitive_desc_handle_t pd;
            EXPECT_EQ(operation.create(pd, tensor), dnnl_unimplemented)
                    << operation.name << ": " << tensor.name;
        }
}

} // namespace

} // namespace kiln::test
