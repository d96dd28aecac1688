#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the worst errors of PyTorch's normalizations: the tables of doc/guide/numerics.md.

Data, metrics and the names of lines are those of tests/normalization/accuracy.cpp and
accuracy_test.cpp, in f32. Needs PyTorch and NumPy.
"""

import numpy as np
import torch

UNIT = 2.0**-24
EPSILON = float(np.float32(1e-5))
KINDS = ["ordinary", "nearly equal", "mean 1e4", "outlier 1e4", "alternating", "subnormal"]
LENGTHS = [
    ("2 to 5", [(512, 2), (300, 3), (200, 4), (101, 5)],
     [(2, 48, 1, 1), (1, 48, 1, 3), (2, 48, 1, 2), (1, 48, 1, 5)]),
    ("100", [(21, 100)], [(2, 16, 5, 10)]),
    ("768", [(5, 768)], [(3, 16, 16, 16)]),
    ("4096", [(2, 4096)], [(1, 4, 64, 64)]),
]


def random_values(count, seed, low, high):
    state, values = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values.append(low + (high - low) * ((state >> 11) * 2.0**-53))
    return np.array(values)


def src_of(kind, sets):
    """`sets`: of each element, its set. In the order of elements."""
    random = random_values(len(sets), len(sets), -2, 2)
    used = np.zeros(sets.max() + 1, int)
    place = np.empty(len(sets), int)
    for i, a_set in enumerate(sets):
        place[i] = used[a_set]
        used[a_set] += 1
    count = len(sets) // len(used)
    if kind == "ordinary":
        src = random
    elif kind == "nearly equal":
        src = 100 + 2.0**-17 * np.where(place == 0, 0, np.floor((random + 2) / 4 * 3) + 1)
    elif kind == "mean 1e4":
        src = 1e4 + random
    elif kind == "outlier 1e4":
        src = np.where(place == count // 3, 1e4, random)
    elif kind == "alternating":
        src = np.where(place % 2, -1, 1) * (1.5 + random / 4)
    else:
        src = random * 2.0**-129
    return src.astype(np.float32)


class Problem:
    """One normalization; arrays are flat, in logical order."""

    def __init__(self, operation, dims):
        self.operation, self.dims = operation, dims
        self.kind, _, self.layout = operation.partition(", ")
        self.is_rms = self.kind == "RMS"
        elements = np.arange(np.prod(dims))
        if self.kind in ("layer", "RMS"):
            self.sets, self.weights = elements // dims[1], elements % dims[1]
        else:
            plane = dims[2] * dims[3]
            channel, sample = elements // plane % dims[1], elements // plane // dims[1]
            groups = {"batch": None, "group": 4, "instance": dims[1]}[self.kind]
            self.weights, self.groups = channel, groups
            self.sets = (channel if groups is None
                         else sample * groups + channel // (dims[1] // groups))
        self.scale = random_values(self.weights.max() + 1, 1, 0.5, 2).astype(np.float32)
        self.diff_dst = random_values(len(elements), 2, -1, 1).astype(np.float32)

    def means(self, values):
        return np.bincount(self.sets, values) / np.bincount(self.sets)

    def truth(self, src):
        x = src.astype(np.float64)
        # In double, about an element of the set, sums are exact enough.
        pivot = np.zeros(self.sets.max() + 1, np.float64)
        if not self.is_rms:
            pivot[self.sets[::-1]] = x[::-1]
        offset = x - pivot[self.sets]
        mean = np.zeros(len(pivot)) if self.is_rms else self.means(offset)
        deviation = offset - mean[self.sets]
        variance = self.means(deviation**2)
        r = 1 / np.sqrt(variance + EPSILON)
        xhat = deviation * r[self.sets]
        dst = xhat * self.scale[self.weights]
        g = self.diff_dst * self.scale[self.weights].astype(np.float64)
        diff_src = g - xhat * self.means(g * xhat)[self.sets]
        if not self.is_rms:
            diff_src -= self.means(g)[self.sets]
        size = np.zeros(len(pivot))
        np.maximum.at(size, self.sets, np.abs(g * r[self.sets]).astype(float))
        return dst, diff_src * r[self.sets], size

    def computed(self, src):
        """dst and diff_src as PyTorch computes them, diff_src by its own statistics."""
        x = torch.tensor(src.reshape(self.dims))
        if self.layout == "nhwc":
            x = x.contiguous(memory_format=torch.channels_last)
        x.requires_grad_()
        scale = torch.tensor(self.scale)
        shift = torch.zeros_like(scale)
        f = torch.nn.functional
        if self.kind == "layer":
            y = f.layer_norm(x, (self.dims[1],), scale, shift, EPSILON)
        elif self.kind == "batch":
            y = f.batch_norm(x, None, None, scale, shift, True, 0.1, EPSILON)
        else:
            y = f.group_norm(x, self.groups, scale, shift, EPSILON)
        dy = torch.tensor(self.diff_dst.reshape(self.dims))
        if self.layout == "nhwc":
            dy = dy.contiguous(memory_format=torch.channels_last)
        y.backward(dy)
        return y.detach().numpy().reshape(-1), x.grad.numpy().reshape(-1)

    def errors(self, kind):
        src = src_of(kind, self.sets)
        dst, diff_src, size = self.truth(src)
        got_dst, got_diff_src = self.computed(src)
        largest = np.zeros(len(size))
        np.maximum.at(largest, self.sets, np.abs(dst).astype(float))
        worst = lambda got, true, beside: np.max(np.abs(got - true) / beside[self.sets]) / UNIT
        return worst(got_dst, dst, largest), worst(got_diff_src, diff_src, size)


def main():
    print("PyTorch", torch.__version__)
    lines = {"dst": [], "diff_src by its own statistics": []}
    for operation in ["layer, rows", "batch, nchw", "batch, nhwc", "group, nchw", "group, nhwc",
                      "instance, nchw", "instance, nhwc"]:
        for name, layer_dims, channel_dims in LENGTHS:
            problems = [Problem(operation, dims) for dims in
                        (layer_dims if operation.startswith("layer") else channel_dims)]
            worst = []
            for kind in KINDS:
                # PyTorch refuses instances of one element.
                found = [p.errors(kind) for p in problems
                         if not operation.startswith("instance") or np.prod(p.dims[2:]) > 1]
                worst.append(np.max(found, axis=0))
            for table, errors in zip(lines.values(), np.array(worst).T):
                cells = " | ".join(f"{float(error):.2g}" for error in errors)
                table.append(f"| {operation}, f32, {name} | {cells} |")
    for title, table in lines.items():
        print(f"\n| {title} | {' | '.join(KINDS)} |\n|{' --- |' * (len(KINDS) + 1)}")
        print("\n".join(table))


if __name__ == "__main__":
    main()
