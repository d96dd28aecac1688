# SPDX-License-Identifier: Apache-2.0
"""The parts of compare.py. Standard library only, so that it runs wherever the libraries do."""


class ComparisonRefused(Exception):
    """What makes a comparison impossible or dishonest; the text says what to do about it."""
