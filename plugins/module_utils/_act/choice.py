# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Which kernel boots next, and which one ever after: chosen in the menu, and read back."""

from __future__ import annotations

import dataclasses as dc
import time
import typing as t

from .._core.act import one_boot, reboot_proof
from .._core.act.boot_proof import refuse_other
from .._core.act.one_boot import Fallback
from .._core.look.shape import Kernel
from . import amdgpu, boot

PAUSE = 2.0  # seconds between two looks at a driver that is being loaded
SETTLE = 30.0  # seconds for GPUs to show after their driver is live: it has probed all of them by then


@dc.dataclass(frozen=True)
class Choice:
    """What shall boot.

    Attributes:
        following: release of the kernel that boots next.
        default: the one that boots ever after.
        mode: auto, require, none.
        unseen: whether an initramfs was made that the menu cannot know.
    """

    following: str
    default: str
    mode: str
    unseen: bool


def foresee(kernels: Kernel, choice: Choice, timeout: float) -> tuple[list[str], Fallback | None]:
    """What would be done, and what becomes of a kernel that does not come up; nothing without GRUB's menu.

    Raises:
        FleetError: a fallback is required, and there can be none.
    """
    due = one_boot.to_write(kernels, choice.following, boot.has_part(), choice.unseen)
    words = ["write the GRUB menu"] if due and boot.writes_menus() else []
    gives = boot.writes_menus() or boot.edits_entries()
    after = one_boot.written(kernels, choice.following, choice.default) if gives else kernels
    fallback = _judged(after, choice, timeout)
    there = choice.following in kernels.boot_entries and not due
    left = one_boot.on_trial(kernels, choice.following) and not fallback.once
    if there and not left and not _differing(one_boot.settings(kernels, choice.following, choice.default, fallback)):
        return words, fallback
    return [*words, _words(choice, fallback)], fallback


def asked(following: str, default: str, mode: str, timeout: float) -> Fallback | None:
    """What would become of a kernel that does not come up, on the node as it is. Changes nothing.

    Raises:
        FleetError: a fallback is required, and there can be none.
    """
    kernels, _images, _modules = boot.seen()
    if not kernels.boot_entries:
        return one_boot.unread(kernels, following, default, mode)
    return foresee(kernels, Choice(following, default, mode, unseen=False), timeout)[1]


def make(kernels: Kernel, choice: Choice, timeout: float) -> tuple[Kernel, Fallback]:
    """Write the menu if it is not right, choose, and read back.

    Raises:
        FleetError: a program failed, the menu lacks a kernel, another one boots, or a fallback is required and there is
            none.
    """
    if one_boot.to_write(kernels, choice.following, boot.has_part(), choice.unseen) and boot.writes_menus():
        boot.write_menu(timeout)
        kernels, _images, _modules = boot.seen()
    kernels = _equipped(kernels, choice, timeout)
    fallback = _judged(kernels, choice, timeout)
    told = _differing(one_boot.settings(kernels, choice.following, choice.default, fallback))
    if told:
        boot.tell(told, timeout)
        kernels, _images, _modules = boot.seen()
    refuse_other(kernels, choice.following)
    one_boot.refuse_other_default(kernels, choice.default if fallback.once else choice.following)
    return kernels, fallback


def prove(expected: reboot_proof.Expected, gpus: int, timeout: float) -> None:
    """Refuse a node that is not what it was rebooted for. A driver that is being loaded is waited for, and so are
    its GPUs: modprobe is content with a driver that drives none.

    Raises:
        FleetError: says what it is instead.
    """
    end = time.monotonic() + timeout
    while True:
        kernels, _images, modules = boot.seen()
        reboot_proof.refuse_boot(kernels, expected)
        if not (gpus and reboot_proof.waits(modules)) or modules.blacklisted_by or time.monotonic() > end:
            break
        time.sleep(PAUSE)
    reboot_proof.refuse_module(kernels, modules, expected, gpus)
    if expected.kind and gpus and modules.loaded:
        amdgpu.refuse_fewer(gpus, min(timeout, SETTLE))


def _equipped(kernels: Kernel, choice: Choice, timeout: float) -> Kernel:
    """The kernels, after the entry of one on trial was given what makes it go away, or that of one to keep freed of it.
    """
    if not boot.edits_entries():
        return kernels
    found = _judged(kernels, dc.replace(choice, mode=choice.mode if choice.mode == "none" else "auto"), timeout)
    if found.once and not found.panic:
        boot.edit_entry(choice.following, "--args", one_boot.TRIAL, timeout)
    elif not found.once and one_boot.on_trial(kernels, choice.following):
        boot.edit_entry(choice.following, "--remove-args", one_boot.TRIAL, timeout)
    else:
        return kernels
    return boot.seen()[0]


def _judged(kernels: Kernel, choice: Choice, timeout: float) -> Fallback:
    return one_boot.judge(kernels, choice.following, choice.default, boot.place(timeout), boot.config(choice.following),
                          choice.mode)


def _differing(wanted: t.Mapping[str, str]) -> dict[str, str]:
    found = boot.environment()
    return {name: value for name, value in wanted.items() if found.get(name, "") != value}


def _words(choice: Choice, fallback: Fallback) -> str:
    if fallback.once:
        return f"boot {choice.following} once, with {choice.default} as the default"
    return f"make {choice.following} the kernel that boots"
