// SPDX-License-Identifier: Apache-2.0
// Zeros in the padding of blocked layouts: only elements between dims and padded dims are visited.

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/memory/data_type.hpp"
#include "common/memory/memory.hpp"
#include "common/unlisted_functions.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

/// Adjacent elements.
struct interval_t {
    dim_t offset;
    dim_t count;
};

/// Positions [begin, end) of an axis as runs of adjacent elements.
std::vector<interval_t> intervals_of(const axis_offsets_t &axis, dim_t begin, dim_t end) {
    std::vector<interval_t> intervals;
    for (dim_t p = begin; p < end; ++p) {
        const dim_t offset = axis(p);
        if (!intervals.empty() && intervals.back().offset + intervals.back().count == offset)
            ++intervals.back().count;
        else
            intervals.push_back({offset, 1});
    }
    return intervals;
}

/// Half-byte elements: the even one of a byte lies in its low half.
void clear_half_bytes(std::byte *data, dim_t offset, dim_t count) {
    const dim_t end = offset + count;
    if (offset % 2 != 0) data[offset++ / 2] &= std::byte(0x0f);
    if (offset < end && end % 2 != 0) data[end / 2] &= std::byte(0xf0);
    if (offset < end) std::memset(data + offset / 2, 0, static_cast<size_t>(end / 2 - offset / 2));
}

class padding_t {
public:
    padding_t(const memory_desc_t &md, void *data)
        : whole_(with_padded_dims(md))
        , layout_(whole_)
        , data_(static_cast<std::byte *>(data))
        , half_bytes_(is_half_byte(md.data_type))
        , element_size_(static_cast<dim_t>(data_type_size(md.data_type))) {
        const blocking_t &blocking = md.format_desc.blocking;
        // The axis along which elements are adjacent.
        const int nblks = blocking.inner_nblks;
        run_axis_ = nblks == 0 ? md.ndims - 1 : static_cast<int>(blocking.inner_idxs[nblks - 1]);
    }

    /// The box of positions from `begin` up to `end`, which holds no element of the tensor.
    void clear(const dims_t begin, const dims_t end) const {
        for (int d = 0; d < whole_.ndims; ++d)
            if (begin[d] >= end[d]) return;
        const auto run = intervals_of(layout_.axis(run_axis_), begin[run_axis_], end[run_axis_]);
        dims_t position;
        std::copy_n(begin, whole_.ndims, position);
        do {
            const dim_t offset =
                    layout_.offset(position) - layout_.axis(run_axis_)(begin[run_axis_]);
            for (const interval_t &interval : run) clear(offset + interval.offset, interval.count);
        } while (advance(position, begin, end));
    }

private:
    /// The layout of all elements, so that padding has positions too.
    static memory_desc_t with_padded_dims(const memory_desc_t &md) {
        memory_desc_t whole = md;
        std::copy_n(md.padded_dims, md.ndims, whole.dims);
        std::fill_n(whole.padded_offsets, md.ndims, dim_t(0));
        return whole;
    }

    /// Advances to the next position of the box along all axes except that of the runs; false after
    /// the last one.
    bool advance(dims_t position, const dims_t begin, const dims_t end) const {
        for (int d = whole_.ndims - 1; d >= 0; --d) {
            if (d == run_axis_) continue;
            if (++position[d] < end[d]) return true;
            position[d] = begin[d];
        }
        return false;
    }

    void clear(dim_t offset, dim_t count) const {
        if (half_bytes_) return clear_half_bytes(data_, offset, count);
        std::memset(data_ + offset * element_size_, 0, static_cast<size_t>(count * element_size_));
    }

    const memory_desc_t whole_;
    const layout_t layout_;
    std::byte *const data_;
    const bool half_bytes_;
    const dim_t element_size_;
    int run_axis_;
};

} // namespace

void zero_pad(const memory_desc_t &md, void *data) {
    if (!has_padding(md) || has_zero_dim(md) || has_runtime_values(md)) return;
    const padding_t padding(md, data);
    // One box for each axis: positions beyond its dim, within the dims of the axes before it and
    // within the padded dims of those after it. The boxes cover the padding without overlap.
    dims_t begin{};
    dims_t end;
    std::copy_n(md.padded_dims, md.ndims, end);
    for (int d = 0; d < md.ndims; ++d) {
        begin[d] = md.dims[d];
        padding.clear(begin, end);
        begin[d] = 0;
        end[d] = md.dims[d];
    }
}

} // namespace kiln

using namespace kiln;

status_t dnnl_impl_zero_pad(const memory_t *memory, stream_t *stream) {
    if (memory == nullptr || stream == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        if (memory->handle_count() > 0 && memory->handle() != nullptr)
            zero_pad(memory->md(), memory->handle());
        return dnnl_success;
    });
}
