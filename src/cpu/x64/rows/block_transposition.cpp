// SPDX-License-Identifier: Apache-2.0
// Copies of an operand that is transposed.

#include "cpu/x64/rows/block_transposition.hpp"

#include "common/memory/data_type.hpp"
#include "cpu/x64/nests/tile_kernel.hpp"

namespace kiln::x64 {

block_transposition_t::block_transposition_t(
        isa_t isa, data_type_t type, dim_t stride, dim_t run, dim_t line)
    : element_bytes_(static_cast<dim_t>(data_type_size(type)))
    , lanes_(jit::lanes_of(isa))
    , column_bytes_(stride * element_bytes_) {
    nests::tile_spec_t spec{.isa = isa, .src_type = type, .dst_type = type};
    spec.tail = static_cast<int>(run % lanes_);
    columns_of_tile_ = spec.most_rows(); // a row of the kernel is a column of the block
    const auto code_for = [&](dim_t columns) {
        spec.rows = static_cast<int>(columns);
        return nests::tile_kernel_t(spec).finish();
    };
    if (line >= columns_of_tile_) tiles_ = code_for(columns_of_tile_);
    if (line % columns_of_tile_ != 0) rest_ = code_for(line % columns_of_tile_);
}

void block_transposition_t::copy(const void *from, void *to, dim_t rows, dim_t columns) const {
    nests::tile_args_t args{.src = from,
            .dst = to,
            .src_row_stride = column_bytes_,
            .dst_line_stride = pitch(),
            .vectors = rows / lanes_,
            .has_tail = rows % lanes_ != 0,
            .tiles = columns / columns_of_tile_,
            .src_tile_stride = columns_of_tile_ * column_bytes_,
            .dst_tile_stride = columns_of_tile_ * element_bytes_};
    if (args.tiles > 0) tiles_(args);
    if (columns % columns_of_tile_ == 0) return;
    args.src = static_cast<const std::byte *>(from) + args.tiles * args.src_tile_stride;
    args.dst = static_cast<std::byte *>(to) + args.tiles * args.dst_tile_stride;
    args.tiles = 1;
    rest_(args);
}

} // namespace kiln::x64
