// SPDX-License-Identifier: Apache-2.0
// The sums behind weights.
#include "matmul/sums_of_weights.hpp"

#include "common/tensor/fill.hpp"

namespace benchdnn::matmul {

void store_sums_of_weights(tensor_t &weights, const_dnnl_memory_desc_t descriptor,
        const_dnnl_primitive_desc_t product) {
    const layout_t &layout = weights.layout();
    dims_t strides(layout.dims().size(), 1);
    for (size_t axis = strides.size() - 1; axis > 0; --axis)
        strides[axis - 1] = strides[axis] * layout.dims()[axis];
    memory_desc_t row_major;
    require_success(dnnl_memory_desc_create_with_strides(row_major.out(), layout.ndims(),
                            layout.dims().data(), layout.data_type(), strides.data()),
            "dnnl_memory_desc_create_with_strides");
    tensor_t elements{layout_t(row_major.get())};
    fill_elements(elements, [&](dim_t index) { return weights.load(index); });

    dnnl_engine_t engine;
    require_success(dnnl_primitive_desc_query(product, dnnl_query_engine, 0, &engine),
            "dnnl_primitive_desc_query");
    primitive_desc_t reorder;
    require_success(dnnl_reorder_primitive_desc_create(
                            reorder.out(), row_major.get(), engine, descriptor, engine, nullptr),
            "dnnl_reorder_primitive_desc_create");
    primitive_t primitive;
    require_success(dnnl_primitive_create(primitive.out(), reorder.get()), "dnnl_primitive_create");
    memory_t from, to;
    require_success(dnnl_memory_create(from.out(), row_major.get(), engine, elements.data()),
            "dnnl_memory_create");
    require_success(
            dnnl_memory_create(to.out(), descriptor, engine, weights.data()), "dnnl_memory_create");
    stream_t stream;
    require_success(dnnl_stream_create(stream.out(), engine, dnnl_stream_default_flags),
            "dnnl_stream_create");
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}};
    require_success(dnnl_primitive_execute(primitive.get(), stream.get(), 2, arguments),
            "dnnl_primitive_execute");
    require_success(dnnl_stream_wait(stream.get()), "dnnl_stream_wait");
}

} // namespace benchdnn::matmul
