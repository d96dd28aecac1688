// SPDX-License-Identifier: Apache-2.0
// The kernel that transposes.

#include "cpu/x64/nests/tile_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/jit/lane_conversion.hpp"
#include "cpu/x64/jit/square_load.hpp"

namespace kiln::x64::nests {

namespace {

/// Bytes of a line in registers: a power of two of lanes.
int padded_bytes(int line_bytes) {
    return static_cast<int>(std::bit_ceil((static_cast<unsigned>(line_bytes) + 3) / 4)) * 4;
}

} // namespace

int tile_spec_t::most_rows() const {
    return static_cast<int>(cache_line_bytes) / (cell * jit::generator_t::size_of(dst_type));
}

std::string tile_spec_t::name() const {
    const bool clamps = clamp != dnnl_data_type_undef;
    return jit::kernel_name(clamps ? "nest_tile_clamped" : "nest_tile", {src_type, dst_type}, isa);
}

struct tile_kernel_t::registers_t {
    explicit registers_t(tile_kernel_t &k)
        : src(k.gpr("src of the tile", k.argument(offsetof(tile_args_t, src))))
        , dst(k.gpr("dst of the tile", k.argument(offsetof(tile_args_t, dst))))
        , column(k.gpr("src of the vector"))
        , row(k.gpr("src of the row"))
        , first_line(k.gpr("dst of the vector"))
        , line(k.gpr("dst of the line"))
        , row_stride(k.gpr("row stride", k.argument(offsetof(tile_args_t, src_row_stride))))
        , line_stride(k.gpr("line stride", k.argument(offsetof(tile_args_t, dst_line_stride))))
        , tiles(k.gpr("tiles left", k.argument(offsetof(tile_args_t, tiles))))
        , vectors(k.gpr("vectors left"))
        , interleave(k, k.spec_.cell) {}
    gpr_t src, dst, column, row, first_line, line, row_stride, line_stride, tiles, vectors;
    jit::interleave_t interleave;
};

tile_kernel_t::tile_kernel_t(const tile_spec_t &spec)
    : generator_t(spec.isa, spec.name())
    , spec_(spec)
    , src_size_(size_of(spec.src_type))
    , dst_size_(size_of(spec.dst_type))
    , cell_size_(spec.keeps_lanes ? 4 * spec.cell : dst_size_ * spec.cell)
    , vector_size_(spec.keeps_lanes ? lanes() * dst_size_ : lanes() * 4)
    , io_(*this) {}

void tile_kernel_t::generate() {
    registers_t r(*this);
    if (spec_.tail != 0) io_.prepare_tail(spec_.tail * spec_.cell);
    if (spec_.lines_outside)
        write_columns(r);
    else
        write_tiles(r);
    io_.release();
}

void tile_kernel_t::write_tiles(registers_t &r) {
    repeat(*r.tiles, [&] {
        write_tile(r);
        add(*r.src, argument(offsetof(tile_args_t, src_tile_stride)));
        add(*r.dst, argument(offsetof(tile_args_t, dst_tile_stride)));
    });
}

void tile_kernel_t::write_tile(registers_t &r) {
    Xbyak::Label last;
    mov(*r.column, *r.src);
    mov(*r.first_line, *r.dst);
    const auto write = [&](int count, bool is_last) {
        write_lines(r, count, is_last);
        mov(*r.first_line, *r.line);
        add(*r.column, lanes() * src_size_);
    };
    for_each_vector(
            r,
            [&] {
                if (overlaps()) {
                    cmp(*r.vectors, 1);
                    je(last, T_NEAR);
                }
                write(spec_.lines_of_vector(), !overlaps());
            },
            [&] {
                if (!overlaps()) return;
                L(last);
                write(spec_.lines_of_vector(), true);
            },
            [&] { write(spec_.tail, true); });
}

/// Visits the same lines of all tiles before the next lines, so that few streams are written at a
/// time.
void tile_kernel_t::write_columns(registers_t &r) {
    const auto write = [&](int count) {
        mov(*r.column, *r.src);
        mov(*r.first_line, *r.dst);
        mov(*r.tiles, argument(offsetof(tile_args_t, tiles)));
        repeat(*r.tiles, [&] {
            write_lines(r, count, true);
            add(*r.column, argument(offsetof(tile_args_t, src_tile_stride)));
            add(*r.first_line, argument(offsetof(tile_args_t, dst_tile_stride)));
        });
    };
    for_each_vector(
            r,
            [&] {
                write(spec_.lines_of_vector());
                add(*r.src, lanes() * src_size_);
                imul(*r.line, *r.line_stride, spec_.lines_of_vector());
                add(*r.dst, *r.line);
            },
            [] {}, [&] { write(spec_.tail); });
}

/// Writes a loop of `body` over whole vectors, `last` behind it, and `tail`. A call without whole
/// vectors does not reach `last`.
void tile_kernel_t::for_each_vector(registers_t &r, const function_ref_t<void()> &body,
        const function_ref_t<void()> &last, const function_ref_t<void()> &tail) {
    Xbyak::Label tail_begins;
    mov(*r.vectors, argument(offsetof(tile_args_t, vectors)));
    test(*r.vectors, *r.vectors);
    jz(tail_begins, T_NEAR);
    repeat(*r.vectors, body);
    last();
    L(tail_begins);
    if (spec_.tail != 0) unless_zero(argument(offsetof(tile_args_t, has_tail)), tail);
}

void tile_kernel_t::write_lines(registers_t &r, int count, bool is_last) {
    mov(*r.row, *r.column);
    for (int first_row = 0; first_row < cells_of_line(); first_row += rows_of_group()) {
        const group_t group = this->group(first_row);
        mov(*r.line, *r.first_line);
        const bool is_square = is_square_of_lanes(group, count);
        const vecs_t vecs = is_square ? jit::square_load_t(*this)(r.row, r.row_stride)
                                      : load_rows(r, group, count);
        std::vector<Xmm> lines;
        for (const vec_t &vec : vecs) {
            if (spec_.clamp != dnnl_data_type_undef) jit::clamp_bytes(*this, vec, spec_.clamp);
            lines.push_back(*vec);
        }
        const int used = (count * group.lane_bytes - 1) / (lanes() * 4) + 1;
        if (!is_square) r.interleave.transpose(lines, static_cast<size_t>(used));
        if (spec_.keeps_lanes && spec_.dst_type != dnnl_f32) pack_vectors(lines, used);
        if (spec_.is_dense && has_one_group() && group.line_bytes == group.dst_bytes)
            store_dense(r, group, lines, count);
        else
            store_apart(r, group, lines, count, is_last);
    }
}

tile_kernel_t::group_t tile_kernel_t::group(int first_row) const {
    group_t group;
    group.rows = std::clamp(spec_.rows - first_row, 0, rows_of_group());
    const int cells = std::min(cells_of_line() - first_row, rows_of_group());
    group.lane_bytes = padded_bytes(group.rows * cell_size_);
    group.line_bytes = cells * spec_.cell * dst_size_;
    group.dst_bytes = spec_.keeps_lanes ? group.lane_bytes / 4 * dst_size_ : group.lane_bytes;
    group.offset = first_row * spec_.cell * dst_size_;
    return group;
}

bool tile_kernel_t::is_square_of_lanes(const group_t &group, int count) const {
    return spec_.src_type == spec_.dst_type && src_size_ == 4 && spec_.cell == 1
           && group.rows == lanes() && count == lanes();
}

bool tile_kernel_t::overlaps() const {
    const group_t all = group(0);
    return spec_.is_dense && has_one_group() && all.line_bytes < all.dst_bytes;
}

void tile_kernel_t::pack_vectors(const std::vector<Xmm> &vecs, int count) {
    for (int i = 0; i < count; ++i) {
        const vec_t packed = vec("packed");
        const Xmm &vec = vecs[static_cast<size_t>(i)];
        jit::pack(*this, packed, spec_.dst_type, vec, jit::subnormals_of(spec_.src_type));
        vmovaps(vec, packed);
    }
}

jit::vecs_t tile_kernel_t::load_rows(registers_t &r, const group_t &group, int count) {
    vecs_t packed;
    const int together = std::max(1, 4 / cell_size_); // rows in a lane
    for (int row = 0; row < group.lane_bytes / cell_size_; ++row) {
        const int place = row % together;
        if (place == 0) packed.push_back(vec("row"));
        const vec_t &lane = packed.back();
        if (row >= group.rows) {
            if (place == 0) set_zero(lane);
            continue;
        }
        if (place == 0) {
            load_row(lane, r, count);
        } else {
            const vec_t x = vec("x");
            load_row(x, r, count);
            vpslld(*x, *x, 8 * dst_size_ * place);
            vorps(*lane, *lane, *x);
        }
        add(*r.row, *r.row_stride);
    }
    return packed;
}

/// Elements in the type of dst or, with keeps_lanes, as floats; each in a lane.
void tile_kernel_t::load_row(const Xmm &to, registers_t &r, int count) {
    const int elements = count * spec_.cell;
    if (spec_.src_type == spec_.dst_type) return io_.load_bits(to, dst_size_, *r.row, elements);
    io_.load(to, spec_.src_type, *r.row, elements);
    if (spec_.dst_type == dnnl_f32 || spec_.keeps_lanes) return;
    const vec_t packed = vec("packed");
    jit::pack(*this, packed, spec_.dst_type, to, jit::subnormals_of(spec_.src_type));
    const bool is_half = lanes() * dst_size_ > 16;
    jit::widen_bits(*this, to, dst_size_, is_half ? Xmm(ymm(packed)) : xmm(packed));
}

/// Stores whole registers of dense lines.
void tile_kernel_t::store_dense(
        registers_t &r, const group_t &group, const std::vector<Xmm> &lines, int count) {
    const int bytes = count * group.dst_bytes;
    for (int done = 0; done < bytes; done += vector_size_)
        store(lines[static_cast<size_t>(done / vector_size_)], 0,
                std::min(bytes - done, vector_size_), *r.line + done);
    add(*r.line, bytes);
}

/// Stores line by line.
void tile_kernel_t::store_apart(registers_t &r, const group_t &group, const std::vector<Xmm> &lines,
        int count, bool is_last) {
    const int lines_of_register = vector_size_ / group.dst_bytes;
    for (int line = 0; line < count; ++line) {
        const Xmm &vec = lines[static_cast<size_t>(line / lines_of_register)];
        const int first = line % lines_of_register * group.dst_bytes;
        const auto to = *r.line + group.offset;
        if (group.line_bytes > group.dst_bytes) {
            const vec_t padded = this->vec("line and its padding");
            jit::extract_part(*this, padded, vec, first, group.dst_bytes);
            store(padded, 0, group.line_bytes, to);
        } else {
            store(vec, first, overlaps() && !is_last ? group.dst_bytes : group.line_bytes, to);
        }
        // A store that crosses cache lines waits for the second one.
        if (spec_.fetches_lines) prefetchw(ptr[*r.line + 2 * cache_line_bytes]);
        add(*r.line, *r.line_stride);
    }
}

void tile_kernel_t::store(const Xmm &vec, int first, int bytes, const RegExp &at) {
    if (!spec_.is_non_temporal || first != 0) return io_.store_bytes(vec, first, bytes, at);
    // A whole line, or a group's part of it.
    switch (bytes) {
    case 64: store_non_temporal(ptr[at], Xbyak::Zmm(vec.getIdx())); break;
    case 32: store_non_temporal(ptr[at], ymm(vec)); break;
    case 16: store_non_temporal(ptr[at], xmm(vec)); break;
    default: io_.store_bytes(vec, 0, bytes, at);
    }
}

} // namespace kiln::x64::nests
