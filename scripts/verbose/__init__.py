# SPDX-License-Identifier: Apache-2.0
"""Reads logs of ONEDNN_VERBOSE and sums them up; verbose_report.py is the program."""
