// SPDX-License-Identifier: Apache-2.0
// A C++11 program that includes the wrapper and every C header and normalizes one row. It uses only
// what oneDNN's headers have too.
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <unordered_map>

#include "dnnl.h"
#include "dnnl.hpp"
#include "dnnl_config.h"
#include "dnnl_debug.h"
#include "dnnl_types.h"
#include "dnnl_version.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_common.hpp"
#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph.hpp"
#include "oneapi/dnnl/dnnl_graph_types.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

static_assert(static_cast<int>(dnnl::memory::format_tag::nChw16c) == dnnl_nChw16c,
        "the wrapper's tags are the C interface's");
static_assert(static_cast<int>(dnnl::memory::data_type::bf16) == dnnl_bf16,
        "the wrapper's data types are the C interface's");
static_assert(std::is_same<dnnl::graph::engine, dnnl::engine>::value,
        "graphs and primitives have their engines in common");
static_assert(std::is_same<dnnl::memory::dim, dnnl_dim_t>::value, "a dimension is a dnnl_dim_t");
static_assert(std::is_copy_constructible<dnnl::primitive>::value, "handles are shared by copies");

namespace {

// (1 2 3 6) has the mean 3 and the variance 3.5; with an epsilon of 0.5 the divisor is 2.
bool normalizes_a_row() {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    float src_data[] = {1.f, 2.f, 3.f, 6.f};
    float dst_data[] = {0.f, 0.f, 0.f, 0.f};
    const float expected[] = {-1.f, -0.5f, 0.f, 1.5f};

    const dnnl::memory::desc row(
            {1, 4}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::nc);
    const dnnl::layer_normalization_forward::primitive_desc desc(engine,
            dnnl::prop_kind::forward_inference, row, row, 0.5f, dnnl::normalization_flags::none);
    dnnl::memory src(row, engine, src_data);
    dnnl::memory dst(row, engine, dst_data);
    dnnl::layer_normalization_forward(desc).execute(
            stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();

    for (int i = 0; i < 4; ++i)
        if (!(std::fabs(dst_data[i] - expected[i]) < 1e-6f)) return false;
    return true;
}

} // namespace

int main() {
    if (dnnl::version()->major != DNNL_VERSION_MAJOR) {
        std::fprintf(stderr, "failed: the library has another version than its headers\n");
        return 1;
    }
    try {
        if (normalizes_a_row()) return 0;
        std::fprintf(stderr, "failed: the normalized row\n");
    } catch (const dnnl::error &error) {
        std::fprintf(stderr, "failed: %s (%s)\n", error.what(), dnnl_status2str(error.status));
    }
    return 1;
}
