# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a machine's processor is made: by KVM where that works, else by emulation, which works everywhere."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from simhost.errors import SimError

QEMU = "qemu-system-x86_64"
CHOICE = "INSTINCT_MACHINE_ACCEL"  # kvm or tcg; where it is not set, what works
# Nested virtualization seldom lets the guest's bits of that register be set.
WAYS = {
    "kvm": ["-accel", "kvm", "-cpu", "host,arch-capabilities=off"],
    "tcg": ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max,la57=off"],
}
# /dev/kvm may be there without the processor's help (a host that is a guest itself): then no stock kernel starts.
HELP = re.compile(r"^flags\s*:.*\b(vmx|svm)\b", re.MULTILINE)
ASKING = '{"execute":"qmp_capabilities"}\n{"execute":"quit"}\n'


def works(way: str) -> bool:
    """Whether a machine of that kind can be made at all.

    Raises:
        SimError: there is no QEMU.
    """
    command = [QEMU, *WAYS[way], "-m", "64", "-display", "none", "-nodefaults", "-no-user-config", "-qmp", "stdio"]
    try:
        return subprocess.run(command, check=False, capture_output=True, input=ASKING, text=True,
                              timeout=30).returncode == 0
    except FileNotFoundError as error:
        raise SimError(f"there is no {QEMU}; tests/tools/bootstrap installs what is needed") from error
    except subprocess.TimeoutExpired:
        return False


def chosen() -> str:
    """Which way machines are started.

    Raises:
        SimError: the environment asks for a way that there is none of.
    """
    told = os.environ.get(CHOICE, "")
    if told not in ("", *WAYS):
        raise SimError(f"{CHOICE} is {told!r}; there are {', '.join(WAYS)}")
    helped = HELP.search(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return told or ("kvm" if helped and os.access("/dev/kvm", os.R_OK | os.W_OK) and works("kvm") else "tcg")
