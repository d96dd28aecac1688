// SPDX-License-Identifier: Apache-2.0
// Modes in primitive attributes: fpmath, accumulation, determinism, scratchpad, rounding.

#include "common/attributes/attr.hpp"
#include "common/one_of.hpp"
#include "common/out_parameter.hpp"
#include "common/verbose/arg_name.hpp"
#include "common/verbose/verbose.hpp"

using namespace kiln;

namespace {

/// Copies a value out of `attr`; both pointers are the caller's.
template <typename T, typename value_t>
status_t get(const primitive_attr_t *attr, T *out, value_t dnnl_primitive_attr::*member) {
    if (attr == nullptr || out == nullptr) return dnnl_invalid_arguments;
    *out = static_cast<T>(attr->*member);
    return dnnl_success;
}

} // namespace

status_t dnnl_primitive_attr_get_fpmath_mode(
        const primitive_attr_t *attr, dnnl_fpmath_mode_t *mode) {
    if (attr == nullptr || mode == nullptr) return dnnl_invalid_arguments;
    *mode = attr->fpmath.mode;
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_fpmath_mode(primitive_attr_t *attr, dnnl_fpmath_mode_t mode) {
    return dnnl_primitive_attr_set_fpmath_mode_v2(attr, mode, 0);
}

status_t dnnl_primitive_attr_get_fpmath_mode_v2(
        const primitive_attr_t *attr, dnnl_fpmath_mode_t *mode, int *apply_to_int) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    give(mode, attr->fpmath.mode);
    give(apply_to_int, int(attr->fpmath.apply_to_int));
    return dnnl_success;
}

status_t dnnl_primitive_attr_set_fpmath_mode_v2(
        primitive_attr_t *attr, dnnl_fpmath_mode_t mode, int apply_to_int) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(dnnl_fpmath_mode_strict <= mode && mode <= dnnl_fpmath_mode_tf32,
            dnnl_invalid_arguments, "attr", "fpmath mode %d is unknown", static_cast<int>(mode));
    attr->fpmath = {mode, apply_to_int != 0};
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_accumulation_mode(
        const primitive_attr_t *attr, dnnl_accumulation_mode_t *mode) {
    return get(attr, mode, &primitive_attr_t::accumulation_mode);
}

status_t dnnl_primitive_attr_set_accumulation_mode(
        primitive_attr_t *attr, dnnl_accumulation_mode_t mode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(dnnl_accumulation_mode_strict <= mode && mode <= dnnl_accumulation_mode_f16,
            dnnl_invalid_arguments, "attr", "accumulation mode %d is unknown",
            static_cast<int>(mode));
    attr->accumulation_mode = mode;
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_deterministic(const primitive_attr_t *attr, int *value) {
    return get(attr, value, &primitive_attr_t::deterministic);
}

status_t dnnl_primitive_attr_set_deterministic(primitive_attr_t *attr, int value) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    attr->deterministic = value != 0;
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_scratchpad_mode(
        const primitive_attr_t *attr, dnnl_scratchpad_mode_t *mode) {
    return get(attr, mode, &primitive_attr_t::scratchpad_mode);
}

status_t dnnl_primitive_attr_set_scratchpad_mode(
        primitive_attr_t *attr, dnnl_scratchpad_mode_t mode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(mode, {dnnl_scratchpad_mode_library, dnnl_scratchpad_mode_user}),
            dnnl_invalid_arguments, "attr", "scratchpad mode %d is unknown",
            static_cast<int>(mode));
    attr->scratchpad_mode = mode;
    return dnnl_success;
}

status_t dnnl_primitive_attr_get_rounding(
        primitive_attr_t *attr, int arg, dnnl_rounding_mode_t *mode) {
    if (attr == nullptr || mode == nullptr) return dnnl_invalid_arguments;
    return guarded([&] {
        const auto found = attr->rounding.find(arg);
        *mode = found == attr->rounding.end() ? dnnl_rounding_mode_environment : found->second;
        return dnnl_success;
    });
}

status_t dnnl_primitive_attr_set_rounding(
        primitive_attr_t *attr, int arg, dnnl_rounding_mode_t mode) {
    if (attr == nullptr) return dnnl_invalid_arguments;
    KILN_REQUIRE(one_of(mode, {dnnl_rounding_mode_environment, dnnl_rounding_mode_stochastic}),
            dnnl_invalid_arguments, "attr", "rounding mode %d is unknown", static_cast<int>(mode));
    if (mode == dnnl_rounding_mode_environment)
        return guarded([&] {
            attr->rounding.erase(arg);
            return dnnl_success;
        });
    KILN_REQUIRE(one_of(arg, {DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_WEIGHTS}),
            dnnl_invalid_arguments, "attr",
            "%s can have no rounding mode; dst, diff_src and diff_weights can",
            arg_name(arg).c_str());
    return guarded([&] {
        attr->rounding[arg] = mode;
        return dnnl_success;
    });
}
