// SPDX-License-Identifier: Apache-2.0
// Zeros in the padding of blocked layouts: only elements between dims and padded dims are visited.

#include <algorithm>
#include <cstring>

#include "common/memory/data_type.hpp"
#include "common/memory/memory.hpp"
#include "common/unlisted_functions.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

/// Half-byte elements: the even one of a byte lies in its low half.
void clear_half_bytes(std::byte *data, dim_t offset, dim_t count) {
    const dim_t end = offset + count;
    if (offset % 2 != 0) data[offset++ / 2] &= std::byte(0x0f);
    if (offset < end && end % 2 != 0) data[end / 2] &= std::byte(0xf0);
    if (offset < end) std::memset(data + offset / 2, 0, static_cast<size_t>(end / 2 - offset / 2));
}

/// `count` runs of so many bytes, `step` bytes apart, in stores of `width` bytes. A run has at
/// least as many.
template <size_t width>
void clear_runs(std::byte *run, size_t bytes, dim_t count, std::ptrdiff_t step) {
    for (dim_t i = 0; i < count; ++i, run += step) {
        for (size_t begin = 0; begin + width < bytes; begin += width)
            std::memset(run + begin, 0, width);
        std::memset(run + (bytes - width), 0, width);
    }
}

void clear_runs(std::byte *first, size_t bytes, dim_t count, std::ptrdiff_t step) {
    constexpr size_t long_run = 256;
    if (bytes >= long_run) {
        for (dim_t i = 0; i < count; ++i, first += step) std::memset(first, 0, bytes);
        return;
    }
    if (bytes >= 16) return clear_runs<16>(first, bytes, count, step);
    if (bytes >= 8) return clear_runs<8>(first, bytes, count, step);
    if (bytes >= 4) return clear_runs<4>(first, bytes, count, step);
    clear_runs<1>(first, bytes, count, step);
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
        inner_axis_ = inner_axis();
        if (inner_axis_ >= 0) step_ = blocking.strides[inner_axis_];
    }

    /// The box of positions from `begin` up to `end`, which holds no element of the tensor.
    void clear(const dims_t begin, const dims_t end) const {
        for (int d = 0; d < whole_.ndims; ++d)
            if (begin[d] >= end[d]) return;
        const axis_offsets_t &along_run = layout_.axis(run_axis_);
        dims_t position;
        std::copy_n(begin, whole_.ndims, position);
        for (dim_t &p = position[run_axis_], next = p; p < end[run_axis_]; p = next) {
            const dim_t first = along_run(p);
            for (++next; next < end[run_axis_] && along_run(next) - first == next - p;) ++next;
            do {
                const dim_t count = inner_axis_ < 0 ? 1 : end[inner_axis_] - begin[inner_axis_];
                clear(layout_.offset(position), next - p, count);
            } while (advance(position, begin, end));
        }
    }

private:
    /// The layout of all elements, so that padding has positions too.
    static memory_desc_t with_padded_dims(const memory_desc_t &md) {
        memory_desc_t whole = md;
        std::copy_n(md.padded_dims, md.ndims, whole.dims);
        std::fill_n(whole.padded_offsets, md.ndims, dim_t(0));
        return whole;
    }

    /// The axis without blocks whose positions are nearest to each other, but for that of the runs;
    /// -1: there is none of more than one position.
    int inner_axis() const {
        const blocking_t &blocking = whole_.format_desc.blocking;
        int found = -1;
        for (int d = 0; d < whole_.ndims; ++d) {
            const auto *end = blocking.inner_idxs + blocking.inner_nblks;
            if (d == run_axis_ || whole_.dims[d] == 1) continue;
            if (std::find(blocking.inner_idxs, end, d) != end) continue;
            if (found < 0 || blocking.strides[d] < blocking.strides[found]) found = d;
        }
        return found;
    }

    /// Advances to the next position of the box along all axes but that of the runs and the inner
    /// one; false after the last one.
    bool advance(dims_t position, const dims_t begin, const dims_t end) const {
        for (int d = whole_.ndims - 1; d >= 0; --d) {
            if (d == run_axis_ || d == inner_axis_) continue;
            if (++position[d] < end[d]) return true;
            position[d] = begin[d];
        }
        return false;
    }

    /// `runs` runs of `count` elements along the inner axis.
    void clear(dim_t offset, dim_t count, dim_t runs) const {
        if (half_bytes_) {
            for (dim_t i = 0; i < runs; ++i) clear_half_bytes(data_, offset + i * step_, count);
            return;
        }
        clear_runs(data_ + offset * element_size_, static_cast<size_t>(count * element_size_), runs,
                step_ * element_size_);
    }

    const memory_desc_t whole_;
    const layout_t layout_;
    std::byte *const data_;
    const bool half_bytes_;
    const dim_t element_size_;
    int run_axis_, inner_axis_;
    dim_t step_ = 0; // elements between positions along the inner axis
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
