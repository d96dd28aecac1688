#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what scripts/setup.sh does where Debian's tools are missing: it names the packages and goes on.
Those of the documents are the script's."""

import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SCRIPT = PROJECT / "scripts/setup.sh"


def told_with(*tools):
    """What the installation of the project's packages says where only these tools are found."""
    with tempfile.TemporaryDirectory() as folder:
        for tool in tools:
            Path(folder, tool).symlink_to("/bin/true")
        command = f". {SCRIPT}; kiln_install $kiln_packages; echo went on"
        done = subprocess.run(["/bin/bash", "-euc", command], env={"PATH": folder}, timeout=60,
                              stdout=subprocess.PIPE, universal_newlines=True)
        return done.stdout.splitlines()


def names_in(variable):
    command = f". {SCRIPT}; echo ${variable}"
    return subprocess.run(["/bin/bash", "-euc", command], stdout=subprocess.PIPE,
                          universal_newlines=True).stdout.split()


class SetupTest(unittest.TestCase):
    def test_other_distributions_get_names_of_their_own(self):
        for tool, name in (("dnf", "xbyak-devel"), ("pacman", "onetbb"), (None, "libxbyak-dev")):
            with self.subTest(tool=tool):
                first, *_, last = told_with(*filter(None, [tool]))
                self.assertIn(f" {name} ", first)
                self.assertEqual(last, "went on")

    def test_documents_have_the_same_names(self):
        page = (PROJECT / "doc/guide/install.md").read_text().splitlines()
        for start, variables in (("| Debian", ("kiln_packages", "kiln_optional_packages")),
                                 ("| Fedora", ("kiln_fedora_packages",)),
                                 ("| Arch", ("kiln_arch_packages",))):
            row = next(line for line in page if line.startswith(start)).replace("`", " ")
            wanted = {name for variable in variables for name in names_in(variable)}
            self.assertEqual(set(), wanted - set(row.split()), start)


if __name__ == "__main__":
    unittest.main()
