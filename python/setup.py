# SPDX-License-Identifier: Apache-2.0
"""Installs the package `kiln`. There is no pyproject.toml: with one, pip needs Debian's package
python3-wheel besides python3-setuptools."""

import re
from pathlib import Path

from setuptools import setup

source = (Path(__file__).parent / "kiln/__init__.py").read_text()

setup(
    name="kiln",
    version=re.search('^__version__ = "(.*)"$', source, re.MULTILINE)[1],
    description="Normalizations, matrix products, softmax and elementwise operations on NumPy arrays and tensors",
    license="Apache-2.0",
    packages=["kiln"],
    python_requires=">=3.9",
    install_requires=["numpy>=1.20"],
)
