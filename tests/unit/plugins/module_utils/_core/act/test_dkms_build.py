# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DKMS is told, and when it is done."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act import dkms_build as core
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError, FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import DkmsModule

V, K, X = "6.14.14-2226257.24.04", "6.12.117+deb13-amd64", "x86_64"


def module(state: str = "installed", *flags: str, version: str = V, kernel: str | None = K, name: str = "amdgpu") -> DkmsModule:
    return DkmsModule(name, version, kernel, X if kernel else None, state, flags)


ELSEWHERE = (module(version="6.12.12-1"), module(kernel="6.1.0-56-amd64"), module(name="nvidia"))
DIFFERS = module("installed", "installed differs from built")
ADDED, BROKEN = module("added", kernel=None), module("broken", kernel=None)

# id, modules, what DKMS says of version and kernel, whether it is right, whether it is broken
CASES = [
    ("nothing", (), "", False, False),
    ("others only", ELSEWHERE, "", False, False),
    ("added", (ADDED,), "", False, False),
    ("broken", (BROKEN,), "", False, True),
    ("built", (module("built"),), "built", False, False),
    ("installed", (*ELSEWHERE, module()), "installed", True, False),
    ("installed, with the distribution's copy kept", (module("installed", "original module kept"),),
     "installed (original module kept)", True, False),
    ("installed, another file", (DIFFERS,), "installed (installed differs from built)", False, False),
]


@pytest.mark.parametrize(("modules", "said", "right", "broken"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_what_is_there(modules, said, right, broken):
    assert core.state(modules, V, K) == said
    assert core.right(modules, V, K) is right
    assert core.broken(modules, V) is broken


def test_it_is_built_before_it_is_installed():
    options = ["-m", "amdgpu", "-v", V, "-k", K, "-a", X]
    assert core.commands(V, K, X) == [["dkms", "build", *options], ["dkms", "install", *options, "--force"]]


def test_the_state_of_a_version_for_all_kernels():
    assert core.state((*ELSEWHERE, module("built")), V, None) == "installed, built"


@pytest.mark.parametrize("modules", [(), (DIFFERS,)])
def test_what_dkms_does_not_confirm_is_not_done(modules):
    with pytest.raises(FleetError) as refused:
        core.refuse_unproved(modules, V, K)
    said = core.state(modules, V, K) or "nothing"
    assert refused.value.sentence == (
        f"amdgpu {V}: is not installed for {K} after all; DKMS says: {said}; read /var/lib/dkms/amdgpu")
    core.refuse_unproved((module(),), V, K)


@pytest.mark.parametrize(
    ("version", "kernel", "where"),
    [("", K, "version"), ("..", K, "version"), ("../x", None, "version"), ("-x", "a b", "kernel"), (V, "/lib", "kernel"), (V, "", "kernel")],
)
def test_names_that_are_none_are_refused(version, kernel, where):
    with pytest.raises(DataError) as refused:
        core.checked(version, kernel)
    assert refused.value.where == where


@pytest.mark.parametrize("kernel", [K, None])
def test_names_that_dkms_prints_are_not(kernel):
    core.checked(V, kernel)
