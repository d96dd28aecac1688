// SPDX-License-Identifier: Apache-2.0
// Learning curves as a picture.
#pragma once

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

struct curve_t {
    std::string name;
    std::vector<double> loss;  // of each epoch, on the images of the training
    std::vector<double> right; // the share of held-out images that are recognized
};

/// A panel of an SVG picture: axes from (0, low) to (epochs, high), and a line for each curve.
class panel_t {
public:
    panel_t(std::ostream &svg, double left, const std::string &title, double low, double high)
        : svg_(svg)
        , left_(left)
        , low_(low)
        , high_(high) {
        text(left_, 28, "start", "#222", title);
    }

    /// A horizontal line with its value.
    void mark(double value, const std::string &label) {
        svg_ << "<line x1='" << left_ << "' x2='" << left_ + width << "' y1='" << y(value)
             << "' y2='" << y(value) << "' stroke='#ddd'/>\n";
        text(left_ - 6, y(value) + 4, "end", "#666", label);
    }

    void draw(const std::vector<double> &values, const std::string &color) {
        svg_ << "<polyline fill='none' stroke-width='2' stroke='" << color << "' points='";
        for (size_t i = 0; i < values.size(); ++i)
            svg_ << x(i + 1, values.size()) << "," << y(values[i]) << " ";
        svg_ << "'/>\n";
    }

    void label_epochs(size_t epochs) {
        for (const size_t epoch : {size_t{1}, epochs / 2, epochs})
            if (epoch > 0)
                text(x(epoch, epochs), top + height + 18, "middle", "#666", std::to_string(epoch));
        text(left_ + width / 2, top + height + 36, "middle", "#666", "epoch");
    }

    void text(double at_x, double at_y, const char *anchor, const std::string &color,
            const std::string &words) {
        svg_ << "<text x='" << at_x << "' y='" << at_y << "' text-anchor='" << anchor << "' fill='"
             << color << "'>" << words << "</text>\n";
    }

    static constexpr double width = 340, height = 240, top = 44;

private:
    double x(size_t epoch, size_t epochs) const {
        return left_
               + width * static_cast<double>(epoch)
                         / static_cast<double>(std::max<size_t>(epochs, 1));
    }
    double y(double value) const {
        const double share = (std::clamp(value, low_, high_) - low_) / (high_ - low_);
        return top + height * (1 - share);
    }

    std::ostream &svg_;
    double left_, low_, high_;
};

inline void write_curves(const std::string &file, const std::vector<curve_t> &curves) {
    const std::vector<std::string> colors{"#c0392b", "#2471a3", "#229954"};
    std::ofstream svg(file);
    svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 880 340' font-family='sans-serif' "
           "font-size='13'>\n<rect width='880' height='340' fill='white'/>\n";
    double highest = 0;
    for (const curve_t &curve : curves)
        highest = std::max(highest, *std::max_element(curve.loss.begin(), curve.loss.end()));

    panel_t loss(svg, 60, "loss on training images", 0, highest);
    for (int i = 0; i <= 4; ++i) {
        char label[16];
        std::snprintf(label, sizeof(label), "%.2f", highest * i / 4);
        loss.mark(highest * i / 4, label);
    }
    panel_t right(svg, 490, "held-out images recognized", 0.9, 1);
    for (int percent = 90; percent <= 100; percent += 2)
        right.mark(percent / 100., std::to_string(percent) + " %");
    for (size_t i = 0; i < curves.size(); ++i) {
        const std::string &color = colors[i % colors.size()];
        loss.draw(curves[i].loss, color);
        right.draw(curves[i].right, color);
        right.text(490 + panel_t::width - 8, 212 + 15 * static_cast<double>(i), "end", color,
                curves[i].name);
    }
    loss.label_epochs(curves.front().loss.size());
    right.label_epochs(curves.front().loss.size());
    svg << "</svg>\n";
}
