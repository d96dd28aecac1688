// SPDX-License-Identifier: Apache-2.0
// What specs of forward kernels take over from a primitive descriptor, whatever the shape of work.
#pragma once

#include "common/operations/layer_normalization_pd.hpp"
#include "cpu/x64/layer_normalization/statistics.hpp"

namespace kiln::x64::layer_normalization {

statistics_t statistics_of(const layer_normalization_pd_t &pd);

// undef where there is none.
data_type_t scale_type_of(const layer_normalization_pd_t &pd);
data_type_t shift_type_of(const layer_normalization_pd_t &pd);
/// Of the quantization scale of DNNL_ARG_SRC or DNNL_ARG_DST.
data_type_t quantization_type_of(const layer_normalization_pd_t &pd, int arg);

} // namespace kiln::x64::layer_normalization
