// SPDX-License-Identifier: Apache-2.0
// Where nests move elements and where both layouts say that these lie.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/verbose/describe.hpp"
#include "cpu/x64/layout/nest.hpp"

namespace kiln::x64 {

inline std::ostream &operator<<(std::ostream &out, const loop_t &loop) {
    return out << loop.extent << ':' << loop.src_stride << ':' << loop.dst_stride;
}

namespace test {

using shape_t = std::vector<dim_t>;
using loops_t = std::vector<loop_t>;

constexpr int lanes = 16;

inline memory_desc_t tagged(const shape_t &dims, const std::string &tag) {
    memory_desc_t md = zero_md;
    EXPECT_EQ(
            init_by_tag_name(md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, tag.c_str()),
            dnnl_success)
            << tag;
    return md;
}

inline memory_desc_t strided(const shape_t &dims, const shape_t &strides) {
    memory_desc_t md = zero_md;
    EXPECT_EQ(init_by_strides(
                      md, static_cast<int>(dims.size()), dims.data(), dnnl_f32, strides.data()),
            dnnl_success);
    return md;
}

inline std::optional<nests_t> nests_of(const shape_t &dims, const std::string &src,
        const std::string &dst, int of_vector = lanes) {
    return make_nests(tagged(dims, src), tagged(dims, dst), of_vector);
}

// --- Where elements and padding lie, by counting ------------------------------------------------

/// Every position within `extents`, the last axis fastest.
template <typename visit_t> void for_each_position(const shape_t &extents, const visit_t &visit) {
    shape_t at(extents.size(), 0);
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
    for (;;) {
        visit(std::as_const(at));
        size_t axis = extents.size();
        while (axis > 0 && ++at[axis - 1] == extents[axis - 1]) at[--axis] = 0;
        if (axis == 0) return;
    }
}

/// What the layouts say: for each place in dst that is an element's, its place in src; the places
/// of padding of both.
struct places_t {
    places_t(const memory_desc_t &src, const memory_desc_t &dst) {
        const layout_t src_layout(src), dst_layout(dst);
        add(src, [&](const shape_t &at, bool is_padding) {
            if (is_padding) src_padding.insert(src_layout.offset(at.data()));
        });
        add(dst, [&](const shape_t &at, bool is_padding) {
            const dim_t place = dst_layout.offset(at.data());
            if (is_padding)
                dst_padding.insert(place);
            else
                elements[place] = src_layout.offset(at.data());
        });
    }

    std::map<dim_t, dim_t> elements;
    std::set<dim_t> src_padding, dst_padding;

private:
    template <typename visit_t> static void add(const memory_desc_t &md, const visit_t &visit) {
        for_each_position({md.padded_dims, md.padded_dims + md.ndims}, [&](const shape_t &at) {
            bool is_padding = false;
            for (size_t d = 0; d < at.size(); ++d) is_padding |= at[d] >= md.dims[d];
            visit(at, is_padding);
        });
    }
};

/// What the nests do: elements that are moved, zeros that are written; no place twice.
class moves_t {
public:
    explicit moves_t(const nests_t &nests) {
        for (const nest_t &nest : nests.nests) add(nest);
    }

    std::map<dim_t, dim_t> elements;
    std::set<dim_t> zeros;
    std::set<dim_t> read_beside; // by blocks that hold padding
    bool is_once = true;

private:
    void add(const nest_t &nest) {
        shape_t extents;
        for (const loop_t &loop : nest.loops) extents.push_back(loop.extent);
        for_each_position(extents, [&](const shape_t &at) {
            dim_t src = nest.src_offset, dst = nest.dst_offset;
            for (size_t i = 0; i < at.size(); ++i) {
                src += at[i] * nest.loops[i].src_stride;
                dst += at[i] * nest.loops[i].dst_stride;
            }
            // Blocks are runs, so the innermost loop tells where in one this is.
            if (nest.block != 0 && at.back() % nest.block >= nest.kept) {
                read_beside.insert(src);
                write_zero(dst);
                return;
            }
            is_once &= elements.emplace(dst, src).second;
            if (nest.padding != 0 && at.back() == extents.back() - 1)
                for (dim_t i = 1; i <= nest.padding; ++i) write_zero(dst + i);
        });
    }

    void write_zero(dim_t dst) { is_once &= zeros.insert(dst).second; }
};

inline ::testing::AssertionResult are_right(
        const memory_desc_t &src, const memory_desc_t &dst, const nests_t &nests) {
    const places_t places(src, dst);
    const moves_t moves(nests);
    if (!moves.is_once) return ::testing::AssertionFailure() << "a place in dst is met twice";
    if (moves.elements != places.elements)
        return ::testing::AssertionFailure() << "elements are moved elsewhere";
    for (const dim_t zero : moves.zeros)
        if (!places.dst_padding.contains(zero))
            return ::testing::AssertionFailure() << "zero at " << zero << ", which is no padding";
    for (const dim_t place : moves.read_beside)
        if (!places.src_padding.contains(place))
            return ::testing::AssertionFailure() << "reads " << place << ", which is no padding";
    if (nests.have_all_padding && moves.zeros != places.dst_padding)
        return ::testing::AssertionFailure() << "padding is left out";
    return ::testing::AssertionSuccess();
}

/// What the header promises of loops, whatever they are.
inline ::testing::AssertionResult are_simple(const nests_t &nests) {
    for (const nest_t &nest : nests.nests)
        for (size_t i = 0; i < nest.loops.size(); ++i) {
            const loop_t &inner = nest.loops[i];
            if (inner.extent < 1 || (inner.extent == 1 && nest.padding == 0))
                return ::testing::AssertionFailure() << "a loop " << inner;
            if (i == 0) continue;
            const loop_t &outer = nest.loops[i - 1];
            if (outer.dst_stride < inner.dst_stride)
                return ::testing::AssertionFailure() << outer << " stands before " << inner;
            if (outer.src_stride == inner.extent * inner.src_stride
                    && outer.dst_stride == inner.extent * inner.dst_stride)
                return ::testing::AssertionFailure() << outer << " and " << inner << " are one";
        }
    return ::testing::AssertionSuccess();
}

} // namespace test

} // namespace kiln::x64
