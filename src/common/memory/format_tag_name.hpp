// SPDX-License-Identifier: Apache-2.0
// The names of format tags, both ways.
#pragma once

#include "oneapi/dnnl/dnnl_types.h"

namespace kiln {

// The canonical name of a tag: letters of axes and blocks ("abcd", "aBcd16b"), "undef" or "any".
// nullptr for a number that is no tag, dnnl_format_tag_last included.
const char *format_tag_name(dnnl_format_tag_t tag);

// The tag with this name, canonical or one of the aliases ("nchw", "OIhw16i16o"); case matters.
// dnnl_format_tag_undef if there is none, or no name.
dnnl_format_tag_t format_tag_from_name(const char *name);

} // namespace kiln
