// SPDX-License-Identifier: Apache-2.0
// Executes with arguments left out, doubled, or put in another's place.
#include "support/execution_checks.hpp"

#include <algorithm>

#include "support/data_type.hpp"

namespace kiln::test {

namespace {

bool has(const std::vector<int> &args, int arg) {
    return std::find(args.begin(), args.end(), arg) != args.end();
}

void expect_refusals_of(const primitive_case_t &tested, int arg) {
    const auto all = tested.arguments();
    const auto run = [&](const arguments_t &arguments) {
        return arguments.execute(tested.primitive());
    };
    EXPECT_EQ(run(all.without(arg)), dnnl_invalid_arguments) << "missing";
    EXPECT_EQ(run(all.with(arg, nullptr)), dnnl_invalid_arguments) << "null";

    const tensor_t &tensor = tested.tensor(arg);
    memory_handle_t hollow;
    require(dnnl_memory_create(hollow.out(), tensor.desc(), cpu_engine(), DNNL_MEMORY_NONE),
            "dnnl_memory_create");
    EXPECT_EQ(run(all.with(arg, hollow)), dnnl_invalid_arguments) << "without a buffer";

    auto smaller_dims = tensor.dims();
    --smaller_dims.back();
    const tensor_t smaller(make_desc(smaller_dims, tensor.type()));
    EXPECT_EQ(run(all.with(arg, smaller.memory())), dnnl_invalid_arguments) << "too small";

    if (size_of(tensor.type()) == 1) return;
    const tensor_t narrow(make_desc(tensor.dims(), dnnl_u8));
    EXPECT_EQ(run(all.with(arg, narrow.memory())), dnnl_invalid_arguments) << "of a narrower type";
}

} // namespace

void expect_refusals_of_spoiled_arguments(
        const primitive_case_t &tested, const std::vector<int> &optional) {
    const auto all = tested.arguments();
    for (const auto &entry : all.list()) {
        SCOPED_TRACE(tested.name() + " argument " + std::to_string(entry.arg));
        auto twice = all;
        twice.add(entry.arg, entry.memory);
        EXPECT_EQ(twice.execute(tested.primitive()), dnnl_invalid_arguments) << "twice";
        if (!has(optional, entry.arg)) expect_refusals_of(tested, entry.arg);
    }
    ASSERT_EQ(tested.execute(), dnnl_success);
    EXPECT_TRUE(tested.is_right());
}

void expect_unused_arguments_do_no_harm(const primitive_case_t &tested,
        const std::vector<int> &unused, const std::vector<int> &null) {
    const tensor_t other(make_desc({5}, dnnl_s8));
    const auto before = other.bits();
    auto arguments = tested.arguments();
    for (const int arg : unused) arguments.add(arg, other.memory());
    for (const int arg : null) arguments.add(arg, nullptr);
    ASSERT_EQ(arguments.execute(tested.primitive()), dnnl_success) << tested.name();
    EXPECT_TRUE(tested.is_right());
    EXPECT_TRUE(other.is_tidy());
    EXPECT_TRUE(has_bits(other, before, "the unused argument"));
}

void expect_any_subset_of_outputs(primitive_case_t &tested, bool passes_null) {
    const auto outputs = tested.outputs();
    for (unsigned subset = 0; subset < 1u << outputs.size(); ++subset) {
        SCOPED_TRACE(tested.name() + " outputs " + std::to_string(subset));
        auto arguments = tested.arguments();
        std::vector<int> asked, left_out;
        for (size_t at = 0; at < outputs.size(); ++at)
            (subset >> at & 1 ? asked : left_out).push_back(outputs[at]);
        tested.mark_outputs();
        for (const int arg : left_out)
            arguments = passes_null ? arguments.with(arg, nullptr) : arguments.without(arg);
        std::vector<std::vector<std::byte>> before;
        for (const int arg : left_out) before.push_back(tested.tensor(arg).bits());
        ASSERT_EQ(arguments.execute(tested.primitive()), dnnl_success);
        EXPECT_TRUE(tested.is_right(asked));
        for (size_t at = 0; at < left_out.size(); ++at)
            EXPECT_TRUE(has_bits(tested.tensor(left_out[at]), before[at], "an output left out"));
    }
}

void expect_zero_outputs(const primitive_case_t &tested) {
    for (const int arg : tested.outputs())
        for (const double value : tested.tensor(arg).values())
            EXPECT_EQ(value, 0) << tested.name() << " argument " << arg;
}

} // namespace kiln::test
