# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every half state that a failed build, a cut-off run or another hand leaves behind, and the steps that end it.

What the states look like was observed on nodes with dkms 3.0.10 and 3.2.2; molecule/half_states makes them anew.
"""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import RELEASE_RECORD
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import (
    KERNEL,
    actions,
    bare_node,
    carry_out,
    dkms_built,
    in_tree,
    package,
)

RELOAD = DriverPolicy(reload_allowed=True)
WANTED = release("rocm-7.0.2")
VERSION = "6.14.14-2226257.22.04"
OLD = "6.12.12-2187269.22.04"
OTHER = "6.12.117+deb12-amd64"
SETTLED = carry_out(bare_node(), plan_driver(bare_node(), WANTED, RELOAD))


def dkms(*modules: lk.DkmsModule) -> lk.Dkms:
    return lk.Dkms(True, modules)


def module(version: str = VERSION, state: str = "installed", kernel: str | None = KERNEL, *flags: str) -> lk.DkmsModule:
    return lk.DkmsModule("amdgpu", version, kernel, None if kernel is None else "x86_64", state, flags)


def node(modules: lk.Dkms | None = None, disk: lk.OnDisk | None = None, **sections: t.Any) -> lk.Look:
    """The settled node, changed."""
    driver = SETTLED.driver if disk is None else dc.replace(SETTLED.driver, on_disk=(disk,), loaded_is_on_disk=False)
    return dc.replace(SETTLED, dkms=modules or SETTLED.dkms, driver=driver, **sections)


def packages(installed: dict[str, str] | None = None, broken: tuple[lk.Package, ...] = (), interrupted: bool = False) -> lk.Packages:
    """Packages of the settled node with other states."""
    changed = installed or {}
    found = tuple(dc.replace(p, state=changed.get(p.name, p.state)) for p in SETTLED.packages.installed)
    half = tuple(p for p in found if p.state != "installed")
    return dc.replace(SETTLED.packages, installed=found, broken=(*half, *broken), interrupted=interrupted)


def with_kernel(*, headers: bool, initrd: str | None = "x", of: lk.Look = SETTLED) -> lk.Kernel:
    """Another kernel beside the wanted one."""
    other = lk.InstalledKernel(OTHER, f"/boot/vmlinuz-{OTHER}", initrd, headers, True)
    return dc.replace(of.kernel, installed=(*of.kernel.installed, other))


def without_image(kernel: str) -> dict[str, t.Any]:
    """A kernel whose initramfs is gone."""
    kernels = tuple(dc.replace(k, initrd=None) if k.release == kernel else k for k in SETTLED.kernel.installed)
    images = tuple(i for i in SETTLED.boot.images if i.kernel != kernel)
    return {"kernel": dc.replace(SETTLED.kernel, installed=kernels), "boot": dc.replace(SETTLED.boot, images=images)}


BUILD = ["trial", "build", "initramfs", "load"]
AGAIN = ["trial", "repair", "refresh", "unhold", "install", "build", "hold", "initramfs", "load"]
HALF = {"amdgpu-dkms": "half-configured"}
KERNEL_PACKAGES = (package(f"linux-image-{OTHER}", "6.12.117-1", "half-configured"),
                   package(f"linux-headers-{OTHER}", "6.12.117-1", "unpacked"))

# id, node, actions
STATES: list[tuple[str, lk.Look, list[str]]] = [
    ("nothing is wrong", SETTLED, []),
    # The build for a kernel failed: DKMS has no line for it, and modprobe finds the kernel's own module without a word.
    ("no line of DKMS for the kernel", node(dkms(), in_tree(KERNEL)), BUILD),
    ("added only", node(dkms(module(state="added", kernel=None)), in_tree(KERNEL)), BUILD),
    ("built only", node(dkms(module(state="built")), in_tree(KERNEL)), BUILD),
    ("installed, and modules.dep names the kernel's own module", node(None, in_tree(KERNEL)), BUILD),
    ("installed, and the file is another one", node(dkms(module(VERSION, "installed", KERNEL, "installed differs from built"))), BUILD),
    ("installed, and the file is gone", node(dkms(module(VERSION, "installed", KERNEL, "built modules missing"))), BUILD),
    # The old module was taken away from every kernel before the new one was built for the first.
    ("upgrade that failed: package half configured, added only",
     node(dkms(module(state="added", kernel=None)), in_tree(KERNEL), packages=packages(HALF)), AGAIN),
    ("upgrade that was cut off, with updates of dpkg to merge",
     node(dkms(), in_tree(KERNEL), packages=packages({"amdgpu-dkms": "unpacked"}, interrupted=True)), AGAIN),
    ("configured for this kernel, and stopped at another", node(packages=packages(HALF), kernel=with_kernel(headers=True)),
     ["trial", "repair", "refresh", "unhold", "install", "hold", "initramfs", "load"]),
    # Trees without source: dkms does not even remove them, and scripts of packages fail at them.
    ("an old tree without source", node(dkms(module(OLD, "broken", None), module())), ["mend"]),
    ("the tree of the wanted version without source", node(dkms(module(VERSION, "broken", None))),
     ["trial", "aside", "refresh", "mend", "unhold", "reinstall", "build", "hold", "initramfs", "load"]),
    ("the same, cut off once the tree was gone",
     node(dc.replace(dkms(), sources=()), in_tree(KERNEL)),
     ["trial", "refresh", "unhold", "reinstall", "build", "hold", "initramfs", "load"]),
    ("DKMS has its source elsewhere", node(dc.replace(SETTLED.dkms, sources=())), []),
    ("the tree of the wanted version without source, and its package half configured",
     node(dkms(module(VERSION, "broken", None)), packages=packages(HALF)),
     ["trial", "aside", "repair", "refresh", "mend", "unhold", "install", "build", "hold", "initramfs", "load"]),
    ("its package installed again, whose script stopped at the module on disk",
     node(dkms(module(state="built")), packages=packages(HALF)),
     ["trial", "aside", "repair", "refresh", "unhold", "install", "build", "hold", "initramfs", "load"]),
    ("an old version that nobody owns", node(dkms(module(OLD, "built"), module())), ["forget"]),
    # Kernels.
    ("the kernel that boots has no initramfs", node(**without_image(KERNEL)), ["initramfs", "boot"]),
    ("a kernel of another hand is half configured", node(packages=packages(broken=KERNEL_PACKAGES),
                                                         kernel=with_kernel(headers=False, initrd=None)), []),
]


@pytest.mark.parametrize(("state", "wanted"), [c[1:] for c in STATES], ids=[c[0] for c in STATES])
def test_each_half_state_has_its_steps(state: lk.Look, wanted: list[str]) -> None:
    assert actions(plan_driver(state, WANTED, RELOAD)) == wanted


@pytest.mark.parametrize("state", [c[1] for c in STATES], ids=[c[0] for c in STATES])
def test_once_carried_out_nothing_is_left(state: lk.Look) -> None:
    whole = dc.replace(state, packages=dc.replace(state.packages, broken=(), interrupted=False))
    after = carry_out(whole, plan_driver(whole, WANTED, RELOAD))
    assert plan_driver(after, WANTED, RELOAD).steps == ()
    assert next(d for d in after.driver.on_disk if d.kernel == KERNEL).version == "6.14.14"


@pytest.mark.parametrize("state", [c[1] for c in STATES], ids=[c[0] for c in STATES])
def test_nothing_of_the_old_driver_is_touched_before_the_trial(state: lk.Look) -> None:
    found = actions(plan_driver(state, WANTED, RELOAD))
    if "trial" in found:
        touching = {"aside", "key", "file", "repair", "mend", "install", "reinstall", "build", "unhold"}
        assert not touching & set(found[: found.index("trial")])


@pytest.mark.parametrize(
    ("state", "force"),
    [(dkms(), False), (dkms(module(state="added", kernel=None)), False), (dkms(module(state="built")), True), (dkms(module()), True)],
    ids=["no line", "added", "built", "installed"],
)
def test_what_dkms_takes_for_done_is_forced(state: lk.Dkms, force: bool) -> None:
    (step,) = plan_driver(node(state, in_tree(KERNEL)), WANTED, RELOAD).of("build")
    assert step.data == {"version": VERSION, "kernel": KERNEL, "force": force}


def test_a_build_for_one_kernel_is_tried_for_that_kernel_and_a_package_for_all_with_headers() -> None:
    lost = node(dkms(), in_tree(KERNEL), kernel=with_kernel(headers=True))
    assert plan_driver(lost, WANTED, RELOAD).of("trial")[0].data["kernels"] == [KERNEL]
    half = dc.replace(lost, packages=packages(HALF))
    assert plan_driver(half, WANTED, RELOAD).of("trial")[0].data["kernels"] == [KERNEL, OTHER]
    broken = dc.replace(lost, dkms=dkms(module(VERSION, "broken", None)))
    assert plan_driver(broken, WANTED, RELOAD).of("trial")[0].data["kernels"] == [KERNEL, OTHER]


def test_a_package_whose_source_is_gone_is_installed_again_in_its_version() -> None:
    (step,) = plan_driver(node(dkms(module(VERSION, "broken", None))), WANTED, RELOAD).of("reinstall")
    assert step.data == {"packages": ["amdgpu-dkms=1:6.14.14.30100200-2226257.22.04"], "names": ["amdgpu-dkms"]}


@pytest.mark.parametrize("headers", [True, False])
def test_a_module_that_nothing_would_be_built_in_place_of_stays(headers: bool) -> None:
    mine, other = dkms_built(KERNEL, VERSION), dkms_built(OTHER, VERSION)
    driver = dc.replace(SETTLED.driver, on_disk=(mine, other))
    state = dc.replace(SETTLED, dkms=dkms(module(VERSION, "broken", None)), driver=driver, kernel=with_kernel(headers=headers))
    (step,) = plan_driver(state, WANTED, RELOAD).of("aside")
    assert step.data["modules"] == [mine.path, *([other.path] if headers else [])]
    unread = dc.replace(state, dkms=dc.replace(state.dkms, unknown={"modules": "unreadable"}))
    assert plan_driver(unread, WANTED, RELOAD).of("aside") == ()


def test_the_kernels_own_driver_needs_whole_trees_too() -> None:
    state = node(dkms(module(OLD, "broken", None), module()))
    plan = plan_driver(state, release("rocm-7.0.2", source="in_tree"), RELOAD)
    assert actions(plan) == ["file", "file", "mend", "unhold", "remove", "initramfs", "load"]


def test_a_kernel_of_another_hand_that_is_half_done_is_a_problem() -> None:
    plan = plan_driver(node(packages=packages(broken=KERNEL_PACKAGES)), WANTED, RELOAD)
    assert plan.problems == (
        f"dpkg has not finished linux-image-{OTHER} (half-configured), linux-headers-{OTHER} (unpacked); the driver of this "
        "release may not build for that kernel: remove it, or run dpkg --configure -a",)


def recording(held: list[str] | None, holds: tuple[str, ...], text: str | None = None) -> lk.Look:
    """The settled node with these holds, and a record of ours."""
    record = {"version": "v2", "release": "rocm-7.0.2", "kernel": None, "rocm": "7.0.2", "held": held, "variables": {},
              "driver": {"source": "dkms", "release": "30.10.2", "packages": {}}}
    file = lk.ManagedFile(RELEASE_RECORD, "digest", text=json.dumps(record) if text is None else text)
    files = tuple(file if f.path == RELEASE_RECORD else f for f in SETTLED.files.files)
    return dc.replace(SETTLED, files=dc.replace(SETTLED.files, files=files),
                      packages=dc.replace(SETTLED.packages, holds=tuple(sorted({*SETTLED.packages.holds, *holds}))))


OLD_KERNEL = "linux-image-6.1.0-50-amd64"

# id, held by the record, other holds, policy, let go
LET_GO = [
    ("an old kernel that we held", [OLD_KERNEL, "amdgpu-dkms"], (OLD_KERNEL,), RELOAD, [OLD_KERNEL]),
    ("an old kernel that another hand holds", ["amdgpu-dkms"], (OLD_KERNEL, "vim"), RELOAD, None),
    ("one that is not held any more", [OLD_KERNEL], (), RELOAD, None),
    ("everything of ours, where the site wants no holds", ["amdgpu-dkms"], ("vim",), DriverPolicy(hold=False, reload_allowed=True),
     ["amdgpu-dkms"]),
]


@pytest.mark.parametrize(("held", "holds", "policy", "names"), [c[1:] for c in LET_GO], ids=[c[0] for c in LET_GO])
def test_what_only_an_earlier_release_held_is_let_go(held, holds, policy, names) -> None:
    state = recording(held, holds)
    plan = plan_driver(state, WANTED, policy)
    assert [s.data["packages"] for s in plan.of("let_go")] == ([names] if names else [])
    if names:
        assert not set(names) & set(carry_out(state, plan).packages.holds)


def test_a_record_that_cannot_be_read_lets_nothing_go() -> None:
    assert plan_driver(recording(None, (OLD_KERNEL,), text="{"), WANTED, RELOAD).of("let_go") == ()
