// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

namespace kiln::test {
namespace {

using dnnl::memory;
constexpr memory::dim rows = 2000, columns = 64;

dnnl::layer_normalization_backward::primitive_desc make_desc(const dnnl::engine &engine) {
    using namespace dnnl;
    const memory::desc data({rows, columns}, memory::data_type::f32, memory::format_tag::ab);
    const auto flags = normalization_flags::use_scale | normalization_flags::use_shift;
    const layer_normalization_forward::primitive_desc forward(
            engine, prop_kind::forward_training, data, data, 1e-5f, flags);
    return {engine, prop_kind::backward, data, data, data, 1e-5f, flags, forward};
}

} // namespace

work_t::work_t()
    : engine_(dnnl::engine::kind::cpu, 0)
    , desc_(make_desc(engine_))
    , primitive_(desc_)
    , src_(filled(desc_.src_desc(), 1))
    , diff_dst_(filled(desc_.diff_dst_desc(), 2))
    , mean_(filled(desc_.mean_desc(), 3))
    , variance_(filled(desc_.variance_desc(), 4))
    , scale_(filled(desc_.weights_desc(), 5)) {}

memory work_t::filled(const memory::desc &desc, int seed) const {
    memory result(desc, engine_);
    auto *const values = static_cast<float *>(result.get_data_handle());
    for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i)
        values[i] = static_cast<float>((i * 37 + static_cast<size_t>(seed) * 11) % 101) / 101 + .1f;
    return result;
}

std::vector<float> work_t::run(dnnl::stream &stream) const {
    const memory diff_src(desc_.diff_src_desc(), engine_);
    const memory diff_scale(desc_.diff_weights_desc(), engine_);
    const memory diff_shift(desc_.diff_weights_desc(), engine_);
    primitive_.execute(
            stream, {{DNNL_ARG_SRC, src_}, {DNNL_ARG_DIFF_DST, diff_dst_}, {DNNL_ARG_MEAN, mean_},
                            {DNNL_ARG_VARIANCE, variance_}, {DNNL_ARG_SCALE, scale_},
                            {DNNL_ARG_DIFF_SRC, diff_src}, {DNNL_ARG_DIFF_SCALE, diff_scale},
                            {DNNL_ARG_DIFF_SHIFT, diff_shift}});
    stream.wait();
    std::vector<float> results;
    for (const memory *output : {&diff_src, &diff_scale, &diff_shift}) {
        const auto *const values = static_cast<const float *>(output->get_data_handle());
        results.insert(
                results.end(), values, values + output->get_desc().get_size() / sizeof(float));
    }
    return results;
}

} // namespace kiln::test
