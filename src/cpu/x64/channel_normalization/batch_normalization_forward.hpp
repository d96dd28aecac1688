// SPDX-License-Identifier: Apache-2.0
// Batch normalization forward: every channel has statistics of its own.
#pragma once

#include "common/operations/batch_normalization_pd.hpp"
#include "cpu/x64/channel_normalization/channels_forward.hpp"

namespace kiln::x64::channel_normalization {

class batch_normalization_forward_t : public channels_forward_t {
public:
    batch_normalization_forward_t(const batch_normalization_pd_t &pd, channel_plan_t plan)
        : channels_forward_t(desc_of(pd), std::move(plan))
        , channel_size_(pd.channel_size()) {}

    static channels_forward_desc_t desc_of(const batch_normalization_pd_t &pd);

private:
    dim_t units_per_statistics_group() const override { return 1; }
    dim_t tasks_per_statistics_group() const override { return channel_ranges(plan()); }
    bool finish(const execution_t &e, dim_t unit, dim_t part, bool is_last) const override;
    void take_given(const execution_t &e, dim_t first, dim_t end) const override;

    const dim_t channel_size_;
};

} // namespace kiln::x64::channel_normalization
