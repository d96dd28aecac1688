// SPDX-License-Identifier: Apache-2.0
// What the descriptors of operations on any number of sources share.
#pragma once

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// `desc_t` has a list of descriptors `srcs`, and `dst`.
template <typename desc_t> class sources_pd_t : public operation_pd_t<desc_t> {
public:
    /// Fills the table of arguments.
    status_t init() {
        for (size_t i = 0; i < srcs().size(); ++i) {
            const int index = static_cast<int>(i);
            this->add_slot({DNNL_ARG_MULTIPLE_SRC + index, arg_use_t::input, &srcs()[i],
                    dnnl_query_src_md, index});
        }
        this->add_slot({DNNL_ARG_DST, arg_use_t::output, &dst_, dnnl_query_dst_md});
        this->add_attr_slots();
        return dnnl_success;
    }

    const std::vector<memory_desc_t> &srcs() const { return this->desc_.srcs; }
    const memory_desc_t &dst() const { return dst_; }

protected:
    sources_pd_t(primitive_kind_t kind, engine_t *engine, const desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint)
        : operation_pd_t<desc_t>(kind, engine, desc, attr, std::move(hint))
        , dst_(desc.dst) {}

    memory_desc_t dst_;
};

} // namespace kiln
