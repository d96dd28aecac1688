// SPDX-License-Identifier: Apache-2.0
// The images of ../data/digits.txt, cut into those that a network learns from and those that are
// held out to test it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

constexpr size_t pixel_count = 64, class_count = 10;

/// Pseudo-random numbers, the same on every machine (a linear congruential generator).
class random_t {
public:
    explicit random_t(uint64_t seed)
        : state_(seed) {}
    uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>(state_ >> 33);
    }
    size_t below(size_t bound) { return next() % bound; }
    /// Uniform from -1 to 1.
    float sign() { return static_cast<float>(next()) / 1073741824.f - 1; }

private:
    uint64_t state_;
};

template <typename value_t> void shuffle(std::vector<value_t> &values, random_t &random) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

struct image_t {
    float pixels[pixel_count]; // from -1 (white) to 1 (black)
    size_t digit;
};

struct digits_t {
    std::vector<image_t> training, held_out;
};

/// Reads the images in a fixed random order: four fifths for training, the others held out.
inline digits_t read_digits(const std::string &file) {
    std::ifstream lines(file);
    std::vector<image_t> images;
    const char values[] = "0123456789abcdefg";
    size_t digit = 0;
    std::string pixels;
    while (lines >> digit >> pixels) {
        if (digit >= class_count || pixels.size() != pixel_count)
            throw std::runtime_error("line " + std::to_string(images.size() + 1) + " of " + file
                                     + " is not a digit and 64 pixels");
        image_t image{{}, digit};
        for (size_t i = 0; i < pixel_count; ++i) {
            const char *value = std::strchr(values, pixels[i]);
            if (value == nullptr) throw std::runtime_error(file + " has an unknown pixel");
            image.pixels[i] = static_cast<float>(value - values) / 8 - 1;
        }
        images.push_back(image);
    }
    if (images.empty()) throw std::runtime_error("no images in " + file);
    random_t random(1);
    shuffle(images, random);
    const auto middle = images.begin() + static_cast<std::ptrdiff_t>(images.size() * 4 / 5);
    return {{images.begin(), middle}, {middle, images.end()}};
}
