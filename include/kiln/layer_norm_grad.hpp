// SPDX-License-Identifier: Apache-2.0
// kiln::layer_norm_grad: the C++ form of layer_norm_grad.h. Failures throw dnnl::error.
#ifndef KILN_LAYER_NORM_GRAD_HPP
#define KILN_LAYER_NORM_GRAD_HPP

#include <vector>

#include "kiln/layer_norm_grad.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace kiln {

class layer_norm_grad {
public:
    /// The problem; the C struct documents the fields.
    struct desc {
        dnnl::memory::dims dims;
        int begin_norm_axis = -1;
        dnnl::memory::data_type x_type = dnnl::memory::data_type::f32;
        dnnl::memory::data_type stat_type = dnnl::memory::data_type::f32;
        dnnl::memory::data_type gamma_type = dnnl::memory::data_type::f32;
        unsigned output_mask = kiln_pd_x | kiln_pd_gamma | kiln_pd_beta;
        kiln_given_t given = kiln_given_variance;
        float epsilon = 1e-5f;
    };

    layer_norm_grad(const dnnl::engine &engine, const desc &what)
        : engine_(engine) {
        const auto to_c = [](dnnl::memory::data_type type) {
            return static_cast<dnnl_data_type_t>(type);
        };
        const kiln_layer_norm_grad_desc_t c_desc = {static_cast<int>(what.dims.size()),
                what.dims.data(), what.begin_norm_axis, to_c(what.x_type), to_c(what.stat_type),
                to_c(what.gamma_type), what.output_mask, what.given, what.epsilon};
        dnnl::error::wrap_c_api(kiln_layer_norm_grad_create(&grad_, engine_.get(), &c_desc),
                "cannot create a gradient of a layer normalization; ONEDNN_VERBOSE=all says why");
    }
    ~layer_norm_grad() { kiln_layer_norm_grad_destroy(&grad_); }
    layer_norm_grad(const layer_norm_grad &) = delete;
    layer_norm_grad &operator=(const layer_norm_grad &) = delete;

    /// The operator's inputs, by name: a swap of variance and mean would not be noticed.
    struct inputs {
        const void *dy, *x, *variance, *mean, *gamma;
    };
    /// Its outputs; those that the mask leaves away may be null.
    struct outputs {
        void *pd_x, *pd_gamma, *pd_beta;
    };
    void execute(const dnnl::stream &stream, const inputs &in, const outputs &out) const {
        dnnl::error::wrap_c_api(
                kiln_layer_norm_grad_execute(&grad_, stream.get(), in.dy, in.x, in.variance,
                        in.mean, in.gamma, out.pd_x, out.pd_gamma, out.pd_beta),
                "cannot compute a gradient of a layer normalization; ONEDNN_VERBOSE=all says why");
    }

private:
    dnnl::engine engine_;
    kiln_layer_norm_grad_t grad_;
};

} // namespace kiln

#endif
