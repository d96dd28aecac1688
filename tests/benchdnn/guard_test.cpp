// SPDX-License-Identifier: Apache-2.0
// Buffers are between inaccessible pages, at both ends, and an access to them is reported.
#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

#include "common/report/fault_report.hpp"
#include "common/run/primitive_problem.hpp"
#include "common/run/runner.hpp"
#include "executed_problem.hpp"

namespace benchdnn {

namespace {

const placement_t both[] = {placement_t::begins_at_guard, placement_t::ends_at_guard};

void touch(const unsigned char *address, bool write = false) {
    auto *place = const_cast<volatile unsigned char *>(address);
    if (write)
        *place = 1;
    else
        (void)*place;
}

TEST(buffer, touches_inaccessible_memory_with_the_end_it_is_placed_at) {
    for (const size_t bytes : {size_t(1), size_t(100), size_t(4096), size_t(10000)})
        for (const placement_t placement : both) {
            const buffer_t buffer(bytes, placement);
            touch(buffer.data());
            touch(buffer.data() + bytes - 1);
            const bool begins = placement == placement_t::begins_at_guard;
            const unsigned char *outside = begins ? buffer.data() - 1 : buffer.data() + bytes;
            EXPECT_EXIT(touch(outside), testing::KilledBySignal(SIGSEGV), "");
            EXPECT_EXIT(touch(outside, true), testing::KilledBySignal(SIGSEGV), "");
        }
}

TEST(buffer, keeps_its_bytes_when_it_moves) {
    buffer_t buffer(5000);
    for (size_t i = 0; i < 5000; ++i) buffer.data()[i] = static_cast<unsigned char>(i % 251);
    const uint64_t before = buffer.digest();
    for (const placement_t placement : {both[1], both[0], both[0], both[1]}) {
        buffer.move_to(placement);
        EXPECT_EQ(buffer.digest(), before);
        EXPECT_TRUE(buffer.slack_intact());
    }
    buffer.data()[-1] = 0;
    EXPECT_FALSE(buffer.slack_intact());
}

TEST(buffer, of_no_bytes_cannot_be_touched_at_all) {
    for (const placement_t placement : both) {
        const buffer_t buffer(0, placement);
        ASSERT_NE(buffer.data(), nullptr);
        EXPECT_TRUE(buffer.slack_intact());
    }
}

// The report goes to stdout, like all results; death tests read stderr.
// The library has started threads, so each death test runs in a new process.
class fault_report : public testing::Test {
protected:
    fault_report() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
using a_run = fault_report;

template <typename body_t> void with_report_on_stderr(body_t &&body) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    install_fault_report();
    body();
}

TEST_F(fault_report, names_the_problem_and_the_argument_read_beyond_its_end) {
    const auto read_beyond = [] {
        fault_watch_t watch(7, "--lnorm 40x50");
        executed_problem_t executed({"--lnorm", "40x50"});
        executed.arguments.restore(placement_t::ends_at_guard);
        watch.set_regions(executed.arguments.regions());
        touch(executed.arguments.at(DNNL_ARG_SRC).data() + 8000);
    };
    EXPECT_EXIT(with_report_on_stderr(read_beyond), testing::KilledBySignal(SIGSEGV),
            "7:FAILED \\(SIGSEGV: a read at byte 8000 of src, which has 8000\\) "
            "__REPRO: --lnorm 40x50\n");
}

TEST_F(fault_report, names_the_argument_written_before_its_beginning) {
    const auto write_before = [] {
        fault_watch_t watch(0, "--lnorm 40x50");
        executed_problem_t executed({"--lnorm", "40x50"});
        watch.set_regions(executed.arguments.regions());
        touch(executed.arguments.at(DNNL_ARG_DST).data() - 4, true);
    };
    EXPECT_EXIT(with_report_on_stderr(write_before), testing::KilledBySignal(SIGSEGV),
            "0:FAILED \\(SIGSEGV: a write at byte -4 of dst, which has 8000\\)");
}

TEST_F(fault_report, says_when_no_argument_is_to_blame) {
    const auto nowhere = [] {
        fault_watch_t watch(0, "--lnorm 4x8");
        const buffer_t buffer(8), other(8);
        watch.set_regions({{"src", buffer.territory_begin(), buffer.territory_end(), buffer.data(),
                buffer.bytes()}});
        touch(other.data() - 1);
    };
    EXPECT_EXIT(with_report_on_stderr(nowhere), testing::KilledBySignal(SIGSEGV),
            "0:FAILED \\(SIGSEGV: not at any argument\\) __REPRO: --lnorm 4x8");
    EXPECT_EXIT(with_report_on_stderr([] { touch(nullptr); }), testing::KilledBySignal(SIGSEGV),
            "benchdnn: SIGSEGV outside of any problem");
}

TEST_F(fault_report, names_other_signals) {
    const auto trap = [] {
        fault_watch_t watch(3, "--lnorm 4x8");
        raise(SIGFPE);
    };
    EXPECT_EXIT(with_report_on_stderr(trap), testing::KilledBySignal(SIGFPE),
            "3:FAILED \\(SIGFPE\\) __REPRO: --lnorm 4x8");
}

// A problem whose check reads one byte beyond src, as a kernel of the library might.
class overreading_problem_t final : public primitive_problem_t {
public:
    explicit overreading_problem_t(std::shared_ptr<const primitive_problem_t> real)
        : primitive_problem_t(real->settings)
        , real_(std::move(real)) {}
    std::string knobs_text(bool canonical) const override { return real_->knobs_text(canonical); }
    std::string descriptor_text(bool canonical) const override {
        return real_->descriptor_text(canonical);
    }
    std::string field(const std::string &name) const override { return real_->field(name); }
    std::string skip_reason() const override { return ""; }
    attribute_target_t attribute_target() const override { return real_->attribute_target(); }
    dnnl_status_t create(dnnl_engine_t engine, const_dnnl_primitive_attr_t attr,
            primitive_desc_t &out) const override {
        return real_->create(engine, attr, out);
    }
    std::string prepare(
            const primitive_desc_t &primitive_desc, arguments_t &arguments) const override {
        return real_->prepare(primitive_desc, arguments);
    }
    std::vector<comparison_t> compare(const arguments_t &arguments) const override {
        const buffer_t &src = arguments.at(DNNL_ARG_SRC).buffer();
        touch(src.data() + src.bytes());
        return {};
    }

private:
    std::shared_ptr<const primitive_problem_t> real_;
};

TEST_F(a_run, that_reads_beyond_an_argument_dies_with_the_line_that_reproduces_it) {
    const auto run = [] {
        command_line_t command_line;
        command_line.read({"--lnorm", "--flags=CH", "16x16"});
        std::vector<task_t> tasks = command_line.tasks();
        tasks[0].problem = std::make_shared<overreading_problem_t>(
                std::dynamic_pointer_cast<const primitive_problem_t>(tasks[0].problem));
        console_t console;
        runner_t(console).run(tasks);
    };
    EXPECT_EXIT(with_report_on_stderr(run), testing::KilledBySignal(SIGSEGV),
            "0:FAILED \\(SIGSEGV: a read at byte 1024 of src, which has 1024\\) "
            "__REPRO: --lnorm --flags=CH 16x16");
}

} // namespace

} // namespace benchdnn
