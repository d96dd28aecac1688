// SPDX-License-Identifier: Apache-2.0
// The operands of a matrix product in the layouts that tiles read.

#include "cpu/x64/matrix/packing.hpp"

#include <algorithm>
#include <cassert>

#include "common/integers.hpp"
#include "cpu/x64/cache_size.hpp"
#include "cpu/x64/matrix/amx_kernel.hpp"

namespace kiln::x64::matrix {
namespace {

/// Vectors of the runs in which rows of A are copied.
constexpr int copied_vectors = 4;

nests::tile_spec_t tile_spec(isa_t isa, data_type_t src_type, data_type_t dst_type, dim_t lines) {
    nests::tile_spec_t spec{.isa = isa, .src_type = src_type, .dst_type = dst_type};
    spec.rows = jit::lanes_of(isa) * 4 / jit::generator_t::size_of(dst_type); // to a vector
    spec.tail = static_cast<int>(lines % spec.lines_of_vector());
    return spec;
}

jit::executable_code_t last_tile(nests::tile_spec_t spec, int rows, bool pads) {
    if (pads) spec.padding = spec.rows - rows;
    spec.rows = rows;
    return nests::tile_kernel_t(spec).finish();
}

/// The distance of rows of `bytes` bytes. Not a few of them share a set of the first-level cache,
/// whose lines are a page apart.
dim_t pitch_of(dim_t bytes) {
    constexpr dim_t distance = page_bytes / 8;
    const dim_t lines = round_up(bytes, cache_line_bytes);
    return lines % distance == 0 ? lines + cache_line_bytes : lines;
}

/// The same of columns whose elements are as a step takes them.
dim_t column_pitch(step_t step, dim_t k) { return pitch_of(k * b_element_bytes(step)); }

} // namespace

transposition_t::transposition_t(
        isa_t isa, data_type_t src_type, data_type_t dst_type, dim_t rows, dim_t lines, bool pads)
    : spec_(tile_spec(isa, src_type, dst_type, lines))
    , rest_(static_cast<int>(rows % spec_.rows))
    , whole_(nests::tile_kernel_t(spec_).finish()) {
    if (rest_ != 0) last_ = last_tile(spec_, rest_, pads);
}

void transposition_t::operator()(const std::byte *src, dim_t row_pitch, dim_t rows, std::byte *dst,
        dim_t line_pitch, dim_t lines, dim_t tile) const {
    const dim_t tiles = rows / spec_.rows, rest = rows % spec_.rows;
    assert(rest == 0 || rest == rest_);
    assert(lines % spec_.lines_of_vector() == 0 || lines % spec_.lines_of_vector() == spec_.tail);
    nests::tile_args_t args{.src = src,
            .dst = dst,
            .src_row_stride = row_pitch,
            .dst_line_stride = line_pitch,
            .vectors = lines / spec_.lines_of_vector(),
            .has_tail = lines % spec_.lines_of_vector() != 0,
            .tiles = tiles,
            .src_tile_stride = spec_.rows * row_pitch,
            .dst_tile_stride = tile};
    if (tiles != 0) whole_(args);
    if (rest == 0) return;
    args.src = src + tiles * args.src_tile_stride;
    args.dst = dst + tiles * args.dst_tile_stride;
    args.tiles = 1;
    (*last_)(args);
}

// ---- B

bool is_staged(const matrix_layout_t &b, step_t step, dim_t k) {
    if (b.has_dense_rows() || converts_b(step)) return false;
    if (step == step_t::f32) return is_half_byte(b.type);
    return step == step_t::split || k % depth_of(step) != 0 || b.size() != b_element_bytes(step);
}

dim_t packed_panel_bytes(dim_t steps, dim_t width) { return pitch_of(steps * width * 4); }

dim_t stage_bytes(isa_t isa, step_t step, const blocking_t &blocking) {
    return blocking.vectors * jit::lanes_of(isa)
           * column_pitch(step, blocking.block_steps * depth_of(step));
}

b_packer_t::b_packer_t(isa_t isa, step_t step, const matrix_layout_t &b, dim_t k, dim_t n,
        const blocking_t &blocking, dim_t step_unit)
    : b_(b)
    , step_(step)
    , k_(k)
    , n_(n)
    , lanes_(jit::lanes_of(isa))
    , width_(blocking.vectors * lanes_)
    , step_unit_(step_unit) {
    const int depth = depth_of(step);
    if (b.has_dense_rows()) {
        copy_ = pack_kernel_t({.isa = isa,
                                      .src_type = b.type,
                                      .step = step,
                                      .vectors = blocking.vectors,
                                      .tail = blocking.tail,
                                      .rest = static_cast<int>(k % depth)})
                        .finish();
    } else {
        const bool has_stage = is_staged(b, step, k);
        const data_type_t type = depth == 1 && !has_stage ? b.type : dnnl_f32;
        if (has_stage && step != step_t::split && b.size() == b_element_bytes(step))
            whole_steps_ = k / depth;
        transposition_.emplace(
                isa, type, dnnl_f32, n, whole_steps_.value_or(divide_up<dim_t>(k, depth)), true);
        if (!has_stage) return;
        if (whole_steps_) last_.emplace(isa, dnnl_f32, dnnl_f32, n, 1, true);
        stage_ = pack_kernel_t(
                {.isa = isa,
                        .src_type = b.type,
                        .step = step,
                        .tail = static_cast<int>((whole_steps_ ? k % depth : k) % lanes_),
                        .is_a = true,
                        .is_of_b = true})
                         .finish();
    }
}

void b_packer_t::operator()(
        const std::byte *b, range_t steps, range_t panels, std::byte *to) const {
    const dim_t depth = depth_of(step_);
    const dim_t column = panels.begin * width_,
                columns = std::min(n_, panels.end * width_) - column;
    const std::byte *const from = b + b_.bytes(steps.begin * depth * b_.row + column * b_.column);
    const dim_t step_bytes = width_ * 4;
    const dim_t panel_bytes = packed_panel_bytes(round_up(steps.size(), step_unit_), width_);
    pad(to, panel_bytes, divide_up(columns, width_), steps.size());
    if (copy_) {
        const dim_t rows = std::min(k_, steps.end * depth) - steps.begin * depth;
        pack_args_t args{.src = b + b_.bytes(steps.begin * depth * b_.row + column),
                .src_pitch = b_.bytes(b_.row),
                .dst = to,
                .dst_pitch = step_bytes,
                .dst_panel = panel_bytes,
                .steps = rows / depth,
                .has_rest = rows % depth != 0,
                .panels = columns / width_,
                .has_tail = columns % width_ != 0};
        (*copy_)(args);
        return;
    }
    std::byte *const stage = to + divide_up(columns, width_) * panel_bytes;
    for (dim_t first = 0; first < columns; first += width_) {
        columns_t panel{from + b_.bytes(first * b_.column), b_.bytes(b_.column),
                std::min(width_, columns - first)};
        std::byte *const lines = to + first / width_ * panel_bytes;
        range_t whole = steps;
        if (whole_steps_ && steps.end > *whole_steps_) {
            whole.end = *whole_steps_;
            const columns_t rest{
                    panel.first + b_.bytes(whole.size() * depth), panel.pitch, panel.count};
            const columns_t padded = staged(rest, {whole.end, steps.end}, stage);
            (*last_)(padded.first, padded.pitch, padded.count, lines + whole.size() * step_bytes,
                    step_bytes, 1);
            if (whole.size() == 0) continue;
        } else if (stage_ && !whole_steps_) {
            panel = staged(panel, steps, stage);
        }
        (*transposition_)(panel.first, panel.pitch, panel.count, lines, step_bytes, whole.size());
    }
}

/// Zeros behind the steps of each panel, up to a multiple of the unit.
void b_packer_t::pad(std::byte *panels, dim_t panel_bytes, dim_t count, dim_t steps) const {
    const dim_t zeros = round_up(steps, step_unit_) - steps;
    for (dim_t panel = 0; zeros != 0 && panel < count; ++panel)
        std::fill_n(panels + panel * panel_bytes + steps * width_ * 4, zeros * width_ * 4,
                std::byte{0});
}

/// The elements of columns as the step multiplies them, with zeros behind the last ones.
b_packer_t::columns_t b_packer_t::staged(
        const columns_t &columns, range_t steps, std::byte *stage) const {
    const dim_t depth = depth_of(step_);
    const dim_t elements = std::min(k_, steps.end * depth) - steps.begin * depth;
    const dim_t pitch = column_pitch(step_, steps.size() * depth);
    pack_args_t args{.src = columns.first,
            .src_pitch = columns.pitch,
            .dst = stage,
            .dst_pitch = pitch,
            .dst_panel = lanes_ * b_element_bytes(step_),
            .steps = columns.count,
            .has_rest = 0,
            .panels = elements / lanes_,
            .has_tail = elements % lanes_ != 0};
    (*stage_)(args);
    return {stage, pitch, columns.count};
}

// ---- A

bool can_pack_a(const matrix_layout_t &a, step_t step) {
    const bool is_converted = step == step_t::s16 || (step == step_t::bf16 && a.type != dnnl_bf16);
    return a.has_dense_rows() || (a.has_dense_columns() && !has_octets(step) && !is_converted);
}

a_packer_t::a_packer_t(
        isa_t isa, step_t step, const matrix_layout_t &a, dim_t m, dim_t k, a_rows_t rows)
    : a_(a)
    , m_(m)
    , k_(k)
    , lanes_(jit::lanes_of(isa))
    , element_bytes_(element_bytes(step))
    , width_((rows == a_rows_t::alternating ? depth_of(step) : copied_vectors) * lanes_)
    , pitch_(rows == a_rows_t::alternating ? lanes_ * 4 : pitch(step, k))
    , panel_(rows == a_rows_t::alternating ? m * lanes_ * 4 : width_ * element_bytes_) {
    const bool is_split = step == step_t::split;
    if (a.has_dense_rows() || is_split) {
        pack_spec_t spec{.isa = isa,
                .src_type = a.type,
                .step = base_of(step),
                .vectors = static_cast<int>(width_ / lanes_),
                .is_a = true,
                .in_octets = has_octets(step),
                .takes_remainder = rows == a_rows_t::remainders};
        spec.tail = static_cast<int>(k % spec.width());
        copy_ = pack_kernel_t(spec).finish();
    }
    if (!a.has_dense_rows()) {
        const bool pads = k % depth_of(step) != 0;
        const data_type_t type = base_of(step) == step_t::f32 ? dnnl_f32 : a.type;
        transposition_.emplace(isa, a.type, type, k, m, pads);
    }
}

dim_t a_packer_t::pitch(step_t step, dim_t k) {
    const dim_t elements = step == step_t::split ? round_up<dim_t>(k, amx_depth(step)) : k;
    return pitch_of(elements * element_bytes(step));
}

dim_t a_packer_t::stage_bytes(isa_t isa, step_t step, const matrix_layout_t &a, dim_t k) {
    if (step != step_t::split || a.has_dense_rows()) return 0;
    return stage_vectors * jit::lanes_of(isa) * pitch_of(k * a.size());
}

dim_t a_packer_t::first_row(dim_t first) const {
    return transposition_ ? first / lanes_ * lanes_ : first;
}

dim_t a_packer_t::end_row(dim_t end) const {
    return transposition_ ? std::min(m_, round_up(end, lanes_)) : end;
}

void a_packer_t::operator()(const std::byte *a, range_t rows, std::byte *to) const {
    const std::byte *const first = a + rows.begin * a_.row * a_.size();
    if (!transposition_) return copy(first, a_.row * a_.size(), rows.size(), to);
    const dim_t tile = lanes_ * 4; // as long as a tile has elements
    if (!copy_) return transpose(first, rows.size(), to, pitch_, pitch_ == tile ? panel_ : tile);
    std::byte *const stage = to + rows.size() * pitch_;
    const dim_t stage_pitch = pitch_of(k_ * a_.size()), stage_rows = stage_vectors * lanes_;
    for (dim_t row = 0; row < rows.size(); row += stage_rows) {
        const dim_t count = std::min(stage_rows, rows.size() - row);
        transpose(first + row * a_.row * a_.size(), count, stage, stage_pitch, tile);
        copy(stage, stage_pitch, count, to + row * pitch_);
    }
}

void a_packer_t::transpose(
        const std::byte *a, dim_t rows, std::byte *to, dim_t pitch, dim_t tile) const {
    (*transposition_)(a, a_.column * a_.size(), k_, to, pitch, rows, tile);
}

void a_packer_t::copy(const std::byte *a, dim_t pitch, dim_t rows, std::byte *to) const {
    pack_args_t args{.src = a,
            .src_pitch = pitch,
            .dst = to,
            .dst_pitch = pitch_,
            .dst_panel = panel_,
            .steps = rows,
            .has_rest = 0,
            .panels = k_ / width_,
            .has_tail = k_ % width_ != 0};
    (*copy_)(args);
}

} // namespace kiln::x64::matrix
