# SPDX-License-Identifier: Apache-2.0
"""The modules of compare.py. They use only the standard library."""


class ComparisonRefused(Exception):
    """A reason why a comparison is impossible or misleading; the text says what to do."""
