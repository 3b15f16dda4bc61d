# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""All texts of a reservation as one set of files, and what a site chose of them."""

from __future__ import annotations

import dataclasses as dc
import json
import posixpath
import typing as t

from ..act.fileset import Wanted
from ..errors import DataError
from ..strict import Reader, from_json
from . import text_cdi, text_env, text_intent, text_service, text_slices, text_slurm, text_udev
from .record import PATH as PATH_OF_RECORD
from .record import text as text_of
from .shape import Record
from .text_groups import Seen, added, left, users
from .text_names import group
from .text_service import Boot
from .text_slices import Bounds
from .text_slurm import Slurm

PATH = "/etc/instinct/reservation.json"
_VERSION, _KIND = "v1", "reservation_settings"
_PATH, _UNIT, _DEVICE = r"/[^\s%]+", r"[^\s%]+", r"(?:/dev/|char-|block-)[^\s%]+"
_UID = r".+:[0-9]{1,10}"
_HINT = "remove it, and let the role gpu_reservation write it anew"
# What a service of the system does not see, or sees another of. source: systemd.exec(5), ProtectHome=, PrivateTmp=
_HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")


@dc.dataclass(frozen=True)
class Settings:
    """What a site chose.

    Attributes:
        intent_dir: where the readable intent lies.
        cdi: whether there is a specification for containers.
        bounds: of slices.
        slurm: what it has of Slurm.
        boot: when it is brought there at boot.
        files, groups, users: what the last set brought, so that the next can take away what is not wanted any more;
            users into the render group.
        uids: of users of tenants, for a node may not know them for a while.
    """

    intent_dir: str = "/etc/instinct"
    cdi: bool = True
    bounds: Bounds = dc.field(default_factory=Bounds)
    slurm: Slurm = dc.field(default_factory=Slurm)
    boot: Boot = dc.field(default_factory=Boot)
    files: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    uids: t.Mapping[str, int] = dc.field(default_factory=dict)

    @property
    def directories(self) -> tuple[str, ...]:
        """Where a site wants files."""
        files = filter(None, (self.slurm.gres, self.slurm.cgroup))
        return tuple(sorted({self.intent_dir, *map(posixpath.dirname, files)}))


def texts(
    record: Record, here: Record, now: Record, settings: Settings, seen: Seen,
) -> tuple[Wanted, ...]:
    """Every file of the set: those to write, those of the last set to remove, and last the settings that name them.

    Args:
        record: what the node was told, whatever the time.
        here: the same with the render nodes that devices have now.
        now: what of it holds now.
        settings: what the site chose, and what is there.
        seen: users and groups that the node has.

    Raises:
        FleetError: something of it cannot be written.
    """
    known = {**settings.uids, **seen.uids}
    uids = {user: known[user] for user in users(record) if user in known}
    found = {
        PATH_OF_RECORD: text_of(record), text_udev.PATH: text_udev.rules(now),
        **text_slices.slices(now, settings.bounds, uids, left(record, seen, uids)), **text_slices.limits(record),
        **text_service.service(settings.boot, settings.directories), **text_service.timer(record),
        **text_env.environments(now), **text_intent.intents(now, settings.intent_dir),
        **text_slurm.files(here, settings.slurm),
    }
    cdi = text_cdi.spec(now) if settings.cdi else None
    if cdi:
        found[text_cdi.PATH] = json.dumps(cdi, indent=1) + "\n"
    kept = dc.replace(settings, files=tuple(sorted(found)), groups=tuple(group(one.name) for one in record.tenants),
                      users=added(record, seen, settings.users), uids=uids)
    gone = (path for path in settings.files if path not in found)
    return (*(_file(path, text) for path, text in found.items()), *map(Wanted, gone), _file(PATH, written(kept)))


def nothing(settings: Settings) -> tuple[Wanted, ...]:
    """The set of a node without reservations: none of the last one's files is there."""
    return tuple(map(Wanted, (*settings.files, PATH)))


def _file(path: str, text: str) -> Wanted:
    return Wanted(path, text.encode(), owner="root", group="root")


def written(settings: Settings) -> str:
    """The settings as the node keeps them."""
    uids = sorted(f"{user}:{uid}" for user, uid in settings.uids.items())
    plain = {"version": _VERSION, "kind": _KIND, **dc.asdict(settings), "uids": uids}
    return json.dumps(plain, indent=1, sort_keys=True) + "\n"


def read(text: str, where: str = PATH) -> Settings:
    """The settings from their text.

    Raises:
        DataError: they are not of their form.
    """
    reader = _reader(text, where)
    found = settings(reader)
    reader.done()
    return found


def brought(text: str, where: str = PATH) -> Settings:
    """What the last set brought alone, whichever version of the collection wrote it. Errors as of ``read``."""
    reader = _reader(text, where)
    return Settings(files=reader.texts("files", ()), groups=reader.texts("groups", ()), users=reader.texts("users", ()),
                    uids=_uids(reader))


def _reader(text: str, where: str) -> Reader:
    reader = from_json(text, where, _HINT)
    reader.choice("version", (_VERSION,))
    reader.choice("kind", (_KIND,))
    return reader


def settings(reader: Reader) -> Settings:
    """The settings of a reader. Errors as of ``read``."""
    return Settings(
        _seen(reader.text("intent_dir", pattern=_PATH)), reader.flag("cdi", True),
        reader.record("bounds", lambda each: Bounds(each.texts("besides", pattern=_DEVICE), each.flag("bind", True))),
        reader.record("slurm", _slurm),
        reader.record("boot", lambda each: Boot(each.texts("before", pattern=_UNIT), each.count("wait") or 0)),
        reader.texts("files", ()), reader.texts("groups", ()), reader.texts("users", ()), _uids(reader))


def _uids(reader: Reader) -> dict[str, int]:
    parts = (one.rpartition(":") for one in reader.texts("uids", (), _UID))
    return {user: int(uid) for user, _colon, uid in parts}


def _seen(path: str) -> str:
    if any(f"{posixpath.normpath(path)}/".startswith(f"{hidden}/") for hidden in _HIDDEN):
        raise DataError(path, "is where the service instinct-reservation sees nothing", "choose a place as below /etc")
    return path


def _slurm(reader: Reader) -> Slurm:
    parameters, cores = reader.texts_by_name("parameters", _word), reader.texts_by_name("cores", _word)
    return Slurm(_seen(reader.text("gres", "", _PATH)), _seen(reader.text("cgroup", "", _PATH)), parameters,
                 {_number(node): cpus for node, cpus in cores.items()})


def _word(text: str) -> str:
    if set(text) & set(" \t\r\n#\"'\\="):
        raise DataError(repr(text), "is no word", "write it as one word")
    return text


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise DataError(f"cores of NUMA node {text!r}", "are of no number", "write it as in {0: 0-95, 1: 96-191}")
    return int(text)
