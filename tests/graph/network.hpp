// SPDX-License-Identifier: Apache-2.0
// A graph for tests. It is built operation by operation and holds, for each tensor, the true values
// and bounds of their errors. It is partitioned, compiled and executed through the C++ interface.
#pragma once

#include <map>

#include <gtest/gtest.h>

#include "graph/truth/truth.hpp"
#include "support/guarded_buffer.hpp"

namespace kiln::test {

using type_t = dnnl::graph::logical_tensor::data_type;
using property_t = dnnl::graph::logical_tensor::property_type;
using policy_t = dnnl::graph::partition::policy;
using dnnl::graph::logical_tensor;

/// The type of an output that is not wanted.
inline constexpr type_t absent = type_t::undef;

struct tensor_options_t {
    dims_t strides{}; ///< empty: row-major
    property_t property = property_t::variable;
    double low = -2, high = 2;    ///< of random values
    std::vector<double> values{}; ///< empty: random values
};

/// The engine that all tests share.
const dnnl::engine &test_engine();

using results_t = std::map<size_t, std::vector<double>>;

/// What is known of one partition after its execution.
struct part_t {
    std::vector<size_t> ops;
    bool is_supported;
    std::vector<size_t> inputs, outputs;
    /// "RMSNorm+residual_add:1:jit:rows": the anchor, the fusion rules, the number of primitives
    /// and their implementations.
    std::string plan;
    std::vector<std::pair<size_t, size_t>> inplace_pairs;
};

struct outcome_t {
    std::vector<part_t> parts;
    results_t values; ///< of every output of a supported partition
};

/// How a network runs.
struct run_options_t {
    policy_t policy = policy_t::fusion;
    bool is_in_place = false; ///< if the compiled partition allows it
    const dnnl::engine *engine = &test_engine();
};

class network_t {
public:
    // -- Description. Tensors and operations are identified by their ids.

    size_t input(type_t type, const dims_t &dims, tensor_options_t options = {});
    /// Constant data: a weight.
    size_t weight(type_t type, const dims_t &dims, double low = -2, double high = 2);

    /// Outputs of the given types.
    std::vector<size_t> add(kind_t kind, const std::vector<size_t> &inputs,
            const std::vector<type_t> &outputs, const attributes_t &attributes = {});
    /// One output, of the first input's type.
    size_t add(kind_t kind, const std::vector<size_t> &inputs, const attributes_t &attributes = {});
    size_t add(kind_t kind, const std::vector<size_t> &inputs, type_t output,
            const attributes_t &attributes = {});

    /// Sets the strides of an output.
    void set_strides(size_t tensor, const dims_t &strides);
    /// Sets a shape with the same number of elements, such as statistics with trailing ones.
    void set_dims(size_t tensor, const dims_t &dims);
    /// The shape is unknown until compilation.
    void forget_shape(size_t tensor);
    void set_layout_any(size_t tensor);

    size_t last_op() const;
    type_t type_of(size_t tensor) const;
    const dims_t &dims_of(size_t tensor) const;
    /// The logical tensor that is given to the graph, and the one that is given to compilation.
    logical_tensor in_graph(size_t tensor) const;
    logical_tensor at_hand(size_t tensor) const;
    const std::vector<double> &truth(size_t tensor) const;
    const std::vector<double> &errors(size_t tensor) const;
    /// A buffer of the tensor's size that ends at an unmapped page, with its values or with NaN.
    guarded_buffer_t buffer_of(size_t tensor, bool is_filled) const;
    std::vector<double> read(size_t tensor, const std::byte *data) const;

    // -- Execution

    /// The finalized graph.
    dnnl::graph::graph make_graph() const;
    std::vector<dnnl::graph::partition> partitions(policy_t policy = policy_t::fusion) const;
    /// Operations of each partition, by their ids.
    std::vector<std::vector<size_t>> partition_ops(policy_t policy = policy_t::fusion) const;
    /// Runs the partitions in order; outputs of unsupported partitions are the true values.
    outcome_t run(const run_options_t &options = {}) const;

    /// Whether the errors of all computed tensors are within their bounds.
    testing::AssertionResult is_right(const outcome_t &outcome) const;
    testing::AssertionResult is_right(size_t tensor, const std::vector<double> &got) const;

private:
    struct tensor_t {
        type_t type;
        dims_t dims, strides;
        property_t property;
        std::vector<double> values, errors;
        bool has_shape_in_graph = true;
        bool is_any = false;
    };
    struct op_t {
        size_t id;
        kind_t kind;
        attributes_t attributes;
        std::vector<size_t> inputs, outputs;
    };
    const tensor_t &held(size_t id) const { return tensors_.at(id); }
    size_t hold(tensor_t tensor);
    std::vector<array_t> truths(const truth_request_t &request, const std::vector<size_t> &inputs,
            const std::vector<type_t> &types, std::vector<std::vector<double>> &errors) const;
    void write(const tensor_t &held, std::byte *data) const;
    static size_t offset_in(const tensor_t &held, const dims_t &index); // in elements
    bool is_output(size_t tensor) const;
    bool is_last_use(size_t tensor, const part_t &part) const;

    std::map<size_t, tensor_t> tensors_;
    std::vector<op_t> ops_;
    size_t last_tensor_ = 0;
};

dnnl_data_type_t to_c(type_t type);

/// Checks the network fused, fused in place, and one operation at a time. Returns the fused
/// outcome.
outcome_t expect_right(const network_t &network);

} // namespace kiln::test
