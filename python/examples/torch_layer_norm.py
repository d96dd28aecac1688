# SPDX-License-Identifier: Apache-2.0
"""Layer normalization as a differentiable function of PyTorch: a `torch.autograd.Function` whose two
directions are calls of Kiln, and a module that stands where `torch.nn.LayerNorm` stood.

    KILN_LIBRARY=.../libdnnl.so.3 python3 torch_layer_norm.py

trains a small network and prints its loss as it falls.
"""

import torch

import kiln


class LayerNormFunction(torch.autograd.Function):
    """y = weight * (x - mean) / sqrt(variance + eps) + bias over the last axis."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        y, mean, variance = kiln.layer_norm(x, weight, bias, eps, return_stats=True)
        # What backward needs. PyTorch checks that nobody changes these tensors in between.
        ctx.save_for_backward(x, weight, mean, variance)
        ctx.eps = eps
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, variance = ctx.saved_tensors
        dx, dweight, dbias = kiln.layer_norm_backward(dy, x, mean, variance, weight, ctx.eps)
        return dx, dweight, dbias, None  # one for each argument of forward; eps has no gradient


class LayerNorm(torch.nn.Module):
    """`torch.nn.LayerNorm` over the last axis."""

    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(features))
        self.bias = torch.nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        return LayerNormFunction.apply(x, self.weight, self.bias, self.eps)


def main():
    torch.manual_seed(0)
    x = torch.randn(256, 16)
    target = torch.sin(x.sum(1, keepdim=True))
    network = torch.nn.Sequential(torch.nn.Linear(16, 64), LayerNorm(64), torch.nn.Tanh(),
                                  torch.nn.Linear(64, 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    losses = []
    for step in range(101):
        loss = torch.nn.functional.mse_loss(network(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % 20 == 0:
            print(f"step {step:3}: loss {losses[-1]:.4f}")
    return losses


if __name__ == "__main__":
    LOSSES = main()
    raise SystemExit(0 if LOSSES[-1] < LOSSES[0] / 5 else "the loss did not fall")
