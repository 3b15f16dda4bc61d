# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What may have happened to a node before a run: events, drawn at random, that lead to the states that sites have."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan
from ansible_collections.instinct.fleet.plugins.plugin_utils import planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support import world

RELEASES = ("rocm-6.4.1", "rocm-7.0.2", "rocm-7.2.3", "rocm-7.2.4", "rocm-7.14.0")
KERNELS = ("6.1.0-55-amd64", world.KERNEL, "6.1.0-57-amd64")


@dc.dataclass(frozen=True)
class Wish:
    """What an inventory wants of the node."""

    release: str
    kernel: str = ""
    source: str = "dkms"
    reload_allowed: bool = True
    reboot_allowed: bool = True
    hold: bool = True
    beside: tuple[str, ...] = ()
    remove_others: bool = True

    @property
    def values(self) -> dict[str, dict[str, t.Any]]:
        """Validated variables of all roles."""
        given: dict[str, t.Any] = {
            "gpu_release_name": self.release, "gpu_release_accept": ["third_party"],
            "gpu_release_keys": {name: {"fingerprint": "AB" * 20} for name in ("radeon", "amdrocm-multi-arch")},
            "rocm_userspace_side_by_side": list(self.beside), "rocm_userspace_remove_others": self.remove_others,
            "gpu_driver_source": self.source, "gpu_driver_hold": self.hold,
            "gpu_driver_reload_allowed": self.reload_allowed, "gpu_driver_reboot_allowed": self.reboot_allowed,
        } | ({"gpu_release_kernel": self.kernel} if self.kernel else {})
        return {role: role_specs.validated(role, given) for role in planning.ROLES}

    def plans(self, node: lk.Look) -> dict[str, Plan]:
        """The plans of all roles for the node."""
        return planning.plan_node(node, self.values, planning.ROLES).plans


def run(node: lk.Look, wish: Wish, steps: int | None = None) -> lk.Look:
    """The node after a run of site.yml, or after its first ``steps`` steps if the run was killed then.

    As the playbook does, it plans again after a reboot.
    """
    done = 0
    for part in wish.plans(node).values():
        for step in part.steps:
            if done == steps:
                return node
            node = world.carry_out(node, dc.replace(part, steps=(step,)))
            done += 1
    return node


Event = t.Callable[[lk.Look], lk.Look]


def killed(wish: Wish, steps: int) -> Event:
    """A run that ended after some steps."""
    return lambda node: run(node, wish, steps)


def edited(index: int) -> Event:
    """Somebody changed one of the managed files, or it was never there."""

    def act(node: lk.Look) -> lk.Look:
        files = list(node.files.files)
        at = index % len(files)
        files[at] = lk.ManagedFile(files[at].path, "0" * 64, "root", "root", "0644")
        return dc.replace(node, files=dc.replace(node.files, files=tuple(files)))

    return act


def let_go(index: int) -> Event:
    """Somebody lifted a hold."""

    def act(node: lk.Look) -> lk.Look:
        holds = [h for i, h in enumerate(node.packages.holds) if i != index % len(node.packages.holds)]
        return dc.replace(node, packages=dc.replace(node.packages, holds=tuple(holds)))

    return lambda node: act(node) if node.packages.holds else node


def held_by_somebody(name: str) -> Event:
    """Somebody holds a package for reasons of their own."""
    return lambda node: dc.replace(node, packages=dc.replace(
        node.packages, holds=tuple(sorted({*node.packages.holds, name}))))


def lost_build(index: int) -> Event:
    """DKMS did not build for one kernel: no line in its status, and modprobe would find the kernel's own module."""

    def act(node: lk.Look) -> lk.Look:
        kernel = node.driver.on_disk[index % len(node.driver.on_disk)].kernel
        modules = tuple(m for m in node.dkms.modules if m.kernel != kernel)
        disks = tuple(world.in_tree(kernel) if d.kernel == kernel else d for d in node.driver.on_disk)
        same = node.driver.loaded_is_on_disk and not (node.driver.loaded and kernel == node.kernel.running)
        return dc.replace(node, dkms=dc.replace(node.dkms, modules=modules),
                          driver=dc.replace(node.driver, on_disk=disks, loaded_is_on_disk=same))

    return lambda node: act(node) if node.dkms.modules else node


def other_kernel(release: str) -> Event:
    """The distribution installed another kernel, and made it the one that boots."""
    return lambda node: world._kernel_installed(node, release)


def installed_by_hand(index: int) -> Event:
    """Somebody installed a driver and ROCm as the vendor says, with a source file of their own."""
    wish = Wish(RELEASES[index % len(RELEASES)])

    def act(node: lk.Look) -> lk.Look:
        for part in wish.plans(node).values():
            for action in ("unhold", "install", "build"):
                node = world.carry_out(node, dc.replace(part, steps=part.of(action)))
        source = lk.Source("/etc/apt/sources.list.d/amdgpu.list", ("deb",), ("https://repo.radeon.com/amdgpu/7.9/ubuntu",),
                           ("jammy",), ("main",), ("amd64",), None, False, True)
        return dc.replace(node, repositories=dc.replace(node.repositories, sources=(source,)))

    return act


def half_configured(index: int) -> Event:
    """dpkg was killed while it configured a package."""

    def act(node: lk.Look) -> lk.Look:
        packages = list(node.packages.installed)
        at = index % len(packages)
        packages[at] = dc.replace(packages[at], state="half-configured")
        return dc.replace(node, packages=dc.replace(
            node.packages, installed=tuple(packages), broken=(packages[at],), interrupted=True))

    return act


def process_on_a_gpu(node: lk.Look) -> lk.Look:
    """A process holds a GPU: no reload until the next reboot."""
    return dc.replace(node, processes=lk.Processes((lk.Process(4121),)))


def rebooted(node: lk.Look) -> lk.Look:
    """A reboot ends processes, and loads what is on disk."""
    return world.reboot(dc.replace(node, processes=lk.Processes()))


wishes = st.builds(
    Wish, st.sampled_from(RELEASES), st.sampled_from(("", *KERNELS[1:])), st.sampled_from(("dkms", "dkms", "in_tree")),
    st.booleans(), st.booleans(), st.booleans(),
    st.lists(st.sampled_from(("rocm-7.0.2", "rocm-7.2.3", "rocm-7.14.0")), max_size=2, unique=True).map(tuple), st.booleans(),
)
indices = st.integers(0, 20)
events = st.one_of(
    st.builds(killed, wishes, st.integers(1, 25)), st.builds(edited, indices), st.builds(let_go, indices),
    st.builds(lost_build, indices), st.builds(installed_by_hand, indices), st.builds(half_configured, indices),
    st.builds(other_kernel, st.sampled_from(KERNELS)),
    st.builds(held_by_somebody, st.sampled_from(("rocminfo", "amdgpu-dkms"))), st.just(process_on_a_gpu), st.just(rebooted),
)
histories = st.lists(events, max_size=6)
