// SPDX-License-Identifier: Apache-2.0
// Whether a problem's tensors fit the machine's memory.
#include "common/tensor/memory_limit.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace benchdnn {

namespace {

// Bytes that are available without swapping; unlimited if the system does not report them.
double available_bytes() {
    std::ifstream info("/proc/meminfo");
    std::string name, unit;
    double kilobytes;
    while (info >> name >> kilobytes) {
        if (name == "MemAvailable:") return kilobytes * 1024;
        std::getline(info, unit);
    }
    return std::numeric_limits<double>::infinity();
}

} // namespace

// Some memory is left for the operating system.
bool fits_available_memory(double bytes) { return bytes < 0.9 * available_bytes(); }

bool fits_memory(const primitive_desc_t &primitive_desc, bool for_checks) {
    // The tensors that a primitive can be asked for by kind; these include statistics and
    // parameters.
    constexpr dnnl_query_t kinds[] = {dnnl_query_src_md, dnnl_query_diff_src_md,
            dnnl_query_weights_md, dnnl_query_diff_weights_md, dnnl_query_dst_md,
            dnnl_query_diff_dst_md, dnnl_query_workspace_md, dnnl_query_scratchpad_md};
    double bytes = 0;
    for (const dnnl_query_t kind : kinds)
        for (int index = 0; index < 3; ++index) {
            const_dnnl_memory_desc_t descriptor =
                    dnnl_primitive_desc_query_md(primitive_desc.get(), kind, index);
            const size_t size = dnnl_memory_desc_get_size(descriptor);
            // A tensor of run-time dims has no size yet.
            if (size != DNNL_RUNTIME_SIZE_VAL) bytes += static_cast<double>(size);
        }
    // For checks, also copies of outputs and of what is overwritten in place.
    return fits_available_memory(bytes * (for_checks ? 2 : 1));
}

} // namespace benchdnn
