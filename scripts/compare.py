#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares this library's speed with another's of the same interface; see doc/guide/benchdnn.md."""

import sys

from comparison.session import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
