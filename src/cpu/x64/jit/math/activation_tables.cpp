// SPDX-License-Identifier: Apache-2.0
// Activation functions by tables of their common range.

#include "cpu/x64/jit/math/activation_tables.hpp"

#include <span>
#include <vector>

#include "cpu/x64/jit/lane_condition.hpp"
#include "cpu/x64/jit/math/activation.hpp"
#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {
namespace {

/// Sixteen intervals of equal width with a polynomial for each: the middle of interval i is i *
/// width, or (i - 16) * width.
struct intervals_t {
    float width;
    /// By the distance from the middle, highest power first.
    std::span<const float_table_t> coefficients;

    /// Bounds of the arguments, for numbers >= 0 and for numbers of both signs. They are a tenth of
    /// a width from an end, so that rounding keeps the index.
    float last() const { return 15.4f * width; }
    float signed_first() const { return -8.4f * width; }
    float signed_last() const { return 7.4f * width; }
};

/// Eight segments from 0 to `end` with a polynomial for each. In u = 8 - 6 * t / end, those from 2
/// to 4 have a width of 1/2 and those from 4 to 8 a width of 1: the lowest bit of the exponent of u
/// and the highest two of its fraction number them.
struct segments_t {
    float end;
    /// By the distance from the origin, highest power first.
    std::span<const float_octet_t> coefficients;

