# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node answers before an upgrade: is its package manager free, has it what will be installed, is there room, can
it come back?"""

from __future__ import annotations

import contextlib
import dataclasses as dc
import glob
import os
import typing as t

from .._core.act import room
from .._core.act.check import OK, REFUSED, UNKNOWN, Check
from .._core.act.offers import Asked, chosen
from .._core.errors import FleetError
from .._core.plan.wording import counted
from . import choice, snapshots
from .dpkg_lock import await_packages
from .offers import View, ask, view
from .outcome import of_system
from .process import run

ROOT = "/"
IMAGES = ("boot/initrd.img-*", "boot/initramfs-*.img", "boot/initrd-*")
# Where a process that works on packages writes its number. source: dnf 4, lock.py; libzypp, ZYppGlobalLock
PIDS = {"dnf": ("var/cache/dnf/metadata_lock.pid", "var/lib/dnf/rpmdb_lock.pid"), "zypper": ("run/zypp.pid",)}
_QUICK = 60
Coming = tuple[tuple[str, str], ...]


@dc.dataclass(frozen=True)
class Question:
    """What will be installed and removed, as a step "available" has it, and how long to wait."""

    asked: tuple[Asked, ...]
    removals: tuple[str, ...]
    files: t.Sequence[t.Mapping[str, t.Any]]
    keys: t.Sequence[t.Mapping[str, str]]
    together: bool
    timeout: float


def free(manager: str, timeout: float) -> Check:
    """Whether nobody else works on packages. The lock of dpkg is waited for."""
    try:
        if manager == "apt":
            await_packages(timeout)
        for path in PIDS.get(manager, ()):
            _refuse_alive(os.path.join(ROOT, path))
    except FleetError as error:
        return Check("package manager", REFUSED, error.sentence)
    return Check("package manager", OK, f"nobody works with {manager}")


def _refuse_alive(path: str) -> None:
    with contextlib.suppress(OSError, ValueError), open(path, encoding="utf-8") as stream:
        pid = int(stream.read())
        with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
            raise FleetError(path, f"process {pid} ({name.read().strip()}) works on packages",
                             "wait for it to end, then run again; nothing was changed")


def keeps(timeout: float, lock_timeout: float) -> dict[str, t.Any]:
    """What a snapshot would come to, or why there can be none. What was looked at to tell is of no use to anybody."""
    return _answer(lambda: {name: value for name, value in snapshots.take(True, timeout, lock_timeout).values.items()
                            if name in ("id", "room", "fetch", "notes")})


def comes_back(asked: t.Mapping[str, str], timeout: float) -> dict[str, t.Any]:
    """What becomes of a kernel that does not come up, or why it must not be tried."""

    def answer() -> dict[str, t.Any]:
        found = choice.asked(asked["next"], asked["default"], asked["fallback"], timeout)
        return {"fallback": found.to_dict() if found else None}

    return _answer(answer)


def _answer(ask_it: t.Callable[[], dict[str, t.Any]]) -> dict[str, t.Any]:
    """The answer, or a refusal as a module would tell it: the next question is asked all the same."""
    try:
        return ask_it()
    except FleetError as error:
        return {"failed": True, "msg": error.sentence}
    except OSError as error:
        return {"failed": True, "msg": of_system(error).sentence}


def offered(
    manager: str, question: Question, places: t.Sequence[room.Place],
) -> tuple[tuple[Check, ...], tuple[room.Need, ...]]:
    """Whether the repositories have all of it and it goes together, and the room that it takes."""
    name = "packages"
    if manager != "apt":
        return (Check(name, UNKNOWN, f"{manager} cannot be asked before its repositories are written"),), ()
    if not question.asked and not question.removals:
        return (), ()
    try:
        with view(question.files, question.keys) as apt:
            there, simulation = ask(apt, question.asked, question.removals, question.together, question.timeout)
            coming = room.parse_coming(simulation) if question.together else tuple(
                (one.name, chosen(one, there) or "") for one in question.asked)
            sizes = _sizes(apt, coming)
    except FleetError as error:
        return (Check(name, REFUSED, error.sentence),), ()
    untold = room.untold(coming, sizes)
    words = f"{len(coming)} on offer" + (f", {untold} of which do not tell how large they are" if untold else "")
    return (Check(name, OK, words),), room.of_packages(coming, sizes, _installed(), places)


def _sizes(apt: View, coming: Coming) -> dict[tuple[str, str], room.Size]:
    if not coming:
        return {}
    named = [f"{name}={version}" for name, version in coming]
    return room.parse_sizes(apt.apt(["apt-cache", "show", *named], _QUICK).out)


def _installed() -> dict[str, int]:
    return room.parse_installed(
        run(["dpkg-query", "--show", "--showformat=${Package} ${Installed-Size}\\n"], _QUICK).out)


def roomy(
    needs: tuple[room.Need, ...], images: int, image_mib: int, spare_mib: int,
) -> tuple[tuple[Check, ...], list[dict[str, t.Any]]]:
    """Whether all of it fits, and the file systems that it would be on."""
    if images:
        largest = _largest_image()
        size = images * (largest or image_mib * room.MIB)
        needs += (room.Need("/boot", size, counted(images, "initramfs image"), assumed=not largest),)
    if not needs:
        return (), []
    rooms = [_seen(directory) for directory in dict.fromkeys(need.directory for need in needs)]
    verdict, words = room.judged(needs, rooms, spare_mib * room.MIB)
    plain = [{"mount": mount, "free_mib": left // room.MIB}
             for mount, left in {one.mount: one.free for one in rooms}.items()]
    return (Check("room", verdict, "; ".join(words)),), plain


def _largest_image() -> int:
    """Bytes of the largest initramfs in /boot; 0 without one."""
    paths = (path for pattern in IMAGES for path in glob.glob(os.path.join(ROOT, pattern)))
    return max((os.stat(path).st_size for path in paths if os.path.isfile(path)), default=0)


def _seen(directory: str) -> room.Room:
    """The file system that a directory is on, or will be on once it is made."""
    path = os.path.join(ROOT, directory.lstrip("/"))
    while not os.path.exists(path):
        path = os.path.dirname(path)
    path = os.path.realpath(path)
    device, told = os.stat(path).st_dev, os.statvfs(path)
    while path != "/" and os.stat(os.path.dirname(path)).st_dev == device:
        path = os.path.dirname(path)
    return room.Room(directory, device, path, told.f_bavail * told.f_frsize, bool(told.f_flag & os.ST_RDONLY))
