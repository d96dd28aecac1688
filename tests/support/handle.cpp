// SPDX-License-Identifier: Apache-2.0
// The engine and stream that tests share, and objects that are always created in the same way.
#include "support/handle.hpp"

namespace kiln::test {

dnnl_engine_t cpu_engine() {
    static const engine_handle_t engine = [] {
        engine_handle_t created;
        require(dnnl_engine_create(created.out(), dnnl_cpu, 0), "dnnl_engine_create");
        return created;
    }();
    return engine;
}

dnnl_stream_t cpu_stream() {
    static const stream_handle_t stream = make_stream();
    return stream;
}

stream_handle_t make_stream() {
    stream_handle_t stream;
    require(dnnl_stream_create(stream.out(), cpu_engine(), dnnl_stream_default_flags),
            "dnnl_stream_create");
    return stream;
}

attr_handle_t make_attr() {
    attr_handle_t attr;
    require(dnnl_primitive_attr_create(attr.out()), "dnnl_primitive_attr_create");
    return attr;
}

attr_handle_t copy_of(const_dnnl_primitive_attr_t attr) {
    attr_handle_t copy;
    require(dnnl_primitive_attr_clone(copy.out(), attr), "dnnl_primitive_attr_clone");
    return copy;
}

primitive_handle_t make_primitive(const_dnnl_primitive_desc_t primitive_desc) {
    primitive_handle_t primitive;
    require(dnnl_primitive_create(primitive.out(), primitive_desc), "dnnl_primitive_create");
    return primitive;
}

} // namespace kiln::test
