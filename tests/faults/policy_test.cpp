// SPDX-License-Identifier: Apache-2.0
// Systems that refuse code pages: all operations run by the reference, and verbose mode says why,
// once. That the reference is right is tested with ISAs up to sse41, where it runs, too.
#include <cerrno>
#include <cstddef>
#include <sstream>

#include <gtest/gtest.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults/child.hpp"

namespace kiln::test {

namespace {

// ---- policies, for the rest of the life of the process

/// A filter of system calls: pages cannot become executable, nor be mapped writable and executable,
/// as with MemoryDenyWriteExecute of systemd. Those calls fail with `error`.
bool install_filter(unsigned error) {
    constexpr unsigned argument_2 = offsetof(seccomp_data, args[2]); // protection, low half
    constexpr unsigned number = offsetof(seccomp_data, nr);
    const unsigned refuse = SECCOMP_RET_ERRNO | error;
    sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 2, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 4, 0),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_2),
            BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 4, 0),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument_2),
            BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_WRITE | PROT_EXEC),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROT_WRITE | PROT_EXEC, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, refuse),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{std::size(code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
           && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool set_memory_deny_write_execute() {
    constexpr int set_mdwe = 65; // PR_SET_MDWE of Linux 6.3
    constexpr unsigned long refuse_exec_gain = 1;
    return prctl(set_mdwe, refuse_exec_gain, 0UL, 0UL, 0UL) == 0;
}

struct policy_t {
    const char *name;
    bool (*install)();
};
constexpr policy_t policies[] = {
        {"seccomp with EACCES", [] { return install_filter(EACCES); }},
        {"seccomp with EPERM", [] { return install_filter(EPERM); }},
        {"MDWE", set_memory_deny_write_execute},
};

const configuration_t &plain() { return configurations()[0]; }

bool is_available(const policy_t &policy) {
    return run_in_child(plain(), shared_report(), [&](report_t &report) {
        if (!policy.install()) note(report, "not available");
    }) == "";
}

results_t results; // too large for the stack

void run(report_t &report, const fault_case_t &tested) {
    results.count = 0;
    if (const dnnl_status_t status = tested.run(results)) note(report, "status %d", status);
}

constexpr const char *lowest_isa[] = {"ONEDNN_MAX_CPU_ISA=sse41"};
constexpr configuration_t reference{"reference", lowest_isa};

class code_pages_that_are_refused : public testing::TestWithParam<fault_case_t> {};

TEST_P(code_pages_that_are_refused, leave_the_results_of_the_reference) {
    report_t &report = shared_report();
    ASSERT_EQ(run_in_child(reference, report,
                      [&](report_t &told) {
                          run(told, GetParam());
                          told.results = results;
                      }),
            "");
    for (const policy_t &policy : policies) {
        if (!is_available(policy)) continue;
        EXPECT_EQ(run_in_child(plain(), report,
                          [&](report_t &told) {
                              policy.install();
                              for (int i = 0; i < 2; ++i) run(told, GetParam());
                              if (!(results == told.results)) note(told, "other results");
                          }),
                "")
                << policy.name;
    }
}

INSTANTIATE_TEST_SUITE_P(
        each, code_pages_that_are_refused, testing::ValuesIn(all_cases()), name_of_case);

size_t count(const std::string &text, const std::string &part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
}

constexpr const char *all_lines[] = {"ONEDNN_VERBOSE=all"};
constexpr configuration_t verbose{"verbose", all_lines};
constexpr const char *warning = "primitive,warning,primitive,the system refuses executable pages";

TEST(code_pages, that_are_refused_are_named_as_the_reason_once) {
    if (!is_available(policies[1])) GTEST_SKIP() << "there is no seccomp";
    std::string output;
    EXPECT_EQ(run_in_child(
                      verbose, shared_report(),
                      [](report_t &told) {
                          policies[1].install();
                          for (const fault_case_t &one : all_cases()) run(told, one);
                      },
                      &output),
            "");
    EXPECT_EQ(count(output, warning), 1u) << output;
    EXPECT_GT(count(output, "(mprotect: Operation not permitted)"), 0u) << output;
    EXPECT_GT(count(output, ",the system refuses executable pages,"), 1u) << "of dispatch";
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);)
        EXPECT_FALSE(
                line.find(",exec,") != std::string::npos && line.find(",jit:") != std::string::npos)
                << line;
}

/// A row normalization of 2 x 1024.
struct objects_t {
    device_t device;
    memory_desc_handle_t md;
    primitive_desc_handle_t pd;
    primitive_handle_t primitive;
    memory_handle_t src, dst;

    dnnl_status_t describe() {
        const dnnl_dims_t dims = {2, 1024};
        TRY(device.create());
        TRY(dnnl_memory_desc_create_with_tag(md.out(), 2, dims, dnnl_f32, dnnl_ab));
        TRY(dnnl_memory_create(src.out(), md, device.engine, DNNL_MEMORY_ALLOCATE));
        TRY(dnnl_memory_create(dst.out(), md, device.engine, DNNL_MEMORY_ALLOCATE));
        return dnnl_layer_normalization_forward_primitive_desc_create(pd.out(), device.engine,
                dnnl_forward_inference, md, md, nullptr, 1e-5f, dnnl_normalization_flags_none,
                nullptr);
    }
    dnnl_status_t create() { return dnnl_primitive_create(primitive.out(), pd); }
    dnnl_status_t execute() {
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
        return dnnl_primitive_execute(primitive, device.stream, 2, args);
    }
    std::string implementation() const {
        const char *name = "";
        dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
        return name;
    }
};

TEST(code_pages, that_are_refused_from_some_time_on_leave_the_primitives_that_exist) {
    if (!is_available(policies[0])) GTEST_SKIP() << "there is no seccomp";
    const auto body = [](report_t &told) {
        const auto expect = [&](bool condition, const char *what) {
            if (!condition) note(told, "not so: %s", what);
        };
        dnnl_set_primitive_cache_capacity(0);
        objects_t before, between, after;
        expect(before.describe() == dnnl_success && before.create() == dnnl_success
                        && before.execute() == dnnl_success,
                "a primitive runs");
        const bool has_kernels = before.implementation().starts_with("jit:");
        expect(between.describe() == dnnl_success, "a descriptor is created");
        policies[0].install();
        expect(before.execute() == dnnl_success, "a primitive that exists runs on");
        expect(between.create() == (has_kernels ? dnnl_runtime_error : dnnl_success),
                "a primitive of an older descriptor is refused");
        expect(after.describe() == dnnl_success && after.create() == dnnl_success
                        && after.execute() == dnnl_success,
                "a primitive of a new descriptor runs");
        expect(after.implementation().starts_with("ref:"), "by the reference");
        expect(before.execute() == dnnl_success, "a primitive that exists still runs");
    };
    EXPECT_EQ(run_in_child(plain(), shared_report(), body), "");
}

TEST(code_pages, that_there_is_no_memory_for_are_out_of_memory) {
    for (const fault_t fault : {fault_t::mapping, fault_t::protection})
        EXPECT_EQ(run_in_child(plain(), shared_report(),
                          [&](report_t &told) {
                              objects_t objects;
                              if (objects.describe() != dnnl_success
                                      || !objects.implementation().starts_with("jit:"))
                                  return;
                              arm(fault, 0, true);
                              const dnnl_status_t status = objects.create();
                              disarm();
                              if (status != dnnl_out_of_memory) note(told, "status %d", status);
                          }),
                "");
}

} // namespace

} // namespace kiln::test
