// SPDX-License-Identifier: Apache-2.0
// A C99 program that includes every C header and normalizes one row. It uses only what oneDNN's
// headers have too.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dnnl.h"
#include "dnnl_config.h"
#include "dnnl_debug.h"
#include "dnnl_types.h"
#include "dnnl_version.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.h"
#include "oneapi/dnnl/dnnl_common_types.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_graph.h"
#include "oneapi/dnnl/dnnl_graph_types.h"
#include "oneapi/dnnl/dnnl_types.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

// The binary interface: values and layouts that are compiled into programs. C99 has no
// static_assert; an array of negative size does not compile either.
#define STATIC_CHECK(name, condition) typedef char check_##name[(condition) ? 1 : -1]

STATIC_CHECK(last_tag, dnnl_format_tag_last == 875);
STATIC_CHECK(first_blocked_tag, dnnl_Abc16a == 52);
STATIC_CHECK(alias_tag, dnnl_nChw16c == dnnl_aBcd16b);
STATIC_CHECK(last_algorithm, dnnl_softmax_log == 0x30001);
STATIC_CHECK(last_query, dnnl_query_num_handles_s32 == 268);
STATIC_CHECK(last_graph_op, dnnl_graph_op_last_symbol == 88);
STATIC_CHECK(last_data_type, dnnl_s64 == 16);
STATIC_CHECK(post_op_argument, DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) == 65536);
STATIC_CHECK(exec_arg_size, sizeof(dnnl_exec_arg_t) == 16);
STATIC_CHECK(exec_arg_memory, offsetof(dnnl_exec_arg_t, memory) == 8);
STATIC_CHECK(version_hash, offsetof(dnnl_version_t, hash) == 16);
STATIC_CHECK(version_gpu_runtime, offsetof(dnnl_version_t, gpu_runtime) == 28);
STATIC_CHECK(logical_tensor_size, sizeof(dnnl_graph_logical_tensor_t) == 224);
STATIC_CHECK(logical_tensor_layout, offsetof(dnnl_graph_logical_tensor_t, layout) == 128);
STATIC_CHECK(cpu_runtime, DNNL_CPU_RUNTIME != DNNL_RUNTIME_NONE);
STATIC_CHECK(gpu_runtime, DNNL_GPU_RUNTIME == DNNL_RUNTIME_NONE);

static int failures = 0;

static void expect(int condition, const char *what) {
    if (condition) return;
    ++failures;
    fprintf(stderr, "failed: %s\n", what);
}

#define EXPECT(condition) expect(condition, #condition)
#define EXPECT_SUCCESS(call) expect((call) == dnnl_success, #call)

static void check_names_and_version(void) {
    const dnnl_version_t *version = dnnl_version();
    EXPECT(version->major == DNNL_VERSION_MAJOR && version->minor == DNNL_VERSION_MINOR);
    EXPECT(version->cpu_runtime == DNNL_CPU_RUNTIME && version->gpu_runtime == DNNL_GPU_RUNTIME);
    EXPECT(strcmp(dnnl_fmt_tag2str(dnnl_nhwc), "acdb") == 0);
    EXPECT(strcmp(dnnl_alg_kind2str(dnnl_eltwise_relu), "eltwise_relu") == 0);
}

// (1 2 3 6) has the mean 3 and the variance 3.5; with an epsilon of 0.5 the divisor is 2.
static void normalize_a_row(dnnl_engine_t engine, dnnl_stream_t stream) {
    const dnnl_dim_t dims[2] = {1, 4};
    float src_data[4] = {1.f, 2.f, 3.f, 6.f};
    float dst_data[4] = {0.f, 0.f, 0.f, 0.f};
    const float expected[4] = {-1.f, -0.5f, 0.f, 1.5f};
    dnnl_memory_desc_t row = NULL;
    dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_memory_t src = NULL;
    dnnl_memory_t dst = NULL;

    EXPECT_SUCCESS(dnnl_memory_desc_create_with_tag(&row, 2, dims, dnnl_f32, dnnl_nc));
    EXPECT_SUCCESS(dnnl_layer_normalization_forward_primitive_desc_create(&desc, engine,
            dnnl_forward_inference, row, row, NULL, 0.5f, dnnl_normalization_flags_none, NULL));
    EXPECT_SUCCESS(dnnl_primitive_create(&primitive, desc));
    EXPECT_SUCCESS(dnnl_memory_create(&src, row, engine, src_data));
    EXPECT_SUCCESS(dnnl_memory_create(&dst, row, engine, dst_data));
    if (failures == 0) {
        dnnl_exec_arg_t args[2];
        args[0].arg = DNNL_ARG_SRC;
        args[0].memory = src;
        args[1].arg = DNNL_ARG_DST;
        args[1].memory = dst;
        EXPECT_SUCCESS(dnnl_primitive_execute(primitive, stream, 2, args));
        EXPECT_SUCCESS(dnnl_stream_wait(stream));
        for (int i = 0; i < 4; ++i)
            expect(dst_data[i] > expected[i] - 1e-6f && dst_data[i] < expected[i] + 1e-6f,
                    "an element of the normalized row");
    }
    EXPECT_SUCCESS(dnnl_memory_destroy(dst));
    EXPECT_SUCCESS(dnnl_memory_destroy(src));
    EXPECT_SUCCESS(dnnl_primitive_destroy(primitive));
    EXPECT_SUCCESS(dnnl_primitive_desc_destroy(desc));
    EXPECT_SUCCESS(dnnl_memory_desc_destroy(row));
}

int main(void) {
    dnnl_engine_t engine = NULL;
    dnnl_stream_t stream = NULL;
    check_names_and_version();
    EXPECT_SUCCESS(dnnl_engine_create(&engine, dnnl_cpu, 0));
    EXPECT_SUCCESS(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    if (failures == 0) normalize_a_row(engine, stream);
    EXPECT_SUCCESS(dnnl_stream_destroy(stream));
    EXPECT_SUCCESS(dnnl_engine_destroy(engine));
    return failures != 0;
}
