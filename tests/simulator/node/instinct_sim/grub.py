# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel GRUB starts next: a reader of grub.cfg and grubenv, as far as grub-mkconfig writes them."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t
from pathlib import Path

from .errors import SimError

ENTRY = re.compile(r"^\s*(menuentry|submenu)\s+'([^']*)'(?:.*\$menuentry_id_option\s+'([^']*)')?")
KERNEL = re.compile(r"^\s*linux\s+(\S*/vmlinuz-(\S+))\s*(.*)$")
INITRD = re.compile(r"^\s*initrd\s+(\S+)")
DEFAULT = re.compile(r'^\s*set default="([^"]*)"')
# What a menu sets in a boot that was chosen for once alone, and where a variable stands.
ONCE = re.compile(r'^if \[ "\$\{boot_once\}" = true \]; then\n((?:[^\n]*\n)*?)fi$', re.MULTILINE)
SET = re.compile(r'^\s*set (\w+)="?([^"\n]*)"?$', re.MULTILINE)
VARIABLE = re.compile(r"\$\{?(\w+)\}?")
SIZE = 1024
HEADER = "# GRUB Environment Block\n"


@dc.dataclass
class Entry:
    """A menu entry, or a submenu with its entries."""

    title: str
    id: str
    entries: list[Entry] = dc.field(default_factory=list)
    image: str = ""
    release: str = ""
    arguments: str = ""
    initrd: str = ""


def menu(text: str) -> list[Entry]:
    """The entries of a grub.cfg."""
    top = Entry("", "")
    stack = [top]
    depths = [0]
    depth = 0
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            continue
        started = ENTRY.match(line)
        if started:
            entry = Entry(started[2], started[3] or "")
            stack[-1].entries.append(entry)
            stack.append(entry)
            depths.append(depth)
        kernel, initrd = KERNEL.match(line), INITRD.match(line)
        if kernel:
            stack[-1].image, stack[-1].release, stack[-1].arguments = kernel[1], kernel[2], " ".join(kernel[3].split())
        elif initrd:
            stack[-1].initrd = initrd[1]
        depth += len(re.findall(r"(?<!\$)\{", line)) - len(re.findall(r"(?<!\w)\}", line))
        while len(depths) > 1 and depth <= depths[-1]:
            depths.pop()
            stack.pop()
    return top.entries


def find(entries: t.Sequence[Entry], path: str) -> Entry | None:
    """The entry that a default names: number, id or title, with > between levels."""
    head, _, rest = path.partition(">")
    for number, entry in enumerate(entries):
        if head in (str(number), entry.id, entry.title):
            return find(entry.entries, rest or "0") if entry.entries else entry
    return None


def read_environment(path: Path) -> dict[str, str]:
    """The variables of an environment block; none if there is no such file."""
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        key: value
        for key, equals, value in (line.partition("=") for line in lines if not line.startswith("#"))
        if equals
    }


def write_environment(path: Path, values: t.Mapping[str, str]) -> None:
    """Write an environment block of the right size."""
    text = HEADER + "".join(f"{key}={value}\n" for key, value in values.items())
    path.write_text(text + "#" * (SIZE - len(text)), encoding="utf-8")


def wanted(text: str, environment: t.Mapping[str, str]) -> str:
    """The default of a grub.cfg, when its variables are these."""
    if environment.get("next_entry"):
        return environment["next_entry"]
    defaults = [match[1] for match in map(DEFAULT.match, text.splitlines()) if match and "next_entry" not in match[1]]
    default = defaults[-1] if defaults else "0"
    return environment.get("saved_entry") or "0" if "saved_entry" in default else default


def expanded(arguments: str, text: str, once: bool) -> str:
    """Arguments of a kernel with GRUB's variables in them; one that nobody sets is empty."""
    variables = dict(pair for part in ONCE.findall(text) for pair in SET.findall(part)) if once else {}
    return " ".join(VARIABLE.sub(lambda match: variables.get(match[1], ""), arguments).split())


def version_key(release: str) -> list[tuple[int, int | str]]:
    """Sorts kernel releases as people do: numbers by value."""
    return [(1, int(part)) if part.isdigit() else (0, part) for part in re.findall(r"\d+|[^\d.]+", release)]


def files_of_their_own(boot: Path) -> list[Entry]:
    """The entries of kernels that have a file each, the newest first. source: The Boot Loader Specification"""
    found = []
    for path in (boot / "loader" / "entries").glob("*.conf"):
        lines = (line.partition(" ") for line in path.read_text(encoding="utf-8").splitlines())
        fields = {key: value.strip() for key, _blank, value in lines}
        image = fields.get("linux", "")
        release = image.rpartition("/vmlinuz-")[2]
        found.append(Entry(fields.get("title", ""), path.stem, [], image, release, fields.get("options", ""),
                           fields.get("initrd", "")))  # fmt: skip
    return sorted(found, key=lambda entry: version_key(entry.release), reverse=True)


def choose(boot: Path) -> Entry:
    """The entry that starts now; a choice for one boot only is used up.

    Raises:
        SimError: there is no kernel, or the one chosen cannot start.
    """
    folder = next((boot / name for name in ("grub", "grub2") if (boot / name / "grub.cfg").exists()), boot / "grub")
    config = folder / "grub.cfg"
    releases = sorted((path.name[len("vmlinuz-") :] for path in boot.glob("vmlinuz-*")), key=version_key)
    entry: Entry | None = None
    if config.exists():
        environment = read_environment(folder / "grubenv")
        text = config.read_text(encoding="utf-8")
        of_their_own = files_of_their_own(boot) if re.search(r"^\s*blscfg$", text, re.MULTILINE) else []
        entries = [*of_their_own, *menu(text)]
        entry = find(entries, wanted(text, environment)) or (find(entries, "0") if entries else None)
        once = bool(environment.get("next_entry"))
        if once:
            write_environment(folder / "grubenv", {**environment, "next_entry": ""})
        if entry is not None:
            entry.arguments = expanded(entry.arguments, text, once)
    if entry is None:
        if not releases:
            raise SimError(f"{boot}: there is no kernel to start")
        entry = Entry(
            "",
            "",
            image=f"/boot/vmlinuz-{releases[-1]}",
            release=releases[-1],
            arguments="root=/dev/sda1 ro quiet",
            initrd=f"/boot/initrd.img-{releases[-1]}",
        )
    if entry.release not in releases:
        raise SimError(f"GRUB: file {entry.image!r} not found: the node does not start")
    return entry
