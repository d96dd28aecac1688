// SPDX-License-Identifier: Apache-2.0
// The layers of a network, each made of primitives.
//
// A layer makes its primitives and its buffers when it is built, for batches of one size. A step of
// training then allocates nothing: forward() of each layer from the first to the last, backward()
// from the last to the first.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "digits.hpp"
#include "oneapi/dnnl/dnnl.hpp"

/// A matrix of floats, and the memory object that primitives see. Vectors have one row.
struct matrix_t {
    matrix_t(size_t rows, size_t cols, const dnnl::engine &engine)
        : rows(rows)
        , cols(cols)
        , values(rows * cols)
        , md({static_cast<dnnl::memory::dim>(rows), static_cast<dnnl::memory::dim>(cols)},
                  dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab)
        , memory(md, engine, values.data()) {}
    matrix_t(const matrix_t &) = delete;
    matrix_t &operator=(const matrix_t &) = delete;

    size_t rows, cols;
    std::vector<float> values;
    dnnl::memory::desc md;
    dnnl::memory memory;
};

/// What training changes: a matrix and the gradient of the loss with respect to it.
struct parameter_t {
    parameter_t(const std::string &name, size_t rows, size_t cols, const dnnl::engine &engine)
        : name(name)
        , value(rows, cols, engine)
        , gradient(rows, cols, engine) {}
    std::string name;
    matrix_t value, gradient;
};

class layer_t {
public:
    virtual ~layer_t() = default;
    /// Computes the output from `src`, which must not change before backward().
    virtual const matrix_t &forward(const matrix_t &src, bool is_training) = 0;
    /// From the gradient of the loss with respect to the output, computes those of the parameters,
    /// and returns that of the input.
    virtual const matrix_t &backward(const matrix_t &diff_dst) = 0;

    std::vector<std::unique_ptr<parameter_t>> parameters;

protected:
    parameter_t &add_parameter(
            const std::string &name, size_t rows, size_t cols, const dnnl::engine &engine) {
        parameters.push_back(std::make_unique<parameter_t>(name, rows, cols, engine));
        return *parameters.back();
    }
};

/// dst = src * weights + bias, with weights of (inputs, outputs).
class linear_t : public layer_t {
public:
    linear_t(size_t batch, size_t inputs, size_t outputs, bool has_bias, random_t &random,
            const dnnl::engine &engine, dnnl::stream &stream)
        : weights_(add_parameter("weights", inputs, outputs, engine))
        , dst_(batch, outputs, engine)
        , diff_src_(batch, inputs, engine)
        , stream_(stream) {
        // Random weights keep the size of what passes through: their variance is 1 / inputs.
        const float scale = std::sqrt(3.f / static_cast<float>(inputs));
        for (float &weight : weights_.value.values) weight = scale * random.sign();
        if (has_bias) bias_ = &add_parameter("bias", 1, outputs, engine);

        const auto count = [](size_t n) { return static_cast<dnnl::memory::dim>(n); };
        const auto f32 = dnnl::memory::data_type::f32;
        // Inner products have weights of (outputs, inputs): here the inputs are the outer axis.
        weights_md_ = {{count(outputs), count(inputs)}, f32, dnnl::memory::format_tag::ba};
        const auto training = dnnl::prop_kind::forward_training;
        using forward_desc = dnnl::inner_product_forward::primitive_desc;
        using weights_desc = dnnl::inner_product_backward_weights::primitive_desc;
        forward_desc forward;
        if (has_bias) {
            bias_md_ = {{count(outputs)}, f32, dnnl::memory::format_tag::a};
            forward = forward_desc(engine, training, diff_src_.md, weights_md_, bias_md_, dst_.md);
            backward_weights_ = dnnl::inner_product_backward_weights(
                    weights_desc(engine, diff_src_.md, weights_md_, bias_md_, dst_.md, forward));
        } else {
            forward = forward_desc(engine, training, diff_src_.md, weights_md_, dst_.md);
            backward_weights_ = dnnl::inner_product_backward_weights(
                    weights_desc(engine, diff_src_.md, weights_md_, dst_.md, forward));
        }
        forward_ = dnnl::inner_product_forward(forward);
        backward_data_ = dnnl::inner_product_backward_data(
                {engine, diff_src_.md, weights_md_, dst_.md, forward});
    }

