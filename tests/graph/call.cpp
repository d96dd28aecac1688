// SPDX-License-Identifier: Apache-2.0
#include "graph/call.hpp"

#include "api/status_of.hpp"

namespace kiln::test {

using dnnl::graph::tensor;

call_t::call_t(const network_t &network, const dnnl::engine &engine, size_t position)
    : call_t(network, network.partitions()[position], engine) {}

call_t::call_t(
        const network_t &network, const dnnl::graph::partition &one, const dnnl::engine &engine)
    : partition(one)
    , network_(network)
    , engine_(engine) {
    std::vector<logical_tensor> inputs, outputs;
    for (const auto &lt : partition.get_input_ports()) {
        inputs_.push_back(lt.get_id());
        inputs.push_back(network.at_hand(lt.get_id()));
        buffers_.emplace(lt.get_id(), network.buffer_of(lt.get_id(), true));
    }
    for (const auto &lt : partition.get_output_ports()) {
        outputs_.push_back(lt.get_id());
        outputs.push_back(network.at_hand(lt.get_id()));
        buffers_.emplace(lt.get_id(), network.buffer_of(lt.get_id(), false));
    }
    compiled = partition.compile(inputs, outputs, engine_);
}

tensor call_t::tensor(size_t id, void *data) const {
    const logical_tensor lt = compiled.query_logical_tensor(id);
    if (lt.get_property_type() == property_t::host_scalar)
        return dnnl::graph::tensor::make_scalar_tensor(lt, data);
    return {lt, engine_, data};
}

std::vector<tensor> call_t::tensors(const std::vector<size_t> &ids) const {
    std::vector<dnnl::graph::tensor> result;
    for (const size_t id : ids) result.push_back(tensor(id, buffers_.at(id).data()));
    return result;
}

std::vector<tensor> call_t::inputs() const { return tensors(inputs_); }
std::vector<tensor> call_t::outputs() const { return tensors(outputs_); }

void call_t::replace(size_t id, const network_t &of, size_t id_there) {
    // The old buffer is freed last, so that the new one has another address.
    auto buffer = of.buffer_of(id_there, true);
    buffers_.erase(id);
    buffers_.emplace(id, std::move(buffer));
}

std::vector<double> call_t::execute() const {
    std::vector<guarded_buffer_t> buffers;
    std::vector<dnnl::graph::tensor> to;
    for (const size_t id : outputs_) {
        buffers.push_back(network_.buffer_of(id, false));
        to.push_back(tensor(id, buffers.back().data()));
    }
    dnnl::stream stream(engine_);
    compiled.execute(stream, inputs(), to);
    std::vector<double> result;
    for (size_t i = 0; i < to.size(); ++i) {
        const auto values = network_.read(outputs_[i], buffers[i].data());
        result.insert(result.end(), values.begin(), values.end());
    }
    return result;
}

testing::AssertionResult call_t::is_right() const {
    const auto values = execute();
    auto begin = values.begin();
    for (const size_t id : outputs_) {
        const auto end = begin + volume(network_.dims_of(id));
        if (auto result = network_.is_right(id, {begin, end}); !result) return result;
        begin = end;
    }
    return testing::AssertionSuccess();
}

dnnl_status_t call_t::status_of_execution(const std::vector<dnnl::graph::tensor> &from,
        const std::vector<dnnl::graph::tensor> &to, const dnnl::graph::tensor &scratchpad) const {
    dnnl::stream stream(engine_);
    return status_of([&] { compiled.execute(stream, from, to, scratchpad); });
}

} // namespace kiln::test
