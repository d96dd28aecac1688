// SPDX-License-Identifier: Apache-2.0
// What graphs ask of softmax: statistics of lines as an output, and zeros for lines of -infinity.
#include <cmath>
#include <limits>

#include "common/operations/softmax_pd.hpp"
#include "support/data_type.hpp"
#include "support/internal_primitive_desc.hpp"
#include "support/layout.hpp"
#include "support/primitive_case.hpp"
#include "support/random_values.hpp"

namespace kiln::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class stats_case_t : public primitive_case_t {
public:
    stats_case_t(const softmax_desc_t &desc, size_t implementation, std::vector<double> values)
        : primitive_case_t("softmax with statistics",
                accepted_internal<softmax_pd_t>(desc, nullptr, implementation),
                placement_t::ends_at_guard) {
        bindings().add_input(
                DNNL_ARG_SRC, "src", chosen_desc(primitive_desc(), DNNL_ARG_SRC), values);
        bindings().add_output(DNNL_ARG_DST, "dst", chosen_desc(primitive_desc(), DNNL_ARG_DST));
        bindings().add_output(
                DNNL_ARG_DST_1, "stats", chosen_desc(primitive_desc(), DNNL_ARG_DST_1));
        bindings().add_scratchpad(primitive_desc());
    }
    std::vector<expected_t> expected() const override { return {}; }
};

softmax_desc_t describe(const dims_t &dims, int axis, bool is_log, dnnl_data_type_t type) {
    dims_t stats_dims = dims;
    stats_dims[static_cast<size_t>(axis)] = 1;
    softmax_desc_t desc{};
    desc.prop_kind = dnnl_forward_training;
    desc.alg = is_log ? dnnl_softmax_log : dnnl_softmax_accurate;
    desc.axis = axis;
    desc.src = desc.dst = *make_desc(dims, type);
    desc.is_inf_zero = !is_log;
    desc.stats = *make_desc(stats_dims, dnnl_f32);
    return desc;
}

/// Calls `check(case, implementation)` for every implementation.
template <typename check_t>
void for_each_implementation(const softmax_desc_t &desc, const check_t &check) {
    const size_t count = implementation_names(accepted_internal<softmax_pd_t>(desc)).size();
    for (size_t i = 0; i < count; ++i) check(i);
}

TEST(softmax_stats, are_logarithms_of_sums) {
    for (const bool is_log : {false, true})
        for (const auto type : {dnnl_f32, dnnl_bf16})
            for (const dims_t &dims : {dims_t{3, 20}, {40, 300}, {2, 17000}})
                for (const int axis : {0, 1}) {
                    const softmax_desc_t desc = describe(dims, axis, is_log, type);
                    const auto values = random_values_t(5).many(volume(dims), -4, 4);
                    for_each_implementation(desc, [&](size_t i) {
                        const stats_case_t tested(desc, i, values);
                        ASSERT_EQ(tested.execute(), dnnl_success);
                        const auto x = tested.tensor(DNNL_ARG_SRC).values();
                        const auto stats = tested.tensor(DNNL_ARG_DST_1).values();
                        std::vector<double> sums(stats.size());
                        const auto cols = static_cast<size_t>(dims[1]);
                        for (size_t at = 0; at < x.size(); ++at)
                            sums[axis == 1 ? at / cols : at % cols] += std::exp(x[at]);
                        for (size_t line = 0; line < stats.size(); ++line)
                            EXPECT_NEAR(stats[line], std::log(sums[line]), 4e-6);
                    });
                }
}

TEST(softmax_stats, of_lines_of_minus_infinity_are_zero_as_results_are) {
    for (const auto type : {dnnl_f32, dnnl_bf16})
        for (const dims_t &dims : {dims_t{20, 20}, {40, 300}, {2, 17000}})
            for (const int axis : {0, 1}) {
                const softmax_desc_t desc = describe(dims, axis, false, type);
                const auto cols = static_cast<size_t>(dims[1]);
                std::vector<double> values(static_cast<size_t>(volume(dims)), -infinity);
                const auto line_of = [&](size_t at) { return axis == 1 ? at / cols : at % cols; };
                for (size_t at = 0; at < values.size(); ++at)
                    if (line_of(at) == 1) values[at] = 1;
                for_each_implementation(desc, [&](size_t i) {
                    const stats_case_t tested(desc, i, values);
                    ASSERT_EQ(tested.execute(), dnnl_success);
                    const auto y = tested.tensor(DNNL_ARG_DST).values();
                    const auto stats = tested.tensor(DNNL_ARG_DST_1).values();
                    for (size_t at = 0; at < y.size(); ++at)
                        ASSERT_EQ(y[at] == 0, line_of(at) != 1) << at << " of implementation " << i;
                    for (size_t line = 0; line < stats.size(); ++line)
                        EXPECT_EQ(stats[line] == 0, line != 1) << line;
                });
            }
}

} // namespace
} // namespace kiln::test