    const matrix_t &forward(const matrix_t &src, bool) override {
        src_ = &src;
        arguments_t arguments{{DNNL_ARG_SRC, src.memory}, {DNNL_ARG_DST, dst_.memory},
                {DNNL_ARG_WEIGHTS, as(weights_md_, weights_.value)}};
        if (bias_ != nullptr) arguments[DNNL_ARG_BIAS] = as(bias_md_, bias_->value);
        forward_.execute(stream_, arguments);
        return dst_;
    }

    const matrix_t &backward(const matrix_t &diff_dst) override {
        arguments_t arguments{{DNNL_ARG_SRC, src_->memory}, {DNNL_ARG_DIFF_DST, diff_dst.memory},
                {DNNL_ARG_DIFF_WEIGHTS, as(weights_md_, weights_.gradient)}};
        if (bias_ != nullptr) arguments[DNNL_ARG_DIFF_BIAS] = as(bias_md_, bias_->gradient);
        backward_weights_.execute(stream_, arguments);
        backward_data_.execute(stream_,
                {{DNNL_ARG_DIFF_DST, diff_dst.memory}, {DNNL_ARG_DIFF_SRC, diff_src_.memory},
                        {DNNL_ARG_WEIGHTS, as(weights_md_, weights_.value)}});
        return diff_src_;
    }

private:
    using arguments_t = std::unordered_map<int, dnnl::memory>;

    /// The values of a matrix with another descriptor.
    dnnl::memory as(const dnnl::memory::desc &md, const matrix_t &matrix) const {
        return {md, stream_.get_engine(), const_cast<float *>(matrix.values.data())};
    }

    parameter_t &weights_;
    parameter_t *bias_ = nullptr;
    matrix_t dst_, diff_src_;
    const matrix_t *src_ = nullptr;
    dnnl::memory::desc weights_md_, bias_md_;
    dnnl::inner_product_forward forward_;
    dnnl::inner_product_backward_data backward_data_;
    dnnl::inner_product_backward_weights backward_weights_;
    dnnl::stream &stream_;
};

/// dst = max(src, 0).
class relu_t : public layer_t {
public:
    relu_t(size_t batch, size_t features, const dnnl::engine &engine, dnnl::stream &stream)
        : dst_(batch, features, engine)
        , diff_src_(batch, features, engine)
        , stream_(stream) {
        const auto relu = dnnl::algorithm::eltwise_relu;
        const dnnl::eltwise_forward::primitive_desc forward(
                engine, dnnl::prop_kind::forward_training, relu, dst_.md, dst_.md, 0.f);
        forward_ = dnnl::eltwise_forward(forward);
        backward_ = dnnl::eltwise_backward({engine, relu, dst_.md, dst_.md, dst_.md, 0.f, forward});
    }

    const matrix_t &forward(const matrix_t &src, bool) override {
        src_ = &src;
        forward_.execute(stream_, {{DNNL_ARG_SRC, src.memory}, {DNNL_ARG_DST, dst_.memory}});
        return dst_;
    }

    const matrix_t &backward(const matrix_t &diff_dst) override {
        backward_.execute(
                stream_, {{DNNL_ARG_SRC, src_->memory}, {DNNL_ARG_DIFF_DST, diff_dst.memory},
                                 {DNNL_ARG_DIFF_SRC, diff_src_.memory}});
        return diff_src_;
    }

private:
    matrix_t dst_, diff_src_;
    const matrix_t *src_ = nullptr;
    dnnl::eltwise_forward forward_;
    dnnl::eltwise_backward backward_;
    dnnl::stream &stream_;
};

/// Which statistics a normalization uses: of each image over its features (layer; RMS without a
/// mean), or of each feature over the batch (batch).
enum class norm_kind_t { layer, rms, batch };

