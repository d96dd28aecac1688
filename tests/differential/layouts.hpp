// SPDX-License-Identifier: Apache-2.0
// Random layouts of a tensor: axes in any order, gaps, blocks, parts of greater tensors.
#pragma once

#include "differential/random.hpp"
#include "support/layout.hpp"

namespace kiln::test::differential {

/// How the tensors of a problem lie: each in a way of its own, or all alike but for gaps.
enum class style_t { any, row_major, channels_last, blocked };
style_t random_style(random_t &random);

struct layout_rules_t {
    style_t style = style_t::any;
    bool may_be_open = false; // format any
    bool may_repeat = false;  // stride 0: an input
};

memory_desc_handle_t random_layout(
        random_t &random, const dims_t &dims, dnnl_data_type_t type, const layout_rules_t &rules);

/// Whether an axis of several elements has stride 0. Sums of equal values are off by more than
/// those of random ones: all roundings go the same way.
bool repeats(const_dnnl_memory_desc_t desc);

/// Extents whose product is at most `most_elements`.
dims_t random_dims(random_t &random, size_t ndims, int64_t most_elements);
/// An extent at which kernels change their way: small, or near a multiple of a vector.
int64_t random_extent(random_t &random, int64_t most);

/// "f32 2x16x3 in 2x32x3 by 96,48,16 blocks 16b at 0".
std::string to_text(const_dnnl_memory_desc_t desc);

} // namespace kiln::test::differential
