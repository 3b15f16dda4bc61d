# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A support bundle: files of a node that nobody can reach, read into a look with holes.

What no file tells is None with a reason, or a section that is not there: everything about it is unknown.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..faults.scan import Scan
from ..formats import klog, plainlog
from ..look import shape as lk
from ..look.log import Hit, Log
from ..look.settings import Settings
from . import gpus, hardware, system
from .facts import UNTOLD, Facts, untold
from .kind import KERNEL, PROGRAM, Kind, binary, kind_of, pieces, wishes

Plain = t.Mapping[str, t.Any]
NOT_UNDERSTOOD = "not understood"
_SETTING_FILES = (".conf", ".env", ".service", ".sh", ".yml", ".yaml", ".cfg", ".toml", "environment")


class Bundle:
    """Takes files one after another, then gives the look. It reads nothing itself."""

    def __init__(self, patterns: t.Sequence[Plain], setting_names: t.Sequence[Plain]) -> None:
        self._patterns = patterns
        self._names = {str(item["name"]): str(item["kind"]) for item in setting_names}
        self._facts = Facts()

    def is_log(self, file: str, head: str) -> bool:
        """Whether a file is to be given line by line: logs may be larger than memory."""
        kind = kind_of(file, head)
        return kind is not None and kind.handler is None

    def log(self, file: str, head: str, chunks: t.Iterable[bytes]) -> str:
        """Take a log; return what it is, in words."""
        kind = kind_of(file, head)
        return self._scan(file, kind.where if kind else PROGRAM, chunks, kind.name if kind else "output")

    def text(self, file: str, text: str) -> str:
        """Take a whole file; return what it told, in words.

        Raises:
            DataError: of a kind that is known, but not of the form it must have.
        """
        if binary(text):
            raise DataError(file, "is no text")
        told = gpus.kfd_file(self._facts, file, text)
        if told:
            return told
        return "; ".join(dict.fromkeys(self._piece(name, part) for name, part in pieces(file, text)))

    def _piece(self, file: str, text: str) -> str:
        kind = kind_of(file, text[:65536])
        if kind is None or kind.handler is None:
            return self._other(file, text, kind)
        told = kind.handler(self._facts, text)
        self._scan(file, kind.where or PROGRAM, [text.encode()], "")
        return told

    def _other(self, file: str, text: str, kind: Kind | None) -> str:
        """A log, the output of some program, or a file of settings."""
        if kind is not None:
            return self._scan(file, kind.where, [text.encode()], kind.name)
        if not text.strip():
            raise DataError(file, "is empty, which tells nothing", "see how its command ended")
        if wishes(text):
            return "wishes or words, not the state of a node"
        if file.endswith(_SETTING_FILES) or system.assignments(text):
            set_here = system.settings(self._facts, file, text, self._names)
            return f"settings: {set_here} of those that are known"
        before = len(self._facts.hits)
        self._scan(file, PROGRAM, [text.encode()], "")
        if len(self._facts.hits) == before:
            raise DataError(file, NOT_UNDERSTOOD)
        return "output of a program"

    def _scan(self, file: str, where: tuple[str, ...], chunks: t.Iterable[bytes], name: str) -> str:
        """Look for known lines; several places that a line may belong to are looked for in one pass."""
        scans = [Scan(self._patterns, place, file) for place in where]
        for line in klog.lines(chunks) if where == KERNEL else plainlog.lines(chunks):
            for scan in scans:
                scan.feed(line)
        lines = 0
        for scan in scans:
            read, hits = scan.result()
            lines = read.lines
            self._facts.reads += [read] if name and lines and read.where not in PROGRAM else []
            self._facts.hits += hits
        return f"{name}: {lines} lines"

    def look(self) -> lk.Look:
        """Return the look.

        Raises:
            DataError: files of the KFD topology do not fit together.
        """
        facts = self._facts
        parts = hardware.parts(facts)
        return lk.Look(
            os=_os(facts), kernel=_kernel(facts), packages=_packages(facts), dkms=_dkms(facts), driver=_driver(facts),
            firmware=parts.firmware, smi=_smi(facts), gpus=parts.gpus, devices=_devices(facts),
            processes=parts.processes, host=parts.host, log=_log(facts), health=parts.health,
            settings=_settings(facts, self._names),
        )


