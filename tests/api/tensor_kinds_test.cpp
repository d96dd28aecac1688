// SPDX-License-Identifier: Apache-2.0
// Kinds of tensors that operations refuse alike, whichever of their tensors is of that kind.

#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "api/descriptors.hpp"

namespace kiln::test {

namespace {

using mds_t = std::vector<const_dnnl_memory_desc_t>;

/// An operation on matrices of 4x6, but for those of other dims.
struct operation_t {
    const char *name;
    std::function<dnnl_status_t(dnnl_primitive_desc_t *, const mds_t &)> create;
    std::vector<std::pair<const char *, bool>> tensors; // name, whether it is written
    std::vector<dims_t> dims = {};                      // of each tensor
    bool takes_compensation = true;                     // in inputs
};

const std::vector<operation_t> &operations() {
    constexpr auto inference = dnnl_forward_inference;
    static const std::vector<operation_t> all = {
            {"eltwise",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_eltwise_forward_primitive_desc_create(pd, cpu_engine(),
                                inference, dnnl_eltwise_relu, md[0], md[1], 0, 0, nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
            {"softmax",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_softmax_forward_primitive_desc_create(pd, cpu_engine(),
                                inference, dnnl_softmax_accurate, md[0], md[1], 1, nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
            {"lnorm",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_layer_normalization_forward_primitive_desc_create(pd,
                                cpu_engine(), inference, md[0], md[1], nullptr, 1e-5f, 0, nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
            {"bnorm",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_batch_normalization_forward_primitive_desc_create(pd,
                                cpu_engine(), inference, md[0], md[1], 1e-5f, dnnl_use_global_stats,
                                nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
            {"gnorm",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_group_normalization_forward_primitive_desc_create(
                                pd, cpu_engine(), inference, md[0], md[1], 2, 1e-5f, 0, nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
            {"binary",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_binary_primitive_desc_create(
                                pd, cpu_engine(), dnnl_binary_add, md[0], md[1], md[2], nullptr);
                    },
                    {{"src_0", false}, {"src_1", false}, {"dst", true}}},
            {"prelu",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_prelu_forward_primitive_desc_create(
                                pd, cpu_engine(), inference, md[0], md[1], md[2], nullptr);
                    },
                    {{"src", false}, {"weights", false}, {"dst", true}}},
            {"reduction",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_reduction_primitive_desc_create(
                                pd, cpu_engine(), dnnl_reduction_max, md[0], md[1], 0, 0, nullptr);
                    },
                    {{"src", false}, {"dst", true}}, {{4, 6}, {1, 6}}},
            {"shuffle",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_shuffle_forward_primitive_desc_create(
                                pd, cpu_engine(), inference, md[0], md[1], 1, 2, nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
            {"sum",
                    [](auto *pd, const mds_t &md) {
                        const float scales[] = {1, 1};
                        return dnnl_sum_primitive_desc_create(
                                pd, cpu_engine(), md[2], 2, scales, md.data(), nullptr);
                    },
                    {{"src_0", false}, {"src_1", false}, {"dst", true}}},
            {"concat",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_concat_primitive_desc_create(
                                pd, cpu_engine(), md[2], 2, 0, md.data(), nullptr);
                    },
                    {{"src_0", false}, {"src_1", false}, {"dst", true}}, {{2, 6}, {2, 6}, {4, 6}}},
            {"matmul",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_matmul_primitive_desc_create(
                                pd, cpu_engine(), md[0], md[1], nullptr, md[2], nullptr);
                    },
                    {{"src", false}, {"weights", false}, {"dst", true}}, {{4, 6}, {6, 8}, {4, 8}},
                    false},
            {"inner product",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_inner_product_forward_primitive_desc_create(
                                pd, cpu_engine(), inference, md[0], md[1], nullptr, md[2], nullptr);
                    },
                    {{"src", false}, {"weights", false}, {"dst", true}}, {{4, 6}, {8, 6}, {4, 8}}},
            {"reorder",
                    [](auto *pd, const mds_t &md) {
                        return dnnl_reorder_primitive_desc_create(
                                pd, md[0], cpu_engine(), md[1], cpu_engine(), nullptr);
                    },
                    {{"src", false}, {"dst", true}}},
    };
    return all;
}

dims_t dims_of(const operation_t &operation, size_t tensor) {
    return operation.dims.empty() ? dims_t{4, 6} : operation.dims[tensor];
}

/// The status with plain tensors of `data_type`, but for one.
dnnl_status_t status_with(const operation_t &operation, dnnl_data_type_t data_type, size_t which,
        const_dnnl_memory_desc_t other) {
    std::vector<memory_desc_handle_t> plain;
    for (size_t i = 0; i < operation.tensors.size(); ++i)
        plain.push_back(make_desc(dims_of(operation, i), data_type));
    mds_t mds(plain.begin(), plain.end());
    if (which < mds.size()) mds[which] = other;
    primitive_desc_handle_t pd;
    return operation.create(pd.out(), mds);
}

/// With sums of s8 weights, one for each row, behind its elements: a program writes the flag and
/// the mask into the descriptor's bytes.
memory_desc_handle_t with_compensation(const dims_t &dims) {
    constexpr uint64_t flags = 1;
    constexpr int mask = 1;
    size_t size = 0;
    const memory_desc_handle_t plain = make_desc(dims, dnnl_s8);
    require(dnnl_memory_desc_get_blob(nullptr, &size, plain), "size of a blob");
    std::vector<uint8_t> blob(size);
    require(dnnl_memory_desc_get_blob(blob.data(), &size, plain), "blob");
    std::memcpy(blob.data() + 640, &flags, sizeof(flags));
    std::memcpy(blob.data() + 648, &mask, sizeof(mask));
    memory_desc_handle_t md;
    require(dnnl_memory_desc_create_with_blob(md.out(), blob.data()), "descriptor of a blob");
    return md;
}

} // namespace

TEST(sparse_tensors, are_unimplemented_in_every_operation) {
    for (const operation_t &operation : operations()) {
        ASSERT_EQ(status_with(operation, dnnl_f32, SIZE_MAX, nullptr), dnnl_success)
                << operation.name;
        for (size_t i = 0; i < operation.tensors.size(); ++i) {
            const dims_t dims = dims_of(operation, i);
            for (const auto &sparse : {csr_desc(5, dnnl_f32, dnnl_s32, dims), coo_desc(5, dims)})
                EXPECT_EQ(status_with(operation, dnnl_f32, i, sparse), dnnl_unimplemented)
                        << operation.name << " " << operation.tensors[i].first;
        }
    }
}

// Nothing but a reorder writes the sums: those behind another operation's dst would be of other
// elements.
TEST(tensors_with_compensation, are_outputs_of_reorders_alone) {
    for (const operation_t &operation : operations()) {
        ASSERT_EQ(status_with(operation, dnnl_s8, SIZE_MAX, nullptr), dnnl_success)
                << operation.name;
        const bool is_reorder = std::string(operation.name) == "reorder";
        for (size_t i = 0; i < operation.tensors.size(); ++i) {
            const auto &[name, is_written] = operation.tensors[i];
            const bool is_taken = operation.takes_compensation && (is_reorder || !is_written);
            EXPECT_EQ(status_with(operation, dnnl_s8, i, with_compensation(dims_of(operation, i))),
                    is_taken ? dnnl_success : dnnl_unimplemented)
                    << operation.name << " " << name;
        }
    }
}

TEST(tensors_with_compensation, give_outputs_of_format_any_none) {
    for (const operation_t &operation : operations()) {
        if (std::string(operation.name) == "reorder") continue; // its dst has a layout
        if (!operation.takes_compensation) continue;
        const size_t dst = operation.tensors.size() - 1;
        std::vector<memory_desc_handle_t> sources;
        for (size_t i = 0; i < dst; ++i)
            sources.push_back(with_compensation(dims_of(operation, i)));
        mds_t mds(sources.begin(), sources.end());
        const memory_desc_handle_t open = make_desc(dims_of(operation, dst), dnnl_s8, "any");
        mds.push_back(open);
        primitive_desc_handle_t pd;
        ASSERT_EQ(operation.create(pd.out(), mds), dnnl_success) << operation.name;
        EXPECT_EQ(dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0)),
                static_cast<size_t>(volume(dims_of(operation, dst))))
                << operation.name;
    }
}

} // namespace kiln::test
