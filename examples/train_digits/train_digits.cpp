// SPDX-License-Identifier: Apache-2.0
// Trains a network to recognize handwritten digits, once with each kind of normalization:
//
//     64 pixels -> linear 96 -> norm -> relu -> linear 96 -> norm -> relu -> linear 10 ->
//     logsoftmax
//
//     train_digits [--norm=layer|rms|batch] [--epochs=N] [--svg=FILE] [--check] [--data=FILE]
//
// It prints the loss as it falls, and ends with an error unless more than 97 % of the images that
// it was not trained on are recognized. --svg draws the curves. --check compares all gradients with
// finite differences instead. Results are the same in every run on a machine.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>

#include "curves.hpp"
#include "layers.hpp"

namespace {

constexpr size_t batch = 48, hidden = 96;

struct named_norm_t {
    const char *name;
    norm_kind_t kind;
};
const named_norm_t norms[] = {
        {"layer", norm_kind_t::layer}, {"rms", norm_kind_t::rms}, {"batch", norm_kind_t::batch}};

struct options_t {
    std::string norm = "all", svg, data = DIGITS_FILE;
    size_t epochs = 12;
    bool check = false;
};

/// The layers, and the buffers of one batch.
class network_t {
public:
    explicit network_t(norm_kind_t norm)
        : engine_(dnnl::engine::kind::cpu, 0)
        , stream_(engine_)
        , images_(batch, pixel_count, engine_)
        , digits_(batch)
        , loss_(batch, class_count, engine_, stream_) {
        random_t random(7);
        size_t inputs = pixel_count;
        for (int i = 0; i < 2; ++i) {
            // A normalization has a shift, so the linear layer before it needs no bias.
            layers_.push_back(std::make_unique<linear_t>(
                    batch, inputs, hidden, false, random, engine_, stream_));
            layers_.push_back(make_norm(norm, batch, hidden, engine_, stream_));
            layers_.push_back(std::make_unique<relu_t>(batch, hidden, engine_, stream_));
            inputs = hidden;
        }
        layers_.push_back(std::make_unique<linear_t>(
                batch, hidden, class_count, true, random, engine_, stream_));
    }

    void set_image(size_t at, const image_t &image) {
        std::copy(image.pixels, image.pixels + pixel_count, &images_.values[at * pixel_count]);
        digits_[at] = image.digit;
    }

    /// The loss of the images that are set.
    double forward(bool is_training) {
        const matrix_t *values = &images_;
        for (const auto &layer : layers_) values = &layer->forward(*values, is_training);
        return loss_.forward(*values, digits_);
    }

    /// The gradients of all parameters; forward(true) came before.
    void backward() {
        const matrix_t *gradient = &loss_.backward(digits_);
        for (size_t i = layers_.size(); i-- > 0;) gradient = &layers_[i]->backward(*gradient);
    }

    size_t guess(size_t image) const { return loss_.guess(image); }

    std::vector<parameter_t *> parameters() const {
        std::vector<parameter_t *> all;
        for (const auto &layer : layers_)
            for (const auto &parameter : layer->parameters) all.push_back(parameter.get());
        return all;
    }

private:
    dnnl::engine engine_;
    dnnl::stream stream_;
    matrix_t images_;
    std::vector<size_t> digits_;
    std::vector<std::unique_ptr<layer_t>> layers_;
    loss_t loss_;
};

/// Adam: each value moves against the running mean of its gradient, divided by the root of the
/// running mean of the gradient's square.
class adam_t {
public:
    explicit adam_t(std::vector<parameter_t *> parameters)
        : parameters_(std::move(parameters)) {
        for (const parameter_t *parameter : parameters_) {
            means_.emplace_back(parameter->value.values.size());
            squares_.emplace_back(parameter->value.values.size());
        }
    }

