// SPDX-License-Identifier: Apache-2.0
// Memory descriptors made from others: a part of a tensor, another shape, another order of axes.

#include <algorithm>
#include <array>
#include <memory>

#include "common/memory/memory_desc.hpp"
#include "common/overflow.hpp"
#include "common/verbose/verbose.hpp"

namespace kiln {
namespace {

status_t init_submemory(
        memory_desc_t &md, const memory_desc_t &parent, const dim_t *dims, const dim_t *offsets) {
    KILN_REQUIRE(
            dims && offsets, dnnl_invalid_arguments, "memory", "dims or offsets is a null pointer");
    if (is_zero(parent)) {
        md = zero_md;
        return dnnl_success;
    }
    KILN_REQUIRE(!has_runtime_values(parent), dnnl_unimplemented, "memory",
            "the parent has dimensions or strides known only at execution; a submemory of it is "
            "not "
            "supported");
    for (int d = 0; d < parent.ndims; ++d) {
        KILN_REQUIRE(dims[d] != runtime_dim && offsets[d] != runtime_dim, dnnl_unimplemented,
                "memory", "dimensions or strides known only at execution are not supported here");
        KILN_REQUIRE(0 <= dims[d] && 0 <= offsets[d] && offsets[d] <= parent.dims[d]
                             && dims[d] <= parent.dims[d] - offsets[d],
                dnnl_invalid_arguments, "memory",
                "dimension %d of the submemory reaches outside its parent", d);
    }
    KILN_REQUIRE(is_blocked(parent), dnnl_unimplemented, "memory", "the descriptor is not blocked");
    KILN_REQUIRE(parent.extra.flags == 0, dnnl_unimplemented, "memory",
            "submemories of weights with sums behind them are not supported");

    dims_t blocks;
    block_sizes(parent, blocks);
    memory_desc_t result = parent;
    for (int d = 0; d < parent.ndims; ++d) {
        const bool reaches_end = offsets[d] + dims[d] == parent.dims[d];
        // Whole blocks can be cut out; a part of a block only if it is the only block.
        KILN_REQUIRE(offsets[d] % blocks[d] == 0 && parent.padded_offsets[d] == 0
                             && (reaches_end || dims[d] % blocks[d] == 0 || dims[d] < blocks[d]),
                dnnl_unimplemented, "memory",
                "the submemory cuts through a block along axis %d, which is not supported", d);
        result.dims[d] = dims[d];
        result.padded_dims[d] = reaches_end ? parent.padded_dims[d] - offsets[d] : dims[d];
        // Strides of tensors without elements, and along axes of one element, may be any numbers.
        dim_t offset = offsets[d] / blocks[d];
        KILN_REQUIRE(multiply(offset, parent.format_desc.blocking.strides[d]) && offset >= 0
                             && !__builtin_add_overflow(result.offset0, offset, &result.offset0),
                dnnl_invalid_arguments, "memory",
                "the offset of the submemory along axis %d is negative or does not fit into 64 "
                "bits",
                d);
    }
    md = result;
    return dnnl_success;
}

/// Checks the source of reshape and permute_axes.
status_t check_source(const memory_desc_t &md) {
    KILN_REQUIRE(!is_zero(md), dnnl_invalid_arguments, "memory",
            "the descriptor is the zero descriptor");
    KILN_REQUIRE(is_blocked(md) || is_any(md), dnnl_invalid_arguments, "memory",
            "the descriptor is not blocked");
    KILN_REQUIRE(!has_runtime_values(md), dnnl_invalid_arguments, "memory",
            "dimensions or strides known only at execution are not supported here");
    KILN_REQUIRE(md.extra.flags == 0, dnnl_unimplemented, "memory",
            "other shapes of weights with sums behind them are not supported");
    return dnnl_success;
}

/// Carries a layout over to another shape, from the innermost axis outwards: an axis that keeps its
/// extent keeps its layout (blocks too); a run of axes whose product is kept must be plain and
/// dense.
class reshaper_t {
public:
    reshaper_t(const memory_desc_t &from, memory_desc_t &to)
        : from_(from)
        , to_(to)
        , i_(from.ndims)
        , o_(to.ndims) {
        block_sizes(from, blocks_);
        moved_to_.fill(-1);
    }

