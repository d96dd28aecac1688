// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors as the text of verbose lines.

#include "common/primitive/primitive_desc.hpp"
#include "common/verbose/describe.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

std::string describe(const primitive_desc_t &pd) {
    const primitive_text_t text = pd.text();
    std::string line;
    for (const std::string &field : {std::string(dnnl_engine_kind2str(pd.engine()->kind())),
                 std::string(dnnl_prim_kind2str(pd.kind())), std::string(pd.implementation_name()),
                 std::string(dnnl_prop_kind2str(pd.prop_kind())), text.tensors, describe(pd.attr()),
                 text.auxiliary, text.problem})
        line += (line.empty() ? "" : ",") + field;
    return line;
}

} // namespace kiln
