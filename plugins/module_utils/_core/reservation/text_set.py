# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""All texts of a reservation as one set of files, and what a site chose of them."""

from __future__ import annotations

import dataclasses as dc
import json

from ..act.fileset import Wanted
from ..errors import DataError
from ..strict import Reader, from_json
from . import text_cdi, text_env, text_intent, text_service, text_slices, text_slurm, text_udev
from .record import PATH as PATH_OF_RECORD
from .record import text as text_of
from .shape import Record
from .text_groups import Seen, added
from .text_names import group
from .text_service import Boot
from .text_slices import Bounds
from .text_slurm import Slurm

PATH = "/etc/instinct/reservation.json"
_VERSION, _KIND = "v1", "reservation_settings"
_PATH, _UNIT, _DEVICE = r"/\S+", r"[^\s%]+", r"(?:/dev/|char-|block-)[^\s%]+"
_HINT = "remove it, and let the role gpu_reservation write it anew"


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
    """

    intent_dir: str = "/etc/instinct"
    cdi: bool = True
    bounds: Bounds = dc.field(default_factory=Bounds)
    slurm: Slurm = dc.field(default_factory=Slurm)
    boot: Boot = dc.field(default_factory=Boot)
    files: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


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
    found = {
        PATH_OF_RECORD: text_of(record), text_udev.PATH: text_udev.rules(now),
        **text_slices.slices(now, settings.bounds, seen.uids), **text_slices.limits(record),
        **text_service.service(settings.boot), **text_service.timer(record),
        **text_env.environments(now), **text_intent.intents(now, settings.intent_dir),
        **text_slurm.files(here, settings.slurm),
    }
    cdi = text_cdi.spec(now) if settings.cdi else None
    if cdi:
        found[text_cdi.PATH] = json.dumps(cdi, indent=1) + "\n"
    kept = dc.replace(settings, files=tuple(sorted(found)), groups=tuple(group(one.name) for one in record.tenants),
                      users=added(record, seen, settings.users))
    gone = (path for path in settings.files if path not in found)
    return (*(_file(path, text) for path, text in found.items()), *map(Wanted, gone), _file(PATH, written(kept)))


def nothing(settings: Settings) -> tuple[Wanted, ...]:
    """The set of a node without reservations: none of the last one's files is there."""
    return tuple(map(Wanted, (*settings.files, PATH)))


def _file(path: str, text: str) -> Wanted:
    return Wanted(path, text.encode(), owner="root", group="root")


def written(settings: Settings) -> str:
    """The settings as the node keeps them."""
    return json.dumps({"version": _VERSION, "kind": _KIND, **dc.asdict(settings)}, indent=1, sort_keys=True) + "\n"


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
    return Settings(files=reader.texts("files", ()), groups=reader.texts("groups", ()), users=reader.texts("users", ()))


def _reader(text: str, where: str) -> Reader:
    reader = from_json(text, where, _HINT)
    reader.choice("version", (_VERSION,))
    reader.choice("kind", (_KIND,))
    return reader


def settings(reader: Reader) -> Settings:
    """The settings of a reader. Errors as of ``read``."""
    return Settings(
        reader.text("intent_dir", pattern=_PATH), reader.flag("cdi", True),
        reader.record("bounds", lambda each: Bounds(each.texts("besides", pattern=_DEVICE), each.flag("bind", True))),
        reader.record("slurm", _slurm),
        reader.record("boot", lambda each: Boot(each.texts("before", pattern=_UNIT), each.count("wait") or 0)),
        reader.texts("files", ()), reader.texts("groups", ()), reader.texts("users", ()))


def _slurm(reader: Reader) -> Slurm:
    parameters, cores = reader.texts_by_name("parameters", _word), reader.texts_by_name("cores", _word)
    return Slurm(reader.text("gres", "", _PATH), reader.text("cgroup", "", _PATH), parameters,
                 {_number(node): cpus for node, cpus in cores.items()})


def _word(text: str) -> str:
    if set(text) & set(" \t\r\n#\"'\\="):
        raise DataError(repr(text), "is no word", "write it as one word")
    return text


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise DataError(f"cores of NUMA node {text!r}", "are of no number", "write it as in {0: 0-95, 1: 96-191}")
    return int(text)
