# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of DKMS, read as dkms itself reads it. That both say the same is shown on nodes (molecule/half_states)."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dkms import DIFFERS, ORIGINAL
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import DkmsModule
from ansible_collections.instinct.fleet.plugins.module_utils._node import dkms_tree
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

V, K, X = "6.14.14-2226257.24.04", "6.8.0-85-generic", "x86_64"
ABOVE = "/var/lib/dkms/amdgpu"
BUILT = f"{ABOVE}/{V}/{K}/{X}/module"
UPDATES = f"/lib/modules/{K}/updates/dkms"
CONF = f"/usr/src/amdgpu-{V}/dkms.conf"
CONF_TEXT = 'BUILT_MODULE_NAME[0]="amdgpu"\nBUILT_MODULE_NAME[1]="amdttm"\n'


def as_usual(tree: Tree) -> None:
    """The two modules of one version, built and installed for one kernel, as a distribution compresses them."""
    tree.fill({CONF: CONF_TEXT, f"{BUILT}/amdgpu.ko.zst": "gpu", f"{BUILT}/amdttm.ko.zst": "ttm",
               f"{UPDATES}/amdgpu.ko.zst": "gpu", f"{UPDATES}/amdttm.ko.zst": "ttm", "/var/lib/dkms/mok.key": "",
               f"{ABOVE}/{V}/{K}/{X}/log/make.log": ""})
    tree.link(f"{ABOVE}/{V}/source", f"/usr/src/amdgpu-{V}")
    tree.link(f"{ABOVE}/kernel-{K}-{X}", f"{V}/{K}/{X}")


BROKEN = {"kernel": None, "architecture": None}


def module(state: str = "installed", *flags: str, **other: t.Any) -> DkmsModule:
    """What is read."""
    return DkmsModule(**{"module": "amdgpu", "version": V, "kernel": K, "architecture": X, "state": state,
                         "flags": flags, **other})


def another(tree: Tree) -> None:
    """A second version, registered only, and a third that is the one installed."""
    tree.link(f"{ABOVE}/6.12.12-1/source", f"/usr/src/amdgpu-{V}")
    tree.link(f"{ABOVE}/6.16.13-1/source", f"/usr/src/amdgpu-{V}")
    tree.fill({f"{ABOVE}/6.16.13-1/{K}/{X}/module/{name}.ko.zst": name for name in ("amdgpu", "amdttm")})
    tree.root.joinpath(f"{ABOVE}/kernel-{K}-{X}".lstrip("/")).unlink()
    tree.link(f"{ABOVE}/kernel-{K}-{X}", f"6.16.13-1/{K}/{X}")


# id, what is done to the usual tree, what is read
READ: list[tuple[str, t.Callable[[Tree], object], list[DkmsModule]]] = [
    ("installed", lambda tree: None, [module()]),
    ("the distribution's copy was put aside", lambda tree: tree.folder(f"{ABOVE}/original_module/{K}/{X}"),
     [module("installed", ORIGINAL)]),
    ("built only: nothing links to it", lambda tree: tree.root.joinpath(f"{ABOVE}/kernel-{K}-{X}".lstrip("/")).unlink(),
     [module("built")]),
    ("another file of the same size is installed", lambda tree: tree.write(f"{UPDATES}/amdttm.ko.zst", "TTM"),
     [module("installed", DIFFERS)]),
    ("a file of another size is installed", lambda tree: tree.write(f"{UPDATES}/amdgpu.ko.zst", "more"),
     [module("installed", DIFFERS)]),
    ("a kernel's folder without a build: its build failed", lambda tree: tree.folder(f"{ABOVE}/{V}/6.9.1/{X}/log"), [module()]),
    ("two versions more: one registered, one installed instead", another,
     [module("added", version="6.12.12-1", kernel=None, architecture=None), module("built"),
      module("installed", DIFFERS, version="6.16.13-1")]),
    ("the source is gone", lambda tree: tree.root.joinpath(f"usr/src/amdgpu-{V}").rename(tree.root / "elsewhere"),
     [module("broken", **BROKEN)]),
    ("the link to the source is gone", lambda tree: tree.root.joinpath(f"{ABOVE}/{V}/source".lstrip("/")).unlink(),
     [module("broken", **BROKEN)]),
    ("an empty folder where a version was", lambda tree: tree.folder(f"{ABOVE}/1.0"), [module()]),
    ("a file beside the modules", lambda tree: tree.write("/var/lib/dkms/dkms_dbversion", "3"), [module()]),
    ("settings that move nothing", lambda tree: tree.write("/etc/dkms/framework.conf", "# dkms_tree=/x\nsign_file=/x\n"), [module()]),
]


@pytest.mark.parametrize(("change", "modules"), [c[1:] for c in READ], ids=[c[0] for c in READ])
def test_read(tree: Tree, change: t.Callable[[Tree], object], modules: list[DkmsModule]) -> None:
    as_usual(tree)
    change(tree)
    assert list(dkms_tree.read(tree.machine())) == modules


def gone(path: str) -> t.Callable[[Tree], object]:
    """Removes a file of the tree."""
    return lambda tree: tree.root.joinpath(path.lstrip("/")).unlink()


# id, what is done to the usual tree, why only dkms can tell
ODD: list[tuple[str, t.Callable[[Tree], object], str]] = [
    ("dkms.conf is gone", gone(CONF), "names no modules plainly"),
    ("a built module is gone", gone(f"{BUILT}/amdttm.ko.zst"), f"amdttm is not in {BUILT}"),
    ("an installed module is gone", gone(f"{UPDATES}/amdgpu.ko.zst"), f"amdgpu is not in {UPDATES}"),
    ("trees elsewhere", lambda tree: tree.write("/etc/dkms/framework.conf.d/site.conf", "dkms_tree=/srv/dkms\n"),
     "framework.conf.d/site.conf moves the trees"),
    ("a site's own dkms.conf", lambda tree: tree.write("/etc/dkms/amdgpu.conf"), "amdgpu.conf may change a dkms.conf"),
    ("weak modules", lambda tree: tree.write(f"/lib/modules/{K}/weak-updates/amdgpu.ko"), "has weak modules"),
]


@pytest.mark.parametrize(("change", "why"), [c[1:] for c in ODD], ids=[c[0] for c in ODD])
def test_what_is_odd_is_left_to_dkms(tree: Tree, change: t.Callable[[Tree], object], why: str) -> None:
    as_usual(tree)
    change(tree)
    with pytest.raises(dkms_tree.OddError, match=why.replace("+", r"\+")):
        dkms_tree.read(tree.machine())
