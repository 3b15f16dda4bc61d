# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of Python in a tree."""

from __future__ import annotations

import pathlib

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Distribution
from ansible_collections.instinct.fleet.plugins.module_utils._image.distributions import Distributions
from ansible_collections.instinct.fleet.plugins.module_utils._image.tree import Tree
from ansible_collections.instinct.fleet.plugins.module_utils._node.apart import UnreadableError

VENV, DEBIAN, RPM = "/opt/v/lib/python3.12/site-packages", "/usr/lib/python3/dist-packages", "/usr/lib/python3.9/site-packages"


def found(root: pathlib.Path, *paths: str) -> tuple[Distribution, ...]:
    all_of_it = Distributions(Tree(str(root), 60))
    for path in paths:
        all_of_it.meet(path)
    return all_of_it.found()


def install(root: pathlib.Path, folder: str, name: str, installer: str = "", text: str = "") -> str:
    place = f"{folder}/{name}-1.0.dist-info"
    (root / place[1:]).mkdir(parents=True)
    (root / place[1:] / "METADATA").write_text(text or f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    if installer:
        (root / place[1:] / "INSTALLER").write_text(f"{installer}\n")
    return f"{place}/METADATA"


def test_packages_are_those_that_no_package_manager_lists(tmp_path: pathlib.Path) -> None:
    paths = [install(tmp_path, VENV, "numpy", "pip"), install(tmp_path, VENV, "a"), install(tmp_path, DEBIAN, "yaml"), install(tmp_path, RPM, "dnf", "rpm"),
             install(tmp_path, RPM, "own", "pip")]
    assert found(tmp_path, *paths, f"{VENV}/numpy/METADATA", f"{VENV}/numpy-1.0.dist-info/RECORD") == (
        Distribution("a", "1.0", VENV), Distribution("numpy", "1.0", VENV), Distribution("own", "1.0", RPM))


def test_one_that_does_not_tell_is_not_passed_over(tmp_path: pathlib.Path) -> None:
    path = install(tmp_path, VENV, "numpy", text="Name: numpy\n")
    with pytest.raises(UnreadableError, match=f"{path} has not one version"):
        found(tmp_path, path)
