// SPDX-License-Identifier: Apache-2.0
// One operation of the reference, with its inputs and the outputs to compute.
#pragma once

#include "graph/model/model.hpp"
#include "graph/model/value.hpp"

namespace benchdnn::graph {

struct step_t {
    const op_t &op;
    std::vector<const value_t *> inputs;
    std::vector<value_t *> outputs; // dims and types are set; null: not needed

    const value_t *input(size_t port) const {
        return port < inputs.size() ? inputs[port] : nullptr;
    }
    value_t *output(size_t port) const { return port < outputs.size() ? outputs[port] : nullptr; }
};

using compute_t = void (*)(const step_t &step);

// One function for each family of operations, each in its own file.
void compute_eltwise(const step_t &step);
void compute_eltwise_backward(const step_t &step);
void compute_binary(const step_t &step);
void compute_bias_add(const step_t &step);
void compute_select(const step_t &step);
void compute_conversion(const step_t &step); // TypeCast, Reorder: the same values
void compute_quantize(const step_t &step);
void compute_dequantize(const step_t &step);
void compute_concat(const step_t &step);
void compute_reshape(const step_t &step);
void compute_transpose(const step_t &step);
void compute_reduction(const step_t &step);
void compute_softmax(const step_t &step); // SoftMax, LogSoftmax
void compute_softmax_backward(const step_t &step);
void compute_matmul(const step_t &step);
void compute_prelu(const step_t &step);
void compute_prelu_backward(const step_t &step);
void compute_layer_norm(const step_t &step); // LayerNorm, RMSNorm
void compute_layer_norm_backward(const step_t &step);
void compute_group_norm(const step_t &step);
void compute_batch_norm_inference(const step_t &step);
void compute_batch_norm_training(const step_t &step);
void compute_batch_norm_backward(const step_t &step);
void compute_nothing(const step_t &step); // End

} // namespace benchdnn::graph
