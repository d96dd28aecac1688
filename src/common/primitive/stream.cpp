// SPDX-License-Identifier: Apache-2.0
// C entries of the stream.

#include "common/primitive/stream.hpp"

#include "common/verbose/verbose.hpp"

using namespace kiln;

status_t dnnl_stream_create(stream_t **stream, engine_t *engine, unsigned flags) {
    if (stream == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    constexpr unsigned both_orders = dnnl_stream_in_order | dnnl_stream_out_of_order;
    constexpr unsigned profiling = 4; // an experimental flag of GPU streams
    KILN_REQUIRE((flags & both_orders) != both_orders, dnnl_invalid_arguments, "stream",
            "flags ask for in-order and out-of-order execution at once");
    KILN_REQUIRE((flags & profiling) == 0, dnnl_unimplemented, "stream",
            "the profiling flag is not supported");
    KILN_REQUIRE((flags & ~both_orders) == 0, dnnl_invalid_arguments, "stream",
            "flags 0x%x are unknown", flags);
    return guarded([&] {
        *stream = new stream_t(engine, flags ? flags : unsigned(dnnl_stream_default_flags));
        return dnnl_success;
    });
}

status_t dnnl_stream_get_engine(const stream_t *stream, engine_t **engine) {
    if (stream == nullptr || engine == nullptr) return dnnl_invalid_arguments;
    *engine = stream->engine();
    return dnnl_success;
}

status_t dnnl_stream_wait(stream_t *stream) {
    return stream == nullptr ? dnnl_invalid_arguments : dnnl_success;
}

status_t dnnl_stream_destroy(stream_t *stream) {
    delete stream;
    return dnnl_success;
}