    bool run() {
        while (i_ > 0 || o_ > 0) {
            if (drops_unit_axis())
                --i_;
            else if (adds_unit_axis())
                add_unit_axis();
            else if (!match_group())
                return false;
        }
        auto &blocking = to_.format_desc.blocking;
        for (int b = 0; b < blocking.inner_nblks; ++b)
            blocking.inner_idxs[b] = moved_to_[blocking.inner_idxs[b]];
        return true;
    }

private:
    bool drops_unit_axis() const {
        return i_ > 0 && from_.dims[i_ - 1] == 1 && from_.padded_dims[i_ - 1] == 1
               && blocks_[i_ - 1] == 1;
    }

    bool adds_unit_axis() const {
        return o_ > 0 && to_.dims[o_ - 1] == 1 && !(i_ > 0 && from_.dims[i_ - 1] == 1);
    }

    /// A new axis of one element takes the stride that a next outer axis would have.
    void add_unit_axis() {
        dim_t stride = 1;
        if (i_ < from_.ndims)
            stride = from_strides()[i_] * (from_.padded_dims[i_] / blocks_[i_]);
        else
            for (int b = 0; b < from_.format_desc.blocking.inner_nblks; ++b)
                stride *= from_.format_desc.blocking.inner_blks[b];
        set_axis(--o_, 1, stride);
    }

    bool match_group() {
        if (i_ == 0 || o_ == 0) return false;
        int i = i_ - 1;
        int o = o_ - 1;
        dim_t i_volume = from_.dims[i];
        dim_t o_volume = to_.dims[o];
        while (i_volume != o_volume) {
            if (i_volume < o_volume) {
                if (i == 0) return false;
                i_volume *= from_.dims[--i];
            } else {
                if (o == 0) return false;
                o_volume *= to_.dims[--o];
            }
        }
        const bool kept = i + 1 == i_ && o + 1 == o_;
        if (kept)
            keep_axis(i, o);
        else if (!split_run(i, o))
            return false;
        i_ = i;
        o_ = o;
        return true;
    }

    void keep_axis(int i, int o) {
        to_.padded_dims[o] = from_.padded_dims[i];
        to_.padded_offsets[o] = from_.padded_offsets[i];
        to_.format_desc.blocking.strides[o] = from_strides()[i];
        moved_to_[i] = o;
    }

    bool split_run(int i_begin, int o_begin) {
        for (int d = i_begin; d < i_; ++d) {
            if (blocks_[d] != 1 || from_.padded_dims[d] != from_.dims[d]
                    || from_.padded_offsets[d] != 0)
                return false;
            if (d > i_begin && from_strides()[d - 1] != from_strides()[d] * from_.dims[d])
                return false;
        }
        dim_t stride = from_strides()[i_ - 1];
        for (int d = o_ - 1; d >= o_begin; --d) {
            set_axis(d, to_.dims[d], stride);
            stride *= to_.dims[d];
        }
        return true;
    }

    void set_axis(int d, dim_t padded_dim, dim_t stride) {
        to_.padded_dims[d] = padded_dim;
        to_.padded_offsets[d] = 0;
        to_.format_desc.blocking.strides[d] = stride;
    }

    const dim_t *from_strides() const { return from_.format_desc.blocking.strides; }

