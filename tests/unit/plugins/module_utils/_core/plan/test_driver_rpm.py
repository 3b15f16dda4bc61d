# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_driver's plan on a RHEL 9 and a SLES 15 node: from bare to a release, to another, back, and from wrong states."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.tests.unit.support.releases import RELEASES
from ansible_collections.instinct.fleet.tests.unit.support.rpm_world import (
    EL,
    EL_NEWER,
    KEYS,
    MACHINE,
    NODES,
    RELOAD,
    SLES_NEWER,
    carry_out,
    el_node,
    package,
    release,
    settled,
    sles_node,
)
from ansible_collections.instinct.fleet.tests.unit.support.world import actions, reboot

NEWER = {"dnf": EL_NEWER, "zypper": SLES_NEWER}
BOTH = pytest.mark.parametrize("manager", ["dnf", "zypper"])


def test_a_bare_rhel_gets_the_plugin_that_obeys_locks_before_anything_is_locked() -> None:
    plan = plan_driver(el_node(), release("dnf", "rocm-7.0.2"), DriverPolicy())
    assert actions(plan) == ["key", "file", "refresh", "tools", "install", "build", "hold", "initramfs", "load"]
    (tools,) = plan.of("tools")
    version = "5.14.0-570.12.1.el9_6"  # not the newest, which dkms would bring
    assert tools.data["packages"] == [
        "dkms", f"kernel-devel-{version}", f"kernel-devel-matched-{version}", "python3-dnf-plugin-versionlock"]
    assert tools.words == (f"install dkms and its compiler, with kernel-devel {version}, kernel-devel-matched {version} and "
                           "python3-dnf-plugin-versionlock")
    assert plan.of("file")[0].data["path"] == "/etc/yum.repos.d/instinct-amdgpu.repo"
    assert plan.of("key")[0].data == {"url": "https://repo.radeon.com/rocm/rocm.gpg.key", "path": KEYS,
                                      "fingerprint": "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C"}
    assert plan.notes == ("the driver is not built on trial before it is installed: dnf cannot do that yet",)


def test_a_bare_sles() -> None:
    plan = plan_driver(sles_node(), release("zypper", "rocm-7.0.2"), DriverPolicy())
    assert actions(plan) == ["key", "file", "refresh", "tools", "install", "build", "hold", "initramfs", "load"]
    assert plan.of("tools")[0].data["packages"] == ["dkms"]
    assert plan.of("file")[0].data["path"] == "/etc/zypp/repos.d/instinct-amdgpu.repo"


def test_packages_in_the_words_of_dnf() -> None:
    (step,) = plan_driver(el_node(), release("dnf", "rocm-7.0.2"), DriverPolicy()).of("install")
    assert step.data == {
        "packages": ["amdgpu-dkms-1:6.14.14-2226257.el9", "amdgpu-dkms-firmware-30.10.2.0.30100200-2226257.el9"],
        "names": ["amdgpu-dkms", "amdgpu-dkms-firmware"]}


def test_packages_in_the_words_of_zypper() -> None:
    (step,) = plan_driver(sles_node(), release("zypper", "rocm-7.0.2"), DriverPolicy()).of("install")
    assert step.data["packages"] == [
        "amdgpu-dkms=1:6.14.14-2226257", "amdgpu-dkms-firmware=30.10.2.0.30100200-2226257", "kernel-default-devel=6.4.0-150700.51"]


@BOTH
@pytest.mark.parametrize("name", sorted(RELEASES))
def test_a_node_at_its_release_has_an_empty_plan(manager: str, name: str) -> None:
    plan = plan_driver(settled(manager, name), release(manager, name), DriverPolicy())
    assert (plan.steps, plan.reboot, plan.problems) == ((), "", ())


@BOTH
@pytest.mark.parametrize(("first", "second"), [("rocm-7.0.2", "rocm-7.2.3"), ("rocm-7.2.3", "rocm-7.0.2")])
def test_from_one_release_to_another_and_nothing_is_left_to_do(manager: str, first: str, second: str) -> None:
    node = settled(manager, first)
    plan = plan_driver(node, release(manager, second), RELOAD)
    assert actions(plan) == ["file", "refresh", "unhold", "install", "build", "hold", "initramfs", "load"]
    assert plan.of("unhold")[0].data["packages"] == ["amdgpu-dkms", "amdgpu-dkms-firmware"]
    done = plan_driver(carry_out(node, plan), release(manager, second), RELOAD)
    assert (done.steps, done.reboot) == ((), "")


