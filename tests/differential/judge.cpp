// SPDX-License-Identifier: Apache-2.0
#include "differential/judge.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/data_type.hpp"
#include "support/implementations.hpp"

namespace kiln::test::differential {
namespace {

/// Half the distance of neighbouring numbers of a type.
double half_step(dnnl_data_type_t type, double value) {
    if (is_integer(type)) return 0.5;
    const auto least = [=] {
        switch (type) {
        case dnnl_f16: return 0x1p-25;
        case dnnl_f8_e5m2: return 0x1p-17;
        case dnnl_f8_e4m3: return 0x1p-10;
        default: return 0x1p-133;
        }
    };
    return std::max(std::fabs(value) * unit_roundoff(type), least());
}

class run_t {
public:
    run_t(problem_t &problem, uint64_t number, results_t &results)
        : problem_(problem)
        , number_(number)
        , results_(results)
        , implementation_(implementation_name(problem.pd)) {}

    /// What is wrong with the problem's present implementation.
    std::string failure() {
        for (operand_t &operand : problem_.outputs) operand.restore();
        for (operand_t &operand : problem_.inputs)
            if (problem_.is_overwritten(operand)) operand.restore();
        const dnnl_status_t status = execute();
        if (status != dnnl_success) return std::string("answered ") + dnnl_status2str(status);
        for (const operand_t &input : problem_.inputs)
            if (!problem_.is_overwritten(input) && !input.is_unchanged())
                return input.name() + " is an input, but was changed";
        for (const truth_t &truth : problem_.truths) {
            if (std::string damage = truth.operand->damage(); !damage.empty()) return damage;
            if (std::string error = error_of(truth); !error.empty()) return error;
        }
        return "";
    }

private:
    bool is_kernel() const { return implementation_.starts_with("jit:"); }

    dnnl_status_t execute() {
        std::vector<dnnl_exec_arg_t> args;
        for (const auto *operands : {&problem_.inputs, &problem_.outputs})
            for (const operand_t &operand : *operands)
                args.push_back({operand.arg(), operand.memory()});
        for (const auto &[arg, operand] : problem_.in_place)
            args.push_back({arg, operand->memory()});
        for (const auto &[arg, scalar] : problem_.host_scalars) args.push_back({arg, scalar});
        memory_handle_t scratchpad;
        const auto *desc = dnnl_primitive_desc_query_md(problem_.pd, dnnl_query_scratchpad_md, 0);
        if (desc && dnnl_memory_desc_get_size(desc) > 0) {
            require(dnnl_memory_create(scratchpad.out(), desc, cpu_engine(), DNNL_MEMORY_ALLOCATE),
                    "scratchpad");
            args.push_back({DNNL_ARG_SCRATCHPAD, scratchpad});
        }
        const primitive_handle_t primitive = make_primitive(problem_.pd);
        return dnnl_primitive_execute(
                primitive, cpu_stream(), static_cast<int>(args.size()), args.data());
    }

    std::string error_of(const truth_t &truth) {
        const operand_t &output = *truth.operand;
        const std::vector<double> got = output.values();
        double worst = 0;
        for (size_t i = 0; i < truth.values.size(); ++i) {
            const interval_t &value = truth.values[i];
            if (is_anything(value)) continue;
            if (!is_right(output.type(), got[i], value))
                return error_text(output, i, got[i], value);
            worst = std::max(worst, share(output.type(), got[i], value));
        }
        if (!truth.values.empty()) record(output, worst);
        return "";
    }

    /// The error as a share of the permitted one.
    static double share(dnnl_data_type_t type, double got, const interval_t &truth) {
        const auto value = static_cast<double>(truth.value);
        const double nearest = rounded(type, value);
        if (got == nearest || std::isnan(got)) return 0;
        const auto permitted =
                static_cast<double>(std::max(truth.high - truth.value, truth.value - truth.low));
        const double error = std::fabs(got - value) / (permitted + half_step(type, value));
        return std::isfinite(error) ? error : 0;
    }

    void record(const operand_t &output, double worst) {
        row_t &row = results_.row(problem_.operation, output.name(), output.type());
        ++row.runs;
        double &place = is_kernel() ? row.worst_kernel : row.worst_reference;
        if (worst <= place) return;
        place = worst;
        if (is_kernel()) row.worst_number = number_;
    }

    static std::string error_text(
            const operand_t &output, size_t i, double got, const interval_t &value) {
        std::ostringstream text;
        text.precision(9);
        text << output.name() << " at " << place_text(output.dims(), i) << " is " << got
             << ", should be " << static_cast<double>(value.value) << "; differs by "
             << static_cast<double>(got - value.value) << ", may by "
             << static_cast<double>(value.low - value.value) << " to "
             << static_cast<double>(value.high - value.value);
        return text.str();
    }

    problem_t &problem_;
    const uint64_t number_;
    results_t &results_;
    const std::string implementation_;
};

/// The descriptors of all operands are the same for all implementations.
std::string changed_operand(const problem_t &problem) {
    for (const auto *operands : {&problem.inputs, &problem.outputs})
        for (const operand_t &operand : *operands)
            if (!dnnl_memory_desc_equal(chosen_desc(problem.pd, operand.arg()), operand.desc()))
                return operand.name() + " has another descriptor";
    return "";
}

} // namespace

std::string failures_of(problem_t &problem, uint64_t number, results_t &results) {
    std::string failures;
    ++results.problems;
    do {
        std::string failure = changed_operand(problem);
        if (failure.empty()) failure = run_t(problem, number, results).failure();
        ++results.runs;
        if (failure.empty()) continue;
        ++results.failures;
        failures += implementation_name(problem.pd) + ": " + failure + "\n";
    } while (dnnl_primitive_desc_next_impl(problem.pd) == dnnl_success);
    return failures;
}

} // namespace kiln::test::differential
