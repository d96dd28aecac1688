// SPDX-License-Identifier: Apache-2.0
// kiln/layer_norm_grad.h against the formulas of LayerNormGrad in double.
#include "kiln/layer_norm_grad.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/data_type.hpp"
#include "support/random_values.hpp"

namespace kiln::test {

namespace {

using types_t = std::vector<dnnl_data_type_t>;
const types_t floats{dnnl_f32, dnnl_bf16, dnnl_f16};

/// A dense tensor: its bytes, and the values that they hold.
struct tensor_t {
    tensor_t(dnnl_data_type_t of, const std::vector<double> &wanted)
        : type(of)
        , bytes(wanted.size() * size_of(of)) {
        for (size_t i = 0; i < wanted.size(); ++i) encode(of, wanted[i], &bytes[i * size_of(of)]);
    }
    static tensor_t empty(dnnl_data_type_t type, size_t count) {
        return {type, std::vector<double>(count, unwritten)};
    }
    double operator[](size_t i) const { return decode(type, &bytes[i * size_of(type)]); }
    bool is_unwritten() const {
        for (size_t i = 0; i < bytes.size() / size_of(type); ++i)
            if ((*this)[i] != unwritten) return false;
        return true;
    }

    static constexpr double unwritten = 42;
    dnnl_data_type_t type;
    std::vector<std::byte> bytes;
};

struct case_t {
    std::vector<dnnl_dim_t> dims;
    int axis;
    unsigned mask = 7;
    dnnl_data_type_t x_type = dnnl_f32, stat_type = dnnl_f32, gamma_type = dnnl_f32;
    kiln_given_t given = kiln_given_variance;
    float epsilon = 1e-3f;
};

class problem_t {
public:
    explicit problem_t(const case_t &of)
        : c(of)
        , rows(extent(0, first_axis()))
        , cols(extent(first_axis(), of.dims.size()))
        , x(of.x_type, random(1, rows * cols, -1, 2))
        , dy(of.x_type, random(2, rows * cols, -2, 1))
        , deviation(of.stat_type, random(3, rows, 0.5, 2))
        , mean(of.stat_type, random(4, rows, 0, 1))
        , gamma(has_gamma()               ? of.gamma_type
                  : of.x_type == dnnl_f64 ? dnnl_f64
                                          : dnnl_f32,
                  has_gamma() ? random(5, cols, 0.5, 1.5) : std::vector<double>(cols, 1))
        , pd_x(tensor_t::empty(of.x_type, rows * cols))
        , pd_gamma(tensor_t::empty(gamma.type, cols))
        , pd_beta(tensor_t::empty(gamma.type, cols)) {}

    dnnl_status_t run() {
        const kiln_layer_norm_grad_desc_t desc = {static_cast<int>(c.dims.size()), c.dims.data(),
                c.axis, c.x_type, c.stat_type, c.gamma_type, c.mask, c.given, c.epsilon};
        kiln_layer_norm_grad_t grad;
        dnnl_status_t status = kiln_layer_norm_grad_create(&grad, engine.get(), &desc);
        if (status == dnnl_success)
            status = kiln_layer_norm_grad_execute(&grad, stream.get(), dy.bytes.data(),
                    x.bytes.data(), deviation.bytes.data(), mean.bytes.data(),
                    has_gamma() ? gamma.bytes.data() : nullptr,
                    c.mask & kiln_pd_x ? pd_x.bytes.data() : nullptr,
                    c.mask & kiln_pd_gamma ? pd_gamma.bytes.data() : nullptr,
                    c.mask & kiln_pd_beta ? pd_beta.bytes.data() : nullptr);
        EXPECT_EQ(kiln_layer_norm_grad_destroy(&grad), dnnl_success);
        return status;
    }

