// SPDX-License-Identifier: Apache-2.0
// A program with two libraries of the interface in its process: Kiln, whose functions it calls by
// the headers, and another one, which it loads from the file that it is given. Ends with 0 if each
// computes by its own functions.
#include <cmath>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>

#include "kiln/version.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace {

/// Whether dnnl_version() is that of the library which kiln_version() is of.
bool calls_kiln() { return std::strcmp(dnnl::version()->hash, kiln_version()->hash) == 0; }

bool kiln_computes() {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    float row[4] = {1.f, 2.f, 3.f, 6.f}, sum[4];
    const dnnl::memory::desc md({1, 4}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
    const dnnl::memory src(md, engine, row), dst(md, engine, sum);
    dnnl::binary(dnnl::binary::primitive_desc(engine, dnnl::algorithm::binary_add, md, md, md))
            .execute(stream, {{DNNL_ARG_SRC_0, src}, {DNNL_ARG_SRC_1, src}, {DNNL_ARG_DST, dst}});
    stream.wait();
    return sum[0] == 2.f && sum[1] == 4.f && sum[2] == 6.f && sum[3] == 12.f;
}

/// Whether the other library multiplies matrices.
bool other_computes(void *library) {
    using sgemm_t = dnnl_status_t (*)(char, char, dnnl_dim_t, dnnl_dim_t, dnnl_dim_t, float,
            const float *, dnnl_dim_t, const float *, dnnl_dim_t, float, float *, dnnl_dim_t);
    const auto sgemm = reinterpret_cast<sgemm_t>(dlsym(library, "dnnl_sgemm"));
    const float a[4] = {1.f, 2.f, 3.f, 4.f}, b[4] = {5.f, 6.f, 7.f, 8.f};
    float c[4] = {};
    if (!sgemm || sgemm('N', 'N', 2, 2, 2, 1.f, a, 2, b, 2, 0.f, c, 2) != dnnl_success)
        return false;
    return c[0] == 19.f && c[1] == 22.f && c[2] == 43.f && c[3] == 50.f;
}

} // namespace

int main(int, char **argv) {
    void *const other = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!other) return std::fprintf(stderr, "%s\n", dlerror()), 2;
    const bool mixed = !calls_kiln();
    if (mixed) return std::fprintf(stderr, "dnnl_version() is of another library\n"), 3;
    if (!kiln_computes()) return std::fprintf(stderr, "Kiln's sum is wrong\n"), 4;
    if (!other_computes(other)) return std::fprintf(stderr, "the other product is wrong\n"), 5;
    return 0;
}
