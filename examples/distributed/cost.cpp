// SPDX-License-Identifier: Apache-2.0
// What it costs that batch normalization takes its statistics from all processes:
//     mpirun -n 2 example_distributed_cost
// For each layer, medians over rounds of: a step (forward and backward) of the plain primitives, of
// those with a callback for two ranks that only copies, of those over all processes; two messages
// of MPI alone; the time of a synchronized step inside of the callbacks of its two messages, where
// it also waits for the other processes; and what it takes beside them more than the plain step,
// and than the one that copies, of the same round.

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "kiln/mpi.hpp"

namespace {

using dnnl::memory;
constexpr int repeats = 101;

/// Sends nothing: the time that is left over beside communication.
dnnl_status_t gather_nothing(void *, const double *local, size_t count, double *all) {
    for (int rank = 0; rank < 2; ++rank) std::copy_n(local, count, all + size_t(rank) * count);
    return dnnl_success;
}

/// Callbacks that note how long those of another object take.
struct timed_t {
    kiln::ranks inner;
    double seconds = 0;

    kiln::ranks ranks() {
        kiln::ranks result = inner;
        result.context = this;
        result.start = [](void *context, const double *local, size_t count, double *all,
                               void **request) {
            return static_cast<timed_t *>(context)->timed([=](const kiln::ranks &inner) {
                return inner.start(inner.context, local, count, all, request);
            });
        };
        result.wait = [](void *context, void *request) {
            return static_cast<timed_t *>(context)->timed(
                    [=](const kiln::ranks &inner) { return inner.wait(inner.context, request); });
        };
        return result;
    }

private:
    template <typename call_t> dnnl_status_t timed(const call_t &call) {
        const double begin = MPI_Wtime();
        const dnnl_status_t status = call(inner);
        seconds += MPI_Wtime() - begin;
        return status;
    }
};

/// Seconds of a call that all processes begin together.
template <typename call_t> double seconds_of(const call_t &call) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    return MPI_Wtime() - begin;
}

class layer_t {
public:
    layer_t(const memory::dims &dims, memory::format_tag tag, const kiln::ranks *ranks)
        : data_(dims, memory::data_type::f32, tag)
        , channel_({dims[1]}, memory::data_type::f32, memory::format_tag::a) {
        dnnl::primitive_attr attr;
        if (ranks) kiln::set_ranks(attr, *ranks);
        const auto flags =
                dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
        const dnnl::batch_normalization_forward::primitive_desc forward(
                engine_, dnnl::prop_kind::forward_training, data_, data_, 1e-5f, flags, attr);
        const dnnl::batch_normalization_backward::primitive_desc backward(engine_,
                dnnl::prop_kind::backward, data_, data_, data_, 1e-5f, flags, forward, attr);
        forward_ = dnnl::batch_normalization_forward(forward);
        backward_ = dnnl::batch_normalization_backward(backward);
        for (const int arg : {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_DIFF_SRC, DNNL_ARG_DIFF_DST})
            add(arg, data_);
        for (const int arg : {DNNL_ARG_MEAN, DNNL_ARG_VARIANCE, DNNL_ARG_SCALE, DNNL_ARG_SHIFT,
                     DNNL_ARG_DIFF_SCALE, DNNL_ARG_DIFF_SHIFT})
            add(arg, channel_);
    }
    /// Seconds of a step, whose executions all processes begin together.
    double seconds_of_step() {
        return seconds_of([&] { forward_.execute(stream_, args_); })
               + seconds_of([&] { backward_.execute(stream_, args_); });
    }

private:
    void add(int arg, const memory::desc &desc) {
        memory buffer(desc, engine_);
        auto *const values = static_cast<float *>(buffer.get_data_handle());
        for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i)
            values[i] = static_cast<float>(i * 7919 % 1009) / 1009.f;
        args_[arg] = buffer;
    }

    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    memory::desc data_, channel_;
    dnnl::primitive forward_, backward_;
    std::unordered_map<int, memory> args_;
};

using columns_t = std::array<double, 7>;

/// The median microseconds of each column of a table whose rows are rounds.
template <typename round_t> columns_t medians(const round_t &round) {
    std::vector<columns_t> rows(repeats);
    for (columns_t &row : rows) row = round();
    columns_t result{};
    for (size_t column = 0; column < result.size(); ++column) {
        const auto middle = rows.begin() + repeats / 2;
        std::nth_element(rows.begin(), middle, rows.end(),
                [=](const columns_t &a, const columns_t &b) { return a[column] < b[column]; });
        result[column] = (*middle)[column] * 1e6;
    }
    return result;
}

void compare(kiln::mpi &mpi, const memory::dims &dims, memory::format_tag tag, const char *name) {
    timed_t messages{mpi.ranks(kiln_combine_statistics | kiln_combine_weight_gradients)};
    const kiln::ranks over_all = messages.ranks();
    kiln::ranks silent{2, over_all.combined, nullptr, gather_nothing, nullptr, nullptr};
    layer_t plain(dims, tag, nullptr), synchronized(dims, tag, &over_all);
    layer_t without_messages(dims, tag, &silent);
    const auto length = static_cast<size_t>(2 * dims[1] + 1);
    std::vector<double> local(length), all(length * static_cast<size_t>(mpi.count()));
    const auto two_messages = [&] {
        for (int i = 0; i < 2 && mpi.count() > 1; ++i) {
            void *request = nullptr;
            over_all.start(over_all.context, local.data(), length, all.data(), &request);
            over_all.wait(over_all.context, request);
        }
    };
    bool is_copying_first = false;
    const columns_t times = medians([&] {
        const double alone = plain.seconds_of_step();
        double silent_step = 0;
        messages.seconds = 0;
        is_copying_first = !is_copying_first; // the second one finds other data in the caches
        if (is_copying_first) silent_step = without_messages.seconds_of_step();
        const double step = synchronized.seconds_of_step();
        if (!is_copying_first) silent_step = without_messages.seconds_of_step();
        const double inside = messages.seconds, beside = step - inside;
        const double two = seconds_of(two_messages);
        return columns_t{
                alone, silent_step, step, two, inside, beside - alone, beside - silent_step};
    });
    if (mpi.rank() == 0)
        std::printf("%-16s %9.1f %11.1f %12.1f %9.1f %9.1f %11.1f %11.1f\n", name, times[0],
                times[1], times[2], times[3], times[4], times[5], times[6]);
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    try {
        kiln::mpi mpi(MPI_COMM_WORLD);
        if (mpi.rank() == 0)
            std::printf(
                    "microseconds of a step, %d processes\n%-16s %9s %11s %12s %9s %9s %11s %11s\n",
                    mpi.count(), "layer", "plain", "no messages", "synchronized", "messages",
                    "inside", "beside them", "of copying");
        using tag = memory::format_tag;
        compare(mpi, {2, 64, 8, 8}, tag::nhwc, "2x64x8x8 nhwc");
        compare(mpi, {2, 512, 7, 7}, tag::nhwc, "2x512x7x7 nhwc");
        compare(mpi, {8, 256, 14, 14}, tag::nhwc, "8x256x14x14 nhwc");
        compare(mpi, {8, 256, 14, 14}, tag::nchw, "8x256x14x14 nchw");
        compare(mpi, {16, 64, 56, 56}, tag::nhwc, "16x64x56x56 nhwc");
        compare(mpi, {16, 64, 56, 56}, tag::nchw, "16x64x56x56 nchw");
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
