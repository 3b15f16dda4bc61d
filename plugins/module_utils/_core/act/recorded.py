# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Whether a node is what its record says: only then what is there now is worth to be kept."""

from __future__ import annotations

import typing as t

from ..errors import FleetError
from ..look.shape import Package

if t.TYPE_CHECKING:
    from ..plan.record import Record

NO_RECORD = "run site.yml, which brings the node to a release and records it"
_MEND = "run site.yml or drift.yml to see what differs"


def refuse_unrecorded(path: str, found: bool) -> None:
    """Refuse a node without a record: nobody could say what to go back to.

    Raises:
        FleetError: there is none.
    """
    if not found:
        raise FleetError(path, "is not there, so what this node is cannot be kept", NO_RECORD)


def refuse_moved(record: Record, installed: t.Mapping[str, Package], rocm: t.Collection[str]) -> None:
    """Refuse what is half done, or was changed by another hand. ``rocm``: versions of ROCm that are installed.

    Raises:
        FleetError: names what is otherwise than recorded.
    """
    for name, version in record.packages.items():
        there = installed.get(name)
        if there is None or there.version != version:
            is_ = there.version if there else "not installed"
            raise FleetError(name, f"is {is_}, and the node recorded {version} with {record.release}, so it is not "
                             "what could be kept", _MEND)
    if rocm and record.rocm not in rocm:
        raise FleetError("ROCm", f"is {', '.join(sorted(rocm))}, and the node recorded {record.rocm} with "
                         f"{record.release}, so it is not what could be kept", _MEND)


def refuse_broken(broken: t.Sequence[Package]) -> None:
    """Refuse where the package manager is half done.

    Raises:
        FleetError: names the packages.
    """
    if broken:
        raise FleetError(", ".join(p.name for p in broken), f"{'is' if len(broken) == 1 else 'are'} half installed, so "
                         "this node is not what could be kept", "repair it (dpkg --configure -a), or run site.yml")


def refuse_kernel(kernel: str, image: bool, headers: bool, needs_headers: bool) -> None:
    """Refuse where the kernel to go back to is not there whole: it is not kept, it stays installed.

    Raises:
        FleetError: says what is missing.
    """
    missing = [name for name, there in (("image", image), ("headers", headers or not needs_headers)) if not there]
    if missing:
        raise FleetError(f"kernel {kernel}", f"is recorded, and its {' and '.join(missing)} are not installed, so this "
                         "node could not come back to it", "install them, or run site.yml")
