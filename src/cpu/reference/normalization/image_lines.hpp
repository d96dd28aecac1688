// SPDX-License-Identifier: Apache-2.0
// Tensors of images (N x C x spatial axes) as the reference walks them: in lines along the last
// axis.
#pragma once

#include <algorithm>

#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {

/// Adjacent elements along `axis`, the last one; `position` is that of the first.
struct image_line_t {
    int axis;
    dims_t position{};

    void load(const tensor_t &tensor, const void *data, std::span<double> values) const {
        tensor.load(data, origin(tensor.layout()), axis, position[axis], values);
    }
    void store(const tensor_t &tensor, void *data, std::span<const double> values) const {
        tensor.store(data, origin(tensor.layout()), axis, position[axis], values);
    }
    /// Offset of element `i`.
    dim_t offset(const layout_t &layout, size_t i) const {
        return origin(layout) + layout.axis(axis)(position[axis] + static_cast<dim_t>(i));
    }

private:
    dim_t origin(const layout_t &layout) const {
        dim_t result = layout.offset0();
        for (int d = 0; d < axis; ++d) result += layout.axis(d)(position[d]);
        return result;
    }
};

/// Samples [n_begin, n_end) of channels [c_begin, c_end).
struct image_part_t {
    dim_t n_begin;
    dim_t n_end;
    dim_t c_begin;
    dim_t c_end;
};

/// Cuts images of one shape into lines.
class image_lines_t {
public:
    explicit image_lines_t(const memory_desc_t &md)
        : ndims_(md.ndims) {
        std::copy_n(md.dims, ndims_, dims_);
    }

    /// All samples of a channel.
    image_part_t channel(dim_t c) const { return {0, dims_[0], c, c + 1}; }

    /// Elements of a line; an image without spatial axes has lines of one element.
    size_t length() const { return ndims_ == 2 ? 1 : static_cast<size_t>(dims_[ndims_ - 1]); }

    /// Calls `body(line)` for the lines of these samples and channels.
    template <typename body_t> void for_each(const image_part_t &part, const body_t &body) const {
        for (dim_t n = part.n_begin; n < part.n_end; ++n)
            for (dim_t c = part.c_begin; c < part.c_end; ++c) for_each_of_plane(n, c, body);
    }

private:
    template <typename body_t> void for_each_of_plane(dim_t n, dim_t c, const body_t &body) const {
        image_line_t line{.axis = ndims_ - 1};
        line.position[0] = n;
        line.position[1] = c;
        for (;;) {
            body(line);
            int d = ndims_ - 2;
            for (; d >= 2; --d) {
                if (++line.position[d] < dims_[d]) break;
                line.position[d] = 0;
            }
            if (d < 2) return;
        }
    }

    int ndims_;
    dims_t dims_;
};

} // namespace kiln::cpu::reference
