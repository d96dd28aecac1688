// SPDX-License-Identifier: Apache-2.0
// Executes the library's forward pass before a backward one. The format of the mask in the
// workspace is internal to the library, so only the library can write it.
#include <vector>

#include "common/tensor/descriptor.hpp"
#include "normalization/problem.hpp"

namespace benchdnn::normalization {

namespace {

class forward_pass_t {
public:
    explicit forward_pass_t(const primitive_desc_t &descriptor)
        : descriptor_(descriptor) {
        require_success(dnnl_primitive_desc_query(descriptor.get(), dnnl_query_engine, 0, &engine_),
                "dnnl_primitive_desc_query(engine)");
    }

    void take(int id, tensor_t &tensor) {
        memories_.emplace_back();
        require_success(dnnl_memory_create(memories_.back().out(),
                                argument_descriptor(descriptor_, id), engine_, tensor.data()),
                "dnnl_memory_create");
        list_.push_back({id, memories_.back().get()});
    }

    // An output that is not used.
    void drop(int id) {
        dropped_.emplace_back(layout_t(argument_descriptor(descriptor_, id)));
        take(id, dropped_.back());
    }

    void execute() {
        primitive_t primitive;
        require_success(dnnl_primitive_create(primitive.out(), descriptor_.get()),
                "the forward pass's primitive");
        stream_t stream;
        require_success(dnnl_stream_create(stream.out(), engine_, dnnl_stream_default_flags),
                "dnnl_stream_create");
        require_success(dnnl_primitive_execute(primitive.get(), stream.get(),
                                static_cast<int>(list_.size()), list_.data()),
                "the forward pass");
        require_success(dnnl_stream_wait(stream.get()), "dnnl_stream_wait");
    }

private:
    const primitive_desc_t &descriptor_;
    dnnl_engine_t engine_ = nullptr;
    std::vector<memory_t> memories_;
    std::vector<tensor_t> dropped_;
    std::vector<dnnl_exec_arg_t> list_;
};

} // namespace

void run_forward(const primitive_desc_t &forward, arguments_t &arguments) {
    if (!dnnl_memory_desc_equal(argument_descriptor(forward, DNNL_ARG_WORKSPACE),
                arguments.descriptor(DNNL_ARG_WORKSPACE)))
        throw status_error_t(dnnl_runtime_error, "creating the forward pass: its workspace differs "
                                                 "from that of the backward pass; it");
    forward_pass_t pass(forward);
    for (const int id :
            {DNNL_ARG_SRC, DNNL_ARG_SRC_1, DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_WORKSPACE})
        if (arguments.has(id)) pass.take(id, arguments.at(id));
    unsigned flags = 0;
    require_success(dnnl_primitive_desc_query(forward.get(), dnnl_query_flags, 0, &flags),
            "dnnl_primitive_desc_query(flags)");
    for (const int id : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE})
        flags &dnnl_use_global_stats ? pass.take(id, arguments.at(id)) : pass.drop(id);
    pass.drop(DNNL_ARG_DST);
    pass.execute();
}

} // namespace benchdnn::normalization
