# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The package section, from the database itself and through dpkg-query."""

from __future__ import annotations

import fnmatch

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dpkg import QUERY_FORMAT
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Package, Packages
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver_seen import DRIVER_PACKAGES
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.packaging import VERSIONLOCK
from ansible_collections.instinct.fleet.plugins.module_utils._node import packages
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

STATUS = (
    "Package: amdgpu-dkms\nStatus: hold ok installed\nArchitecture: all\nVersion: 1:6.14.14.30100200-2226257.24.04\n\n"
    "Package: mytool\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1\n\n"
    "Package: libdw1\nStatus: install ok unpacked\nArchitecture: amd64\nVersion: 2\n"
)
DKMS = Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.24.04", "all", "installed")
BROKEN = Package("libdw1", "2", "amd64", "unpacked")
QUERY = f"dpkg-query --show --showformat={QUERY_FORMAT}"


def test_read_without_starting_a_process(tree: Tree) -> None:
    tree.write("/var/lib/dpkg/status", STATUS)
    tree.folder("/var/lib/dpkg/updates")
    assert packages.read(tree.machine()) == Packages(
        "apt", (DKMS,), ("amdgpu-dkms",), (BROKEN,), False, obeys_holds=True)
    assert tree.asked == []


def test_lists_that_are_not_whole_are_seen(tree: Tree) -> None:
    lists = "/var/lib/apt/lists/x_"
    tree.fill({"/var/lib/dpkg/status": STATUS, f"{lists}Packages": "", f"{lists}InRelease": f"SHA256:\n {'ab' * 32} 9 Packages\n"})
    assert packages.read(tree.machine()).torn_lists == (f"{lists}Packages",)


def _planned() -> list[str]:
    """Names that a plan may ask for: kernels and their firmware by the catalogue, the driver, and tools."""
    rows = yaml.safe_load((ROOT / "roles/gpu_release/files/catalogue/repositories.yml").read_text())["kernel_packages"]
    names = [name for row in rows for name in (*row["names"], *row["in_tree"])]
    return [*names, *DRIVER_PACKAGES, "dkms", VERSIONLOCK]


@pytest.mark.parametrize("name", _planned())
def test_what_a_plan_installs_is_seen(name: str) -> None:
    assert any(fnmatch.fnmatchcase(name, pattern) for pattern in packages.PATTERNS)


def test_read_more_patterns(tree: Tree) -> None:
    tree.write("/var/lib/dpkg/status", STATUS)
    assert packages.read(tree.machine(), ["my*"]).installed == (DKMS, Package("mytool", "1", "amd64", "installed"))


def test_updates_that_wait_are_merged_by_dpkg(tree: Tree) -> None:
    tree.fill({"/var/lib/dpkg/status": "", "/var/lib/dpkg/updates/0001": "Package: amdgpu-dkms\n"})
    tree.commands[QUERY] = Ran(0, STATUS, "")
    seen = packages.read(tree.machine())
    assert (seen.installed, seen.interrupted) == ((DKMS,), True)


def reasons(reason: str) -> Packages:
    """Nothing known, for this reason."""
    return Packages(unknown=dict.fromkeys(("installed", "holds", "broken", "interrupted", "torn_lists"), reason))


def test_no_database_is_unknown(tree: Tree) -> None:
    assert packages.read(tree.machine()) == reasons("neither a dpkg database nor dnf or zypper was found")


def test_failing_query_is_unknown(tree: Tree) -> None:
    tree.fill({"/var/lib/dpkg/status": STATUS, "/var/lib/dpkg/updates/0001": ""})
    tree.commands[QUERY] = Ran(2, "", "dpkg-query: error: broken\n")
    assert packages.read(tree.machine()) == reasons("dpkg-query failed: dpkg-query: error: broken")


def test_damaged_database_is_unknown(tree: Tree) -> None:
    tree.write("/var/lib/dpkg/status", "Package: a\n")
    assert packages.read(tree.machine()).unknown["holds"].startswith("dpkg database: a stanza has no Package or Status")
