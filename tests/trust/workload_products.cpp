// SPDX-License-Identifier: Apache-2.0
// Matrix products and inner products.
#include <array>
#include <vector>

#include "trust/workload_problems.hpp"

namespace kiln::test::workload {
namespace {

/// Types of src, weights and dst.
struct types_t {
    type_t src, weights, dst;
};

uint64_t matmul(const engine &engine, random_t &random) {
    const auto types = random.one_of<types_t>(
            {{type_t::f32, type_t::f32, type_t::f32}, {type_t::bf16, type_t::bf16, type_t::f32},
                    {type_t::f16, type_t::f16, type_t::f16}, {type_t::u8, type_t::s8, type_t::s32},
                    {type_t::s8, type_t::s8, type_t::f32}, {type_t::f32, type_t::u8, type_t::f32}});
    const int64_t batch = random.between(1, 3), rows = random.between(1, 40),
                  columns = random.next() % 8 == 0 ? 300 : random.between(1, 100),
                  length = random.next() % 8 == 0 ? 700 : random.between(1, 200);
    const tag_t tag = random.one_of({tag_t::abc, tag_t::acb, tag_t::any});
    primitive_attr attr;
    if (types.src == type_t::s8) {
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 2);
        attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    }
    if (types.src == type_t::f32 && types.weights != type_t::f32) {
        attr.set_fpmath_mode(dnnl::fpmath_mode::strict, true);
        attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 2);
    }
    const memory::desc src({batch, rows, length}, types.src, tag_t::abc);
    const memory::desc weights({batch, length, columns}, types.weights, tag);
    const memory::desc bias({1, 1, columns}, type_t::f32, tag_t::abc);
    const memory::desc dst({batch, rows, columns}, types.dst, tag_t::abc);
    const dnnl::matmul::primitive_desc desc(engine, src, weights, bias, dst, attr);
    return execute(engine, desc, dnnl::matmul(desc), random);
}

uint64_t inner_product(const engine &engine, random_t &random) {
    const type_t type = random.one_of({type_t::f32, type_t::bf16});
    const int64_t images = random.between(1, 20), channels = random.between(1, 40),
                  width = random.between(1, 5), outputs = random.between(1, 70);
    const memory::desc src({images, channels, width, width}, type, tag_t::nchw);
    const memory::desc weights({outputs, channels, width, width}, type, tag_t::any);
    const memory::desc bias({outputs}, type, tag_t::a), dst({images, outputs}, type, tag_t::ab);
    const dnnl::inner_product_forward::primitive_desc forward(
            engine, prop_kind::forward_training, src, weights, bias, dst);
    switch (random.next() % 3) {
    case 0: return execute(engine, forward, dnnl::inner_product_forward(forward), random);
    case 1: {
        const dnnl::inner_product_backward_data::primitive_desc data(
                engine, src, weights, dst, forward);
        return execute(engine, data, dnnl::inner_product_backward_data(data), random);
    }
    default: {
        const dnnl::inner_product_backward_weights::primitive_desc gradient(
                engine, src, weights, bias, dst, forward);
        return execute(engine, gradient, dnnl::inner_product_backward_weights(gradient), random);
    }
    }
}

/// Without a descriptor: row-major matrices of floats, or of bytes with sums in s32.
uint64_t gemm(const engine &, random_t &random) {
    const int64_t m = random.between(1, 60), n = random.between(1, 60), k = random.between(1, 100);
    const type_t type = random.one_of({type_t::f32, type_t::u8, type_t::s8}); // of A
    const size_t element = memory::data_type_size(type);
    std::vector<std::byte> a(static_cast<size_t>(m * k) * element),
            b(static_cast<size_t>(k * n) * element), c(static_cast<size_t>(m * n) * 4);
    fill(a.data(), a.size(), type, random);
    fill(b.data(), b.size(), type, random);
    const auto floats = [](auto &of) { return reinterpret_cast<float *>(of.data()); };
    const auto signed_bytes = [](const auto &of) {
        return reinterpret_cast<const int8_t *>(of.data());
    };
    auto *const sums = reinterpret_cast<int32_t *>(c.data());
    const int32_t offset = 0;
    dnnl::status status;
    switch (type) {
    case type_t::f32:
        status = dnnl::sgemm('N', 'N', m, n, k, 1.f, floats(a), k, floats(b), n, 0.f, floats(c), n);
        break;
    case type_t::u8:
        status = dnnl::gemm_u8s8s32('N', 'N', 'F', m, n, k, 1.f,
                reinterpret_cast<const uint8_t *>(a.data()), k, 0, signed_bytes(b), n, 0, 0.f, sums,
                n, &offset);
        break;
    default:
        status = dnnl::gemm_s8s8s32('N', 'N', 'F', m, n, k, 1.f, signed_bytes(a), k, 0,
                signed_bytes(b), n, 0, 0.f, sums, n, &offset);
    }
    if (status != dnnl::status::success) throw dnnl::error(dnnl_runtime_error, "gemm");
    return hash(first_hash, c.data(), c.size());
}

constexpr problem_t problems[] = {matmul, matmul, inner_product, gemm};

} // namespace

uint64_t product(const engine &engine, random_t &random) {
    return problems[random.next() % std::size(problems)](engine, random);
}

} // namespace kiln::test::workload
