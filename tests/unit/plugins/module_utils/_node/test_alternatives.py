# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of update-alternatives that offer something of ROCm, and the linker's cache."""

from __future__ import annotations

import os

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Alternative
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import LD_SO_CONF
from ansible_collections.instinct.fleet.plugins.module_utils._node import alternatives
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

SEVEN, CORE = "/opt/rocm-7.2.3", "/opt/rocm/core-7.14"
FILES = {
    "/var/lib/dpkg/alternatives/rocm": f"auto\n/opt/rocm\n\n{SEVEN}\n70203\n\n",
    "/var/lib/dpkg/alternatives/amd-smi": f"manual\n/usr/bin/amd-smi\n\n{SEVEN}/bin/amd-smi\n1\n{CORE}/bin/amd-smi\n2\n\n",
    f"{SEVEN}/bin/hipcc": "",
    f"{SEVEN}/bin/rocminfo": "",
    "/var/lib/dpkg/alternatives/hipcc": f"auto\n/usr/bin/hipcc\n\n{CORE}/bin/hipcc\n1\n\n",
    "/var/lib/dpkg/alternatives/vi": "auto\n/usr/bin/vi\n\n/usr/bin/vim\n1\n\n",
    "/var/lib/dpkg/alternatives/near": "auto\n/usr/bin/near\n\n/opt/rocmine/bin/near\n1\n\n",
    "/var/lib/dpkg/alternatives/rocminfo": "auto\n/usr/bin/rocminfo\n\n/opt/rocm-7.0.2/bin/rocminfo\n1\n\n",
    "/var/lib/dpkg/alternatives/odd": "\n",
    "/var/lib/dpkg/alternatives/rocm-bin": "manual\n/opt/rocm/bin\n\n/opt/rocm/core-7.13/bin\n1\n\n",
    "/var/lib/alternatives/rocm-lib": f"auto\n/opt/rocm/lib\n\n{CORE}/lib\n9\n",
}
LINKS = {
    "/opt/rocm": "/etc/alternatives/rocm",
    "/etc/alternatives/rocm": SEVEN,
    "/usr/bin/amd-smi": "/opt/other/amd-smi",
    "/etc/alternatives/amd-smi": f"{CORE}/bin/amd-smi",
}


def test_groups(tree: Tree) -> None:
    tree.fill(FILES)
    for path, target in LINKS.items():
        tree.link(path, target)
    smi = (f"{SEVEN}/bin/amd-smi", f"{CORE}/bin/amd-smi")
    assert alternatives.groups(tree.machine(), [SEVEN, CORE]) == (
        Alternative("amd-smi", "/usr/bin/amd-smi", smi, None),  # the link is another hand's
        Alternative("hipcc", "/usr/bin/hipcc", (f"{CORE}/bin/hipcc",), None, (f"{SEVEN}/bin/hipcc",)),
        Alternative("rocm", "/opt/rocm", (SEVEN,), SEVEN),
        Alternative("rocm-bin", "/opt/rocm/bin", ("/opt/rocm/core-7.13/bin",), None),  # what it offers is gone
        Alternative("rocminfo", "/usr/bin/rocminfo", ("/opt/rocm-7.0.2/bin/rocminfo",), None, (f"{SEVEN}/bin/rocminfo",)),
        Alternative("rocm-lib", "/opt/rocm/lib", (f"{CORE}/lib",), None),  # the link is not there
    )


FUTURE = 4102444800  # newer than any file that a test makes


@pytest.mark.parametrize(
    ("cache", "stale"),
    [
        pytest.param(0, True, id="older"),
        pytest.param(FUTURE, False, id="newer"),
        pytest.param(None, True, id="no cache"),
    ],
)
def test_the_linker_knows_if_its_cache_is_newer_than_all_that_it_is_made_from(tree: Tree, cache: int | None, stale: bool) -> None:
    tree.fill({LD_SO_CONF: "/opt/rocm/lib\n", f"{SEVEN}/lib/libamd_smi.so": ""})
    tree.link("/opt/rocm", SEVEN)
    if cache is not None:
        os.utime(tree.write("/etc/ld.so.cache"), (cache, cache))
    assert alternatives.linker_stale(tree.machine(), "/opt/rocm/lib") is stale


@pytest.mark.parametrize("what", ["the libraries", "the link", "the choice"])
def test_each_change_alone_makes_the_cache_stale(tree: Tree, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.fill({LD_SO_CONF: "/opt/rocm/lib\n", f"{SEVEN}/lib/libamd_smi.so": "", "/etc/ld.so.cache": ""})
    tree.link("/opt/rocm", "/etc/alternatives/rocm")
    tree.link("/etc/alternatives/rocm", SEVEN)
    path = {"the libraries": f"{SEVEN}/lib", "the link": "/opt/rocm", "the choice": "/etc/alternatives/rocm"}[what]
    os.utime(tree.root / "etc/ld.so.cache", (FUTURE, FUTURE))
    machine = tree.machine()
    monkeypatch.setattr(machine, "changed", lambda asked: FUTURE + 1 if asked == path else 1.0)
    assert alternatives.linker_stale(machine, "/opt/rocm/lib") is True


def test_without_our_configuration_nothing_can_be_stale(tree: Tree) -> None:
    tree.fill({f"{SEVEN}/lib/libamd_smi.so": ""})
    assert alternatives.linker_stale(tree.machine(), "/opt/rocm/lib") is None