def test_kernel_and_driver_of_rhel_are_locked_together() -> None:
    held = settled("dnf").packages.holds
    assert held == ("amdgpu-dkms", "amdgpu-dkms-firmware", "kernel", "kernel-core", "kernel-devel", "kernel-devel-matched",
                    "kernel-modules", "kernel-modules-core")


def test_all_locks_of_kernels_are_lifted_for_the_next_and_those_of_parts_nobody_named_come_back() -> None:
    node = settled("dnf")
    plan = plan_driver(node, release("dnf", "rocm-7.0.2", EL_NEWER), RELOAD)
    kernels = ["kernel", "kernel-core", "kernel-devel", "kernel-devel-matched", "kernel-modules", "kernel-modules-core"]
    assert (plan.of("unhold")[0].data["packages"], plan.of("hold")[0].data) == (
        kernels, {"packages": kernels, "also": []})
    assert set(kernels) <= set(plan_driver(node, release("dnf", "rocm-7.0.2"), RELOAD).held)  # what a record calls ours
    allowed = DriverPolicy(reload_allowed=True, hold=False)
    assert plan_driver(node, release("dnf", "rocm-7.0.2", EL_NEWER), allowed).of("hold")[0].data["packages"] == kernels


@pytest.mark.parametrize(("node", "also"), [
    (el_node(), []),
    (sles_node(), ["kernel-devel"]),
    (dc.replace(el_node(), packages=dc.replace(el_node().packages, installed=(package("kernel-uek-core", "1-1"),))),
     ["kernel-uek", "kernel-uek-devel", "kernel-uek-devel-matched", "kernel-uek-modules", "kernel-uek-modules-core"]),
], ids=["RHEL", "SLES", "Oracle"])
def test_what_comes_along_with_a_kernel_is_locked_with_it(node: lk.Look, also: list[str]) -> None:
    manager = node.packages.manager or ""
    (step,) = plan_driver(node, release(manager, "rocm-7.0.2"), DriverPolicy()).of("hold")
    assert step.data["also"] == also


@BOTH
def test_a_newer_kernel_is_installed_beside_made_to_boot_and_locked_too(manager: str) -> None:
    node, wanted = settled(manager), release(manager, "rocm-7.0.2", NEWER[manager])
    plan = plan_driver(node, wanted, RELOAD)
    assert actions(plan) == ["refresh", "unhold", "install", "build", "hold", "initramfs", "boot"]
    assert "(beside " in plan.of("install")[0].words
    assert plan.of("boot")[0].after == NEWER[manager]
    assert plan.reboot == f"kernel {NEWER[manager]} must boot (running {node.kernel.running})"
    after = reboot(carry_out(node, plan))
    versions = [p.version for p in after.packages.installed if p.name in ("kernel-core", "kernel-default-devel")]
    assert len(versions) == 2
    done = plan_driver(after, wanted, RELOAD)
    assert (done.steps, done.reboot, done.problems) == ((), "", ())


@BOTH
def test_back_to_the_older_kernel_installs_nothing(manager: str) -> None:
    node = settled(manager)
    node = reboot(carry_out(node, plan_driver(node, release(manager, "rocm-7.0.2", NEWER[manager]), RELOAD)))
    plan = plan_driver(node, release(manager, "rocm-7.0.2"), RELOAD)
    assert actions(plan) == ["boot"] and plan.reboot


@BOTH
def test_to_the_kernels_own_driver(manager: str) -> None:
    node, wanted = settled(manager), release(manager, "rocm-7.0.2", source="in_tree")
    plan = plan_driver(node, wanted, RELOAD)
    assert actions(plan) == ["file", "refresh", "unhold", "install", "remove", "hold", "initramfs", "load"]
    assert plan.of("install")[0].data["packages"] == ["linux-firmware"]
    assert plan.of("file")[0].data["state"] == "absent"
    assert plan_driver(carry_out(node, plan), wanted, RELOAD).steps == ()


def _packages(node: lk.Look, **fields: t.Any) -> lk.Look:
    return dc.replace(node, packages=dc.replace(node.packages, **fields))


