# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Carries out a plan of settings: files first, then what runs, then what boots."""

from __future__ import annotations

import typing as t

from .._core.errors import FleetError
from .._core.tuning.plan import Plan
from .._core.tuning.texts import UNIT_NAME
from . import boot
from .files import replace_all
from .process import run
from .tuning_seen import proc


def carry_out(plan: Plan, timeout: float) -> None:
    """Do what the plan says. What was before is written down before the first change.

    Raises:
        FleetError: a program failed or did not end, or the kernel does not take a value.
    """
    if plan.stop:
        _run(["systemctl", "disable", "--now", UNIT_NAME], timeout)
    replace_all(plan.files)
    if plan.reload:
        _run(["systemctl", "daemon-reload"], timeout)
    for name, value in plan.sysctls.items():
        _sysctl(name, value)
    if plan.start:
        _run(["systemctl", "enable", UNIT_NAME], timeout)
        _run(["systemctl", "restart", UNIT_NAME], timeout)
    for bdf, value in plan.registers.items():
        _run(["setpci", "-s", bdf, f"ECAP_ACS+6.w={value}"], timeout)
    for edit in plan.edits:
        boot.edit_entry(edit.kernel, edit.option, " ".join(edit.words), timeout)
    if plan.menu:
        boot.write_menu(timeout)
    replace_all(plan.closing)


def _sysctl(name: str, value: str) -> None:
    try:
        with open(proc(name), "w", encoding="ascii") as file:
            file.write(f"{value}\n")
    except OSError as error:
        raise FleetError(f"sysctl {name}", f"the kernel does not take {value}: {error.strerror}",
                         "correct the value, or name the setting in host_tuning_skip") from error


def _run(command: t.Sequence[str], timeout: float) -> None:
    done = run(command, timeout)
    if done.timed_out:
        raise FleetError(" ".join(command), f"did not end within {timeout:.0f} s", "what it was doing may be half done")
    if done.code:
        said = " ".join((done.err or done.out).split()[-60:])
        raise FleetError(" ".join(command), f"ended with {done.code}: {said}", f"see journalctl -u {UNIT_NAME}"
                         if UNIT_NAME in command else "mend that, then run again")