    void expect_right() {
        SCOPED_TRACE(testing::Message() << "rows " << rows << " cols " << cols << " mask " << c.mask
                                        << " types " << c.x_type << ' ' << c.stat_type << ' '
                                        << c.gamma_type << " given " << c.given);
        ASSERT_EQ(run(), dnnl_success);
        std::vector<double> want_gamma(cols), want_beta(cols), sizes(cols);
        for (size_t r = 0; r < rows; ++r) expect_row(r, want_gamma, want_beta, sizes);
        for (size_t k = 0; k < cols; ++k) {
            if (c.mask & kiln_pd_gamma) expect_near(pd_gamma, k, want_gamma[k], sizes[k]);
            if (c.mask & kiln_pd_beta) expect_near(pd_beta, k, want_beta[k], sizes[k]);
        }
        EXPECT_EQ(pd_x.is_unwritten(), !(c.mask & kiln_pd_x));
        EXPECT_EQ(pd_gamma.is_unwritten(), !(c.mask & kiln_pd_gamma));
        EXPECT_EQ(pd_beta.is_unwritten(), !(c.mask & kiln_pd_beta));
    }

private:
    size_t first_axis() const {
        return static_cast<size_t>(c.axis < 0 ? c.axis + static_cast<int>(c.dims.size()) : c.axis);
    }
    size_t extent(size_t begin, size_t end) const {
        size_t product = 1;
        for (size_t d = begin; d < end; ++d) product *= static_cast<size_t>(c.dims[d]);
        return product;
    }
    bool has_gamma() const { return c.gamma_type != dnnl_data_type_undef; }
    static std::vector<double> random(uint64_t seed, size_t count, double low, double high) {
        return random_values_t(seed).many(static_cast<int64_t>(count), low, high);
    }
    /// `size`: of the terms that were added.
    static void expect_near(const tensor_t &got, size_t i, double want, double size) {
        const double computed = got.type == dnnl_f64 ? 1e-14 : 2e-6;
        EXPECT_NEAR(
                got[i], want, computed * size + 1.01 * unit_roundoff(got.type) * std::fabs(want))
                << "element " << i;
    }
    void expect_row(size_t r, std::vector<double> &want_gamma, std::vector<double> &want_beta,
            std::vector<double> &sizes) {
        const double rstd = c.given == kiln_given_rstd
                                    ? deviation[r]
                                    : 1 / std::sqrt(deviation[r] + static_cast<double>(c.epsilon));
        std::vector<double> xhat, g;
        double sum = 0, product = 0, size = 0;
        for (size_t k = 0; k < cols; ++k) {
            const size_t i = r * cols + k;
            xhat.push_back((x[i] - mean[r]) * rstd);
            g.push_back(dy[i] * gamma[k]);
            sum += g[k] / static_cast<double>(cols);
            product += g[k] * xhat[k] / static_cast<double>(cols);
            size += std::fabs(g[k] * xhat[k]) / static_cast<double>(cols);
            want_gamma[k] += dy[i] * xhat[k];
            want_beta[k] += dy[i];
            sizes[k] += std::fabs(dy[i]) * (1 + std::fabs(xhat[k]));
        }
        for (size_t k = 0; k < cols && c.mask & kiln_pd_x; ++k)
            expect_near(pd_x, r * cols + k, rstd * (g[k] - sum - xhat[k] * product),
                    rstd * (4 + size) * (1 + std::fabs(xhat[k])));
    }

