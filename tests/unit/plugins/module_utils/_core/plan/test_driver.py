# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_driver's plan: right at every step from a bare node to a release, to another, back, and to the in-tree driver."""

from __future__ import annotations

import dataclasses as dc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.driver import DriverPolicy, plan_driver
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import (
    AMDGPU_SOURCES,
    GRUB_DEFAULT,
    GRUB_ONCE,
    UNATTENDED,
)
from ansible_collections.instinct.fleet.tests.unit.support.releases import RELEASES, release
from ansible_collections.instinct.fleet.tests.unit.support.world import (
    KERNEL,
    actions,
    bare_node,
    carry_out,
    reboot,
)

RELOAD = DriverPolicy(reload_allowed=True)
NEWER = "6.1.0-57-amd64"


def settled(name: str = "rocm-7.0.2", node: lk.Look | None = None) -> lk.Look:
    """A node that was brought to a release."""
    node = node or bare_node()
    return carry_out(node, plan_driver(node, release(name), RELOAD))


def test_a_bare_node_gets_key_files_trial_packages_build_hold_boot_and_load_in_this_order():
    plan = plan_driver(bare_node(), release("rocm-7.0.2"), DriverPolicy())
    assert actions(plan) == [
        "refresh",
        "tools",
        "trial",
        "key",
        "file",
        "file",
        "file",
        "refresh",
        "install",
        "build",
        "hold",
        "initramfs",
        "boot_file",
        "boot_file", "boot",
        "load",
    ]
    assert (plan.reboot, plan.reload, plan.problems) == ("", "", ())


def test_kernel_and_driver_go_into_one_transaction():
    (step,) = plan_driver(bare_node(), release("rocm-7.0.2"), DriverPolicy()).of("install")
    assert step.data["packages"] == [
        "amdgpu-dkms=1:6.14.14.30100200-2226257.22.04",
        "amdgpu-dkms-firmware=30.10.2.0.30100200-2226257.22.04",
        f"linux-headers-{KERNEL}",
    ]


def test_a_node_that_is_as_wanted_has_an_empty_plan():
    plan = plan_driver(settled(), release("rocm-7.0.2"), DriverPolicy())
    assert (plan.steps, plan.reboot, plan.problems) == ((), "", ())


def test_driver_kernel_and_packages_that_follow_the_newest_kernel_are_held_together():
    (step,) = plan_driver(bare_node(), release("rocm-7.0.2"), DriverPolicy()).of("hold")
    assert step.data["packages"] == [
        "amdgpu-dkms",
        "amdgpu-dkms-firmware",
        f"linux-headers-{KERNEL}",
        "linux-image-6.1.0-56-amd64",
        "linux-image-amd64",
    ]


def test_a_move_lifts_its_own_holds_right_before_the_transaction_and_restores_them():
    plan = plan_driver(settled(), release("rocm-7.2.3"), RELOAD)
    assert actions(plan) == ["trial", "file", "file", "refresh", "unhold", "install", "build", "hold", "initramfs",
                             "load"]
    assert plan.of("unhold")[0].data["packages"] == ["amdgpu-dkms", "amdgpu-dkms-firmware"]
    assert plan.of("hold")[0].data["packages"] == ["amdgpu-dkms", "amdgpu-dkms-firmware"]


def test_a_move_within_one_module_version_is_a_move():
    plan = plan_driver(settled("rocm-7.2.3"), release("rocm-7.2.4"), RELOAD)
    assert "install" in actions(plan) and plan.of("load")[0].data["state"] == "reloaded"


@pytest.mark.parametrize(
    "path", [("rocm-7.0.2", "rocm-7.2.3", "rocm-7.0.2"), ("rocm-7.2.3", "rocm-6.4.2", "rocm-7.2.4")]
)
def test_there_and_back_every_node_ends_as_wanted(path):
    node = bare_node()
    for name in path:
        node = settled(name, node)
        assert plan_driver(node, release(name), RELOAD).empty
        version = RELEASES[name]
        assert [m.version for m in node.dkms.modules] == [f"{version[1]}-{version[2]}.22.04"]


