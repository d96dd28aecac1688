// SPDX-License-Identifier: Apache-2.0
// The scalar reference implementation of shuffle: elements are moved one by one, by tables of
// offsets along the axis.

#include "cpu/reference/shuffle.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/primitive/primitive.hpp"
#include "cpu/reference/tasks.hpp"
#include "cpu/reference/tensor.hpp"

namespace kiln::cpu::reference {
namespace {

class shuffle_t : public primitive_impl_t {
public:
    explicit shuffle_t(const shuffle_pd_t &pd)
        : src_(pd.src())
        , dst_(pd.dst())
        , src_slot_(pd.slot_of(pd.src_arg()))
        , dst_slot_(pd.slot_of(pd.dst_arg()))
        , ndims_(pd.src().ndims)
        , element_size_(data_type_size(pd.src().data_type)) {
        std::copy_n(pd.src().dims, ndims_, dims_);
        const dim_t elements = element_count(pd.src());
        if (elements == 0) return;
        const int axis = pd.axis();
        const dim_t columns = pd.columns(), rows = dims_[axis] / columns;
        for (dim_t column = 0; column < columns; ++column)
            for (dim_t row = 0; row < rows; ++row)
                moves_.push_back({src_.axis(axis)(row * columns + column),
                        dst_.axis(axis)(column * rows + row)});
        // Offsets along the axis are in the table.
        lines_ = elements / dims_[axis];
        src_begin_ = src_.axis(axis)(0);
        dst_begin_ = dst_.axis(axis)(0);
        dims_[axis] = 1;
    }

    status_t execute(const exec_ctx_t &ctx) const override {
        const void *src = ctx.input(src_slot_);
        void *dst = ctx.output(dst_slot_);
        switch (element_size_) {
        case 1: move_all<1>(src, dst); break;
        case 2: move_all<2>(src, dst); break;
        case 4: move_all<4>(src, dst); break;
        default: move_all<8>(src, dst); break;
        }
        return dnnl_success;
    }

private:
    struct move_t {
        dim_t from, to;
    };

    template <size_t size> void move_all(const void *src, void *dst) const {
        const auto length = static_cast<dim_t>(moves_.size());
        parallel_chunks(lines_, items_of_task(length), [&](dim_t begin, dim_t end) {
            odometer_t at(ndims_, dims_, begin);
            for (dim_t line = begin; line < end; ++line, at.next()) {
                const auto *from = static_cast<const char *>(src)
                                   + (at.offset(src_) - src_begin_) * dim_t(size);
                char *to = static_cast<char *>(dst) + (at.offset(dst_) - dst_begin_) * dim_t(size);
                for (const move_t &move : moves_)
                    std::memcpy(to + move.to * dim_t(size), from + move.from * dim_t(size), size);
            }
        });
    }

    const layout_t src_, dst_;
    const int src_slot_, dst_slot_;
    const int ndims_;
    const size_t element_size_;
    dims_t dims_;     // 1 along the axis
    dim_t lines_ = 0; // along the axis
    dim_t src_begin_ = 0, dst_begin_ = 0;
    std::vector<move_t> moves_; // offsets in elements, in the order of dst
};

} // namespace

refusal_t shuffle_accept(shuffle_pd_t &pd, plan_ptr_t &plan) {
    return accepted_for<shuffle_t>(pd, plan);
}

} // namespace kiln::cpu::reference