    const memory_desc_t &from_;
    memory_desc_t &to_;
    int i_; // axes [i_, ndims) of `from` and [o_, ndims) of `to` are done
    int o_;
    dims_t blocks_;
    std::array<int, max_ndims> moved_to_{};
};

status_t reshape(memory_desc_t &md, const memory_desc_t &from, int ndims, const dim_t *dims) {
    KILN_TRY(check_source(from));
    KILN_TRY(check_shape(ndims, dims, from.data_type));
    KILN_REQUIRE(ndims > 0, dnnl_invalid_arguments, "memory", "the new shape has no dimensions");
    memory_desc_t result = from;
    result.set_ndims(ndims);
    std::fill_n(result.dims, max_ndims, dim_t(0));
    std::copy_n(dims, ndims, result.dims);
    KILN_REQUIRE(std::find(dims, dims + ndims, runtime_dim) == dims + ndims, dnnl_invalid_arguments,
            "memory", "dimensions or strides known only at execution are not supported here");
    dim_t volume = 1;
    for (int d = 0; d < ndims; ++d) volume *= dims[d];
    KILN_REQUIRE(volume == element_count(from), dnnl_invalid_arguments, "memory",
            "the new shape has another number of elements");

    if (is_any(from)) return init_by_tag(md, ndims, dims, from.data_type, dnnl_format_tag_any);
    if (volume == 0) return init_by_strides(md, ndims, dims, from.data_type, nullptr);
    KILN_REQUIRE(reshaper_t(from, result).run(), dnnl_invalid_arguments, "memory",
            "the layout cannot express the new shape without moving data");
    md = result;
    return dnnl_success;
}

status_t permute_axes(memory_desc_t &md, const memory_desc_t &from, const int *permutation) {
    KILN_TRY(check_source(from));
    KILN_REQUIRE(permutation, dnnl_invalid_arguments, "memory", "permutation is a null pointer");
    unsigned seen = 0;
    for (int d = 0; d < from.ndims; ++d) {
        const int p = permutation[d];
        KILN_REQUIRE(0 <= p && p < from.ndims && !(seen >> p & 1), dnnl_invalid_arguments, "memory",
                "entry %d of the permutation is outside the %d axes or a repetition", d,
                from.ndims);
        seen |= 1u << p;
    }
    memory_desc_t result = from;
    for (int d = 0; d < from.ndims; ++d) {
        const int p = permutation[d];
        result.dims[p] = from.dims[d];
        result.padded_dims[p] = from.padded_dims[d];
        result.padded_offsets[p] = from.padded_offsets[d];
        if (is_blocked(from))
            result.format_desc.blocking.strides[p] = from.format_desc.blocking.strides[d];
    }
    if (is_blocked(from))
        for (int b = 0; b < from.format_desc.blocking.inner_nblks; ++b)
            result.format_desc.blocking.inner_idxs[b] =
                    permutation[from.format_desc.blocking.inner_idxs[b]];
    md = result;
    return dnnl_success;
}

template <typename transform_t>
status_t derive(memory_desc_t **out, const memory_desc_t *from, transform_t &&transform) {
    if (out == nullptr || from == nullptr) return dnnl_invalid_arguments;
    return guarded([&]() -> status_t {
        auto md = std::make_unique<memory_desc_t>();
        KILN_TRY(transform(*md, *from));
        *out = md.release();
        return dnnl_success;
    });
}

} // namespace
} // namespace kiln

using namespace kiln;

status_t dnnl_memory_desc_create_submemory(memory_desc_t **memory_desc,
        const memory_desc_t *parent_memory_desc, const dims_t dims, const dims_t offsets) {
    return derive(
            memory_desc, parent_memory_desc, [&](memory_desc_t &md, const memory_desc_t &from) {
                return init_submemory(md, from, dims, offsets);
            });
}

status_t dnnl_memory_desc_reshape(memory_desc_t **out_memory_desc,
        const memory_desc_t *in_memory_desc, int ndims, const dims_t dims) {
    return derive(
            out_memory_desc, in_memory_desc, [&](memory_desc_t &md, const memory_desc_t &from) {
                return reshape(md, from, ndims, dims);
            });
}

status_t dnnl_memory_desc_permute_axes(memory_desc_t **out_memory_desc,
        const memory_desc_t *in_memory_desc, const int *permutation) {
    return derive(
            out_memory_desc, in_memory_desc, [&](memory_desc_t &md, const memory_desc_t &from) {
                return permute_axes(md, from, permutation);
            });
}
