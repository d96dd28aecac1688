// SPDX-License-Identifier: Apache-2.0
// The arguments of an execution, as the C interface takes them.
#pragma once

#include <vector>

#include "support/handle.hpp"

namespace kiln::test {

class arguments_t {
public:
    arguments_t &add(int arg, dnnl_memory_t memory) {
        list_.push_back({arg, memory});
        return *this;
    }

    arguments_t without(int arg) const {
        arguments_t rest;
        for (const auto &entry : list_)
            if (entry.arg != arg) rest.list_.push_back(entry);
        return rest;
    }

    arguments_t with(int arg, dnnl_memory_t memory) const { return without(arg).add(arg, memory); }

    const std::vector<dnnl_exec_arg_t> &list() const { return list_; }

    dnnl_status_t execute(
            const_dnnl_primitive_t primitive, dnnl_stream_t stream = cpu_stream()) const {
        const auto status = dnnl_primitive_execute(
                primitive, stream, static_cast<int>(list_.size()), list_.data());
        if (status != dnnl_success) return status;
        return dnnl_stream_wait(stream);
    }

private:
    std::vector<dnnl_exec_arg_t> list_;
};

} // namespace kiln::test
