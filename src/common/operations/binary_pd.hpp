// SPDX-License-Identifier: Apache-2.0
// Binary operations: the problem as plain data and its descriptor.
#pragma once

#include "common/primitive/primitive_desc.hpp"

namespace kiln {

/// dst = alg(src_0, src_1), where each source has dst's extent along an axis or 1; with
/// dnnl_binary_select dst = src_2 != 0 ? src_0 : src_1.
struct binary_desc_t {
    using pd_t = class binary_pd_t;

    alg_kind_t alg;
    memory_desc_t src_0;
    memory_desc_t src_1;
    memory_desc_t src_2; // the condition; zero where there is none
    memory_desc_t dst;

    bool has_condition() const { return alg == dnnl_binary_select; }
    auto fields() const { return std::tie(alg, src_0, src_1, src_2, dst); }
};

class binary_pd_t : public operation_pd_t<binary_desc_t> {
public:
    binary_pd_t(engine_t *engine, const binary_desc_t &desc, const primitive_attr_t *attr,
            std::shared_ptr<const primitive_desc_t> hint);
    /// Fills the table of arguments.
    status_t init();
    /// Gives descriptors whose format is `any` the order and the blocks of src_0.
    status_t resolve_formats();
    primitive_text_t text() const override;
    /// The implementations, best first; the CPU engine defines them.
    static std::span<const implementation_t<binary_pd_t>> implementations();

    status_t query(query_t what, int index, void *result) const override;

    const memory_desc_t &src_0() const { return desc_.src_0; }
    const memory_desc_t &src_1() const { return src_1_; }
    const memory_desc_t &src_2() const { return src_2_; }
    const memory_desc_t &dst() const { return dst_; }

private:
    /// Layouts that follow from src_0's are compared too: strides along axes of one element, which
    /// equal descriptors may differ in, decide about axes along which src_0 is broadcast.
    bool same_problem(const primitive_desc_t &other) const override;

    memory_desc_t src_1_, src_2_, dst_;
};

} // namespace kiln
