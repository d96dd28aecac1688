// SPDX-License-Identifier: Apache-2.0
// Loads of the elements of a row block.

#include "cpu/x64/rows/row_source.hpp"

#include "cpu/x64/jit/lane_conversion.hpp"

namespace kiln::x64 {

using jit::vec_t;
using Xbyak::RegExp;
using Xbyak::Xmm;

void row_source_t::load_first(const Xmm &x, int row, int copy, int count) const {
    const auto load = [&](const Xmm &to, data_type_t type, const RegExp &at) {
        walk_.io().load(to, type, at, count);
    };
    const auto store_sum = [&](const Xmm &elements) {
        const jit::pitched_rows_t &sum = *src_.added->sum;
        walk_.io().store_packed(elements, g_.size_of(sum.type), walk_.at(sum, row, copy), count,
                jit::store_t::ordinary);
    };
    fetch(x, row, copy, load, store_sum);
}

void row_source_t::load(const Xmm &x, int row, int copy, int count) const {
    if (src_.added && src_.added->sum) {
        const jit::pitched_rows_t &sum = *src_.added->sum;
        return walk_.io().load(x, sum.type, walk_.at(sum, row, copy), count);
    }
    load_first(x, row, copy, count);
}

void row_source_t::copy_sum(const jit::pitched_rows_t &to, int row, int copy, int count) const {
    const jit::pitched_rows_t &sum = *src_.added->sum;
    const vec_t elements = g_.vec("elements of the sum");
    walk_.io().load_packed(elements, g_.size_of(sum.type), walk_.at(sum, row, copy));
    walk_.io().store_packed(elements, g_.size_of(sum.type), walk_.at(to, row, copy), count,
            jit::store_t::non_temporal);
}

void row_source_t::load_four(const Xmm &x, int row) const {
    fetch(x, row, 0, [&](const Xmm &to, data_type_t type, const RegExp &at) {
        walk_.io().load_four(to, type, at);
    });
}

void row_source_t::min_of_four(const Xmm &x, int row, const Xmm &scratch) const {
    if (src_.src.type == dnnl_f32 && !src_.added)
        return g_.vminps(g_.xmm(x), g_.xmm(x), g_.ptr[walk_.at(src_.src, row, 0)]);
    load_four(scratch, row);
    g_.vminps(g_.xmm(x), g_.xmm(x), g_.xmm(scratch));
}

void row_source_t::load_broadcast(const Xmm &x, int row) const {
    fetch(x, row, 0, [&](const Xmm &to, data_type_t type, const RegExp &at) {
        walk_.io().load_broadcast(to, type, at);
    });
}

void row_source_t::fetch(
        const Xmm &x, int row, int copy, const load_t &load, const store_sum_t &store_sum) const {
    load(x, src_.src.type, walk_.at(src_.src, row, copy));
    if (!src_.added) return;
    {
        const jit::pitched_rows_t &src_1 = src_.added->src_1;
        const vec_t other = g_.vec("src_1");
        load(other, src_1.type, walk_.at(src_1, row, copy));
        g_.vaddps(g_.full(x), g_.full(x), *other);
    }
    if (src_.added->sum) round(g_.full(x), store_sum);
}

void row_source_t::round(const Xmm &x, const store_sum_t &store_sum) const {
    const data_type_t type = src_.added->sum->type;
    if (type == dnnl_f32) {
        if (store_sum) store_sum(x);
        return;
    }
    const vec_t packed = g_.vec("sum");
    jit::pack(g_, packed, type, x);
    if (store_sum) store_sum(packed);
    jit::expand_packed(g_, x, type, packed);
}

} // namespace kiln::x64
