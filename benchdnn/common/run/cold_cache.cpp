// SPDX-License-Identifier: Apache-2.0
// Measuring with arguments that are in no cache. Cache lines are flushed one by one before each
// call, which works for problems of any size and needs no other memory.
#include "common/run/cold_cache.hpp"

#include <emmintrin.h>

namespace benchdnn {

namespace {

constexpr size_t line_bytes = 64, page_bytes = 4096;

// Weights, scale and shift.
bool is_weight(int id) {
    return id == DNNL_ARG_WEIGHTS || id == DNNL_ARG_SCALE || id == DNNL_ARG_SHIFT;
}

} // namespace

cold_cache_t::cold_cache_t(const cold_cache_settings_t &settings, const arguments_t &arguments) {
    using mode_t = cold_cache_settings_t::mode_t;
    if (settings.mode == mode_t::none) return;
    covers_all_ = settings.mode == mode_t::all;
    for (const int id : arguments.ids())
        if (settings.mode == mode_t::all ? id != DNNL_ARG_SCRATCHPAD : is_weight(id))
            flushed_.push_back(&arguments.at(id));
    if (is_enabled()) walked_.resize(settings.tlb_bytes);
}

void cold_cache_t::flush() {
    for (size_t at = 0; at < walked_.size(); at += page_bytes) walked_[at] += 1;
    for (const tensor_t *tensor : flushed_) {
        const unsigned char *begin = tensor->data();
        for (size_t at = 0; at < tensor->buffer().bytes(); at += line_bytes)
            _mm_clflush(begin + at);
        if (tensor->buffer().bytes() > 0) _mm_clflush(begin + tensor->buffer().bytes() - 1);
    }
    _mm_mfence();
}

} // namespace benchdnn