    float scale() const { return 6 / end; }
    /// The bound of the arguments, so that rounding keeps the index.
    float last() const { return 511.0f / 512 * end; }
    /// Nearer to the end of a segment at which the function is smaller. That of the last one is 0,
    /// where it may be 0.
    std::vector<float> origins() const {
        std::vector<float> to;
        for (const double u : {2.15, 2.65, 3.15, 3.65, 4.3, 5.3, 6.3, 8.0})
            to.push_back(static_cast<float>((8 - u) * static_cast<double>(end) / 6));
        return to;
    }
};

// The coefficients are minimax fits of the relative error, made like those of math.cpp.

/// t * (1 - erf(t / sqrt(2))) / 2
constexpr float_table_t gelu_erf_coefficients[] = {
        {0x1.8b30ecp-9f, 0x1.e01dd6p-10f, 0x1.727e7ap-9f, -0x1.06ad74p-9f, -0x1.f140dcp-9f,
                0x1.7b5d8ep-9f, -0x1.29a07ep-8f, 0x1.434042p-12f, 0x1.9fb564p-14f, 0x1.30f90ap-11f,
                0x1.1fbb64p-14f, -0x1.a023dep-16f, -0x1.8168cap-16f, -0x1.00e24ap-16f,
                -0x1.a3bf58p-18f, -0x1.f5f8dep-20f},
        {-0x1.7478e6p-7f, -0x1.9581ccp-8f, 0x1.7f37d8p-11f, 0x1.595ee8p-7f, 0x1.f1b76ap-8f,
                -0x1.0cb49cp-10f, 0x1.101e2ep-12f, -0x1.efb71ep-10f, -0x1.1075b2p-10f,
                -0x1.92744ep-12f, 0x1.d09dc6p-14f, 0x1.474dc2p-13f, 0x1.814c08p-14f,
                0x1.49cf4cp-15f, 0x1.b22874p-17f, 0x1.cdfcb2p-19f},
        {0x1.132074p-12f, -0x1.2f9eaep-6f, -0x1.7c793ep-6f, -0x1.aaef06p-7f, 0x1.d8ef84p-11f,
                0x1.0cdc74p-7f, 0x1.0f5826p-7f, 0x1.0b19d8p-8f, 0x1.79fe5ap-11f, -0x1.7d565ep-11f,
                -0x1.a413ap-11f, -0x1.f68bd6p-12f, -0x1.b6b356p-13f, -0x1.2dd41ep-14f,
                -0x1.54094ap-16f, -0x1.3fe72ap-18f},
        {0x1.104012p-4f, 0x1.8d6796p-5f, 0x1.136efep-7f, -0x1.ab72cap-6f, -0x1.2d0abep-5f,
                -0x1.b9248ep-6f, -0x1.73d11p-7f, -0x1.741cbp-13f, 0x1.f8dcd2p-9f, 0x1.d56cb2p-9f,
                0x1.12bf58p-9f, 0x1.e8f182p-11f, 0x1.5e8a6p-12f, 0x1.a00cfcp-14f, 0x1.9f64e6p-16f,
                0x1.604d26p-18f},
        {0x1.df6936p-21f, 0x1.6328d8p-4f, 0x1.07530ep-3f, 0x1.d1f2eap-4f, 0x1.0d61bap-4f,
                0x1.2c7f62p-6f, -0x1.2a8142p-7f, -0x1.0d93bap-6f, -0x1.ac872ep-7f, -0x1.e734eap-8f,
                -0x1.b5ffc2p-9f, -0x1.43d3cep-10f, -0x1.91bc2cp-12f, -0x1.a715a4p-14f,
                -0x1.7d1dbcp-16f, -0x1.272e18p-18f},
        {-0x1.988454p-2f, -0x1.663d8p-2f, -0x1.d40c4ep-3f, -0x1.7eb9c6p-4f, 0x1.350292p-8f,
                0x1.8f954ap-5f, 0x1.a777dap-5f, 0x1.2ad162p-5f, 0x1.486744p-6f, 0x1.27e5bcp-7f,
                0x1.bfa986p-9f, 0x1.20056ap-10f, 0x1.3dc1fep-12f, 0x1.2e2934p-14f, 0x1.f12608p-17f,
                0x1.62c682p-19f},
        {0x1p-1f, 0x1.cd516cp-3f, 0x1.e10b9p-7f, -0x1.99c94ap-4f, -0x1.07c4dcp-3f, -0x1.b42a02p-4f,
                -0x1.190476p-4f, -0x1.2aac5cp-5f, -0x1.0c4774p-6f, -0x1.9c7edcp-8f, -0x1.116beep-9f,
                -0x1.39fcd8p-11f, -0x1.395244p-13f, -0x1.1048f4p-15f, -0x1.9ccde4p-18f,
                -0x1.114982p-20f},
        {0, 0x1.08b53p-3f, 0x1.5b9beep-3f, 0x1.36331ep-3f, 0x1.bb4bbp-4f, 0x1.0a44a4p-4f,
                0x1.125bcap-5f, 0x1.e9bc1ep-7f, 0x1.7ca05p-8f, 0x1.02689ep-9f, 0x1.3312ccp-11f,
                0x1.3fbebcp-13f, 0x1.23f934p-15f, 0x1.d3e052p-18f, 0x1.490f64p-20f,
                0x1.966728p-23f},
};
constexpr intervals_t gelu_erf_intervals{23.0f / 64, gelu_erf_coefficients};

/// The same for AVX2
constexpr float_octet_t gelu_erf_segment_coefficients[] = {
        {0x1.19d1dcp-20f, 0x1.a2e04p-19f, 0x1.d556e2p-19f, 0x1.8d7624p-19f, -0x1.1e4068p-14f,
                0x1.2b000ep-12f, -0x1.7e79b2p-12f, 0x1.9b8ca4p-12f},
        {-0x1.e78122p-20f, -0x1.119c78p-17f, -0x1.6e95eap-16f, -0x1.dc0bb4p-19f, 0x1.3574eap-13f,
                0x1.3f6236p-13f, -0x1.a0e8cep-10f, 0x1.981596p-10f},
        {0x1.b2da9ep-19f, 0x1.221538p-16f, 0x1.0f14fep-14f, 0x1.3cdd2cp-13f, -0x1.30ba8ep-16f,
                -0x1.01ebfp-9f, 0x1.11ebb4p-8f, -0x1.736b68p-7f},
        {-0x1.313ac2p-18f, -0x1.ddccdap-16f, -0x1.1356cap-13f, -0x1.bb4ea2p-12f, -0x1.c15daep-11f,
                0x1.1cd44ap-8f, 0x1.2e5312p-8f, 0x1.4a89c2p-11f},
        {0x1.4f62c4p-18f, 0x1.2c6422p-15f, 0x1.996f52p-13f, 0x1.9dfeb2p-11f, 0x1.74778ap-9f,
                -0x1.561c7ap-11f, -0x1.1d254ep-5f, 0x1.0fb5d4p-4f},
        {-0x1.183a54p-18f, -0x1.1a7f7p-15f, -0x1.bb00b4p-13f, -0x1.0ab17ep-10f, -0x1.4da306p-8f,
                -0x1.0cf7a4p-6f, 0x1.7f26d6p-5f, 0x1.2fe922p-16f},
        {0x1.50019ep-19f, 0x1.78c38p-16f, 0x1.4dbf3cp-13f, 0x1.d01234p-11f, 0x1.715c0ap-8f,
                0x1.33f55p-5f, 0x1.ba3faep-6f, -0x1.988484p-2f},
        {-0x1.024438p-20f, -0x1.3f3392p-17f, -0x1.3b588cp-14f, -0x1.f09998p-12f, -0x1.e04c58p-9f,
                -0x1.3866d2p-5f, -0x1.fdb178p-4f, 0x1p-1f},
        {0x1.7f496ep-23f, 0x1.033402p-19f, 0x1.1ad1c6p-16f, 0x1.f18cacp-14f, 0x1.1c364p-10f,
                0x1.02b1p-6f, 0x1.767c84p-4f, 0},
};
constexpr segments_t gelu_erf_segments{5.54f, gelu_erf_segment_coefficients};

/// The derivative of x * (1 + erf(x / sqrt(2))) / 2 for x = -t
constexpr float_octet_t gelu_erf_slope_coefficients[] = {
        {-0x1.97ecaep-21f, -0x1.b0c4ep-19f, -0x1.922808p-18f, 0x1.2f7e32p-16f, 0x1.9606c4p-14f,
                -0x1.3cea9cp-11f, 0x1.d6a2dep-10f, -0x1.83a36ep-9f},
        {0x1.1f588ap-20f, 0x1.c374e4p-18f, 0x1.888482p-16f, 0x1.98838ap-16f, -0x1.14aa3p-12f,
                0x1.f3158ap-12f, 0x1.73c62ep-11f, 0x1.ab840cp-7f},
        {-0x1.d687d2p-20f, -0x1.bbedf8p-17f, -0x1.10bc88p-14f, -0x1.6d91e4p-13f, 0x1.5e67ccp-13f,
                0x1.514b3cp-9f, -0x1.7ec81ap-7f, -0x1.37f744p-9f},
        {0x1.307ecep-19f, 0x1.4ff04cp-16f, 0x1.fffa0ap-14f, 0x1.f480f6p-12f, 0x1.de5514p-11f,
                -0x1.2b3bd6p-7f, 0x1.ddea9ap-7f, -0x1.e2d8f8p-5f},
        {-0x1.35b4aep-19f, -0x1.88e586p-16f, -0x1.650c7ap-13f, -0x1.c01ac4p-11f, -0x1.c4892p-9f,
                0x1.392df8p-7f, 0x1.318258p-5f, -0x1.612328p-13f},
        {0x1.e2263ep-20f, 0x1.5a178ap-16f, 0x1.6d06c4p-13f, 0x1.153748p-10f, 0x1.9f0608p-8f,
                0x1.79af88p-7f, -0x1.f14246p-4f, 0x1.1059cep-2f},
        {-0x1.0e9058p-20f, -0x1.b27b1cp-17f, -0x1.050deep-13f, -0x1.d04498p-11f, -0x1.cb58bap-8f,
                -0x1.75094p-5f, 0x1.562506p-4f, 0x1.2fa82p-19f},
        {0x1.86c68cp-22f, 0x1.5bd44cp-18f, 0x1.d5ee22p-15f, 0x1.def322p-12f, 0x1.27e4d4p-8f,
                0x1.b2acp-5f, 0x1.60d876p-4f, -0x1.98845ap-1f},
        {-0x1.11488ap-24f, -0x1.0bb976p-20f, -0x1.92901p-17f, -0x1.cf42e4p-14f, -0x1.59758cp-10f,
                -0x1.803eecp-6f, -0x1.d369fp-4f, 0x1p-1f},
};
constexpr segments_t gelu_erf_slope_segments{6.05f, gelu_erf_slope_coefficients};

/// t / (1 + e^(2u)), u = sqrt(2 / pi) * (t + 0.044715 * t^3)
constexpr float_table_t gelu_tanh_coefficients[] = {
        {0x1.1c8db6p-8f, -0x1.0ff684p-10f, 0x1.5f7cc6p-9f, 0x1.50acf4p-8f, -0x1.73ac9ep-10f,
                -0x1.63cddep-8f, 0x1.3652bp-8f, -0x1.5f277ep-9f, 0x1.d951c8p-14f, 0x1.b75ca2p-11f,
                0x1.bb4e8ep-12f, 0x1.2072a4p-13f, -0x1.2b416ap-17f, -0x1.acec8cp-16f,
                -0x1.908fe4p-16f, -0x1.3d377ep-17f},
        {-0x1.8d608ep-7f, -0x1.171a28p-7f, 0x1.3a7e12p-11f, -0x1.97ad62p-11f, 0x1.c8dc3cp-8f,
                0x1.4e69aap-8f, -0x1.92a638p-9f, -0x1.58e81ap-11f, -0x1.9da1b8p-10f,
                -0x1.3605d4p-10f, -0x1.5b9b7p-12f, 0x1.42b546p-14f, 0x1.769d8cp-13f,
                0x1.fd68bap-14f, 0x1.c92f5ep-15f, 0x1.1e72ap-16f},
        {0x1.61d7b6p-12f, -0x1.201a86p-6f, -0x1.85b05p-6f, -0x1.0dcdc6p-6f, -0x1.ae58d6p-9f,
                0x1.95106ap-8f, 0x1.104236p-7f, 0x1.af783cp-8f, 0x1.969d3ep-9f, 0x1.ef6ba2p-12f,
                -0x1.7f539cp-11f, -0x1.c7f7b4p-11f, -0x1.27f5ecp-11f, -0x1.0de406p-12f,
                -0x1.6b3f62p-14f, -0x1.705f6cp-16f},
        {0x1.1194a8p-4f, 0x1.a50aaap-5f, 0x1.f2472cp-7f, -0x1.35796p-6f, -0x1.21256ap-5f,
                -0x1.080648p-5f, -0x1.3ae7c4p-6f, -0x1.b44f7ep-8f, 0x1.43bbf6p-10f, 0x1.06e364p-8f,
                0x1.dbe03ap-9f, 0x1.23190cp-9f, 0x1.0bf6fap-10f, 0x1.7d948ep-12f, 0x1.a5e938p-14f,
                0x1.691644p-16f},
        {0x1.054ccp-20f, 0x1.4ac0acp-4f, 0x1.010826p-3f, 0x1.f1c56p-4f, 0x1.55c2e6p-4f,
                0x1.335c38p-5f, 0x1.af8322p-9f, -0x1.b5e93ap-7f, -0x1.0ac0fcp-6f, -0x1.956fc2p-7f,
                -0x1.d46d64p-8f, -0x1.ae8ea6p-9f, -0x1.3de82ap-10f, -0x1.781852p-12f,
                -0x1.61b0ap-14f, -0x1.05b6c6p-16f},
        {-0x1.988454p-2f, -0x1.6e16dap-2f, -0x1.021ba8p-2f, -0x1.0392cp-3f, -0x1.8b5268p-6f,
                0x1.1f239p-5f, 0x1.b83a18p-5f, 0x1.84562ep-5f, 0x1.05e17ap-5f, 0x1.1fe006p-6f,
                0x1.065e6cp-7f, 0x1.8c9ebep-9f, 0x1.edc572p-11f, 0x1.f50a2ep-13f, 0x1.997b14p-15f,
                0x1.0a1c4ep-17f},
        {0x1p-1f, 0x1.fab0e4p-3f, 0x1.706a58p-5f, -0x1.43f618p-4f, -0x1.031d46p-3f, -0x1.ed59fep-4f,
                -0x1.6e733p-4f, -0x1.c5b734p-5f, -0x1.de434cp-6f, -0x1.aef2d8p-7f, -0x1.4a779ap-8f,
                -0x1.ab71c6p-10f, -0x1.ccf21ap-12f, -0x1.99251ep-14f, -0x1.26ec24p-16f,
                -0x1.5487b8p-19f},
        {0, 0x1.f33008p-4f, 0x1.57ede4p-3f, 0x1.47d50ap-3f, 0x1.fdeccep-4f, 0x1.539e4ap-4f,
                0x1.8a6882p-5f, 0x1.9166f6p-6f, 0x1.654ca4p-7f, 0x1.14556ap-8f, 0x1.6fca3ap-10f,
                0x1.a04f92p-12f, 0x1.8b9e18p-14f, 0x1.375a94p-16f, 0x1.903546p-19f,
                0x1.9e2082p-22f},
};
constexpr intervals_t gelu_tanh_intervals{21.0f / 64, gelu_tanh_coefficients};

/// 1 / (1 + e^t)
constexpr float_table_t logistic_coefficients[] = {
        {0x1.4471dep-13f, -0x1.c7238ap-14f, 0x1.75549cp-17f, 0x1.0d40fep-17f, -0x1.fa46eep-28f,
                -0x1.5395bep-22f, -0x1.3e8344p-23f, -0x1.d90bap-25f, -0x1.9cf996p-26f,
                -0x1.992dap-28f, -0x1.18d664p-29f, -0x1.7ee236p-31f, -0x1.ffce0ap-33f,
                -0x1.1a5e26p-34f, -0x1.cbc38p-36f, -0x1.98d89cp-38f},
        {0x1.0cd88ep-14f, 0x1.1cdd44p-12f, -0x1.237c36p-13f, -0x1.55972ap-16f, 0x1.93103cp-18f,
                0x1.e75854p-19f, 0x1.6d2314p-20f, 0x1.e9cbb8p-22f, 0x1.4b6082p-23f, 0x1.9a87a2p-25f,
                0x1.0962fp-26f, 0x1.55c11p-28f, 0x1.ba8c44p-30f, 0x1.12e228p-31f, 0x1.6ce58cp-33f,
                0x1.bd7bdep-35f},
        {-0x1.153372p-9f, 0x1.71d0a4p-11f, 0x1.ef3cd8p-12f, -0x1.9c113ap-15f, -0x1.f73866p-15f,
                -0x1.a27c8p-16f, -0x1.209f04p-17f, -0x1.799738p-19f, -0x1.e4d7c4p-21f,
                -0x1.37a1aap-22f, -0x1.8e6fdcp-24f, -0x1.fd1c6ap-26f, -0x1.455b6cp-27f,
                -0x1.a092a4p-29f, -0x1.098e24p-30f, -0x1.54ec36p-32f},
        {0x1.060788p-17f, -0x1.368c6ep-8f, -0x1.c26a8ap-16f, 0x1.8c4b72p-11f, 0x1.7f9ac2p-12f,
                0x1.1439acp-13f, 0x1.6e6bfcp-15f, 0x1.d9f6c4p-17f, 0x1.2fe678p-18f, 0x1.8538a8p-20f,
                0x1.f1b8acp-22f, 0x1.3e2a8p-23f, 0x1.96b316p-25f, 0x1.041a58p-26f, 0x1.4c5512p-28f,
                0x1.a93328p-30f},
        {0x1.55516cp-6f, 0x1.960838p-9f, -0x1.c71158p-8f, -0x1.1100c2p-8f, -0x1.a3332ap-10f,
                -0x1.1bc4e4p-11f, -0x1.7174dcp-13f, -0x1.db186p-15f, -0x1.3044c4p-16f,
                -0x1.85392cp-18f, -0x1.f1b59ap-20f, -0x1.3e2d1cp-21f, -0x1.96c9ep-23f,
                -0x1.0408fp-24f, -0x1.4c746p-26f, -0x1.a90626p-28f},
        {0x1.62f4c8p-25f, 0x1.839c5cp-5f, 0x1.189b2ap-5f, 0x1.d5f06ep-7f, 0x1.48051ap-8f,
                0x1.af674ep-10f, 0x1.164804p-11f, 0x1.64cf3ap-13f, 0x1.c8995p-15f, 0x1.23f5d6p-16f,
                0x1.754ce8p-18f, 0x1.dd455ap-20f, 0x1.3117eep-21f, 0x1.860de6p-23f, 0x1.f2addp-25f,
                0x1.3ec5bcp-26f},
        {-0x1p-2f, -0x1.77e4e8p-3f, -0x1.5875d8p-4f, -0x1.f5a97ap-6f, -0x1.4efp-7f, -0x1.b24ac2p-9f,
                -0x1.16e054p-10f, -0x1.650dd8p-12f, -0x1.c8b26ep-14f, -0x1.23fb46p-15f,
                -0x1.754f2ep-17f, -0x1.dd4644p-19f, -0x1.3117fap-20f, -0x1.860e46p-22f,
                -0x1.f2ad6ep-24f, -0x1.3ec61cp-25f},
        {0x1p-1f, 0x1.f00982p-3f, 0x1.7ba62ep-4f, 0x1.03055cp-5f, 0x1.526ed2p-7f, 0x1.b3bd98p-9f,
                0x1.172c7p-10f, 0x1.652cfep-12f, 0x1.c8bf2ap-14f, 0x1.23fdep-15f, 0x1.75503ep-17f,
                0x1.dd46b4p-19f, 0x1.31181p-20f, 0x1.860e5p-22f, 0x1.f2ad72p-24f, 0x1.3ec61cp-25f},
};
constexpr intervals_t logistic_intervals{73.0f / 64, logistic_coefficients};

/// tanh(log(1 + e^t)) for t of both signs
constexpr float_table_t mish_coefficients[] = {
        {-0x1.1a644p-10f, 0x1.64295cp-11f, -0x1.dff50ap-14f, 0x1.30a59ap-17f, 0x1.f1fad8p-20f,
                0x1.8bf7d2p-23f, 0x1.1127acp-26f, 0x1.6c5972p-30f, 0x1.4e2bacp-27f, 0x1.e7acap-26f,
                0x1.07c228p-23f, 0x1.64ef6p-22f, 0x1.c73322p-21f, -0x1.129a74p-19f, -0x1.7c108p-15f,
                0x1.df9a8p-13f},
        {0x1.5ac07cp-11f, 0x1.8df468p-13f, 0x1.2649p-13f, -0x1.c3be6cp-15f, -0x1.b6be32p-18f,
                0x1.a2770ap-17f, -0x1.01aeccp-17f, 0x1.3e8b12p-18f, 0x1.156f52p-24f,
                0x1.d54594p-23f, 0x1.a217f6p-21f, 0x1.54c75ep-19f, 0x1.f3010cp-18f, 0x1.09aa5ep-17f,
                -0x1.320f6cp-13f, -0x1.49a8b2p-13f},
        {0x1.fbcfb4p-8f, -0x1.4f789cp-8f, 0x1.221eccp-11f, 0x1.a393e2p-13f, 0x1.6d9fbp-16f,
                0x1.02c31ep-19f, 0x1.5b182cp-23f, 0x1.ca9074p-27f, 0x1.958678p-22f, 0x1.6204fep-20f,
                0x1.31e78ep-18f, 0x1.059964p-16f, 0x1.a3c956p-15f, 0x1.015a52p-13f,
                -0x1.239d8ap-13f, -0x1.65eed6p-9f},
        {-0x1.59ac8cp-12f, 0x1.e8bb1ap-8f, -0x1.b8c9dep-9f, -0x1.2d06cep-11f, -0x1.dc82e4p-15f,
                -0x1.a8b50cp-17f, 0x1.143deep-18f, -0x1.7eb7a8p-19f, 0x1.fb6eap-20f,
                0x1.ba9ddep-18f, 0x1.80bec4p-16f, 0x1.4c2506p-14f, 0x1.1678ecp-12f, 0x1.a183b4p-11f,
                0x1.4e47ecp-10f, -0x1.b1c08ep-8f},
        {-0x1.77a912p-5f, 0x1.0b8978p-6f, 0x1.43cbp-7f, 0x1.48aa64p-10f, 0x1.e51146p-14f,
                0x1.49225ap-17f, 0x1.b451a6p-21f, 0x1.1f4992p-24f, 0x1.fbb35cp-18f, 0x1.bace26p-16f,
                0x1.81c9p-14f, 0x1.4ec41ap-12f, 0x1.1e748cp-10f, 0x1.d1875ep-9f, 0x1.3079c6p-7f,
                0x1.ac310ep-9f},
        {-0x1.06319p-6f, -0x1.53b60cp-4f, -0x1.2daf88p-6f, -0x1.049472p-9f, -0x1.71526ap-13f,
                -0x1.c8cae8p-17f, -0x1.fd06cap-20f, 0x1.586ce8p-22f, 0x1.7ccf16p-16f,
                0x1.4c360cp-14f, 0x1.21a7fap-12f, 0x1.f81a6ap-11f, 0x1.b3a0fcp-9f, 0x1.6f3604p-7f,
                0x1.19acdap-5f, 0x1.1ddf5ep-4f},
        {0x1.47adfcp-2f, 0x1.1eaa6cp-3f, 0x1.588a38p-6f, 0x1.0e2846p-9f, 0x1.75368cp-13f,
                0x1.f14b2cp-17f, 0x1.47ea6p-20f, 0x1.af2e6cp-24f, 0x1.7cd32ep-15f, 0x1.4c43ccp-13f,
                0x1.21d0aap-11f, 0x1.f9147ep-10f, 0x1.b69a56p-8f, 0x1.784204p-6f, 0x1.34ca12p-4f,
                0x1.ac532cp-3f},
        {0x1.333334p-1f, 0x1.cf9d36p-1f, 0x1.fa2422p-1f, 0x1.ff75acp-1f, 0x1.fff442p-1f,
                0x1.ffff06p-1f, 0x1.ffffecp-1f, 0x1.fffffep-1f, 0x1.7cd564p-15f, 0x1.4c4a8ap-13f,
                0x1.21e532p-11f, 0x1.f9918ap-10f, 0x1.b81728p-8f, 0x1.7cc8fcp-6f, 0x1.4276b4p-4f,
                0x1.f94e2ep-3f},
};
constexpr intervals_t mish_intervals{5.0f / 4, mish_coefficients};

/// value = the polynomial of the interval of t, which becomes the distance from its middle.
void evaluate(generator_t &g, const Xmm &value, const Xmm &t, const intervals_t &intervals) {
    constexpr float integers = 0x1.8p23f; // the lowest bits of a sum with it are an integer's
    const vec_t index = g.vec("index");
    g.broadcast(index, integers);
    g.vfmadd231ps(index, t, g.constant(1 / intervals.width));
    g.vsubps(value, index, g.constant(integers));
    g.vfnmadd231ps(t, value, g.constant(intervals.width)); // exact
    piecewise_polynomial(g, value, t, intervals.coefficients, index);
}

/// value = the polynomial of the segment of t, which becomes the distance from its origin.
void evaluate(generator_t &g, const Xmm &value, const Xmm &t, const segments_t &segments) {
    constexpr float below_eight = 0x1.fffffep2f;
    constexpr uint8_t below_fraction = 21;
    const vec_t index = g.vec("u, then index");
    g.broadcast(index, below_eight);
    g.vfnmadd231ps(index, t, g.constant(segments.scale()));
    g.vpsrld(index, index, below_fraction);
    look_up(g, value, segments.origins(), index);
    g.vsubps(t, t, value);
    piecewise_polynomial(g, value, t, segments.coefficients, index);
}

/// The numbers that a tail is for. Below `closed` it is -0, or +0.
struct tail_range_t {
    float lowest; // of the table
    float closed;
    float below = -0.f;
};

/// Jumps if no lane is in the tail's open range; lanes beyond a rounding error from it may count.
void jump_if_closed(
        generator_t &g, const Xmm &x, const tail_range_t &range, const Xbyak::Label &target) {
    constexpr float rounding = 1e-3f;
    const float middle = (range.lowest + range.closed) / 2;
    const vec_t distance = g.vec("distance from the middle");
    g.vsubps(distance, x, g.constant(middle));
    take_magnitude(g, distance);
    lane_condition_t(g, distance, comparison_t::le, g.constant(range.lowest - middle + rounding))
            .jump_if_none(target);
}

/// x = x < lowest ? what `write_tail` makes of x : value. `write_tail` emits instructions on x,
/// which are skipped where no lane needs them; of NaN they make NaN. Meanwhile `value` is NaN in
/// the lanes that need them, so that no condition takes a vector of AVX2.
template <typename write_t>
void select_tail(generator_t &g, const Xmm &x, const Xmm &value, const tail_range_t &range,
        const write_t &write_tail) {
    constexpr uint32_t nan_bits = ~0u;
    Xbyak::Label end;
    {
        const lane_condition_t is_far(g, x, comparison_t::lt, g.constant(range.lowest));
        is_far.jump_if_none(end);
        if (g.has_avx512()) {
            is_far.select(value, g.constant(range.below));
            jump_if_closed(g, x, range, end);
        }
        is_far.select(value, g.constant_bits(nan_bits));
    }
    write_tail();
    lane_condition_t(g, value, comparison_t::unordered, value).select(value, x);
    g.L(end);
    g.vmovaps(x, value);
}

/// max(x, 0) - f(|x|), where the table is that of f.
template <typename table_t, typename write_t>
void gelu(generator_t &g, const Xmm &x, const table_t &table, float closed,
        const write_t &write_tail) {
    const vec_t value = g.vec("value");
    {
        const vec_t t = g.vec("t, then max(x, 0)");
        if (g.has_avx512())
            take_least_magnitude(g, t, x, table.last());
        else
            take_bounded_magnitude(g, t, x, table.last());
        evaluate(g, value, t, table);
        g.set_zero(t);
        g.vmaxps(t, t, x); // x where x is NaN
        g.vsubps(value, t, *value);
    }
    select_tail(g, x, value, {.lowest = -table.last(), .closed = closed}, write_tail);
}

/// value = f(|x|) for x <= 0, else 1 - f(|x|), where the table is that of f.
template <typename table_t>
void evaluate_half(generator_t &g, const Xmm &value, const Xmm &x, const table_t &table) {
    const vec_t t = g.vec("t, then 1 - value");
    take_bounded_magnitude(g, t, x, table.last());
    evaluate(g, value, t, table);
    g.broadcast(t, 1);
    g.vsubps(t, t, value);
    lane_condition_t(g, x, comparison_t::gt, g.constant(0)).select(value, *t);
}

// Below them the results are 0.
constexpr float gelu_tanh_closed = -13.9f, mish_closed = -208;

/// x * logistic(2u) for x <= -4, to a relative 2^-30: with e = e^(2u) that is x * e * (1 - e).
void gelu_tanh_tail(generator_t &g, const Xmm &x) {
    at_least(g, x, gelu_tanh_closed);
    const vec_t e = g.vec("2u, then mantissa of e"), low = g.vec("low part, then 1 - e");
    gelu_argument_in_parts(g, e, low, x);
    const vec_t power = g.vec("power");
    exp_in_parts(g, e, power, &*low);
    g.vmulps(x, x, *e);
    g.vscalefps(e, e, *power);
    g.broadcast(low, 1);
    g.vsubps(low, low, *e);
    g.vmulps(x, x, *low);
    g.vscalefps(x, x, *power);
}

/// x * tanh(log(1 + e)) with e = e^x for x <= -10: x * e * (1 - e / 2).
void mish_tail(generator_t &g, const Xmm &x) {
    at_least(g, x, mish_closed);
    const vec_t e = g.vec("mantissa of e"), power = g.vec("power");
    g.vmovaps(e, x);
    exp_in_parts(g, e, power);
    g.vmulps(x, x, *e);
    g.vscalefps(e, e, *power);
    const vec_t factor = g.vec("1 - e / 2");
    g.broadcast(factor, 1);
    g.vfnmadd231ps(factor, e, g.constant(0.5f));
    g.vmulps(x, x, *factor);
    g.vscalefps(x, x, *power);
}

} // namespace

