// SPDX-License-Identifier: Apache-2.0
// What problems of elementwise operations, PReLU, softmax, sums, concatenations and shuffles share.
#pragma once

#include "differential/layouts.hpp"
#include "differential/problem.hpp"

namespace kiln::test::differential {

using intervals_t = std::vector<interval_t>;

class elementwise_maker_t {
public:
    elementwise_maker_t(random_t &random, regions_t &regions)
        : random_(random)
        , regions_(regions)
        , problem_(std::make_unique<problem_t>())
        , dims_(random_dims(random,
                  static_cast<size_t>(random.pick({1, 2, 2, 3, 3, 4, 4, 4, 5, 6})),
                  random.chance(0.03) ? 6000 : 700)) {}

protected:
    memory_desc_handle_t input(const dims_t &dims, dnnl_data_type_t type) {
        return random_layout(random_, dims, type, {.style = style_, .may_repeat = true});
    }
    memory_desc_handle_t output(const dims_t &dims, dnnl_data_type_t type) {
        return random_layout(random_, dims, type, {.style = style_, .may_be_open = true});
    }
    /// Throws if the descriptor was refused.
    void describe(const char *operation, const std::string &text, dnnl_status_t status);
    /// Its values, rounded to its type.
    std::vector<double> add_input(int arg, const std::string &name, double low, double high);
    std::vector<double> add_input(
            int arg, const std::string &name, const std::vector<double> &values);
    void expect(int arg, const std::string &name, intervals_t values);
    void expect(intervals_t values) { expect(DNNL_ARG_DST, "dst", std::move(values)); }
    /// The same, after a chain of post-ops.
    void expect(intervals_t values, chain_t &chain);
    /// The position of dst's element number `i` in a tensor that is broadcast to dst.
    size_t broadcast_index(size_t i, const dims_t &from) const;
    dims_t random_broadcast();
    size_t random_axis() { return static_cast<size_t>(random_.below(int64_t(dims_.size()))); }
    /// How many elements lie between neighbours along an axis, in row-major order.
    size_t stride_of(size_t axis) const;

    random_t &random_;
    regions_t &regions_;
    std::unique_ptr<problem_t> problem_;
    const style_t style_ = random_style(random_);
    const dims_t dims_;
};

/// For each line along an axis, `work(its first element)`.
template <typename work_t>
void for_each_line(size_t elements, size_t stride, size_t length, const work_t &work) {
    for (size_t i = 0; i < elements; ++i)
        if (i / stride % length == 0) work(i);
}

} // namespace kiln::test::differential