    void step(float rate) {
        const float keep = 0.9f, keep_square = 0.999f;
        ++steps_;
        // The running means begin at zero; this corrects them.
        const float correction =
                std::sqrt(1 - std::pow(keep_square, steps_)) / (1 - std::pow(keep, steps_));
        for (size_t p = 0; p < parameters_.size(); ++p)
            for (size_t i = 0; i < means_[p].size(); ++i) {
                const float gradient = parameters_[p]->gradient.values[i];
                float &mean = means_[p][i], &square = squares_[p][i];
                mean += (1 - keep) * (gradient - mean);
                square += (1 - keep_square) * (gradient * gradient - square);
                parameters_[p]->value.values[i] -=
                        rate * correction * mean / (std::sqrt(square) + 1e-8f);
            }
    }

private:
    std::vector<parameter_t *> parameters_;
    std::vector<std::vector<float>> means_, squares_;
    float steps_ = 0;
};

/// Trains on all images once, in a new order, and returns the mean loss. Images that do not fill
/// the last batch wait for the next epoch.
double train_epoch(network_t &network, adam_t &adam, std::vector<image_t> &images, random_t &random,
        float rate) {
    shuffle(images, random);
    const size_t batches = images.size() / batch;
    double loss = 0;
    for (size_t b = 0; b < batches; ++b) {
        for (size_t i = 0; i < batch; ++i) network.set_image(i, images[b * batch + i]);
        loss += network.forward(true);
        network.backward();
        adam.step(rate);
    }
    return loss / static_cast<double>(batches);
}

/// The share of images that are recognized. In inference the images of a batch do not see each
/// other, so the last batch may keep old ones behind the new.
double share_right(network_t &network, const std::vector<image_t> &images) {
    size_t right = 0;
    for (size_t begin = 0; begin < images.size(); begin += batch) {
        const size_t count = std::min(batch, images.size() - begin);
        for (size_t i = 0; i < count; ++i) network.set_image(i, images[begin + i]);
        network.forward(false);
        for (size_t i = 0; i < count; ++i) right += network.guess(i) == images[begin + i].digit;
    }
    return static_cast<double>(right) / static_cast<double>(images.size());
}

curve_t train(const named_norm_t &norm, digits_t digits, size_t epochs) {
    network_t network(norm.kind);
    adam_t adam(network.parameters());
    random_t random(3);
    curve_t curve{std::string(norm.name) + " norm", {}, {}};
    for (size_t epoch = 0; epoch < epochs; ++epoch) {
        // Steps become smaller towards the end.
        const float rate = 0.003f * (1 - static_cast<float>(epoch) / static_cast<float>(epochs));
        curve.loss.push_back(train_epoch(network, adam, digits.training, random, rate));
        curve.right.push_back(share_right(network, digits.held_out));
        std::printf("%-5s norm, epoch %2zu: loss %.4f, %.2f %% of held-out images right\n",
                norm.name, epoch + 1, curve.loss.back(), 100 * curve.right.back());
    }
    return curve;
}

/// Compares the gradient of each parameter with finite differences of the loss. Along a direction d
/// the loss rises by (gradient . d). Each direction is the gradient on a random half of the values
/// and zero on the others, so that no part of the gradient can be wrong in all of them.
bool gradients_are_right(const named_norm_t &norm, const digits_t &digits) {
    network_t network(norm.kind);
    for (size_t i = 0; i < batch; ++i) network.set_image(i, digits.training[i]);
    network.forward(true);
    network.backward();
    random_t random(5);
    bool are_right = true;
    for (parameter_t *parameter : network.parameters()) {
        std::vector<float> &values = parameter->value.values;
        const std::vector<float> at = values;
        double worst = 0;
        for (int direction = 0; direction < 8; ++direction) {
            std::vector<float> d = parameter->gradient.values;
            for (float &value : d)
                if (random.below(2) == 0) value = 0;
            const double length = std::sqrt(std::inner_product(d.begin(), d.end(), d.begin(), 0.));
            const double step = 2e-2;
            const auto loss_at = [&](double distance) {
                for (size_t i = 0; i < values.size(); ++i)
                    values[i] = at[i] + static_cast<float>(distance * d[i] / length);
                return network.forward(true);
            };
            const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
            // (gradient . d) / |d| is |d|, because d is a part of the gradient.
            worst = std::max(worst, std::fabs(slope - length) / length);
        }
        values = at;
        const bool is_right = worst < 2e-2;
        std::printf("%-5s norm: gradient of %-7s (%zu values) differs from the slope of the loss "
                    "by %.2f %%%s\n",
                norm.name, parameter->name.c_str(), values.size(), 100 * worst,
                is_right ? "" : ": WRONG");
        are_right = are_right && is_right;
    }
    return are_right;
}

options_t parse(int argc, char **argv) {
    options_t options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value_of = [&](const std::string &name, std::string &value) {
            if (word.compare(0, name.size(), name) != 0) return false;
            value = word.substr(name.size());
            return true;
        };
        std::string epochs;
        if (word == "--check")
            options.check = true;
        else if (value_of("--epochs=", epochs))
            options.epochs = std::stoul(epochs);
        else if (!value_of("--norm=", options.norm) && !value_of("--svg=", options.svg)
                 && !value_of("--data=", options.data))
            throw std::runtime_error("unknown word " + word);
    }
    return options;
}

int run(const options_t &options) {
    const digits_t digits = read_digits(options.data);
    std::printf("%zu images to learn from, %zu held out\n", digits.training.size(),
            digits.held_out.size());
    std::vector<curve_t> curves;
    bool is_good = true, is_known = false;
    for (const named_norm_t &norm : norms) {
        if (options.norm != "all" && options.norm != norm.name) continue;
        is_known = true;
        if (options.check) {
            is_good = gradients_are_right(norm, digits) && is_good;
        } else {
            curves.push_back(train(norm, digits, options.epochs));
            is_good = curves.back().right.back() > 0.97 && is_good;
        }
    }
    if (!is_known) throw std::runtime_error("--norm is layer, rms or batch");
    if (!options.svg.empty() && !curves.empty()) {
        write_curves(options.svg, curves);
        std::printf("curves: %s\n", options.svg.c_str());
    }
    if (!is_good)
        std::printf("%s\n", options.check ? "a gradient is wrong" : "97 % was not reached");
    return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(parse(argc, argv));
    } catch (const std::exception &failure) { // dnnl::error is one
        std::fprintf(stderr, "%s\n", failure.what());
        return EXIT_FAILURE;
    }
}
