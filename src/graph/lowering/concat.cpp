// SPDX-License-Identifier: Apache-2.0
// Concat: a concat primitive.

#include "common/operations/concat_pd.hpp"
#include "common/verbose/verbose.hpp"
#include "graph/lowering/operations.hpp"

namespace kiln::graph {

status_t lower_concat(const op_t &op, request_t &request) {
    concat_desc_t desc{};
    const int ndims = request.tensor(op.inputs[0]).ndims;
    desc.axis = axis_from_front(op.attr<int64_t>(dnnl_graph_op_attr_axis), ndims);
    KILN_REQUIRE(desc.axis >= 0, dnnl_invalid_shape, "graph",
            "%s: axis is out of range for inputs of %d dims", op.name.c_str(), ndims);
    request.view = view_t::same(ndims);
    for (const logical_tensor_t &input : op.inputs) {
        const int arg = DNNL_ARG_MULTIPLE_SRC + static_cast<int>(desc.srcs.size());
        KILN_TRY(request.read(arg, input, desc.srcs.emplace_back()));
    }
    KILN_TRY(request.write(DNNL_ARG_DST, op.outputs[0], desc.dst));
    request.desc = desc;
    return dnnl_success;
}

} // namespace kiln::graph