/// dst = scale * (src - mean) / sqrt(variance + epsilon) + shift. `forward_t` and `backward_t` are
/// the primitives of layer or of batch normalization, whose interfaces are alike.
template <typename forward_t, typename backward_t> class norm_t : public layer_t {
public:
    norm_t(norm_kind_t kind, size_t batch, size_t features, const dnnl::engine &engine,
            dnnl::stream &stream)
        : kind_(kind)
        , scale_(add_parameter("scale", 1, features, engine))
        , dst_(batch, features, engine)
        , diff_src_(batch, features, engine)
        , stream_(stream) {
        using flag = dnnl::normalization_flags;
        scale_.value.values.assign(features, 1.f);
        auto flags = kind == norm_kind_t::rms ? flag::use_scale | flag::rms_norm
                                              : flag::use_scale | flag::use_shift;
        if (kind != norm_kind_t::rms) shift_ = &add_parameter("shift", 1, features, engine);

        const float epsilon = 1e-5f;
        const typename forward_t::primitive_desc forward(
                engine, dnnl::prop_kind::forward_training, dst_.md, dst_.md, epsilon, flags);
        const typename backward_t::primitive_desc backward(engine, dnnl::prop_kind::backward,
                dst_.md, dst_.md, dst_.md, epsilon, flags, forward);
        forward_ = forward_t(forward);
        backward_ = backward_t(backward);
        mean_ = dnnl::memory(forward.mean_desc(), engine);
        variance_ = dnnl::memory(forward.variance_desc(), engine);
        vector_md_ = forward.weights_desc();

        if (kind != norm_kind_t::batch) return;
        // A single image has no batch: inference uses averages of the batches seen in training.
        inference_ = forward_t({engine, dnnl::prop_kind::forward_inference, dst_.md, dst_.md,
                epsilon, flags | flag::use_global_stats});
        running_mean_.assign(features, 0.f);
        running_variance_.assign(features, 1.f);
    }

    const matrix_t &forward(const matrix_t &src, bool is_training) override {
        src_ = &src;
        if (kind_ != norm_kind_t::batch || is_training) {
            forward_.execute(stream_, arguments({{DNNL_ARG_DST, dst_.memory}}));
            if (kind_ == norm_kind_t::batch) update_running_statistics();
        } else {
            const dnnl::engine engine = stream_.get_engine();
            inference_.execute(stream_,
                    {{DNNL_ARG_SRC, src.memory}, {DNNL_ARG_DST, dst_.memory},
                            {DNNL_ARG_SCALE, vector(scale_.value)},
                            {DNNL_ARG_SHIFT, vector(shift_->value)},
                            {DNNL_ARG_MEAN, {mean_.get_desc(), engine, running_mean_.data()}},
                            {DNNL_ARG_VARIANCE,
                                    {mean_.get_desc(), engine, running_variance_.data()}}});
        }
        return dst_;
    }

    const matrix_t &backward(const matrix_t &diff_dst) override {
        auto all = arguments(
                {{DNNL_ARG_DIFF_DST, diff_dst.memory}, {DNNL_ARG_DIFF_SRC, diff_src_.memory},
                        {DNNL_ARG_DIFF_SCALE, vector(scale_.gradient)}});
        if (shift_ != nullptr) all.insert({DNNL_ARG_DIFF_SHIFT, vector(shift_->gradient)});
        backward_.execute(stream_, all);
        return diff_src_;
    }

private:
    using arguments_t = std::unordered_map<int, dnnl::memory>;

    /// What forward and backward have in common, and `more`.
    arguments_t arguments(arguments_t more) const {
        more.insert({{DNNL_ARG_SRC, src_->memory}, {DNNL_ARG_VARIANCE, variance_},
                {DNNL_ARG_SCALE, vector(scale_.value)}});
        if (kind_ != norm_kind_t::rms) more.insert({DNNL_ARG_MEAN, mean_});
        if (shift_ != nullptr) more.insert({DNNL_ARG_SHIFT, vector(shift_->value)});
        return more;
    }

    /// A matrix of one row as the vector that scale and shift are.
    dnnl::memory vector(const matrix_t &row) const {
        return {vector_md_, stream_.get_engine(), const_cast<float *>(row.values.data())};
    }

    void update_running_statistics() {
        const auto update = [](std::vector<float> &running, const dnnl::memory &of_batch) {
            const auto *values = static_cast<const float *>(of_batch.get_data_handle());
            for (size_t i = 0; i < running.size(); ++i)
                running[i] += 0.1f * (values[i] - running[i]);
        };
        update(running_mean_, mean_);
        update(running_variance_, variance_);
    }

    norm_kind_t kind_;
    parameter_t &scale_;
    parameter_t *shift_ = nullptr;
    matrix_t dst_, diff_src_;
    const matrix_t *src_ = nullptr;
    forward_t forward_, inference_;
    backward_t backward_;
    dnnl::memory mean_, variance_;
    dnnl::memory::desc vector_md_;
    std::vector<float> running_mean_, running_variance_;
    dnnl::stream &stream_;
};

