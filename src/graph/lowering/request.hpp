// SPDX-License-Identifier: Apache-2.0
// A primitive while it is described: by its operation first, then by what is fused to it.
#pragma once

#include <functional>
#include <map>
#include <variant>

#include "common/operations/batch_normalization_pd.hpp"
#include "common/operations/group_normalization_pd.hpp"
#include "common/operations/layer_normalization_pd.hpp"
#include "common/operations/reduction_pd.hpp"
#include "common/operations/reorder_pd.hpp"
#include "graph/lowering/program_builder.hpp"
#include "graph/lowering/view.hpp"
#include "graph/op/op.hpp"

namespace kiln::graph {

class request_t {
public:
    using desc_t =
            std::variant<std::monostate, layer_normalization_desc_t, batch_normalization_desc_t,
                    group_normalization_desc_t, reorder_desc_t, reduction_desc_t>;

    explicit request_t(program_builder_t &program)
        : program_(program) {}

    program_builder_t &program() { return program_; }
    const logical_tensor_t &tensor(const logical_tensor_t &lt) const {
        return program_.tensor(lt.id);
    }

    desc_t desc;
    primitive_attr_t attr;
    view_t view = view_t::same(1);
    std::map<int, value_t> arguments;
    /// The argument that post-ops are applied to.
    int result = DNNL_ARG_DST;

    /// Binds a tensor that the primitive reads or writes through the view, and tells how it is
    /// seen. Where its layout does not allow the view, a copy stands in for it.
    status_t read(int arg, const logical_tensor_t &lt, memory_desc_t &md);
    status_t write(int arg, const logical_tensor_t &lt, memory_desc_t &md);
    /// The same under another view.
    status_t read(int arg, const logical_tensor_t &lt, const view_t &seen_as, memory_desc_t &md);
    status_t write(int arg, const logical_tensor_t &lt, const view_t &seen_as, memory_desc_t &md);

    /// A vector of this type, whatever the tensor's type and strides are; its elements in their
    /// order.
    status_t read_vector(int arg, const logical_tensor_t &lt, data_type_t type);
    status_t read_floats(int arg, const logical_tensor_t &lt) {
        return read_vector(arg, lt, dnnl_f32);
    }
    /// An output that the primitive writes as a dense tensor of f32.
    status_t write_floats(int arg, const logical_tensor_t &lt);

    /// The descriptor of the result, as desc has it.
    memory_desc_t &result_md();
    /// The tensor that the request has arrived at.
    size_t result_tensor() const { return result_tensor_; }
    /// Makes `lt` the result: another type, the same shape.
    status_t set_result(const logical_tensor_t &lt);
    /// From here on the result is described as it is now: something else is described by it, too.
    void fix_result() { is_result_fixed_ = true; }

    status_t add_eltwise(alg_kind_t alg, float alpha, float beta);
    status_t add_eltwise(const eltwise_post_op_t &post_op);
    /// A binary post-op with a tensor that broadcasts to the operation's.
    status_t add_binary(alg_kind_t alg, const logical_tensor_t &operand);
    /// The same with a value that is seen so.
    status_t add_binary(alg_kind_t alg, value_t value, const memory_desc_t &md);
    /// Keeps the result where `condition` is not 0, and takes `otherwise` where it is.
    status_t add_select(const logical_tensor_t &condition, const logical_tensor_t &otherwise);
    /// With a vector that lies along one axis of the operation's tensor.
    status_t add_vector(alg_kind_t alg, const logical_tensor_t &operand, int axis);
    /// With numbers: one, or one for each position along an axis of the operation's tensor.
    status_t add_binary(alg_kind_t alg, const std::vector<float> &numbers, int axis);

    /// Adds the primitive to the program, and what has to follow it.
    status_t finish();

    /// Runs behind the primitive.
    void then(std::function<status_t()> step) { afterwards_.push_back(std::move(step)); }

private:
    const memory_desc_t &source_md() const;
    void share_places();

    program_builder_t &program_;
    size_t result_tensor_ = SIZE_MAX;
    bool is_result_fixed_ = false;
    std::vector<std::function<status_t()>> afterwards_;
    // From where the primitive left it to the result's tensor, where it lies otherwise.
    std::function<status_t()> move_result_;
};

} // namespace kiln::graph
