// SPDX-License-Identifier: Apache-2.0
// Shapes, data types and layouts read from a fuzzing input.
#pragma once

#include <span>

#include "support/handle.hpp"
#include "support/input.hpp"
#include "support/layout.hpp"

namespace kiln::fuzz {

using test::dims_t;
using test::memory_desc_handle_t;

/// Data types whose elements the library loads and stores.
std::span<const dnnl_data_type_t> element_types();
/// Every enumerator, those that are no type of tensors too.
std::span<const dnnl_data_type_t> all_types();
/// Format tags of blocked layouts with this number of dimensions, plain ones first.
std::span<const dnnl_format_tag_t> tags_of(int ndims);

/// The extent of an axis: small, at most 65, often near a multiple of a vector's length; 0 is rare.
dnnl_dim_t read_extent(input_t &input);
/// The product of the extents is at most `most_elements`.
dims_t read_dims(input_t &input, int least_ndims, int most_ndims, int64_t most_elements);

/// A permutation of 0, 1, ... count-1.
std::vector<int> read_permutation(input_t &input, int count);

/// Whether a layout may be one that the library refuses for outputs.
enum class role_t { input, output };

/// A legal descriptor of this shape: plain in any order of axes, with gaps, a format tag, a
/// submemory, format any; an input may also be broadcast (stride 0). Null for a shape without
/// dimensions.
memory_desc_handle_t read_layout(
        input_t &input, const dims_t &dims, dnnl_data_type_t type, role_t role);

/// A query that must succeed.
template <typename answer_t> answer_t ask(const_dnnl_memory_desc_t desc, dnnl_query_t what) {
    answer_t answer{};
    test::require(dnnl_memory_desc_query(desc, what, &answer), "dnnl_memory_desc_query");
    return answer;
}

} // namespace kiln::fuzz
