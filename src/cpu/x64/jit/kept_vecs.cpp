// SPDX-License-Identifier: Apache-2.0
// Vectors that instructions read as their last operand.

#include "cpu/x64/jit/kept_vecs.hpp"

#include <cassert>

namespace kiln::x64::jit {

kept_vecs_t::kept_vecs_t(generator_t &g, const char *name, int count)
    : g_(g) {
    constexpr int red_zone = 128;
    const int size = g.lanes() * static_cast<int>(sizeof(float));
    const bool has_few_vectors = vectors_of(g.isa()) < 32;
    assert(!has_few_vectors || count * size <= red_zone);
    for (int i = 0; i < count; ++i) {
        if (has_few_vectors)
            places_.push_back(g.yword[g.rsp - red_zone + i * size]);
        else
            registers_.push_back(g.vec(name));
    }
}

const Xbyak::Operand &kept_vecs_t::operator[](int i) const {
    if (places_.empty()) return *registers_[i];
    return places_[i];
}

void kept_vecs_t::set(int i, const Xmm &vec) const {
    if (places_.empty())
        g_.vmovaps(*registers_[i], vec);
    else
        g_.vmovups(places_[i], vec);
}

void kept_vecs_t::write(int i, const function_ref_t<void(const Xmm &)> &body) const {
    if (places_.empty()) return body(*registers_[i]);
    const vec_t vec = g_.vec("vector to keep");
    body(vec);
    g_.vmovups(places_[i], *vec);
}

} // namespace kiln::x64::jit
