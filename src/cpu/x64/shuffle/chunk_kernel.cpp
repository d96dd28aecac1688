// SPDX-License-Identifier: Apache-2.0
// The kernel that gathers chunks of 16 bytes.

#include "cpu/x64/shuffle/chunk_kernel.hpp"

#include <cstddef>
#include <deque>

namespace kiln::x64::shuffle {

using jit::gpr_t;
using jit::vec_t;

std::string chunk_spec_t::name() const {
    return jit::kernel_name("shuffle_chunk_of_" + std::to_string(sources), {}, isa);
}

chunk_kernel_t::chunk_kernel_t(const chunk_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec) {}

void chunk_kernel_t::generate() {
    const auto low = [](const vec_t &vec) { return Xbyak::Xmm((*vec).getIdx()); };
    const gpr_t dst = gpr("dst"), left = gpr("chunks left");
    std::deque<gpr_t> sources;
    std::deque<vec_t> patterns;
    mov(*left, argument(offsetof(chunk_args_t, patterns)));
    for (int i = 0; i < spec_.sources; ++i) {
        sources.push_back(gpr("source"));
        mov(*sources.back(),
                argument(offsetof(chunk_args_t, sources) + sizeof(void *) * size_t(i)));
        patterns.push_back(vec("pattern"));
        vmovups(low(patterns.back()), ptr[*left + i * chunk_bytes]);
    }
    mov(*dst, argument(offsetof(chunk_args_t, dst)));
    mov(*left, argument(offsetof(chunk_args_t, count)));
    const vec_t result = vec("result"), other = vec("bytes of another source");
    Xbyak::Label again;
    L(again);
    for (size_t i = 0; i < sources.size(); ++i) {
        const Xbyak::Xmm bytes = low(i == 0 ? result : other);
        vmovups(bytes, ptr[*sources[i]]);
        vpshufb(bytes, bytes, low(patterns[i]));
        if (i > 0) vorps(low(result), low(result), bytes);
        add(*sources[i], argument(offsetof(chunk_args_t, src_pitch)));
    }
    vmovups(ptr[*dst], low(result));
    add(*dst, argument(offsetof(chunk_args_t, dst_pitch)));
    dec(*left);
    jnz(again, T_NEAR);
}

} // namespace kiln::x64::shuffle
