# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""How much an upgrade takes: room on which disks, and time for which steps."""

from __future__ import annotations

import typing as t

from ..act import snapshot
from ..act.room import MIB
from ..plan.wording import counted
from .due import Due, Plain
from .typical import Typical


def of_snapshot(answer: Plain) -> list[dict[str, t.Any]]:
    """What a snapshot will add, as node_snapshot says in check mode; nothing where it does not say."""
    room = answer.get("room") or 0
    need = {"directory": snapshot.PLACE, "mib": -(-room // MIB), "what": "the snapshot", "assumed": False}
    return [need] if room else []


def needs(seen: Due, typical: Typical) -> list[dict[str, t.Any]]:
    """What must fit besides the packages that apt tells the sizes of: ``{directory, mib, what, assumed}``."""
    found: list[tuple[str, str, str, int]] = []
    many = len(seen.builds)
    if many:
        found += [("/var/lib/dkms", "build", "the build of the driver", 1),
                  ("/lib/modules", "module", f"the driver's modules for {counted(many, 'kernel')}", many)]
    if seen.has("trial"):
        found.append(("/var/tmp", "trial", "the build on trial", 1))
    if seen.new:
        found.append(("/boot", "kernel_boot", f"kernel {seen.kernel}", 1))
    if seen.manager != "apt":
        found += [("/usr", "kernel", f"kernel {seen.kernel}", 1)] if seen.new else []
        found += [("/usr", "driver", "the driver's packages", 1)] if seen.installs("gpu_driver") else []
        found += [("/opt", "rocm", "ROCm", 1)] if seen.installs("rocm_userspace") else []
    return [{"directory": where, "mib": typical.sizes[what] * times // MIB, "what": words, "assumed": True}
            for where, what, words, times in found]


def images(seen: Due) -> int:
    """How many initramfs images must fit in /boot besides those that are there now.

    A tool writes the new image beside the old one, so the largest must fit once more even if none is added.
    """
    makes = seen.new or bool(seen.builds) or seen.has("initramfs")
    return (2 if seen.new else 1) if makes else 0


def timing(seen: Due, typical: Typical) -> dict[str, int]:
    """Seconds that each step is expected to take. How long jobs run nobody knows, so the drain is not among them."""
    builds, product = len(seen.builds) * typical.takes("build", seen.product), seen.product
    apply = {
        "packages": seen.installs("gpu_driver"), "rocm": seen.has("evict") or seen.installs("rocm_userspace"),
        "initramfs": seen.has("initramfs") or seen.new, "load": seen.has("load"),
        "partition": any(role == "gpu_partition" for role, _action, _data in seen.steps),
        "firmware": any(role == "gpu_firmware" for role, _action, _data in seen.steps),
    }
    return {
        "snapshot": typical.takes("snapshot", product),
        "trial": builds if seen.has("trial") else 0,
        "apply": builds + sum(typical.takes(what, product) for what, is_so in apply.items() if is_so),
        "reboot": typical.takes("reboot", product) if seen.has("reboot") else 0,
        "gate": typical.takes("gate", product) + typical.takes("look", product),
    }
