// SPDX-License-Identifier: Apache-2.0
// Normalizations over the processes of an MPI program, against one process that has all samples.
// With the argument `absent`, the last rank leaves the others alone: they must not wait for ever.

#include <cstring>
#include <iostream>

#include "kiln/mpi.hpp"
#include "ranks/rank_case.hpp"

namespace kiln::test::normalization {
namespace {

/// Whether these bytes are the same on all ranks.
bool are_same_everywhere(const std::vector<std::byte> &bytes, int count) {
    const auto size = int(bytes.size());
    std::vector<std::byte> all(bytes.size() * size_t(count));
    MPI_Allgather(bytes.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, MPI_COMM_WORLD);
    for (int rank = 0; rank < count; ++rank)
        if (std::memcmp(bytes.data(), all.data() + size_t(rank) * bytes.size(), bytes.size()) != 0)
            return false;
    return true;
}

int count_failures(kiln::mpi &mpi) {
    int failures = 0;
    const auto expect = [&](bool is_true, const std::string &text) {
        if (is_true) return;
        ++failures;
        std::cerr << "rank " << mpi.rank() << ": " << text << std::endl;
    };
    const auto problems = split_problems();
    int gradients = 0;
    constexpr size_t part = 5; // of all kinds, one of so many; types and directions alternate by 6
    for (size_t i = 0; i < problems.size(); i += part) {
        gradients += !problems[i].whole.is_forward();
        const case_t whole(problems[i].whole);
        require(whole.execute(), whole.name());
        const auto ranks = mpi.ranks(problems[i].combined);
        const rank_case_t tested(problems[i], whole, ranks, mpi.rank());
        const std::string text = to_string(problems[i]);
        expect(tested.execute() == dnnl_success, "the execution failed: " + text);
        const auto verdict = tested.is_right(whole.expected());
        expect(verdict, verdict.message());
        const auto bits = tested.combined_bits();
        expect(are_same_everywhere(bits, mpi.count()), "ranks have other bits: " + text);
        expect(tested.execute() == dnnl_success, "the second execution failed: " + text);
        expect(tested.combined_bits() == bits, "other bits in the second execution: " + text);
    }
    expect(gradients > 10, "few gradients are among the problems");
    const bool has_messages = mpi.measured().messages != 0;
    expect(has_messages == (mpi.count() > 1), "messages were not sent, or by one rank alone");
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return failures;
}

/// The ranks that are there get an error within the timeout, and at once from then on.
int count_failures_without_the_last_rank(kiln::mpi &mpi) {
    const double start = MPI_Wtime();
    std::vector<double> all(size_t(mpi.count()));
    const double local = 1;
    auto ranks = mpi.ranks(kiln_combine_statistics);
    int failures = 0;
    for (int i = 0; i < 2; ++i) {
        void *request = nullptr;
        dnnl_status_t status = ranks.start(ranks.context, &local, 1, all.data(), &request);
        if (status == dnnl_success) status = ranks.wait(ranks.context, request);
        failures += status != dnnl_runtime_error;
    }
    const double seconds = MPI_Wtime() - start;
    return failures + (seconds < 0.4 || seconds > 10);
}

} // namespace
} // namespace kiln::test::normalization

int main(int argc, char **argv) {
    using namespace kiln::test::normalization;
    MPI_Init(&argc, &argv);
    int failures = 0;
    if (argc > 1) {
        kiln::mpi mpi(MPI_COMM_WORLD, 0.5);
        if (mpi.rank() + 1 < mpi.count()) failures = count_failures_without_the_last_rank(mpi);
        MPI_Send(&failures, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        for (int rank = 0, more = 0; mpi.rank() == 0 && rank < mpi.count(); ++rank) {
            MPI_Recv(&more, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            failures += more;
        }
        // A message is still on the way: MPI_Finalize would wait for it.
        std::cout << (failures == 0 ? "absent rank: as it should be" : "absent rank: wrong")
                  << std::endl;
        MPI_Abort(MPI_COMM_WORLD, failures == 0 ? 0 : 1);
    }
    const kiln::mpi until_the_end(MPI_COMM_WORLD); // destroyed behind MPI_Finalize
    {
        kiln::mpi mpi(MPI_COMM_WORLD);
        failures = count_failures(mpi);
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
