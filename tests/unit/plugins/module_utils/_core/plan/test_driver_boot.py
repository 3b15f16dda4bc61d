# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the next boot loads: initramfs images by their age, and lines that keep amdgpu out."""

from __future__ import annotations

import dataclasses as dc
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.tests.unit.support.releases import release
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out, reboot

RELOAD = DriverPolicy(reload_allowed=True)
WANTED = release("rocm-7.0.2")
SETTLED = carry_out(bare_node(), plan_driver(bare_node(), WANTED, RELOAD))
LINE, ARGUMENT = "/etc/modprobe.d/x.conf: blacklist amdgpu", "kernel command line: modprobe.blacklist=amdgpu"


def actions(node: lk.Look, policy: DriverPolicy = RELOAD, wanted=WANTED) -> list[str]:
    return [s.action for s in plan_driver(node, wanted, policy).steps]


def image(node: lk.Look, **changes: t.Any) -> lk.Look:
    """The node with another image of its kernel."""
    images = tuple(dc.replace(i, **changes) if i.kernel == KERNEL else i for i in node.boot.images)
    return dc.replace(node, boot=dc.replace(node.boot, images=images))


def boot(node: lk.Look, **changes: t.Any) -> lk.Look:
    return dc.replace(node, boot=dc.replace(node.boot, **changes))


def listed(*texts: str, node: lk.Look = SETTLED) -> lk.Look:
    """A node whose amdgpu is kept out by these."""
    return dc.replace(node, driver=dc.replace(node.driver, blacklisted_by=texts))


def unloaded(node: lk.Look) -> lk.Look:
    return dc.replace(node, driver=dc.replace(node.driver, loaded=False, loaded_is_on_disk=None))


# id, node, actions
IMAGES = [
    ("newer than all", SETTLED, []),
    ("older than the driver", image(SETTLED, time=1, driver_time=2), ["initramfs"]),
    ("older than settings, and the driver is loaded all the same", boot(SETTLED, modprobe_time=10**9), []),
    ("older than settings, and the driver is not loaded: the image may hold a list that is gone",
     unloaded(boot(SETTLED, modprobe_time=10**9)), ["initramfs", "load"]),
    ("dracut makes it", boot(image(SETTLED, time=1, driver_time=2), tool="dracut"), ["initramfs"]),
    ("another tool makes it", boot(image(SETTLED, time=1, driver_time=2), tool="mkinitcpio"), []),
    ("no tool", boot(image(SETTLED, time=1, driver_time=2), tool=None), []),
]


@pytest.mark.parametrize(("node", "wanted"), [c[1:] for c in IMAGES], ids=[c[0] for c in IMAGES])
def test_an_image_that_may_hold_something_else_is_made_anew(node, wanted):
    assert actions(node) == wanted
    assert plan_driver(carry_out(node, plan_driver(node, WANTED, RELOAD)), WANTED, RELOAD).steps == ()


def test_the_reason_is_said():
    (step,) = plan_driver(image(SETTLED, time=1, driver_time=2), WANTED, RELOAD).of("initramfs")
    assert (step.words, step.data) == (
        f"make the initramfs of {KERNEL} anew, for it is older than the driver", {"kernel": KERNEL, "anew": []})


@pytest.mark.parametrize(("source", "anew"), [("in_tree", [KERNEL]), ("dkms", [])])
def test_the_image_that_holds_amds_module_is_made_anew_though_the_kernels_own_is_older(source, anew):
    node = SETTLED if source == "in_tree" else bare_node()
    (step,) = plan_driver(node, release("rocm-7.0.2", source=source), RELOAD).of("initramfs")
    assert step.data == {"kernel": KERNEL, "anew": anew}


def bare_of_image(node: lk.Look) -> lk.Look:
    kernels = tuple(dc.replace(k, initrd=None) for k in node.kernel.installed)
    return dc.replace(boot(node, images=()), kernel=dc.replace(node.kernel, installed=kernels))


def test_a_kernel_without_image_gets_one_and_the_menu_is_written_after_it():
    plan = plan_driver(bare_of_image(SETTLED), WANTED, RELOAD)
    assert [s.action for s in plan.steps] == ["initramfs", "boot"]
    assert plan.steps[0].words == f"make the initramfs of {KERNEL} anew, which has none"


def test_a_kernel_of_the_sites_own_may_do_without_one():
    own = dc.replace(WANTED, kernel=dc.replace(WANTED.kernel, packages=()))
    assert plan_driver(bare_of_image(SETTLED), own, DriverPolicy(hold=False, reload_allowed=True)).of("initramfs") == ()


@pytest.mark.parametrize("tool", ["mkinitcpio", None])
def test_where_another_tool_makes_images_a_missing_one_is_a_problem(tool):
    node = boot(bare_of_image(SETTLED), tool=tool)
    plan = plan_driver(node, WANTED, RELOAD)
    assert (plan.steps, plan.problems) == ((), (f"kernel {KERNEL} has no initramfs; make one with its own tool",))


FILES = (f"amdgpu does not load at boot, for {LINE}; set gpu_driver_blacklist to remove, or to accept if the site loads it "
         "itself")
COMMAND = ("amdgpu does not load at boot, for the kernel is started with modprobe.blacklist=amdgpu; take it out of "
           "GRUB_CMDLINE_LINUX and boot, or set gpu_driver_blacklist to accept")
NOTE = f"amdgpu is blacklisted by {LINE}, {ARGUMENT}: it does not load at boot by itself"

# policy, actions, problems, notes
POLICIES = [
    ("report", [], (FILES, COMMAND), ()),
    ("remove", ["unblacklist", "initramfs"], (COMMAND,), ()),
    ("accept", [], (), (NOTE,)),
]


@pytest.mark.parametrize(("blacklist", "found", "problems", "notes"), POLICIES, ids=[c[0] for c in POLICIES])
def test_what_keeps_amdgpu_out_is_reported_removed_or_accepted(blacklist, found, problems, notes):
    plan = plan_driver(listed(LINE, ARGUMENT), WANTED, DriverPolicy(reload_allowed=True, blacklist=blacklist))
    assert ([s.action for s in plan.steps], plan.problems, plan.notes) == (found, problems, notes)


def test_once_removed_nothing_is_left_and_a_boot_loads_the_driver():
    policy = DriverPolicy(reload_allowed=True, blacklist="remove")
    node = unloaded(listed(LINE))
    plan = plan_driver(node, WANTED, policy)
    assert [s.action for s in plan.steps] == ["unblacklist", "initramfs", "load"]
    assert plan.steps[0].words == f"take away what keeps amdgpu from loading: {LINE}"
    after = reboot(carry_out(node, plan))
    again = plan_driver(after, WANTED, policy)
    assert (again.steps, again.problems) == ((), ())


def test_without_gpus_nobody_misses_the_driver():
    node = listed(LINE, ARGUMENT, node=carry_out(bare_node(gpus=0), plan_driver(bare_node(gpus=0), WANTED, RELOAD)))
    for blacklist in ("report", "accept"):
        plan = plan_driver(node, WANTED, DriverPolicy(blacklist=blacklist))
        assert (plan.problems, plan.notes) == ((), ())


@pytest.mark.parametrize(("saved", "once", "wanted"), [
    (True, "panic=30", []), (False, "panic=30", ["boot"]), (True, "", ["boot"]), (None, None, ["boot"]),
])
def test_a_menu_that_was_not_written_after_its_files_is_written(saved: bool | None, once: str | None, wanted: list[str]) -> None:
    assert actions(dc.replace(SETTLED, kernel=dc.replace(SETTLED.kernel, boots_saved=saved, boots_once=once))) == wanted