def _os(facts: Facts) -> lk.Os | None:
    release = facts.release
    if not release and not facts.architecture:
        return None
    # Whoever made the bundle ran as whom nobody knows; the readers of a look ask only to hint at root.
    section = lk.Os(
        id=release.get("ID"), id_like=tuple(release.get("ID_LIKE", "").split()), version_id=release.get("VERSION_ID"),
        codename=release.get("VERSION_CODENAME"), pretty_name=release.get("PRETTY_NAME"),
        architecture=facts.architecture, root=True)
    return dc.replace(section, unknown=untold(section))


def _kernel(facts: Facts) -> lk.Kernel | None:
    if facts.running is None and facts.cmdline is None:
        return None
    section = lk.Kernel(running=facts.running, cmdline=facts.cmdline)
    return dc.replace(section, unknown=untold(section))


def _packages(facts: Facts) -> lk.Packages | None:
    if not facts.packages:
        return None
    best = max(facts.packages, key=lambda listing: (listing.broken is not None, len(listing.installed)))
    suse = "suse" in facts.release.get("ID_LIKE", "")
    manager = "zypper" if suse else "dnf"
    section = lk.Packages("apt" if best.manager == "apt" else manager, best.installed, best.holds or (),
                          best.broken or ())
    known = [field for field in ("holds", "broken") if getattr(best, field) is not None]
    return dc.replace(section, unknown=untold(section, known))


def _dkms(facts: Facts) -> lk.Dkms | None:
    if not facts.dkms:
        return None
    modules = dict.fromkeys(module for status in facts.dkms for module in status.modules)
    errors = dict.fromkeys(error for status in facts.dkms for error in status.errors)
    return lk.Dkms(True, tuple(modules), tuple(errors))


def _driver(facts: Facts) -> lk.Driver | None:
    if facts.loaded is None and not facts.on_disk:
        return None
    disk = {item.kernel: item for item in facts.on_disk}
    version = facts.version if facts.loaded else None
    section = lk.Driver(loaded=facts.loaded, version=version, on_disk=tuple(disk.values()))
    # A loaded driver without a version is the one that came with the kernel; its absence is known then.
    known = ("version", "srcversion") if facts.in_tree or facts.loaded is False else ()
    return dc.replace(section, unknown=untold(section, known))


def _smi(facts: Facts) -> lk.Smi | None:
    if not facts.amdsmi and not facts.smi:
        return None
    answered = facts.amdsmi or "library_version" in facts.smi
    section = lk.Smi("amdsmi" if answered else "none", binding_version=facts.smi.get("binding_version"),
                     library_version=facts.smi.get("library_version"), error=facts.smi.get("error"))
    return dc.replace(section, unknown=untold(section, ("error",)))


def _devices(facts: Facts) -> lk.Devices | None:
    if not facts.devices:
        return None
    nodes = {node.path: node for node in facts.devices}
    return lk.Devices(tuple(nodes.values()), unknown=dict.fromkeys(("groups", "nodes.gid", "displays"), UNTOLD))


def _log(facts: Facts) -> Log | None:
    if not facts.reads and not facts.hits:
        return None
    read = {item.where for item in facts.reads}
    return Log(tuple(facts.reads), tuple(_once(facts)),
               {where: UNTOLD for where in ("kernel", "dkms", "packages") if where not in read})


def _once(facts: Facts) -> t.Iterator[Hit]:
    """Hits, each kernel message once: dmesg, journal and kern.log hold the same ones. The longest log goes before."""
    lines = {item.origin: item.lines for item in facts.reads}
    seen: dict[tuple[str, str], str] = {}
    for hit in sorted(facts.hits, key=lambda hit: -lines.get(hit.origin, 0)):
        first = seen.setdefault((hit.id, hit.subject), hit.origin)
        if hit.where not in KERNEL or first == hit.origin:
            yield hit


def _settings(facts: Facts, names: dict[str, str]) -> Settings | None:
    if facts.cmdline is None and not facts.setting_files:
        return None
    return Settings((*facts.settings, *system.kernel_settings(facts, names)), facts.setting_files)