void gelu_erf(generator_t &g, const Xmm &x) {
    const auto write_tail = [&] { gelu_erf_tail(g, x); };
    constexpr float closed = -14.5f;
    g.has_avx512() ? gelu(g, x, gelu_erf_intervals, closed, write_tail)
                   : gelu(g, x, gelu_erf_segments, closed, write_tail);
}

// With f(t) the derivative at -t: f(|x|) for x <= 0, else 1 - f(|x|).
void gelu_erf_derivative(generator_t &g, const Xmm &x) {
    const vec_t value = g.vec("value");
    evaluate_half(g, value, x, gelu_erf_slope_segments);
    const tail_range_t tail{.lowest = -gelu_erf_slope_segments.last(), .closed = -15};
    select_tail(g, x, value, tail, [&] { gelu_erf_derivative_tail(g, x); });
}

void gelu_tanh_by_tables(generator_t &g, const Xmm &x) {
    gelu(g, x, gelu_tanh_intervals, gelu_tanh_closed, [&] { gelu_tanh_tail(g, x); });
}

void mish_by_tables(generator_t &g, const Xmm &x) {
    const vec_t value = g.vec("value");
    {
        const vec_t t = g.vec("t");
        g.broadcast(t, mish_intervals.signed_last());
        g.vminps(t, t, x); // x where x is NaN
        evaluate(g, value, t, mish_intervals);
    }
    g.vmulps(value, value, x);
    const tail_range_t tail{.lowest = mish_intervals.signed_first(), .closed = mish_closed};
    select_tail(g, x, value, tail, [&] { mish_tail(g, x); });
}

// With f(t) = 1 / (1 + e^t): f(|x|) for x <= 0, else 1 - f(|x|). Below the intervals it is e^x.
void logistic_by_tables(generator_t &g, const Xmm &x) {
    const vec_t value = g.vec("value");
    evaluate_half(g, value, x, logistic_intervals);
    const tail_range_t tail{.lowest = -logistic_intervals.last(), .closed = -104, .below = 0};
    select_tail(g, x, value, tail, [&] { exp_of_non_positive(g, x); });
}

} // namespace kiln::x64::jit
