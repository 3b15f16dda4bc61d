# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The amdgpu module: loaded, on disk for each kernel, and what keeps it from loading."""

from __future__ import annotations

import lzma
import typing as t

from .._core.formats import modinfo
from .._core.formats.text import blacklisting_arguments, blacklisting_lines
from .._core.look.shape import Driver, OnDisk
from . import dkms, kernel
from .apart import UnreadableError
from .machine import Machine
from .notes import Notes

_MODULE = "amdgpu"
_LOADED = f"/sys/module/{_MODULE}"
# A file hides files of the same name in the directories behind it. source: modprobe.d(5)
_MODPROBE_DIRS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
                  "/lib/modprobe.d")


def initstate(machine: Machine) -> str | None:
    """Return live, coming or going; None if the module is not loaded."""
    return machine.word(f"{_LOADED}/initstate")


def read(machine: Machine, running: str | None, next_boot: str | None) -> Driver:
    """Read the driver section."""
    notes = Notes()
    loaded = machine.exists(_LOADED)
    srcversion = notes.attempt("srcversion", None, machine.word, f"{_LOADED}/srcversion")
    on_disk = tuple(_on_disk(machine, notes, {running, next_boot}))
    same = None
    if loaded:
        same = notes.attempt("loaded_is_on_disk", None, _same, srcversion, on_disk, running)
    return Driver(
        loaded=loaded, initstate=notes.attempt("initstate", None, initstate, machine),
        version=notes.attempt("version", None, machine.word, f"{_LOADED}/version"), srcversion=srcversion,
        on_disk=on_disk, loaded_is_on_disk=same, blacklisted_by=tuple(_blacklists(machine, notes)),
        parameters=_parameters(machine, notes), unknown=notes,
    )


def _same(srcversion: str | None, on_disk: t.Iterable[OnDisk], running: str | None) -> bool:
    here = next((disk for disk in on_disk if disk.kernel == running), None)
    if here is None:
        return False
    if srcversion is None or here.srcversion is None:
        raise UnreadableError("no srcversion " + ("of the loaded module" if srcversion is None else f"in {here.path}"))
    return srcversion == here.srcversion


def _on_disk(machine: Machine, notes: Notes, needed: t.Collection[str | None]) -> t.Iterator[OnDisk]:
    links = notes.attempt("on_disk", (), dkms.links, machine)
    for release in notes.attempt("on_disk", (), machine.names, "/lib/modules"):
        directory = f"/lib/modules/{release}"
        modules = notes.attempt("on_disk", None, machine.text, f"{directory}/modules.dep")
        path = modinfo.module_path(modules or "", _MODULE)
        if path is None:
            continue
        kind = modinfo.kind(path, links, release)
        # Opening a compressed module of some 20 MB takes a fifth of a second, so it is done only where it matters.
        spare = kind == "in_tree" and release not in needed
        read = None if spare else notes.attempt(f"on_disk.{release}", None, _fields, machine, f"{directory}/{path}")
        fields = read or {}
        yield OnDisk(release, f"{directory}/{path}", kind, fields.get("version"), fields.get("srcversion"),
                     fields.get("signer"))


def _fields(machine: Machine, path: str) -> dict[str, str]:
    """Read the module file itself where Python can; zstd needs modinfo."""
    if path.endswith((".ko", ".ko.xz")):
        data = machine.data(path)
        if data is None:
            raise UnreadableError(f"{path} is in modules.dep but does not exist; run depmod")
        try:
            return modinfo.parse_elf(data if path.endswith(".ko") else lzma.decompress(data), path)
        except (lzma.LZMAError, EOFError):
            raise UnreadableError(f"{path} is damaged") from None
    ran = machine.run("modinfo", path)
    if ran.code:
        raise UnreadableError(f"modinfo {path}: {ran.stderr.strip()}")
    return modinfo.parse_output(ran.stdout)


def _blacklists(machine: Machine, notes: Notes) -> t.Iterator[str]:
    for path, line in blacklists(machine, notes, _MODULE):
        yield f"{path}: {line}"
    cmdline = notes.attempt("blacklisted_by", None, kernel.command_line, machine)
    for word in blacklisting_arguments(cmdline or "", _MODULE):
        yield f"kernel command line: {word}"


def blacklists(machine: Machine, notes: Notes, module: str) -> t.Iterator[tuple[str, str]]:
    """Yield the lines of modprobe.d files that keep a module from being loaded, with their files."""
    seen: set[str] = set()
    for directory in _MODPROBE_DIRS:
        for name in notes.attempt("blacklisted_by", (), machine.names, directory):
            if not name.endswith(".conf") or name in seen:
                continue
            seen.add(name)
            text = notes.attempt("blacklisted_by", None, machine.text, f"{directory}/{name}") or ""
            for line in blacklisting_lines(text, module):
                yield f"{directory}/{name}", line


def _parameters(machine: Machine, notes: Notes) -> dict[str, str]:
    directory = f"{_LOADED}/parameters"
    values = {}
    for name in notes.attempt("parameters", (), machine.names, directory):
        value = notes.attempt(f"parameters.{name}", None, machine.word, f"{directory}/{name}")
        if value is not None:
            values[name] = value
    return values
