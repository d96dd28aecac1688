// SPDX-License-Identifier: Apache-2.0
// Descriptors and attributes as the text of verbose lines, in oneDNN's notation.
#pragma once

#include <string>

#include "common/attributes/attr.hpp"
#include "common/memory/memory_desc.hpp"

namespace kiln {

class primitive_desc_t;

/// "NAME:TYPE:PROPERTIES:KIND:TAG:STRIDES:EXTRA", e.g. "src:f32::blocked:ab::f0". Properties are
/// a (the user left the format open: `user_kind`), p (padded), o (padded at the front) and 0 (an
/// offset); strides stand there only where the tensor has gaps. EXTRA is the flags, and the masks
/// of sums behind weights: "f9:s8m1:zpm2".
std::string describe(const memory_desc_t &md, const char *name, format_kind_t user_kind);

/// The same of a tensor that the user described by `user_md`.
inline std::string describe(
        const char *name, const memory_desc_t &md, const memory_desc_t &user_md) {
    return describe(md, name, user_md.format_kind);
}
/// The same of a tensor whose format the user cannot leave open.
inline std::string describe(const char *name, const memory_desc_t &md) {
    return describe(name, md, md);
}

/// The layout as a tag, e.g. "aBcd16b"; "*" where strides are left to execution time.
std::string describe_layout(const memory_desc_t &md);
/// The strides of a tensor that has gaps, as "64x1"; empty for a dense one.
std::string describe_gaps(const memory_desc_t &md);
/// "16x32"; "*" for what is left to execution time. Empty for the zero descriptor.
std::string describe_dims(const memory_desc_t &md);
/// Dims as batch, channels and spatial extents, "mb2ic16ih7iw7"; from 6 dims on as describe_dims().
std::string describe_image(const memory_desc_t &md);

/// "0.25", with six digits.
std::string describe_number(float value);
/// The attributes that are not at their defaults, e.g.
/// "attr-scratchpad:user attr-scales:src0:0:f32 attr-post-ops:eltwise_relu".
std::string describe(const primitive_attr_t &attr);

/// "engine,primitive,implementation,prop_kind,memory_descriptors,attributes,auxiliary,problem_desc".
std::string describe(const primitive_desc_t &pd);

} // namespace kiln
