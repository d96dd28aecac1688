// SPDX-License-Identifier: Apache-2.0
// Group normalization (instance normalization with a channel a group): the problem as plain data
// and its descriptor.
#pragma once

#include "common/operations/normalization/normalization_pd.hpp"

namespace kiln {

/// src is N x C x spatial axes. Each sample's group of neighbouring channels has statistics of its
/// own, over its channels and all spatial axes; scale and shift are per channel.
struct group_normalization_desc_t {
    using pd_t = class group_normalization_pd_t;
    static constexpr const char *component = "gnorm";

    prop_kind_t prop_kind;
    unsigned flags; // dnnl_use_global_stats, _use_scale, _use_shift
    float epsilon;
    dim_t groups; // divides C
    memory_desc_t src;
    optional_memory_desc_t dst;
    optional_memory_desc_t diff_src;
    optional_memory_desc_t diff_dst;

    auto fields() const {
        return std::tie(
                prop_kind, flags, epsilon, groups, src, dst.get(), diff_src.get(), diff_dst.get());
    }
};

/// stat() is N x groups, scale_shift() and diff_scale_shift() are of C
/// elements, all f32 and dense in this order.
class group_normalization_pd_t : public normalization_pd_t<group_normalization_desc_t> {
public:
    group_normalization_pd_t(engine_t *engine, const group_normalization_desc_t &desc,
            const primitive_attr_t *attr, std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` their default layout.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<group_normalization_pd_t>> implementations();

    status_t query(query_t what, int index, void *result) const override;

    dim_t samples() const { return src_.dims[0]; }
    dim_t channels() const { return src_.dims[1]; }
    dim_t groups() const { return desc_.groups; }
    dim_t channels_per_group() const { return channels() / groups(); }
    /// Elements of a sample's channel, and of a sample's group: what a mean is over.
    dim_t plane_size() const;
    dim_t group_size() const { return channels_per_group() * plane_size(); }
    /// What ranks send each other.
    rank_message_size_t message_size() const {
        return {.statistics = combines_statistics() ? samples() * groups() : 0,
                .weights = combines_weight_gradients() ? channels() : 0};
    }
};

} // namespace kiln
