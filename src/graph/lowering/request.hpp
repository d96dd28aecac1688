// SPDX-License-Identifier: Apache-2.0
// The description of a primitive, made by the anchor of a group and changed by fusions.
#pragma once

#include <functional>
#include <map>

#include "graph/lowering/operation_desc.hpp"
#include "graph/lowering/view.hpp"
#include "graph/op/op.hpp"

namespace kiln::graph {

/// Inputs of Select: a condition, the values where it holds, and those where it does not.
enum select_input_t : size_t { condition, if_true, if_false };

class request_t {
public:
    request_t(program_builder_t &program, const fpmath_t &fpmath)
        : fpmath(fpmath)
        , program_(program) {}

    program_builder_t &program() { return program_; }
    const logical_tensor_t &tensor(const logical_tensor_t &lt) const {
        return program_.tensor(lt.id);
    }

    const fpmath_t fpmath;        // of the graph
    const op_t *anchor = nullptr; // whose primitive it is
    operation_desc_t desc;
    primitive_attr_t attr;
    view_t view = view_t::same(1);
    std::map<int, value_t> arguments;
    /// The argument to which post-ops are applied.
    int result = DNNL_ARG_DST;

    /// Binds a tensor that the primitive reads or writes, and sets `md` to its descriptor in the
    /// view. If its layout does not allow the view, a dense copy is bound.
    status_t read(int arg, const logical_tensor_t &lt, memory_desc_t &md);
    status_t write(int arg, const logical_tensor_t &lt, memory_desc_t &md);

    /// Binds a tensor as a dense row-major tensor of this type, if necessary by a copy.
    status_t bind_vector(int arg, const logical_tensor_t &lt, data_type_t type, bool is_output);
    status_t read_floats(int arg, const logical_tensor_t &lt) {
        return bind_vector(arg, lt, dnnl_f32, false);
    }
    status_t write_floats(int arg, const logical_tensor_t &lt) {
        return bind_vector(arg, lt, dnnl_f32, true);
    }
    /// Replaces an argument with descriptor `md` by a dense row-major copy, unless it is one.
    status_t make_dense(int arg, const memory_desc_t &md);
    /// Binds a copy of a value with descriptor `copy_md`, and adds the reorder before or after the
    /// primitive. `own` is the value's descriptor.
    status_t bind_copy(int arg, value_t value, const memory_desc_t &own,
            const memory_desc_t &copy_md, bool is_output);

    /// The descriptor of the result in `desc`.
    memory_desc_t &result_md() { return desc.tensor(result); }
    /// The id of the result's tensor.
    size_t result_tensor() const { return result_tensor_; }
    /// Makes `lt` the result. Its type may differ from that of the former result, its shape may
    /// not.
    status_t set_result(const logical_tensor_t &lt);
    /// Makes `lt` the result, which keeps its shape: `lt` has the same elements in another shape.
    status_t set_reshaped_result(const logical_tensor_t &lt);
    /// Refuses results with another descriptor from now on: an operand has the same descriptor.
    void fix_result() { is_result_fixed_ = true; }

    status_t add_eltwise(alg_kind_t alg, float alpha, float beta);
    status_t add_eltwise(const eltwise_post_op_t &post_op);
    /// Adds a binary post-op with a tensor that is broadcast to the result.
    status_t add_binary(alg_kind_t alg, const logical_tensor_t &operand);
    /// The same with a value and its descriptor in the view.
    status_t add_binary(alg_kind_t alg, value_t value, const memory_desc_t &md);
    /// Adds a Select of which the result is input `source`, if_true or if_false.
    status_t add_select(const op_t &select, size_t source);
    /// Adds the bias of a BiasAdd as a binary post-op.
    status_t add_bias(const op_t &bias_add);
    /// Adds a binary post-op with one number, or one for each position along an axis of the
    /// operation's tensor.
    status_t add_binary(alg_kind_t alg, const std::vector<float> &numbers, int axis);

    /// Adds the primitive and the steps after it to the program.
    status_t finish();

    /// Adds a step after the primitive.
    void then(std::function<status_t()> step) { afterwards_.push_back(std::move(step)); }

private:
    /// Allows the result to lie in the buffer of its source where the operation does.
    void share_places();
    status_t bind(int arg, const logical_tensor_t &lt, memory_desc_t &md, bool is_output);
    /// Adds a binary post-op with a vector along an axis of the operation's tensor.
    status_t add_vector(alg_kind_t alg, const logical_tensor_t &operand, int axis);
    /// Axes of the result's tensor, at least one.
    int result_ndims() const;
    /// The base of the arguments of the post-op that is added next.
    int next_post_op() const;
    status_t append(const post_op_t &post_op);
    /// Replaces an argument by the negation of its truth values, s8 with descriptor `md`.
    status_t negate(int arg, const memory_desc_t &md);

    program_builder_t &program_;
    size_t result_tensor_ = SIZE_MAX;
    bool is_result_fixed_ = false;
    std::vector<std::function<status_t()>> afterwards_;
    /// Copies the result to its tensor if the primitive writes a copy.
    std::function<status_t()> move_result_;
};

} // namespace kiln::graph
