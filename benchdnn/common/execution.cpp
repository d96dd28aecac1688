// SPDX-License-Identifier: Apache-2.0
// A primitive with its arguments, to be executed again and again from the same state.
#include "common/execution.hpp"

namespace benchdnn {

execution_t::execution_t(const primitive_t &primitive, const stream_t &stream,
        arguments_t &arguments, fault_watch_t &watch)
    : primitive_(primitive)
    , stream_(stream)
    , arguments_(arguments)
    , watch_(watch)
    , list_(arguments.execution_list()) {
    watch_.set_regions(arguments_.regions());
}

void execution_t::run() const {
    require_success(dnnl_primitive_execute(primitive_.get(), stream_.get(),
                            static_cast<int>(list_.size()), list_.data()),
            "dnnl_primitive_execute");
    require_success(dnnl_stream_wait(stream_.get()), "dnnl_stream_wait");
}

void execution_t::restore(placement_t placement) {
    arguments_.restore(placement);
    watch_.set_regions(arguments_.regions());
}

} // namespace benchdnn