@given(st.lists(st.sampled_from([*RELEASES, "in_tree"]), min_size=1, max_size=5), st.booleans())
def test_any_walk_over_releases_ends_with_an_empty_plan(path, hold):
    policy = DriverPolicy(reload_allowed=True, hold=hold)
    node = bare_node()
    for name in path:
        wanted = release("rocm-7.0.2", source="in_tree") if name == "in_tree" else release(name)
        node = carry_out(node, plan_driver(node, wanted, policy))
        again = plan_driver(node, wanted, policy)
        assert (again.steps, again.reboot, again.problems) == ((), "", ())


def test_a_newer_kernel_is_installed_built_for_made_the_default_and_needs_a_reboot():
    node, wanted = settled(), release("rocm-7.0.2", kernel=NEWER)
    plan = plan_driver(node, wanted, RELOAD)
    assert plan.of("trial")[0].data["kernels"] == [NEWER]
    assert plan.of("boot_file") == ()
    assert (actions(plan)[-1], plan.reboot) == ("boot", f"kernel {NEWER} must boot (running {KERNEL})")
    node = carry_out(node, plan)
    still = plan_driver(node, wanted, RELOAD)
    assert (still.steps, still.reboot) == ((), f"kernel {NEWER} must boot (running {KERNEL})")
    done = plan_driver(reboot(node), wanted, RELOAD)
    assert (done.steps, done.reboot, done.problems) == ((), "", ())


def test_a_kernel_that_another_hand_made_the_default_is_put_back():
    node = settled()
    node = dc.replace(node, kernel=dc.replace(node.kernel, next_boot="6.12.1-amd64"))
    plan = plan_driver(node, release("rocm-7.0.2"), DriverPolicy())
    assert (actions(plan), plan.steps[0].before, plan.steps[0].after) == (["boot"], "6.12.1-amd64", KERNEL)


def test_without_a_grub_menu_nothing_is_written_and_a_note_says_so():
    node = bare_node()
    node = dc.replace(node, kernel=dc.replace(node.kernel, boot_entries={}, next_boot=None))
    plan = plan_driver(node, release("rocm-7.0.2"), DriverPolicy())
    assert not {"boot", "boot_file"} & set(actions(plan))
    assert plan.notes == (f"no GRUB menu was read: whether {KERNEL} boots next is unknown",)


LOADED = settled()
HELD = dc.replace(LOADED, processes=lk.Processes((lk.Process(4121), lk.Process(4177))))
STALE = dc.replace(LOADED, driver=dc.replace(LOADED.driver, loaded_is_on_disk=False, srcversion="OLD"))


@pytest.mark.parametrize(
    ("node", "policy", "last", "reboot_reason"),
    [
        pytest.param(STALE, RELOAD, ["load"], "", id="reload when allowed and idle"),
        pytest.param(
            STALE,
            DriverPolicy(),
            [],
            "the loaded amdgpu is not the installed one and gpu_driver_reload_allowed is false",
            id="reboot when a reload is not allowed",
        ),
        pytest.param(
            dc.replace(STALE, processes=HELD.processes),
            RELOAD,
            [],
            "the loaded amdgpu is not the installed one and 2 processes hold GPUs (pids 4121, 4177)",
            id="reboot when GPUs are held",
        ),
        pytest.param(HELD, RELOAD, [], "", id="processes do not matter when nothing changes"),
    ],
)
def test_how_the_right_driver_gets_into_the_kernel(node, policy, last, reboot_reason):
    plan = plan_driver(node, release("rocm-7.0.2"), policy)
    assert (actions(plan), plan.reboot) == (last, reboot_reason)


def test_a_move_while_processes_hold_gpus_changes_packages_and_asks_for_a_reboot():
    plan = plan_driver(HELD, release("rocm-7.2.3"), RELOAD)
    assert actions(plan)[-2:] == ["hold", "initramfs"]
    assert plan.reboot == "the loaded amdgpu is not the installed one and 2 processes hold GPUs (pids 4121, 4177)"