def _repositories(node: lk.Look, **fields: t.Any) -> lk.Look:
    return dc.replace(node, repositories=dc.replace(node.repositories, **fields))


OLD = lk.Package("amdgpu-dkms", "1:6.12.12-2187269.el9", "noarch", "duplicate")
AMD = lk.Source("/etc/yum.repos.d/amdgpu.repo", ("rpm",), ("https://repo.radeon.com/amdgpu/6.4.2/el/9.6/main/x86_64/",), (), (), (),
                "https://repo.radeon.com/rocm/rocm.gpg.key", False, True)

# id, what happened to a node at its release, the steps that mend it
WRONG: list[tuple[str, t.Callable[[lk.Look], lk.Look], list[str]]] = [
    ("a lock is gone", lambda n: _packages(n, holds=tuple(h for h in n.packages.holds if h != "kernel-core")), ["hold"]),
    ("a lock names another version", lambda n: _packages(n, misheld=("amdgpu-dkms",)), ["hold"]),
    ("the plugin was removed, and with it all locks", lambda n: _packages(
        n, holds=(), obeys_holds=False, installed=tuple(p for p in n.packages.installed if "versionlock" not in p.name)),
     ["refresh", "tools", "hold"]),
    ("another version of the driver", lambda n: _packages(
        n, installed=tuple(package(p.name, "1:6.12.12-2187269.el9") if p.name == "amdgpu-dkms" else p for p in n.packages.installed)),
     ["refresh", "unhold", "install", "hold", "initramfs", "load"]),
    ("what holds the key is another file", lambda n: _repositories(n, keyrings=(lk.Key(KEYS, ("A" * 40,)), lk.Key("rpm", ()))), ["key"]),
    ("AMD's own repository file is there too", lambda n: _repositories(n, sources=(AMD,)), ["file"]),
    ("another kernel boots next", lambda n: dc.replace(n, kernel=dc.replace(
        n.kernel, next_boot=EL_NEWER, boot_entries={**n.kernel.boot_entries, EL_NEWER: f"{MACHINE}-{EL_NEWER}"})), ["boot"]),
    ("the old version was never erased, and nothing is to be changed", lambda n: _packages(n, broken=(OLD,)), []),
]


@pytest.mark.parametrize(("happened", "wanted"), [c[1:] for c in WRONG], ids=[c[0] for c in WRONG])
def test_wrong_states_of_rhel(happened: t.Callable[[lk.Look], lk.Look], wanted: list[str]) -> None:
    node = happened(settled("dnf"))
    plan = plan_driver(node, release("dnf", "rocm-7.0.2"), RELOAD)
    assert actions(plan) == wanted
    if "unhold" not in wanted:  # what the driver's package brings back to DKMS is not modelled
        assert plan_driver(carry_out(node, plan), release("dnf", "rocm-7.0.2"), RELOAD).steps == ()


def test_an_upgrade_that_was_cut_off_is_finished_before_the_next() -> None:
    node = settled("dnf")
    node = _packages(node, installed=(*node.packages.installed, OLD), broken=(OLD,))
    plan = plan_driver(node, release("dnf", "rocm-7.2.3"), RELOAD)
    assert actions(plan)[:2] == ["file", "repair"]
    assert plan.of("repair")[0].data == {"packages": ["amdgpu-dkms", "amdgpu-dkms-firmware"]}
    assert plan_driver(carry_out(node, plan), release("dnf", "rocm-7.2.3"), RELOAD).steps == ()


def test_zypper_needs_the_key_in_rpm_itself() -> None:
    node = settled("zypper")
    lost = _repositories(node, keyrings=tuple(dc.replace(k, fingerprints=()) if k.path == "rpm" else k for k in node.repositories.keyrings))
    assert actions(plan_driver(lost, release("zypper", "rocm-7.0.2"), RELOAD)) == ["key"]


@pytest.mark.parametrize(("manager", "spec"), [("dnf", "amdgpu-dkms-1:6.14.14-2226257.el9"), ("zypper", "amdgpu-dkms=1:6.14.14-2226257")])
def test_a_package_whose_source_is_gone_is_asked_for_in_the_words_of_the_manager(manager: str, spec: str) -> None:
    node = settled(manager)
    (tree,) = node.dkms.modules
    node = dc.replace(node, dkms=dc.replace(node.dkms, modules=(dc.replace(tree, kernel=None, state="broken"),)))
    (step,) = plan_driver(node, release(manager, "rocm-7.0.2"), RELOAD).of("reinstall")
    assert step.data == {"packages": [spec], "names": ["amdgpu-dkms"]}


