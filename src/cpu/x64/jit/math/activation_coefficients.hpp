// SPDX-License-Identifier: Apache-2.0
// Tables of activation functions: polynomials by intervals of the argument. Coefficients are
// minimax fits of the relative error, made as functions.cpp says.
#pragma once

#include <span>
#include <vector>

#include "cpu/x64/jit/math/functions.hpp"

namespace kiln::x64::jit {

/// Intervals of equal width with a polynomial for each: the middle of interval i of n is i * width,
/// or (i - n) * width.
template <size_t n> struct intervals_t {
    float width;
    /// By the distance from the middle, highest power first.
    std::span<const float[n]> coefficients;

    /// Bounds of the arguments, for numbers >= 0 and for numbers of both signs. They are a tenth of
    /// a width from an end, so that rounding keeps the index.
    float last() const { return (n - 0.6f) * width; }
    float signed_first() const { return -(n / 2 + 0.4f) * width; }
    float signed_last() const { return (n / 2 - 0.6f) * width; }
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

/// t * (1 - erf(t / sqrt(2))) / 2
inline constexpr wide_float_table_t gelu_erf_coefficients[] = {
        {0x1.50515cp-6f, -0x1.62c212p-3f, 0x1.24a1acp-7f, 0x1.2f7decp-7f, 0x1.7162e4p-7f,
                0x1.652516p-5f, -0x1.9d5732p-7f, -0x1.452aeep-8f, 0x1.33a232p-6f, -0x1.162e2ep-10f,
                -0x1.66af68p-6f, -0x1.0d7dacp-8f, 0x1.4aca38p-10f, 0x1.4b657ep-9f, 0x1.58bd58p-13f,
                0x1.9ef9dp-11f, -0x1.1d5274p-11f, 0x1.42bd94p-12f, -0x1.066e0ep-14f,
                0x1.7951aap-20f, -0x1.48dc96p-16f, -0x1.c6631cp-17f, -0x1.02c9ecp-18f,
                -0x1.328b94p-19f, -0x1.80a664p-21f, -0x1.37fc4ep-22f, -0x1.bbb992p-24f,
                -0x1.1b7c7p-25f, -0x1.61a9cap-27f, -0x1.7d1d96p-29f, -0x1.90306cp-31f,
                -0x1.a66ce8p-33f},
        {-0x1.169c06p-6f, -0x1.a004ecp-5f, 0x1.ac6cb8p-8f, 0x1.4b76c6p-5f, -0x1.2b4ffep-6f,
                -0x1.8ed86ap-5f, 0x1.9af98p-9f, 0x1.021e02p-9f, -0x1.068aaap-7f, -0x1.40bae8p-8f,
                0x1.eeea3cp-8f, 0x1.9b7fc2p-12f, -0x1.32b9ap-10f, -0x1.5184a8p-10f,
                -0x1.0ff54ap-14f, -0x1.7ba52cp-14f, 0x1.4f7708p-12f, 0x1.109e18p-14f,
                0x1.ff9606p-14f, 0x1.05e61ep-14f, 0x1.3f3b92p-15f, 0x1.46587ap-16f, 0x1.140904p-17f,
                0x1.d2e57ap-19f, 0x1.57795p-20f, 0x1.ea638cp-22f, 0x1.42632ep-23f, 0x1.890bd6p-25f,
                0x1.c1e59ep-27f, 0x1.df715ap-29f, 0x1.df7fcp-31f, 0x1.bfbf1ep-33f},
        {0x1.da30a6p-11f, -0x1.32ced6p-7f, -0x1.66e8fep-6f, -0x1.810946p-6f, -0x1.2edc48p-6f,
                -0x1.5006c4p-7f, 0x1.e61822p-15f, 0x1.9cca6p-8f, 0x1.15e734p-7f, 0x1.16c86p-7f,
                0x1.aefe1ep-8f, 0x1.c55be6p-9f, 0x1.27b1fap-10f, -0x1.04fec2p-12f, -0x1.978142p-11f,
                -0x1.c1b3bp-11f, -0x1.5adfacp-11f, -0x1.e01cc2p-12f, -0x1.166638p-12f,
                -0x1.294f7cp-13f, -0x1.1e4cfcp-14f, -0x1.fc41f6p-16f, -0x1.a3849cp-17f,
                -0x1.3f2c1ep-18f, -0x1.c61978p-20f, -0x1.2c714p-21f, -0x1.739a3p-23f,
                -0x1.ae4738p-25f, -0x1.d270dep-27f, -0x1.daf62ap-29f, -0x1.c59dp-31f,
                -0x1.9671ccp-33f},
        {0x1.1020a8p-4f, 0x1.e6a1cap-5f, 0x1.308198p-5f, 0x1.32e62ep-7f, -0x1.d440bep-7f,
                -0x1.ec0152p-6f, -0x1.2c1664p-5f, -0x1.0d11bap-5f, -0x1.807364p-6f, -0x1.ae2c8ep-7f,
                -0x1.37c196p-8f, 0x1.eea8c6p-11f, 0x1.d32b66p-9f, 0x1.097fbap-8f, 0x1.bd7854p-9f,
                0x1.3d560ap-9f, 0x1.8d026cp-10f, 0x1.c3cceap-11f, 0x1.d29f34p-12f, 0x1.bd79c4p-13f,
                0x1.8908fep-14f, 0x1.425e88p-15f, 0x1.ed59ap-17f, 0x1.60436ep-18f, 0x1.d709d6p-20f,
                0x1.26ddep-21f, 0x1.5a4f42p-23f, 0x1.7de44p-25f, 0x1.8ba18ep-27f, 0x1.816af4p-29f,
                0x1.613348p-31f, 0x1.30addcp-33f},
        {0x1.6c9086p-20f, 0x1.e9ce62p-5f, 0x1.b0627p-4f, 0x1.0623d2p-3f, 0x1.00c136p-3f,
                0x1.a5ea0ap-4f, 0x1.2027cp-4f, 0x1.305beap-5f, 0x1.554552p-7f, -0x1.bea3cap-8f,
                -0x1.e92f2ep-7f, -0x1.0bd814p-6f, -0x1.cb01fp-7f, -0x1.522366p-7f, -0x1.bc553ap-8f,
                -0x1.093132p-8f, -0x1.22a8a4p-9f, -0x1.267528p-10f, -0x1.150fp-11f, -0x1.e5c79p-13f,
                -0x1.8dcee4p-14f, -0x1.30de2ap-15f, -0x1.b5f2b4p-17f, -0x1.272fb6p-18f,
                -0x1.75c29ap-20f, -0x1.bce464p-22f, -0x1.f22a66p-24f, -0x1.0686ap-25f,
                -0x1.049312p-27f, -0x1.e7564cp-30f, -0x1.ad84dep-32f, -0x1.64ea9ep-34f},
        {-0x1.988454p-2f, -0x1.8289acp-2f, -0x1.45cd04p-2f, -0x1.e05ac6p-3f, -0x1.272046p-3f,
                -0x1.01b736p-4f, -0x1.b504f2p-10f, 0x1.263808p-5f, 0x1.ab048p-5f, 0x1.b0a98ep-5f,
                0x1.6e2982p-5f, 0x1.119744p-5f, 0x1.72064ap-6f, 0x1.caf9dap-7f, 0x1.0729ap-7f,
                0x1.187178p-8f, 0x1.16bd32p-9f, 0x1.030df6p-10f, 0x1.c3277p-12f, 0x1.709c52p-13f,
                0x1.1aed54p-14f, 0x1.98652cp-16f, 0x1.155e96p-17f, 0x1.62c692p-19f, 0x1.ab8682p-21f,
                0x1.e59c0ep-23f, 0x1.040e1ap-24f, 0x1.06b9b2p-26f, 0x1.f4df0cp-29f, 0x1.c29844p-31f,
                0x1.7ea8cep-33f, 0x1.32d324p-35f},
        {0x1p-1f, 0x1.43f89ap-2f, 0x1.3773e6p-3f, 0x1.671332p-6f, -0x1.116ed2p-4f, -0x1.d5a1ecp-4f,
                -0x1.07f7f4p-3f, -0x1.eb4f64p-4f, -0x1.93c66ep-4f, -0x1.2d17dcp-4f, -0x1.9d25ccp-5f,
                -0x1.06e64ap-5f, -0x1.37e6aap-6f, -0x1.5a1f44p-7f, -0x1.68217p-8f, -0x1.5feec4p-9f,
                -0x1.437006p-10f, -0x1.17d2f2p-11f, -0x1.c8278cp-13f, -0x1.5e7ed4p-14f,
                -0x1.fc03a8p-16f, -0x1.5b631p-17f, -0x1.c071p-19f, -0x1.11497ep-20f,
                -0x1.3a92bp-22f, -0x1.5609dap-24f, -0x1.5f5d9ep-26f, -0x1.5512p-28f,
                -0x1.38e368p-30f, -0x1.0f4cbp-32f, -0x1.bcbbeap-35f, -0x1.589bap-37f},
        {0, 0x1.870d96p-4f, 0x1.32d6d6p-3f, 0x1.5b0628p-3f, 0x1.4e8fb6p-3f, 0x1.217f28p-3f,
                0x1.cbcaaep-4f, 0x1.52f0e2p-4f, 0x1.d2e35cp-5f, 0x1.2da442p-5f, 0x1.6e8be6p-6f,
                0x1.a39a9cp-7f, 0x1.c50a54p-8f, 0x1.cdba4ep-9f, 0x1.bc7acp-10f, 0x1.945314p-11f,
                0x1.5babcp-12f, 0x1.1aab68p-13f, 0x1.b2b078p-15f, 0x1.3c2342p-16f, 0x1.b2fedap-18f,
                0x1.1b2186p-19f, 0x1.5cb8b2p-21f, 0x1.966728p-23f, 0x1.c02c1ap-25f, 0x1.d3b1b8p-27f,
                0x1.cddfccp-29f, 0x1.afa958p-31f, 0x1.7dcbe2p-33f, 0x1.3f9816p-35f, 0x1.fa62dep-38f,
                0x1.7bb064p-40f},
};
inline constexpr intervals_t<32> gelu_erf_intervals{15.0f / 64, gelu_erf_coefficients};

/// The same for AVX2
inline constexpr float_octet_t gelu_erf_segment_coefficients[] = {
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
inline constexpr segments_t gelu_erf_segments{5.54f, gelu_erf_segment_coefficients};

/// The derivative of x * (1 + erf(x / sqrt(2))) / 2 for x = -t; errors are relative to the sum of
/// the magnitudes of its two terms
inline constexpr wide_float_table_t gelu_erf_wide_slope_coefficients[] = {
        {-0x1.0b13c2p0f, -0x1.5d5b4cp-6f, -0x1.385a6cp-5f, 0x1.856708p-6f, -0x1.ce9cb2p-9f,
                -0x1.069bfp-5f, 0x1.3cca76p-4f, 0x1.55471cp-5f, 0x1.1b6198p-4f, 0x1.1eeaf4p-4f,
                -0x1.38fadp-5f, -0x1.664e3cp-8f, -0x1.f21f42p-7f, -0x1.6cb6c6p-7f, -0x1.6d0d02p-8f,
                0x1.054bb6p-8f, 0x1.ca911ap-11f, -0x1.586b8ap-10f, -0x1.a4e9c4p-14f,
                -0x1.626b0ap-17f, -0x1.97a708p-19f, 0x1.113ce2p-18f, 0x1.2febd8p-17f,
                0x1.469402p-17f, 0x1.c75104p-19f, 0x1.3ba5e6p-20f, 0x1.f177cp-22f, 0x1.5e997ep-23f,
                0x1.e4981p-25f, 0x1.130f92p-26f, 0x1.332f46p-28f, 0x1.44deb6p-30f},
        {0x1.b4ba74p-2f, 0x1.a8a37ap-5f, 0x1.af7336p-10f, 0x1.add918p-6f, 0x1.67a1aep-6f,
                0x1.115b86p-5f, -0x1.65d9b2p-4f, -0x1.4879bp-5f, -0x1.bf60ecp-5f, -0x1.6520fap-5f,
                0x1.384b6ap-6f, 0x1.a6283ap-9f, 0x1.2369c2p-7f, 0x1.9bad12p-8f, 0x1.ac05aep-9f,
                -0x1.73cdb6p-11f, -0x1.b03fdcp-13f, 0x1.8c61e4p-13f, -0x1.625398p-13f,
                -0x1.2ca042p-13f, -0x1.8d436cp-14f, -0x1.d040eap-15f, -0x1.e311d2p-16f,
                -0x1.d5600ap-17f, -0x1.7873b8p-18f, -0x1.17c19ep-19f, -0x1.89ce04p-21f,
                -0x1.00072ep-22f, -0x1.367d2cp-24f, -0x1.5abe96p-26f, -0x1.6b7bfp-28f,
                -0x1.648496p-30f},
        {-0x1.04eba8p-3f, -0x1.8daaa4p-5f, -0x1.5e5d76p-6f, 0x1.0a77bap-7f, 0x1.08b53p-5f,
                0x1.5389cp-5f, 0x1.0e3426p-5f, 0x1.352b86p-6f, 0x1.576feap-9f, -0x1.16406ap-7f,
                -0x1.645c26p-7f, -0x1.64dca2p-7f, -0x1.e3423p-8f, -0x1.e96508p-9f, -0x1.138d7cp-10f,
                0x1.3756cp-12f, 0x1.db07a8p-11f, 0x1.e6a59ap-11f, 0x1.5c67f4p-11f, 0x1.af5706p-12f,
                0x1.d7eb7ep-13f, 0x1.d064bep-14f, 0x1.9f628ap-15f, 0x1.542e18p-16f, 0x1.030f12p-17f,
                0x1.6d804cp-19f, 0x1.de968cp-21f, 0x1.241148p-22f, 0x1.4c8302p-24f, 0x1.629034p-26f,
                0x1.61b834p-28f, 0x1.4aaf1ep-30f},
        {0x1.590bfap-8f, -0x1.114d52p-4f, -0x1.bd3bbep-4f, -0x1.df4224p-4f, -0x1.77596ap-4f,
                -0x1.8578d4p-5f, 0x1.13e7f4p-12f, 0x1.029152p-5f, 0x1.757f04p-5f, 0x1.608722p-5f,
                0x1.eebc7ap-6f, 0x1.14258p-6f, 0x1.71bcb6p-8f, -0x1.1d285ep-10f, -0x1.009566p-8f,
                -0x1.122392p-8f, -0x1.b80c8ep-9f, -0x1.28899ap-9f, -0x1.5cf6e2p-10f,
                -0x1.728a2cp-11f, -0x1.66a7cap-12f, -0x1.3ef628p-13f, -0x1.061852p-14f,
                -0x1.8f6dp-16f, -0x1.1b89ccp-17f, -0x1.7775dap-19f, -0x1.d06c3ap-21f,
                -0x1.0ccf5ap-22f, -0x1.2389cp-24f, -0x1.28a138p-26f, -0x1.1b48dcp-28f,
                -0x1.fc4be2p-31f},
        {0x1.1021d6p-2f, 0x1.df608p-3f, 0x1.323c5cp-3f, 0x1.4d71cp-5f, -0x1.e44f78p-5f,
                -0x1.fed9fp-4f, -0x1.2c81fap-3f, -0x1.0d47cp-3f, -0x1.835ceep-4f, -0x1.b09cfap-5f,
                -0x1.2af794p-6f, 0x1.034a52p-8f, 0x1.d366p-7f, 0x1.08a1eep-6f, 0x1.bdcbc6p-7f,
                0x1.3cf016p-7f, 0x1.8de88p-8f, 0x1.c2dcc2p-9f, 0x1.d2ddd8p-10f, 0x1.bd3722p-11f,
                0x1.891538p-12f, 0x1.428a2ap-13f, 0x1.ed51acp-15f, 0x1.605f52p-16f, 0x1.d6f61cp-18f,
                0x1.26df2ap-19f, 0x1.5a5662p-21f, 0x1.7de844p-23f, 0x1.8bb156p-25f, 0x1.8176c2p-27f,
                0x1.6142a6p-29f, 0x1.30b9aep-31f},
        {0x1.f8653ap-19f, 0x1.6f8p-3f, 0x1.444946p-2f, 0x1.89357p-2f, 0x1.812146p-2f,
                0x1.3c6d04p-2f, 0x1.b03bbp-3f, 0x1.c889b2p-4f, 0x1.ffb1p-6f, -0x1.4f0028p-6f,
                -0x1.6ecfa2p-5f, -0x1.91c1bep-5f, -0x1.58417cp-5f, -0x1.fb36cep-6f, -0x1.4d3f9cp-6f,
                -0x1.8dcd5cp-7f, -0x1.b3fadap-8f, -0x1.b9b20ep-9f, -0x1.9f95dep-10f,
                -0x1.6c5664p-11f, -0x1.2a5a54p-12f, -0x1.c94aep-14f, -0x1.48762ap-15f,
                -0x1.bac6f4p-17f, -0x1.18525p-18f, -0x1.4dab6ap-20f, -0x1.759feap-22f,
                -0x1.89ca42p-24f, -0x1.86dc72p-26f, -0x1.6d81ap-28f, -0x1.422492p-30f,
                -0x1.0bafc2p-32f},
        {-0x1.988454p-1f, -0x1.828876p-1f, -0x1.45cd4ep-1f, -0x1.e05cfcp-2f, -0x1.271efp-2f,
                -0x1.01b0f2p-3f, -0x1.b4f328p-9f, 0x1.26385p-4f, 0x1.ab0672p-4f, 0x1.b0aa5ep-4f,
                0x1.6e2762p-4f, 0x1.1196c6p-4f, 0x1.72064p-5f, 0x1.cafa6ap-6f, 0x1.072984p-6f,
                0x1.1871bcp-7f, 0x1.16bc9cp-8f, 0x1.030e92p-9f, 0x1.c3271ep-11f, 0x1.709ca8p-12f,
                0x1.1aed44p-13f, 0x1.9864bap-15f, 0x1.155ea2p-16f, 0x1.62c65p-18f, 0x1.ab86bep-20f,
                0x1.e59c14p-22f, 0x1.040e1p-23f, 0x1.06b9b6p-25f, 0x1.f4decep-28f, 0x1.c29832p-30f,
                0x1.7ea8aep-32f, 0x1.32d30ap-34f},
        {0x1p-1f, 0x1.43f898p-2f, 0x1.3773e6p-3f, 0x1.671332p-6f, -0x1.116ed2p-4f, -0x1.d5a1ecp-4f,
                -0x1.07f7f4p-3f, -0x1.eb4f64p-4f, -0x1.93c66cp-4f, -0x1.2d17dcp-4f, -0x1.9d25cep-5f,
                -0x1.06e64ap-5f, -0x1.37e6aap-6f, -0x1.5a1f44p-7f, -0x1.68217p-8f, -0x1.5feec2p-9f,
                -0x1.437006p-10f, -0x1.17d2f2p-11f, -0x1.c8278cp-13f, -0x1.5e7ed4p-14f,
                -0x1.fc03aap-16f, -0x1.5b6312p-17f, -0x1.c071p-19f, -0x1.11497ep-20f,
                -0x1.3a92bp-22f, -0x1.5609dap-24f, -0x1.5f5d9ep-26f, -0x1.5512p-28f,
                -0x1.38e368p-30f, -0x1.0f4caep-32f, -0x1.bcbbe6p-35f, -0x1.589bap-37f},
};
inline constexpr intervals_t<32> gelu_erf_slope_intervals{
        15.0f / 64, gelu_erf_wide_slope_coefficients};

/// The same for AVX2
inline constexpr float_octet_t gelu_erf_slope_coefficients[] = {
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
inline constexpr segments_t gelu_erf_slope_segments{6.05f, gelu_erf_slope_coefficients};

/// t / (1 + e^(2u)), u = sqrt(2 / pi) * (t + 0.044715 * t^3)
inline constexpr wide_float_table_t gelu_tanh_coefficients[] = {
        {-0x1.88b46p-1f, -0x1.3ec0ep3f, -0x1.e5f81ep3f, 0x1.c92eacp-4f, 0x1.bbfcacp3f,
                0x1.e91742p0f, -0x1.70bd96p1f, -0x1.58a5b2p3f, -0x1.593a6ap3f, 0x1.22d78p3f,
                0x1.8f39d2p-5f, -0x1.ba6526p1f, -0x1.3aaf24p-3f, -0x1.3ca64ap-1f, -0x1.4b9522p-3f,
                0x1.103d8p-4f, -0x1.f5dba4p-6f, 0x1.7f932ep-5f, -0x1.7fe166p-10f, -0x1.60cff4p-8f,
                -0x1.7005f8p-10f, -0x1.d626bap-13f, 0x1.7fa888p-14f, -0x1.223582p-17f,
                0x1.2f3524p-21f, -0x1.39becep-23f, 0x1.47ea14p-23f, 0x1.a04686p-25f,
                0x1.ef5de6p-27f, 0x1.836364p-29f, 0x1.3bf912p-31f, 0x1.a163a8p-34f},
        {0x1.2a7626p-2f, 0x1.33068ap-2f, 0x1.1f78d8p-5f, -0x1.b49c9ep-8f, 0x1.7687dp-6f,
                0x1.f03becp-6f, -0x1.7cd492p-11f, 0x1.2d3b22p-9f, -0x1.55d226p-4f, 0x1.edec7cp-4f,
                0x1.13a2c4p-7f, -0x1.fde492p-6f, 0x1.f7e676p-17f, -0x1.f6f1ap-8f, -0x1.e834a4p-9f,
                0x1.adf9b2p-9f, 0x1.704c66p-12f, 0x1.84b7aap-10f, -0x1.0abd12p-14f,
                -0x1.232092p-12f, -0x1.433974p-14f, -0x1.2916bcp-15f, -0x1.55e288p-17f,
                -0x1.e20406p-18f, -0x1.7bb938p-19f, -0x1.119cdcp-20f, -0x1.44efdp-22f,
                -0x1.4de496p-24f, -0x1.2e157ep-26f, -0x1.d288dap-29f, -0x1.376bfap-31f,
                -0x1.64f0c4p-34f},
        {-0x1.b60218p-5f, 0x1.0a98aep-2f, 0x1.76261ap-2f, -0x1.2498bcp-9f, -0x1.514062p-2f,
                -0x1.4fe184p-5f, 0x1.36b7bep-4f, 0x1.0f9afp-2f, 0x1.140096p-2f, -0x1.d6a268p-3f,
                -0x1.68cbb4p-9f, 0x1.5dc57ap-4f, 0x1.1f27c6p-9f, 0x1.e113bap-7f, 0x1.ce2c4ap-9f,
                -0x1.13dfe2p-9f, 0x1.8e286ep-11f, -0x1.251f9cp-10f, 0x1.cbbfa4p-13f,
                0x1.38c4ecp-12f, 0x1.1e1d0ap-13f, 0x1.fe02cep-15f, 0x1.87d9eap-16f, 0x1.70e67p-17f,
                0x1.02bce4p-18f, 0x1.478486p-20f, 0x1.6050a8p-22f, 0x1.4dab7cp-24f, 0x1.11ecbcp-26f,
                0x1.8788b6p-29f, 0x1.e0d9a2p-32f, 0x1.fdae9cp-35f},
        {0x1.9e789ap-9f, -0x1.23f074p-6f, -0x1.6768bep-6f, -0x1.82e0ecp-6f, -0x1.4cfca4p-6f,
                -0x1.9c29dap-7f, -0x1.b39692p-9f, 0x1.c73a18p-9f, 0x1.235914p-7f, 0x1.af466cp-8f,
                0x1.dd4ffp-8f, 0x1.7de422p-8f, 0x1.9639acp-9f, 0x1.5bd53p-10f, 0x1.afed9ep-19f,
                -0x1.9844d6p-11f, -0x1.da4e4ap-11f, -0x1.a9e2b6p-11f, -0x1.2781e6p-11f,
                -0x1.66429cp-12f, -0x1.81ea34p-13f, -0x1.6a7554p-14f, -0x1.2caf9cp-15f,
                -0x1.b524fp-17f, -0x1.18bb5ep-18f, -0x1.3d073cp-20f, -0x1.3a774ep-22f,
                -0x1.112618p-24f, -0x1.9e0a7ap-27f, -0x1.1124aap-29f, -0x1.387b46p-32f,
                -0x1.34e582p-35f},
        {0x1.1136a2p-4f, 0x1.d6312ep-5f, 0x1.34f9bcp-5f, 0x1.f2f2bep-7f, -0x1.b740eep-8f,
                -0x1.b33aa2p-6f, -0x1.25364p-5f, -0x1.2d85fp-5f, -0x1.f36248p-6f, -0x1.1f064cp-6f,
                -0x1.55aee2p-7f, -0x1.0a784p-8f, 0x1.3c678ep-10f, 0x1.bfcc16p-9f, 0x1.0b2fb6p-8f,
                0x1.ddbbbep-9f, 0x1.61f5dcp-9f, 0x1.d1badep-10f, 0x1.0be02ep-10f, 0x1.14218cp-11f,
                0x1.fe9114p-13f, 0x1.a5af4ep-14f, 0x1.36ecdep-15f, 0x1.9777ecp-17f, 0x1.dabd34p-19f,
                0x1.e99eccp-21f, 0x1.bdd79p-23f, 0x1.651116p-25f, 0x1.f54f98p-28f, 0x1.334a9cp-30f,
                0x1.47c716p-33f, 0x1.2ef8bap-36f},
        {0x1.0b84e6p-19f, 0x1.cdee78p-5f, 0x1.9d620ep-4f, 0x1.0107c6p-3f, 0x1.05c12ep-3f,
                0x1.c81cccp-4f, 0x1.55c33ap-4f, 0x1.abc7cp-5f, 0x1.8d3518p-6f, 0x1.b0329ep-9f,
                -0x1.3c348cp-7f, -0x1.fcd468p-7f, -0x1.0ac0ccp-6f, -0x1.cc0616p-7f, -0x1.5aeb5p-7f,
                -0x1.d46a88p-8f, -0x1.1dde1p-8f, -0x1.3c7624p-9f, -0x1.3de85ap-10f,
                -0x1.216a0ap-11f, -0x1.dc786cp-13f, -0x1.61b144p-14f, -0x1.d80a2ap-16f,
                -0x1.1a3982p-17f, -0x1.2d496ep-19f, -0x1.1e1946p-21f, -0x1.e17dc2p-24f,
                -0x1.65a68ap-26f, -0x1.d32e4p-29f, -0x1.0b37eap-31f, -0x1.0aa1e8p-34f,
                -0x1.ce38eap-38f},
        {-0x1.988454p-2f, -0x1.85386ap-2f, -0x1.4f6d92p-2f, -0x1.021baap-2f, -0x1.57996cp-3f,
                -0x1.6a43a2p-4f, -0x1.8b4e5cp-6f, 0x1.4da6b4p-6f, 0x1.71d336p-5f, 0x1.b832e8p-5f,
                0x1.a3a36p-5f, 0x1.5d33cap-5f, 0x1.05e198p-5f, 0x1.66f73cp-6f, 0x1.c447fap-7f,
                0x1.065e2cp-7f, 0x1.182652p-8f, 0x1.12c516p-9f, 0x1.edc58cp-11f, 0x1.9521a4p-12f,
                0x1.2e793cp-13f, 0x1.997b5ap-15f, 0x1.f4aa68p-17f, 0x1.135d36p-18f, 0x1.0f6a7p-20f,
                0x1.dd829cp-23f, 0x1.755908p-25f, 0x1.0262ep-27f, 0x1.3b4396p-30f, 0x1.51a954p-33f,
                0x1.3c2046p-36f, 0x1.019dfap-39f},
        {0x1p-1f, 0x1.501b8ap-2f, 0x1.60fc44p-3f, 0x1.706a58p-5f, -0x1.8059eep-5f, -0x1.a41d4p-4f,
                -0x1.031d46p-3f, -0x1.03448ap-3f, -0x1.c919eap-4f, -0x1.6e733p-4f, -0x1.0f2278p-4f,
                -0x1.74f186p-5f, -0x1.de434cp-6f, -0x1.1e0fp-6f, -0x1.3edbb6p-7f, -0x1.4a779ap-8f,
                -0x1.3d8a7p-9f, -0x1.19f0f2p-10f, -0x1.ccf21ap-12f, -0x1.59932cp-13f,
                -0x1.d955f8p-15f, -0x1.26ec24p-16f, -0x1.4cfcd4p-18f, -0x1.533a48p-20f,
                -0x1.36821ep-22f, -0x1.fc96dp-25f, -0x1.73140cp-27f, -0x1.e05db8p-30f,
                -0x1.12a3b6p-32f, -0x1.1433a6p-35f, -0x1.e680bp-39f, -0x1.75975ep-42f},
        {0, 0x1.726dfp-4f, 0x1.287c2ap-3f, 0x1.57ede4p-3f, 0x1.561ce8p-3f, 0x1.335474p-3f,
                0x1.fdeccep-4f, 0x1.8b1368p-4f, 0x1.1f8eep-4f, 0x1.8a6882p-5f, 0x1.fe3682p-6f,
                0x1.372488p-6f, 0x1.654ca4p-7f, 0x1.817a16p-8f, 0x1.85a1cp-9f, 0x1.6fca3ap-10f,
                0x1.4310a6p-11f, 0x1.0712fp-12f, 0x1.8b9e18p-14f, 0x1.118fe8p-15f, 0x1.5a7ad8p-17f,
                0x1.903546p-19f, 0x1.a3cb2p-21f, 0x1.8e2ba6p-23f, 0x1.54078ap-25f, 0x1.045096p-27f,
                0x1.63c2f4p-30f, 0x1.b016c8p-33f, 0x1.d058a6p-36f, 0x1.b79a6ep-39f, 0x1.6d061ep-42f,
                0x1.08ac76p-45f},
};
inline constexpr intervals_t<32> gelu_tanh_intervals{7.0f / 32, gelu_tanh_coefficients};

/// 1 / (1 + e^t)
inline constexpr float_table_t logistic_coefficients[] = {
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
inline constexpr intervals_t<16> logistic_intervals{73.0f / 64, logistic_coefficients};

/// tanh(log(1 + e^t)) for t of both signs
inline constexpr float_table_t mish_coefficients[] = {
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
inline constexpr intervals_t<16> mish_intervals{5.0f / 4, mish_coefficients};

} // namespace kiln::x64::jit
