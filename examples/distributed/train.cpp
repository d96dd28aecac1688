// SPDX-License-Identifier: Apache-2.0
// Data-parallel training over MPI with synchronized batch normalization:
//     mpirun -n 4 example_distributed_train
// Each process has a part of every batch. Batch normalization takes its statistics from all parts,
// and gradients are summed over processes, so any number of processes learns as one does.

#include <cmath>
#include <cstdio>
#include <numeric>

#include "../train_digits/digits.hpp"
#include "kiln/mpi.hpp"

namespace {

constexpr size_t hidden_count = 48, batch_size = 96, epochs = 8;
using floats_t = std::vector<float>;
using dnnl::memory;

/// Sums over all processes, in the order of ranks, so that they are the same bits everywhere.
class sums_t {
public:
    explicit sums_t(const kiln::mpi &mpi)
        : count_(size_t(mpi.count())) {}

    void add_up(floats_t &values) {
        const double start = MPI_Wtime();
        const auto length = static_cast<int>(values.size());
        all_.resize(values.size() * count_);
        MPI_Allgather(
                values.data(), length, MPI_FLOAT, all_.data(), length, MPI_FLOAT, MPI_COMM_WORLD);
        for (size_t i = 0; i < values.size(); ++i) {
            double sum = 0;
            for (size_t rank = 0; rank < count_; ++rank)
                sum += static_cast<double>(all_[rank * values.size() + i]);
            values[i] = static_cast<float>(sum);
        }
        seconds_ += MPI_Wtime() - start;
    }
    double seconds() const { return seconds_; }

private:
    const size_t count_;
    floats_t all_;
    double seconds_ = 0;
};

/// y = x * weights, all row-major; `rows` x inputs and inputs x outputs.
class linear_t {
public:
    linear_t(size_t inputs, size_t outputs, random_t &random)
        : inputs_(inputs)
        , outputs_(outputs)
        , weights_(inputs * outputs)
        , momentum_(weights_.size()) {
        for (float &weight : weights_)
            weight = random.sign() / std::sqrt(static_cast<float>(inputs));
    }

    floats_t forward(const floats_t &x, size_t rows) {
        floats_t y(rows * outputs_);
        for (size_t n = 0; n < rows; ++n)
            for (size_t i = 0; i < inputs_; ++i)
                for (size_t o = 0; o < outputs_; ++o)
                    y[n * outputs_ + o] += x[n * inputs_ + i] * weights_[i * outputs_ + o];
        return y;
    }
    /// Learns, and returns the gradient of x.
    floats_t backward(const floats_t &x, const floats_t &diff_y, size_t rows, sums_t &sums) {
        floats_t diff_x(rows * inputs_), gradient(weights_.size());
        for (size_t n = 0; n < rows; ++n)
            for (size_t i = 0; i < inputs_; ++i)
                for (size_t o = 0; o < outputs_; ++o) {
                    const float diff = diff_y[n * outputs_ + o];
                    diff_x[n * inputs_ + i] += diff * weights_[i * outputs_ + o];
                    gradient[i * outputs_ + o] += diff * x[n * inputs_ + i];
                }
        sums.add_up(gradient);
        learn(weights_, momentum_, gradient);
        return diff_x;
    }
    static void learn(floats_t &weights, floats_t &momentum, const floats_t &gradient) {
        constexpr float rate = 0.1f, kept = 0.9f;
        for (size_t i = 0; i < weights.size(); ++i) {
            momentum[i] = kept * momentum[i] + gradient[i];
            weights[i] -= rate * momentum[i];
        }
    }

private:
    size_t inputs_, outputs_;
    floats_t weights_, momentum_;
};

/// Batch normalization and a ReLU over the rows of all processes. This one has `rows` of them,
/// which may be none.
class normalization_t {
public:
    normalization_t(kiln::mpi &mpi, size_t channels)
        : channels_(channels)
        , scale_(channels, 1)
        , shift_(channels)
        , scale_momentum_(channels)
        , shift_momentum_(channels)
        , mean_(channels)
        , variance_(channels) {
        kiln::set_ranks(attr_, mpi.ranks(kiln_combine_statistics | kiln_combine_weight_gradients));
    }