def test_a_node_without_gpus_gets_the_driver_and_loads_nothing():
    node = bare_node(gpus=0)
    plan = plan_driver(node, release("rocm-7.0.2"), DriverPolicy())
    assert "install" in actions(plan) and "load" not in actions(plan)


def test_a_gpu_that_the_driver_did_not_bind_is_a_problem_that_no_step_mends():
    gpus = tuple(dc.replace(g, driver=None) if g.index == 2 else g for g in LOADED.gpus.gpus)
    plan = plan_driver(dc.replace(LOADED, gpus=lk.Gpus(gpus)), release("rocm-7.0.2"), RELOAD)
    assert plan.empty
    assert plan.problems == ("1 of 8 GPUs are not bound to amdgpu (0000:07:00.0); read the kernel log for their probe",)


def test_a_loaded_driver_that_cannot_be_compared_is_a_problem_not_a_reload():
    driver = dc.replace(LOADED.driver, loaded_is_on_disk=None, unknown={"loaded_is_on_disk": "no srcversion in sysfs"})
    plan = plan_driver(dc.replace(LOADED, driver=driver), release("rocm-7.0.2"), RELOAD)
    assert (plan.steps, plan.reboot) == ((), "")
    assert plan.problems == ("whether the loaded amdgpu is the installed one is unknown: no srcversion in sysfs",)


def test_the_in_tree_module_on_disk_is_not_built_whatever_dkms_says():
    disks = tuple(dc.replace(d, kind="in_tree", version=None) for d in LOADED.driver.on_disk)
    node = dc.replace(LOADED, driver=dc.replace(LOADED.driver, on_disk=disks))
    assert "build" in actions(plan_driver(node, release("rocm-7.0.2"), RELOAD))


def test_in_tree_installs_what_the_kernels_own_driver_needs_before_amds_packages_go():
    wanted = release("rocm-7.0.2", source="in_tree")
    kernel = dc.replace(wanted.kernel, packages=(*wanted.kernel.packages, "firmware-amd-graphics"))
    plan = plan_driver(LOADED, dc.replace(wanted, kernel=kernel), RELOAD)
    assert actions(plan)[-7:] == ["refresh", "unhold", "install", "remove", "hold", "initramfs", "load"]
    assert plan.of("install")[0].data["packages"] == ["firmware-amd-graphics"]


def test_in_tree_removes_packages_repository_and_pins():
    plan = plan_driver(LOADED, release("rocm-7.0.2", source="in_tree"), RELOAD)
    assert actions(plan) == ["file", "file", "unhold", "remove", "initramfs", "load"]
    assert plan.of("remove")[0].data["packages"] == ["amdgpu-dkms", "amdgpu-dkms-firmware"]
    assert {s.data["path"] for s in plan.of("file") if s.data.get("state") == "absent"} >= {AMDGPU_SOURCES}


def test_no_hold_and_no_restriction_when_the_site_says_so():
    plan = plan_driver(LOADED, release("rocm-7.0.2"), DriverPolicy(hold=False, restrict_unattended=False))
    assert [(s.action, s.data["path"], s.data["state"]) for s in plan.steps] == [("file", UNATTENDED, "absent")]


def test_what_grub_reads_is_written_once_for_all_kernels():
    steps = plan_driver(bare_node(), release("rocm-7.0.2"), DriverPolicy()).of("boot_file")
    assert [(step.data["path"], step.data["mode"]) for step in steps] == [(GRUB_DEFAULT, "0644"), (GRUB_ONCE, "0755")]


def test_a_policy_is_made_from_the_variables():
    values = {f"gpu_driver_{field.name}": getattr(RELOAD, field.name) for field in dc.fields(DriverPolicy)}
    assert DriverPolicy.from_values(values | {"gpu_driver_hold": False, "gpu_driver_other": 1}) == dc.replace(RELOAD, hold=False)
