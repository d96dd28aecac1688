// SPDX-License-Identifier: Apache-2.0
// What specs of forward kernels take over from a primitive descriptor.

#include "cpu/x64/layer_normalization/layer_normalization_spec.hpp"

namespace kiln::x64::layer_normalization {

statistics_t statistics_of(const layer_normalization_pd_t &pd) {
    if (pd.reads_stats()) return statistics_t::given;
    return pd.writes_stats() ? statistics_t::computed_and_stored : statistics_t::computed;
}

data_type_t scale_type_of(const layer_normalization_pd_t &pd) {
    return pd.uses_scale() ? pd.scale_shift().data_type : dnnl_data_type_undef;
}

data_type_t shift_type_of(const layer_normalization_pd_t &pd) {
    return pd.uses_shift() ? pd.scale_shift().data_type : dnnl_data_type_undef;
}

data_type_t quantization_type_of(const layer_normalization_pd_t &pd, int arg) {
    const auto scale = pd.attr().scales.find(arg);
    return scale == pd.attr().scales.end() ? dnnl_data_type_undef : scale->second.data_type;
}

} // namespace kiln::x64::layer_normalization