    const dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    const dnnl::stream stream{engine};
    const case_t c;

public:
    const size_t rows, cols;
    tensor_t x, dy, deviation, mean, gamma, pd_x, pd_gamma, pd_beta;
};

void expect_right(const case_t &c) { problem_t(c).expect_right(); }

TEST(layer_norm_grad, is_right_from_every_axis_with_every_mask) {
    for (const std::vector<dnnl_dim_t> &dims :
            {std::vector<dnnl_dim_t>{2, 3, 4, 5}, {40}, {7, 33}, {1, 1, 1}, {3, 1, 70}})
        for (int axis = -static_cast<int>(dims.size()); axis < static_cast<int>(dims.size());
                ++axis)
            for (unsigned mask = 1; mask < 8; ++mask)
                for (const kiln_given_t given : {kiln_given_variance, kiln_given_rstd})
                    expect_right({.dims = dims, .axis = axis, .mask = mask, .given = given});
}

TEST(layer_norm_grad, is_right_with_every_combination_of_float_types) {
    for (const auto x_type : floats)
        for (const auto stat_type : floats)
            for (const auto gamma_type : floats)
                for (const kiln_given_t given : {kiln_given_variance, kiln_given_rstd})
                    expect_right({.dims = {2, 5, 3, 7},
                            .axis = 2,
                            .x_type = x_type,
                            .stat_type = stat_type,
                            .gamma_type = gamma_type,
                            .given = given});
}

TEST(layer_norm_grad, is_right_in_f64) {
    for (const kiln_given_t given : {kiln_given_variance, kiln_given_rstd})
        for (const auto gamma_type : {dnnl_f64, dnnl_data_type_undef})
            expect_right({.dims = {2, 5, 3, 7},
                    .axis = 2,
                    .mask = gamma_type == dnnl_f64 ? 7u : 5u,
                    .x_type = dnnl_f64,
                    .stat_type = dnnl_f64,
                    .gamma_type = gamma_type,
                    .given = given,
                    .epsilon = 0x1p-10f});
}

TEST(layer_norm_grad, works_without_gamma) {
    for (const unsigned mask : {1u, 4u, 5u})
        expect_right(
                {.dims = {4, 30}, .axis = -1, .mask = mask, .gamma_type = dnnl_data_type_undef});
    case_t impossible{.dims = {4, 30}, .axis = -1, .gamma_type = dnnl_data_type_undef};
    EXPECT_EQ(problem_t(impossible).run(), dnnl_invalid_arguments);
}

TEST(layer_norm_grad, refuses_axes_types_and_epsilons_that_do_not_exist) {
    const auto status_of = [](const case_t &c) {
        const std::vector<dnnl_dim_t> &dims = c.dims;
        const kiln_layer_norm_grad_desc_t desc = {static_cast<int>(dims.size()), dims.data(),
                c.axis, c.x_type, c.stat_type, c.gamma_type, c.mask, c.given, c.epsilon};
        const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
        kiln_layer_norm_grad_t grad;
        const dnnl_status_t status = kiln_layer_norm_grad_create(&grad, engine.get(), &desc);
        kiln_layer_norm_grad_destroy(&grad);
        return status;
    };
    EXPECT_EQ(status_of({.dims = {4, 30}, .axis = 1}), dnnl_success);
    EXPECT_EQ(status_of({.dims = {4, 30}, .axis = 2}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.dims = {4, 30}, .axis = -3}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.dims = {4, 30}, .axis = 1, .epsilon = 0}), dnnl_invalid_arguments);
    EXPECT_EQ(status_of({.dims = {4, 30}, .axis = 1, .x_type = dnnl_s8}), dnnl_unimplemented);
    EXPECT_EQ(status_of({.dims = {4, 30}, .axis = 1, .stat_type = dnnl_s8}), dnnl_unimplemented);
}

TEST(layer_norm_grad, refuses_an_execution_without_an_input) {
    problem_t problem({.dims = {4, 30}, .axis = 1});
    kiln::layer_norm_grad::desc desc;
    desc.dims = {4, 30};
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const dnnl::stream stream(engine);
    const kiln::layer_norm_grad grad(engine, desc);
    const kiln::layer_norm_grad::inputs all{problem.dy.bytes.data(), problem.x.bytes.data(),
            problem.deviation.bytes.data(), problem.mean.bytes.data(), problem.gamma.bytes.data()};
    const kiln::layer_norm_grad::outputs outputs{
            problem.pd_x.bytes.data(), problem.pd_gamma.bytes.data(), problem.pd_beta.bytes.data()};
    EXPECT_NO_THROW(grad.execute(stream, all, outputs));
    for (const void *kiln::layer_norm_grad::inputs::*missing : {&kiln::layer_norm_grad::inputs::dy,
                 &kiln::layer_norm_grad::inputs::x, &kiln::layer_norm_grad::inputs::variance,
                 &kiln::layer_norm_grad::inputs::mean, &kiln::layer_norm_grad::inputs::gamma}) {
        auto inputs = all;
        inputs.*missing = nullptr;
        EXPECT_THROW(grad.execute(stream, inputs, outputs), dnnl::error);
    }
}

TEST(layer_norm_grad, reads_every_16_bit_float) {
    for (const auto type : {dnnl_bf16, dnnl_f16})
        for (unsigned bits = 0; bits < 0x10000; ++bits) {
            const auto value = static_cast<uint16_t>(bits);
            const double want = decode(type, reinterpret_cast<const std::byte *>(&value));
            const double got = kiln_value_at(type, &value, 0);
            ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want))) << bits;
        }
}

} // namespace

} // namespace kiln::test
