// SPDX-License-Identifier: Apache-2.0
// Sizes of the interface's data types, and element access by run-time type.
#include "common/memory/data_type.hpp"

#include "common/memory/type_set.hpp"
#include "oneapi/dnnl/dnnl_debug.h"

namespace kiln {

size_t data_type_size(dnnl_data_type_t data_type) {
    switch (data_type) {
    case dnnl_f64:
    case dnnl_s64: return 8;
    case dnnl_f32:
    case dnnl_s32: return 4;
    case dnnl_bf16:
    case dnnl_f16: return 2;
    case dnnl_s8:
    case dnnl_u8:
    case dnnl_boolean:
    case dnnl_f8_e5m2:
    case dnnl_f8_e4m3:
    case dnnl_e8m0:
    case dnnl_s4:
    case dnnl_u4:
    case dnnl_f4_e2m1:
    case dnnl_f4_e3m0: return 1;
    default: return 0;
    }
}

bool is_half_byte(dnnl_data_type_t data_type) {
    return contains(int4_types | type_set({dnnl_f4_e2m1, dnnl_f4_e3m0}), data_type);
}

bool has_element_type(dnnl_data_type_t data_type) { return contains(element_types, data_type); }

std::string names_of(type_set_t set) {
    std::string names;
    for (int type = 0; type < 32; ++type)
        if (set >> type & 1)
            names += (names.empty() ? "" : ", ")
                     + std::string(dnnl_dt2str(static_cast<dnnl_data_type_t>(type)));
    return names;
}

double load_f64(dnnl_data_type_t data_type, const void *base, std::int64_t index) {
    if (data_type == dnnl_e8m0)
        return static_cast<double>(static_cast<float>(load_element<float8_e8m0_t>(base, index)));
    return with_type(data_type, [&]<class T>(std::type_identity<T>) {
        return static_cast<double>(load_element<T>(base, index));
    });
}

void store_f64(dnnl_data_type_t data_type, double value, void *base, std::int64_t index) {
    with_type(data_type, [&]<class T>(std::type_identity<T>) {
        store_element(saturate_cast<T>(value), base, index);
    });
}

} // namespace kiln
