// SPDX-License-Identifier: Apache-2.0
// Setting and reading the ranks of primitive attributes.

#include "common/attributes/ranks.hpp"

#include "common/attributes/attr.hpp"
#include "common/verbose/verbose.hpp"

using namespace kiln;

dnnl_status_t kiln_primitive_attr_set_ranks(primitive_attr_t *attr, const kiln_ranks_t *ranks) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    if (ranks == nullptr) {
        attr->ranks = ranks_t();
        return dnnl_success;
    }
    constexpr unsigned all = kiln_combine_statistics | kiln_combine_weight_gradients;
    KILN_REQUIRE(ranks->count >= 1, dnnl_invalid_arguments, "attr",
            "there are %d ranks; there must be at least 1", ranks->count);
    KILN_REQUIRE(ranks->combined != 0 && (ranks->combined & ~all) == 0, dnnl_invalid_arguments,
            "attr", "what is combined over ranks is 0x%x; it must be one or both of the bits 0x%x",
            ranks->combined, all);
    KILN_REQUIRE(ranks->gather ? !ranks->start && !ranks->wait : ranks->start && ranks->wait,
            dnnl_invalid_arguments, "attr",
            "ranks must have either the function gather or both of start and wait");
    attr->ranks = ranks_t(*ranks);
    return dnnl_success;
}

dnnl_status_t kiln_primitive_attr_get_ranks(const primitive_attr_t *attr, kiln_ranks_t *ranks) {
    if (attr == nullptr || ranks == nullptr) return dnnl_invalid_arguments;
    *ranks = attr->ranks;
    return dnnl_success;
}
