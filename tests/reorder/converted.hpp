// SPDX-License-Identifier: Apache-2.0
// Reorders compared with a conversion element by element.
#pragma once

#include <string>

#include "reorder/reorder_call.hpp"

namespace kiln::test {

/// Fills src with telling values, reorders, and compares with an element by element conversion.
inline void expect_converted(const tensor_t &src, const tensor_t &dst) {
    ASSERT_EQ(reorder(src, dst), dnnl_success);
    EXPECT_TRUE(holds(dst, src.values()));
    EXPECT_TRUE(dst.is_tidy());
    EXPECT_TRUE(src.is_tidy());
}

inline void expect_converted(const dims_t &dims, dnnl_data_type_t src_type,
        const std::string &src_format, dnnl_data_type_t dst_type, const std::string &dst_format,
        placement_t placement = placement_t::ends_at_guard) {
    SCOPED_TRACE(std::string(dnnl_dt2str(src_type)) + ":" + src_format + " to "
                 + dnnl_dt2str(dst_type) + ":" + dst_format + " " + to_string(dims));
    tensor_t src(make_desc(dims, src_type, src_format), placement);
    const tensor_t dst(make_desc(dims, dst_type, dst_format), placement);
    src.fill(telling_values(src.elements()));
    expect_converted(src, dst);
}

} // namespace kiln::test