@BOTH
def test_a_driver_of_another_hand_is_not_taken_away_before_the_next_one_was_built(manager: str) -> None:
    node = NODES[manager]()
    by_hand = lk.OnDisk(node.kernel.running or "", f"/lib/modules/{node.kernel.running}/updates/amdgpu.ko", "other", "1", "S")
    node = dc.replace(node, driver=dc.replace(node.driver, on_disk=(by_hand,)))
    adopt = DriverPolicy(reload_allowed=True, adopt=True)
    with pytest.raises(FleetError) as refusal:
        plan_driver(node, release(manager, "rocm-7.0.2"), adopt)
    assert refusal.value.sentence == (
        f"gpu_driver_adopt: takes the driver of another hand away, and with {manager} the next one cannot be built on trial "
        "before; remove it with the tool that installed it, then run again")
    assert "adopt" in actions(plan_driver(node, release(manager, "rocm-7.0.2", source="in_tree"), adopt))
    assert actions(plan_driver(settled(manager), release(manager, "rocm-7.0.2"), adopt)) == []


EXCLUDES = (lk.Preference("/etc/dnf/dnf.conf", "kernel*", "exclude", -1),)

# id, node, refusal
REFUSED: list[tuple[str, t.Callable[[], lk.Look], str]] = [
    ("dnf excludes kernels", lambda: _repositories(el_node(), preferences=EXCLUDES),
     "kernel-devel: must be installed, and /etc/dnf/dnf.conf excludes kernel*"),
    ("the plugin is switched off", lambda: _packages(el_node(), installed=(
        *el_node().packages.installed, package("python3-dnf-plugin-versionlock", "4.3.0-20.el9"))),
     "dnf: its versionlock plugin is switched off"),
]


@pytest.mark.parametrize(("node", "why"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refused(node: t.Callable[[], lk.Look], why: str) -> None:
    with pytest.raises(FleetError) as refusal:
        plan_driver(node(), release("dnf", "rocm-7.0.2"), DriverPolicy())
    assert refusal.value.sentence.startswith(why)


@BOTH
def test_a_boot_loader_that_ignores_what_is_saved_is_refused(manager: str) -> None:
    node = settled(manager)
    node = dc.replace(node, kernel=dc.replace(node.kernel, boots_saved=False))
    assert plan_driver(node, release(manager, "rocm-7.0.2"), RELOAD).steps == ()
    with pytest.raises(FleetError, match="does not start the entry that is saved"):
        plan_driver(node, release(manager, "rocm-7.0.2", NEWER[manager]), RELOAD)


@pytest.mark.parametrize(("manager", "command"), [("dnf", "dnf versionlock delete"), ("zypper", "zypper removelock")])
def test_a_hold_of_another_hand_is_refused_in_the_words_of_the_manager(manager: str, command: str) -> None:
    node = _packages(NODES[manager](), holds=("dkms",))
    with pytest.raises(FleetError, match=f"{command} dkms"):
        plan_driver(node, release(manager, "rocm-7.0.2"), DriverPolicy())


def test_updates_that_install_themselves_are_told_of_where_nothing_is_held() -> None:
    node = _repositories(settled("dnf"), unattended_upgrades=True)
    wanted = release("dnf", "rocm-7.0.2")
    assert plan_driver(node, wanted, RELOAD).notes == ()
    (note,) = plan_driver(node, wanted, DriverPolicy(reload_allowed=True, hold=False)).notes
    assert note.startswith("updates install themselves")
    assert plan_driver(node, wanted, DriverPolicy(reload_allowed=True, hold=False, restrict_unattended=False)).notes == ()


def test_without_a_menu_nothing_is_pinned_and_the_plan_says_so() -> None:
    node = settled("dnf")
    node = dc.replace(node, kernel=dc.replace(node.kernel, boot_entries={}, next_boot=None))
    plan = plan_driver(node, release("dnf", "rocm-7.0.2"), RELOAD)
    assert (plan.steps, plan.notes) == ((), (f"no GRUB menu was read: whether {EL} boots next is unknown",))
