// SPDX-License-Identifier: Apache-2.0
// Reorders of integers of half a byte as reorders of bytes.

#include "cpu/half_byte_reorder.hpp"

#include "common/memory/type_set.hpp"
#include "cpu/relaid.hpp"

namespace kiln::cpu {
namespace {

bool is_int4(const memory_desc_t &md) { return contains(int4_types, md.data_type); }

memory_desc_t as_bytes(memory_desc_t md) {
    md.data_type = md.data_type == dnnl_s4 ? dnnl_s8 : dnnl_u8;
    return md;
}

/// Elements of a tensor's buffer, those in gaps included, up to the last one of the tensor.
dim_t elements_of_buffer(const memory_desc_t &md) {
    if (!is_plain(md)) return static_cast<dim_t>(byte_size(as_bytes(md)));
    dim_t last = 0;
    for (int d = 0; d < md.ndims; ++d)
        last += (md.dims[d] - 1) * md.format_desc.blocking.strides[d];
    return last + 1;
}

/// These elements in the order of addresses.
memory_desc_t in_order_of_addresses(const memory_desc_t &md) {
    const dim_t count = elements_of_buffer(md);
    memory_desc_t vector{};
    init_by_strides(vector, 1, &count, md.data_type, nullptr);
    return vector;
}

bool has_gaps(const memory_desc_t &md) { return elements_of_buffer(md) != element_count(md, true); }

} // namespace

refusal_t half_byte_reorder_accept(reorder_pd_t &pd, plan_ptr_t &plan) {
    const memory_desc_t &src = pd.src(), &dst = pd.dst();
    if (!is_int4(src) && !is_int4(dst)) return refused("neither src nor dst is s4 or u4");
    if (has_zero_dim(dst)) return refused("there are no elements");
    if (src.ndims == 1 && is_int4(src) != is_int4(dst))
        return refused("bytes in the order of addresses would be the same problem again");
    if (src.offset0 != 0 || dst.offset0 != 0) return refused("a tensor begins at an offset");
    if (is_int4(dst) && (has_gaps(dst) || adds_to_dst(pd.attr())))
        return refused("dst of half bytes has gaps, or a post-op reads it");
    reorder_desc_t desc = pd.desc();
    if (is_int4(src)) desc.src = as_bytes(src);
    if (is_int4(dst)) desc.dst = as_bytes(dst);
    primitive_attr_t attr = pd.attr();
    attr.scratchpad_mode = dnnl_scratchpad_mode_library;
    auto found = std::make_shared<plan_of_t<relaid_t, relaid_plan_t>>();
    relaid_plan_t &work = found->work;
    if (operation_pd_t<reorder_desc_t>::find(pd.engine(), desc, &attr, nullptr, 0, work.operation)
                    != dnnl_success
            || work.operation->is_reference())
        return refused("no kernel reorders bytes in these layouts");
    const auto add = [&](int arg, const memory_desc_t &md, bool is_result) {
        const memory_desc_t own = in_order_of_addresses(md);
        return !is_int4(md)
               || work.add_copy(pd.engine(), arg, own, as_bytes(own), is_result, false)
                          == dnnl_success;
    };
    if (!add(DNNL_ARG_FROM, src, false) || !add(DNNL_ARG_TO, dst, true))
        return refused("no kernel converts between half bytes and bytes");
    pd.set_scratchpad_size(work.scratchpad_size());
    plan = std::move(found);
    return accepted();
}

} // namespace kiln::cpu
