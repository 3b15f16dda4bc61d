# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Where names that were asked for are set. Files are searched for those names; no other value leaves the node."""

from __future__ import annotations

import re
import stat
import typing as t

from .._core.formats import settings_text
from .._core.look.shape import Setting, Settings
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

Plain = t.Mapping[str, t.Any]

_MOST_FILES, _MOST_BYTES, _MOST_FOUND = 800, 256 << 10, 500
_ARGUMENTS = ("/proc/cmdline", "/etc/kernel/cmdline")
_FILES = ("/etc/environment", "/etc/profile", "/etc/rc.local", "/etc/sysctl.conf", "/etc/sysfs.conf",
          "/etc/systemd/system.conf", "/etc/docker/daemon.json")
# Folders, and what files in them must be called.
_FOLDERS = (
    ("/etc/environment.d", r"\.conf$"), ("/etc/profile.d", r"\.c?sh$"), ("/etc/default", ""),
    ("/etc/default/grub.d", r"\.cfg$"), ("/etc/sysconfig", ""), ("/etc/modprobe.d", r"\.conf$"),
    ("/run/modprobe.d", r"\.conf$"), ("/etc/sysctl.d", r"\.conf$"), ("/etc/sysfs.d", r"\.conf$"),
    ("/etc/udev/rules.d", r"\.rules$"), ("/etc/tmpfiles.d", r"\.conf$"), ("/etc/cron.d", ""),
    ("/etc/systemd/system.conf.d", r"\.conf$"),
    ("/etc/kubernetes/manifests", r"\.ya?ml$"), ("/etc/cdi", r"\.(ya?ml|json)$"),
)
# Folders with folders in them.
_DEEP = (
    ("/etc/systemd/system", r"\.(service|slice|scope|conf)$"), ("/etc/containers/systemd", ""), ("/etc/slurm", ""),
    ("/etc/slurm-llnl", ""), ("/opt", r"^(docker-)?compose\.ya?ml$"), ("/srv", r"^(docker-)?compose\.ya?ml$"),
    ("/etc/docker/compose", r"^(docker-)?compose\.ya?ml$"),
)
_YAML = re.compile(r"\.ya?ml$")
_GRUB = re.compile(r"^/etc/default/grub")
_UNITS = ("/etc/systemd/system/", "/etc/containers/systemd/")
_PACKAGED = ("/usr/", "/lib/", "/dev/")  # what links in /etc/systemd/system lead to: not what an operator wrote


def read(machine: Machine, names: t.Sequence[Plain]) -> Settings:
    """Read the section. ``names`` has name and kind each."""
    notes = Notes()
    search = _Search(machine, notes, settings_text.Names((name["name"], name["kind"]) for name in names))
    if any(name["kind"] not in ("file", "sysfs") for name in names) or any("/" not in name["name"] for name in names):
        search.everything()
    there = [Setting(name["name"], None, name["kind"], name["name"]) for name in names
             if name["kind"] in ("file", "sysfs") and name["name"].startswith("/") and machine.exists(name["name"])]
    found = there + search.found
    if len(found) > _MOST_FOUND:
        notes["settings"] = f"there are {len(found)}; the first {_MOST_FOUND} are told"
    return Settings(tuple(found[:_MOST_FOUND]), search.files, notes)


class _Search:
    """Searches files, each once."""

    def __init__(self, machine: Machine, notes: Notes, names: settings_text.Names) -> None:
        self._machine, self._notes, self._names = machine, notes, names
        self._seen: set[str] = set()
        self.found: list[Setting] = []
        self.files = 0

    def everything(self) -> None:
        """Search all places."""
        try:
            for path in _ARGUMENTS:
                self.found += self._names.in_arguments(self._text(path), path)
            for path in _FILES:
                self._file(path)
            for folder, pattern in _FOLDERS:
                self._folder(folder, pattern)
            for folder, pattern in _DEEP:
                for name in self._list(folder):
                    if not name.endswith((".wants", ".requires")):
                        self._folder(f"{folder}/{name}", pattern)
                self._folder(folder, pattern)
        except UnreadableError as error:
            self._notes.setdefault("files", f"{self.files} were searched: {error}")

    def _list(self, folder: str) -> tuple[str, ...]:
        return self._notes.attempt(folder, (), self._machine.names, folder)

    def _folder(self, folder: str, pattern: str) -> None:
        for name in self._list(folder):
            if re.search(pattern, name):
                self._file(f"{folder}/{name}")

    def _file(self, path: str, holder: str | None = None) -> None:
        text = self._text(path)
        if not text:
            return
        if _GRUB.match(path):
            for number, line in enumerate(text.split("\n"), 1):
                if line.startswith("GRUB_CMDLINE_LINUX"):
                    self.found += self._names.in_arguments(line.partition("=")[2], path, number)
        else:
            self.found += self._names.in_text(text, path, holder or _unit(path), bool(_YAML.search(path)))
        if path.startswith(_UNITS):
            for more in settings_text.environment_files(text):
                self._file(more, _unit(path))
        if path.endswith("/slurm.conf"):
            for more in settings_text.job_scripts(text):
                self._file(more)

    def _text(self, path: str) -> str:
        """Return the text of a file that was not searched yet, nothing of one that no operator wrote.

        Raises:
            UnreadableError: there is no time left, or there are too many files.
        """
        self._machine.left()
        if path in self._seen or self._packaged(path) or not self._notes.attempt(path, False, self._regular, path):
            return ""
        self._seen.add(path)
        text = self._notes.attempt(path, None, self._machine.head, path, _MOST_BYTES + 1)
        if text is None:
            return ""
        if self.files == _MOST_FILES:
            raise UnreadableError("there are more")
        self.files += 1
        if len(text) > _MOST_BYTES:
            self._notes[path] = f"it was searched for its first {_MOST_BYTES >> 10} KiB"
        return "" if "\0" in text else text

    def _regular(self, path: str) -> bool:
        """Whether it is a file: opening something else may take forever."""
        status = self._machine.stat(path)
        return status is not None and stat.S_ISREG(status.st_mode)

    def _packaged(self, path: str) -> bool:
        return path.startswith(_UNITS) and (self._machine.link(path) or "").startswith(_PACKAGED)


def _unit(path: str) -> str | None:
    """Return the unit that a file belongs to: by its name, or by that of its folder of drop-ins."""
    if not path.startswith(_UNITS):
        return None
    folder, name = path.rsplit("/", 2)[1:]
    return folder[:-2] if folder.endswith(".d") else name
