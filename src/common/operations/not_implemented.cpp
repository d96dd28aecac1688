// SPDX-License-Identifier: Apache-2.0
// Exported functions that are not implemented: programs link, and the functions return
// dnnl_unimplemented. The rows of an operation are removed when it is implemented.

#include "common/verbose/verbose.hpp"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_threadpool.h"

namespace {

dnnl_status_t not_yet(const char *component, const char *function, int line) {
    kiln::verbose::refuse(kiln::verbose::create_check, component, __FILE__, line,
            "%s is not implemented yet", function);
    return dnnl_unimplemented;
}

// Short names for what the rows repeat.
using new_pd_t = dnnl_primitive_desc_t;
using hint_t = const_dnnl_primitive_desc_t;
using attr_t = const_dnnl_primitive_attr_t;
using md_t = const_dnnl_memory_desc_t;
using engine_t = dnnl_engine_t;
using stream_t = dnnl_stream_t;
using prop_t = dnnl_prop_kind_t;
using alg_t = dnnl_alg_kind_t;
using direction_t = dnnl_rnn_direction_t;
using dim_t = dnnl_dim_t;
using sizes_t = const dnnl_dim_t *;

} // namespace

// A row: the component's name in verbose lines, the function, the types of its parameters.
#define NOT_YET(component, function, parameters)                                                   \
    dnnl_status_t function parameters { return not_yet(#component, #function, __LINE__); }

// Convolution
NOT_YET(convolution, dnnl_convolution_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, md_t, md_t, md_t, md_t, sizes_t, sizes_t, sizes_t,
                sizes_t, attr_t))
NOT_YET(convolution, dnnl_convolution_backward_data_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, md_t, md_t, md_t, sizes_t, sizes_t, sizes_t, sizes_t, hint_t,
                attr_t))
NOT_YET(convolution, dnnl_convolution_backward_weights_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, md_t, md_t, md_t, md_t, sizes_t, sizes_t, sizes_t, sizes_t,
                hint_t, attr_t))

// Deconvolution
NOT_YET(deconvolution, dnnl_deconvolution_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, md_t, md_t, md_t, md_t, sizes_t, sizes_t, sizes_t,
                sizes_t, attr_t))
NOT_YET(deconvolution, dnnl_deconvolution_backward_data_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, md_t, md_t, md_t, sizes_t, sizes_t, sizes_t, sizes_t, hint_t,
                attr_t))
NOT_YET(deconvolution, dnnl_deconvolution_backward_weights_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, md_t, md_t, md_t, md_t, sizes_t, sizes_t, sizes_t, sizes_t,
                hint_t, attr_t))

// Pooling
NOT_YET(pooling, dnnl_pooling_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, md_t, md_t, sizes_t, sizes_t, sizes_t, sizes_t,
                sizes_t, attr_t))
NOT_YET(pooling, dnnl_pooling_backward_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, md_t, md_t, sizes_t, sizes_t, sizes_t, sizes_t, sizes_t,
                hint_t, attr_t))

// Local response normalization
NOT_YET(lrn, dnnl_lrn_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, md_t, md_t, dim_t, float, float, float, attr_t))
NOT_YET(lrn, dnnl_lrn_backward_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, md_t, md_t, md_t, dim_t, float, float, float, hint_t, attr_t))

// Recurrent networks
NOT_YET(rnn, dnnl_vanilla_rnn_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                unsigned, float, float, attr_t))
NOT_YET(rnn, dnnl_vanilla_rnn_backward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, md_t, md_t, md_t, md_t, unsigned, float, float, hint_t, attr_t))
NOT_YET(rnn, dnnl_lstm_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, unsigned, attr_t))
NOT_YET(rnn, dnnl_lstm_backward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                unsigned, hint_t, attr_t))
NOT_YET(rnn, dnnl_gru_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                unsigned, attr_t))
NOT_YET(rnn, dnnl_gru_backward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, md_t, md_t, md_t, unsigned, hint_t, attr_t))
NOT_YET(rnn, dnnl_lbr_gru_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                unsigned, attr_t))
NOT_YET(rnn, dnnl_lbr_gru_backward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, md_t, md_t, md_t, unsigned, hint_t, attr_t))
NOT_YET(rnn, dnnl_augru_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                unsigned, attr_t))
NOT_YET(rnn, dnnl_augru_backward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, unsigned, hint_t, attr_t))
NOT_YET(rnn, dnnl_lbr_augru_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                unsigned, attr_t))
NOT_YET(rnn, dnnl_lbr_augru_backward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, direction_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t,
                md_t, md_t, md_t, md_t, md_t, md_t, md_t, md_t, unsigned, hint_t, attr_t))

// Resampling
NOT_YET(resampling, dnnl_resampling_forward_primitive_desc_create,
        (new_pd_t *, engine_t, prop_t, alg_t, const float *, md_t, md_t, attr_t))
NOT_YET(resampling, dnnl_resampling_backward_primitive_desc_create,
        (new_pd_t *, engine_t, alg_t, const float *, md_t, md_t, hint_t, attr_t))
