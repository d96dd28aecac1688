// SPDX-License-Identifier: Apache-2.0
// Default layouts of the normalizations' tensors, and their flags in verbose lines.

#include "common/operations/normalization/normalization_pd.hpp"

namespace kiln {

status_t resolve_gradients(const primitive_desc_t *hint, memory_desc_t &src,
        optional_memory_desc_t &diff_dst, optional_memory_desc_t &diff_src) {
    if (is_any(src)) {
        if (hint)
            KILN_TRY(follow(src, hint->md_of(DNNL_ARG_SRC)));
        else if (!is_any(diff_dst))
            KILN_TRY(follow(src, diff_dst));
        else if (!is_any(diff_src))
            KILN_TRY(follow(src, diff_src));
        else
            KILN_TRY(init_by_strides(src, src.ndims, src.dims, src.data_type, nullptr));
    }
    KILN_TRY(follow(diff_dst, src));
    return follow(diff_src, src);
}

std::string describe_normalization_flags(unsigned flags) {
    struct letter_t {
        unsigned flag;
        char letter;
    };
    constexpr letter_t letters[] = {
            {dnnl_use_global_stats, 'G'},
            {dnnl_use_scale, 'C'},
            {dnnl_use_shift, 'H'},
            {dnnl_fuse_norm_relu, 'R'},
            {dnnl_fuse_norm_add_relu, 'A'},
            {dnnl_rms_norm, 'M'},
    };
    std::string text;
    for (const letter_t &row : letters)
        if (flags & row.flag) text += row.letter;
    return text;
}

} // namespace kiln
