// SPDX-License-Identifier: Apache-2.0
// Two branches of a network, as in blocks of DenseNet and Inception: their weighted sum, and the
// tensor that has the channels of one after those of the other. The second branch is joined without
// a copy: it is computed in its part of the joint tensor.

#include <cmath>
#include <cstdio>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim images = 2, channels = 48, height = 14, width = 14;
constexpr memory::dim image = channels * height * width;

std::vector<float> waves(float rate) {
    std::vector<float> values(images * image);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = 3 * std::sin(rate * static_cast<float>(i));
    return values;
}

} // namespace

int main() {
    engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const auto f32 = memory::data_type::f32;
    const auto nchw = memory::format_tag::nchw;
    const memory::desc branch({images, channels, height, width}, f32, nchw);
    const memory::desc joint({images, 2 * channels, height, width}, f32, nchw);
    // The second half of the channels of the joint tensor.
    const memory::desc part = joint.submemory_desc(branch.get_dims(), {0, channels, 0, 0});

    std::vector<float> first = waves(0.1f), second = waves(0.3f);
    std::vector<float> total(images * image), joined(2 * images * image);
    memory first_memory(branch, cpu, first.data()), second_memory(branch, cpu, second.data());
    memory total_memory(branch, cpu, total.data()), joint_memory(joint, cpu, joined.data());
    memory part_memory(part, cpu, joined.data());

    const sum::primitive_desc add(cpu, branch, {0.5f, 2.f}, {branch, branch});
    sum(add).execute(
            s, {{DNNL_ARG_MULTIPLE_SRC, first_memory}, {DNNL_ARG_MULTIPLE_SRC + 1, second_memory},
                       {DNNL_ARG_DST, total_memory}});
    const sum::primitive_desc compute(cpu, part, {1.f}, {branch});
    sum(compute).execute(s, {{DNNL_ARG_MULTIPLE_SRC, second_memory}, {DNNL_ARG_DST, part_memory}});
    const concat::primitive_desc join(cpu, joint, 1, {branch, part});
    concat(join).execute(
            s, {{DNNL_ARG_MULTIPLE_SRC, first_memory}, {DNNL_ARG_MULTIPLE_SRC + 1, part_memory},
                       {DNNL_ARG_DST, joint_memory}});
    s.wait();

    bool is_right = true;
    for (memory::dim n = 0; n < images; ++n)
        for (memory::dim i = 0; i < image; ++i) {
            const auto at = static_cast<size_t>(n * image + i);
            const auto in_joint = static_cast<size_t>(2 * n * image + i);
            const float expected = 0.5f * first[at] + 2 * second[at];
            is_right = is_right && std::fabs(total[at] - expected) < 1e-5f;
            is_right = is_right && joined[in_joint] == first[at];
            is_right = is_right && joined[in_joint + static_cast<size_t>(image)] == second[at];
        }
    std::printf("two branches of %d x %d x %d x %d, added and joined: %s\n",
            static_cast<int>(images), static_cast<int>(channels), static_cast<int>(height),
            static_cast<int>(width), is_right ? "right" : "WRONG");
    return is_right ? 0 : 1;
}
