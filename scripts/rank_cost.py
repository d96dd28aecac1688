#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What synchronized statistics cost on many processes, by a model: a message of m bytes from each of P
ranks to all takes ceil(log2 P) * latency + (P - 1) * m / bandwidth (recursive doubling).

rank_cost.py [--latency=US] [--bandwidth=GB_PER_S] [--step=MS] [--group=RANKS]

Prints, for 2 to 4096 ranks: the time of a ResNet-50 step's messages (batch normalization forward and
backward; of groups of so many ranks, if there are more), its share of a step, and the time of a
transformer step's messages, the last axis of whose normalizations is split over the ranks."""

import argparse
import math

# Channels of ResNet-50's 53 batch normalizations.
STAGES = [(64, 256, 3), (128, 512, 4), (256, 1024, 6), (512, 2048, 3)]
RESNET = [64] + [channels for inner, outer, blocks in STAGES for block in range(blocks)
                 for channels in [inner, inner, outer] + ([outer] if block == 0 else [])]
# 32 blocks with two normalizations each, and a last one; tokens of a rank's batch.
TRANSFORMER, TOKENS = 65, 4096


def seconds(statistics, ranks, latency, bandwidth):
    """Of one message: a count and two doubles for each statistic."""
    if ranks == 1:
        return 0
    size = 8 * (1 + 2 * statistics)
    return math.ceil(math.log2(ranks)) * latency + (ranks - 1) * size / bandwidth


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--latency", type=float, default=2, help="microseconds")
    options.add_argument("--bandwidth", type=float, default=25, help="GB/s")
    options.add_argument("--step", type=float, default=250, help="milliseconds without messages")
    options.add_argument("--group", type=int, default=4096, help="ranks that share statistics")
    given = options.parse_args()
    network = given.latency * 1e-6, given.bandwidth * 1e9
    print("| ranks | ResNet-50: ms | share of a step | transformer: ms |\n| --- | --- | --- | --- |")
    for power in range(1, 13):
        ranks = 2 ** power
        resnet = 2e3 * sum(seconds(c, min(ranks, given.group), *network) for c in RESNET)
        rows = 2e3 * TRANSFORMER * seconds(TOKENS, ranks, *network)
        print(f"| {ranks} | {resnet:.2f} | {resnet / (resnet + given.step):.1%} | {rows:.2f} |")


main()
