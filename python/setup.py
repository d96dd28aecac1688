# SPDX-License-Identifier: Apache-2.0
"""Installs the package `kiln`. There is no pyproject.toml: with one, pip needs Debian's package
python3-wheel besides python3-setuptools."""

from setuptools import setup

setup(
    name="kiln",
    version="0.1.0",
    description="Normalizations, softmax and elementwise operations on NumPy arrays and tensors, by Kiln",
    license="Apache-2.0",
    packages=["kiln"],
    python_requires=">=3.9",
    install_requires=["numpy>=1.20"],
)
