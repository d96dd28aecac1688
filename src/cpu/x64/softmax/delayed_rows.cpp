// SPDX-License-Identifier: Apache-2.0
// Softmax and logsoftmax forward on rows, where the results of a row are stored while the next
// row's exponentials are computed.

#include "cpu/x64/softmax/row_forward_kernel.hpp"

namespace kiln::x64::softmax {

void row_forward_kernel_t::write_delayed_rows() {
    delayed_row_t delayed{vec("maximum of the row before"), vec("sum of the row before"),
            gpr("kept elements of the row before"), gpr("dst of the row before"), {}, {}, {}};
    if (spec_.is_shifted) delayed.front.emplace(gpr("elements in front of a cache line"));
    if (spec_.is_shifted && !spec_.is_log) {
        delayed.lanes.emplace(vec("lanes from the first cache line on"));
        delayed.previous.emplace(vec("kept elements"));
    }
    const auto write = [&](delayed_row_t *before) {
        begin_row();
        const vec_t maximum = vec("maximum");
        find_maximum(maximum);
        const vec_t sum = sum_exponentials(maximum, before);
        finish_sum(sum, maximum);
        vmovups(delayed.maximum, *maximum);
        vmovups(delayed.sum, *sum);
        mov(delayed.kept, row_of(spec_.is_log ? spec_t::src : spec_.kept()));
        mov(delayed.dst, row_of(spec_t::dst));
        advance(offsetof(tiled_row_args_t, pitches));
        dec(rows());
    };
    Xbyak::Label row, last;
    mov(rows(), argument(offsetof(tiled_row_args_t, rows)));
    write(nullptr);
    jz(last, T_NEAR);
    L(row);
    write(&delayed);
    jnz(row, T_NEAR);
    L(last);
    begin_row();
    if (spec_.is_shifted) {
        store_delayed_front(delayed);
        return store_delayed_rest(delayed);
    }
    for_each_tile_of_row([&](const tile_t &tile) {
        for (int i = 0; i < tile.vectors; ++i) store_delayed_result(delayed, i, lanes_of(tile, i));
    });
}

void row_forward_kernel_t::store_delayed_result(delayed_row_t &row, int vector, int count) {
    if (spec_.is_shifted)
        return store_shifted_result(
                row, column() * size_of(dnnl_f32) + vector * lanes() * size_of(dnnl_f32));
    const vec_t y = vec("y");
    const auto at_row = [&](const gpr_t &address, data_type_t type) {
        return *address + column() * size_of(type) + vector * elements() * size_of(type);
    };
    const data_type_t kept = spec_.is_log ? spec_.types[spec_t::src] : dnnl_f32;
    const data_type_t type = spec_.types[spec_t::dst];
    io_.load(y, kept, at_row(row.kept, kept), count);
    find_result(y, row.maximum, row.sum);
    store_result(y, vector, count, at_row(row.dst, type));
}

void row_forward_kernel_t::store_delayed_front(delayed_row_t &row) {
    const Reg64 &front = **row.front;
    find_front(front, *row.dst, spec_t::dst);
    const vec_t y = vec("y");
    vmovups(y, ptr[*row.kept]);
    if (row.lanes) {
        vmovups(*row.previous, *y);
        vpbroadcastd(*row.lanes, front.cvt32());
        vpaddd(*row.lanes, *row.lanes, constant_lanes([](uint32_t lane) { return lane; }));
    } else {
        lea(*row.kept, ptr[*row.kept + front * size_of(dnnl_f32)]);
    }
    store_delayed_part(row, y, front);
    lea(*row.dst, ptr[*row.dst + front * size_of(dnnl_f32)]);
}

void row_forward_kernel_t::store_delayed_rest(delayed_row_t &row) {
    const gpr_t count = gpr("results left", left());
    sub(*count, **row.front);
    for (const gpr_t *address : {&row.kept, &row.dst})
        lea(**address, ptr[**address + column() * size_of(dnnl_f32)]);
    Xbyak::Label again, rest;
    L(again);
    cmp(*count, lanes());
    jl(rest, T_NEAR);
    store_shifted_result(row, RegExp());
    for (const gpr_t *address : {&row.kept, &row.dst}) add(**address, lanes() * size_of(dnnl_f32));
    sub(*count, lanes());
    jmp(again, T_NEAR);
    L(rest);
    const vec_t y = vec("y");
    if (row.lanes) {
        load_shifted(y, row, RegExp());
    } else {
        const mask_t part = mask("part");
        set_first_lanes(*part, *count);
        vmovups(zmm(y) | *part | T_z, ptr[*row.kept]);
    }
    store_delayed_part(row, y, *count);
}

void row_forward_kernel_t::for_each_tile_of_both(
        delayed_row_t &before, const function_ref_t<void(const tile_t &)> &write_tile) {
    store_delayed_front(before);
    const int width = vectors_of_tile * lanes();
    const gpr_t needed = gpr("elements left where both rows have a tile");
    lea(*needed, ptr[**before.front + width]);
    Xbyak::Label again, rest;
    L(again);
    cmp(left(), *needed);
    jl(rest, T_NEAR);
    write_tile({vectors_of_tile, lanes()});
    add(column(), width);
    sub(left(), width);
    jmp(again, T_NEAR);
    L(rest);
    store_delayed_rest(before);
}

void row_forward_kernel_t::load_shifted(const vec_t &y, delayed_row_t &row, const RegExp &offset) {
    if (!row.lanes) return vmovups(y, ptr[*row.kept + offset]);
    vmovups(y, **row.previous);
    vmovups(*row.previous, ptr[*row.kept + offset + lanes() * size_of(dnnl_f32)]);
    vpermt2ps(*y, *row.lanes, *row.previous);
}

void row_forward_kernel_t::store_shifted_result(delayed_row_t &row, const RegExp &offset) {
    const vec_t y = vec("y");
    load_shifted(y, row, offset);
    find_result(y, row.maximum, row.sum);
    store_result(y, 0, lanes(), *row.dst + offset);
}

void row_forward_kernel_t::store_delayed_part(
        const delayed_row_t &row, const vec_t &y, const Reg64 &count) {
    const mask_t part = mask("part");
    set_first_lanes(*part, count);
    find_result(y, row.maximum, row.sum);
    finish_result(y, 0, lanes());
    vmovups(ptr[*row.dst] | *part, zmm(y));
}

} // namespace kiln::x64::softmax