    floats_t forward(floats_t &x, size_t rows) {
        const memory::desc data = desc_of(rows);
        using primitive_t = dnnl::batch_normalization_forward;
        forward_desc_ = primitive_t::primitive_desc(
                engine_, dnnl::prop_kind::forward_training, data, data, epsilon, flags, attr_);
        workspace_ = memory(forward_desc_.workspace_desc(), engine_);
        floats_t y(x.size());
        primitive_t(forward_desc_)
                .execute(stream_, {{DNNL_ARG_SRC, over(data, x)}, {DNNL_ARG_DST, over(data, y)},
                                          {DNNL_ARG_SCALE, over(weights(), scale_)},
                                          {DNNL_ARG_SHIFT, over(weights(), shift_)},
                                          {DNNL_ARG_MEAN, over(weights(), mean_)},
                                          {DNNL_ARG_VARIANCE, over(weights(), variance_)},
                                          {DNNL_ARG_WORKSPACE, workspace_}});
        return y;
    }
    floats_t backward(floats_t &x, floats_t &diff_y, size_t rows) {
        const memory::desc data = desc_of(rows);
        using primitive_t = dnnl::batch_normalization_backward;
        const primitive_t::primitive_desc desc(engine_, dnnl::prop_kind::backward, data, data, data,
                epsilon, flags, forward_desc_, attr_);
        floats_t diff_x(x.size()), diff_scale(channels_), diff_shift(channels_);
        primitive_t(desc).execute(stream_,
                {{DNNL_ARG_SRC, over(data, x)}, {DNNL_ARG_DIFF_DST, over(data, diff_y)},
                        {DNNL_ARG_MEAN, over(weights(), mean_)},
                        {DNNL_ARG_VARIANCE, over(weights(), variance_)},
                        {DNNL_ARG_SCALE, over(weights(), scale_)}, {DNNL_ARG_WORKSPACE, workspace_},
                        {DNNL_ARG_DIFF_SRC, over(data, diff_x)},
                        {DNNL_ARG_DIFF_SCALE, over(weights(), diff_scale)},
                        {DNNL_ARG_DIFF_SHIFT, over(weights(), diff_shift)}});
        linear_t::learn(scale_, scale_momentum_, diff_scale);
        linear_t::learn(shift_, shift_momentum_, diff_shift);
        return diff_x;
    }

private:
    static constexpr float epsilon = 1e-5f;
    static constexpr auto flags = dnnl::normalization_flags::use_scale
                                  | dnnl::normalization_flags::use_shift
                                  | dnnl::normalization_flags::fuse_norm_relu;

    memory::desc desc_of(size_t rows) const {
        return {{static_cast<memory::dim>(rows), static_cast<memory::dim>(channels_)},
                memory::data_type::f32, memory::format_tag::ab};
    }
    memory::desc weights() const {
        return {{static_cast<memory::dim>(channels_)}, memory::data_type::f32,
                memory::format_tag::a};
    }
    memory over(const memory::desc &desc, floats_t &values) {
        return memory(desc, engine_, values.data());
    }

    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    dnnl::primitive_attr attr_;
    dnnl::batch_normalization_forward::primitive_desc forward_desc_;
    memory workspace_;
    size_t channels_;
    floats_t scale_, shift_, scale_momentum_, shift_momentum_, mean_, variance_;
};

/// Sets `diff` to the gradient of the mean loss over a batch; returns the sum of the losses.
float softmax_loss(const floats_t &logits, const std::vector<size_t> &digits, floats_t &diff) {
    double loss = 0;
    for (size_t n = 0; n < digits.size(); ++n) {
        const float *const row = logits.data() + n * class_count;
        const float most = *std::max_element(row, row + class_count);
        double sum = 0;
        for (size_t c = 0; c < class_count; ++c)
            sum += std::exp(static_cast<double>(row[c] - most));
        for (size_t c = 0; c < class_count; ++c) {
            const double share = std::exp(static_cast<double>(row[c] - most)) / sum;
            if (c == digits[n]) loss -= std::log(share);
            diff[n * class_count + c] = static_cast<float>(
                    (share - (c == digits[n] ? 1 : 0)) / static_cast<double>(batch_size));
        }
    }
    return static_cast<float>(loss);
}

void train(kiln::mpi &mpi) {
    const auto images = read_digits(DIGITS_FILE).training;
    random_t random(1);
    linear_t first(pixel_count, hidden_count, random), last(hidden_count, class_count, random);
    normalization_t normalization(mpi, hidden_count);
    sums_t sums(mpi);
    // Processes have unequal parts of a batch.
    const auto rank = static_cast<size_t>(mpi.rank()), count = static_cast<size_t>(mpi.count());
    const auto bound = [&](size_t of_rank) {
        return batch_size * of_rank * (of_rank + 1) / (count * (count + 1));
    };
    const size_t begin = bound(rank), rows = bound(rank + 1) - begin;
    const double start = MPI_Wtime();
    for (size_t epoch = 1; epoch <= epochs; ++epoch) {
        floats_t loss(1);
        size_t batches = 0;
        for (size_t at = 0; at + batch_size <= images.size(); at += batch_size, ++batches) {
            floats_t x;
            std::vector<size_t> digits;
            for (size_t i = at + begin; i < at + begin + rows; ++i) {
                x.insert(x.end(), images[i].pixels, images[i].pixels + pixel_count);
                digits.push_back(images[i].digit);
            }
            floats_t h = first.forward(x, rows);
            const floats_t y = normalization.forward(h, rows);
            const floats_t logits = last.forward(y, rows);
            floats_t diff(logits.size());
            loss[0] += softmax_loss(logits, digits, diff);
            floats_t diff_y = last.backward(y, diff, rows, sums);
            const floats_t diff_h = normalization.backward(h, diff_y, rows);
            first.backward(x, diff_h, rows, sums);
        }
        sums.add_up(loss);
        if (rank == 0)
            std::printf("epoch %zu: loss %.5f\n", epoch,
                    static_cast<double>(loss[0]) / static_cast<double>(batches * batch_size));
    }
    const double seconds = MPI_Wtime() - start;
    if (rank == 0)
        std::printf("%zu processes, %.3f s; in messages of normalizations %.3f s (%llu of %llu "
                    "bytes each), in sums of gradients %.3f s\n",
                count, seconds, mpi.measured().seconds, mpi.measured().messages,
                8 * mpi.measured().doubles
                        / (mpi.measured().messages ? mpi.measured().messages : 1),
                sums.seconds());
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    try {
        kiln::mpi mpi(MPI_COMM_WORLD);
        train(mpi);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    return 0;
}