inline std::unique_ptr<layer_t> make_norm(norm_kind_t kind, size_t batch, size_t features,
        const dnnl::engine &engine, dnnl::stream &stream) {
    using layer = norm_t<dnnl::layer_normalization_forward, dnnl::layer_normalization_backward>;
    using batches = norm_t<dnnl::batch_normalization_forward, dnnl::batch_normalization_backward>;
    if (kind == norm_kind_t::batch)
        return std::make_unique<batches>(kind, batch, features, engine, stream);
    return std::make_unique<layer>(kind, batch, features, engine, stream);
}

/// The loss of a classifier: the mean over the batch of -log(probability of the right class).
class loss_t {
public:
    loss_t(size_t batch, size_t classes, const dnnl::engine &engine, dnnl::stream &stream)
        : logs_(batch, classes, engine)
        , diff_logs_(batch, classes, engine)
        , diff_scores_(batch, classes, engine)
        , stream_(stream) {
        const auto log = dnnl::algorithm::softmax_log;
        const dnnl::softmax_forward::primitive_desc forward(
                engine, dnnl::prop_kind::forward_training, log, logs_.md, logs_.md, 1);
        forward_ = dnnl::softmax_forward(forward);
        backward_ = dnnl::softmax_backward({engine, log, logs_.md, logs_.md, logs_.md, 1, forward});
    }

    double forward(const matrix_t &scores, const std::vector<size_t> &digits) {
        forward_.execute(stream_, {{DNNL_ARG_SRC, scores.memory}, {DNNL_ARG_DST, logs_.memory}});
        double loss = 0;
        for (size_t i = 0; i < digits.size(); ++i)
            loss -= static_cast<double>(log_of(i, digits[i]));
        return loss / static_cast<double>(digits.size());
    }

    /// The gradient with respect to the scores.
    const matrix_t &backward(const std::vector<size_t> &digits) {
        diff_logs_.values.assign(diff_logs_.values.size(), 0.f);
        for (size_t i = 0; i < digits.size(); ++i)
            diff_logs_.values[i * diff_logs_.cols + digits[i]] =
                    -1.f / static_cast<float>(digits.size());
        backward_.execute(
                stream_, {{DNNL_ARG_DST, logs_.memory}, {DNNL_ARG_DIFF_DST, diff_logs_.memory},
                                 {DNNL_ARG_DIFF_SRC, diff_scores_.memory}});
        return diff_scores_;
    }

    /// The most probable class of an image of the batch.
    size_t guess(size_t image) const {
        size_t best = 0;
        for (size_t c = 1; c < logs_.cols; ++c)
            if (log_of(image, c) > log_of(image, best)) best = c;
        return best;
    }

private:
    float log_of(size_t image, size_t c) const { return logs_.values[image * logs_.cols + c]; }

    matrix_t logs_, diff_logs_, diff_scores_;
    dnnl::softmax_forward forward_;
    dnnl::softmax_backward backward_;
    dnnl::stream &stream_;
};
