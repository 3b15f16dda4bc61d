# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a virtual machine is made of, and which files of a kernel it keeps."""

from __future__ import annotations

import dataclasses as dc
import fnmatch
import json
import re
import typing as t
from pathlib import Path

from simhost.errors import SimError
from simhost.paths import SIMULATOR

HERE = SIMULATOR / "machine"
IMAGE = re.compile(r"^linux-image-(?P<release>[^_]+)_")


@dc.dataclass(frozen=True)
class Kernels:
    """The two kernels of a machine, by the names that uname says.

    Attributes:
        old: is installed and runs when a machine starts for the first time.
        new: is on offer in the distribution's repository.
    """

    old: str
    new: str

    def prerequisites(self) -> list[str]:
        """What the headers of the new kernel need and a machine has from the start: large, and the same for all."""
        version = self.new.rsplit("-", 1)[0]
        return [f"linux-headers-{version}-common", f"linux-kbuild-{version}", "pahole"]


def read() -> dict[str, t.Any]:
    """The recipe file."""
    data: dict[str, t.Any] = json.loads((HERE / "recipe.json").read_text(encoding="utf-8"))
    return data


def kernels(folder: Path) -> Kernels:
    """The kernels among packages that were downloaded.

    Raises:
        SimError: one of the two is not there.
    """
    found = [match["release"] for match in (IMAGE.match(path.name) for path in sorted(folder.glob("*.deb"))) if match]

    def one(what: str) -> str:
        pattern = read()["kernels"][what]
        fitting = [release for release in found if re.match(pattern, release)]
        if len(fitting) != 1:
            raise SimError(f"one kernel like {pattern} is wanted in {folder}, there are {', '.join(fitting) or 'none'}")
        return fitting[0]

    return Kernels(one("installed"), one("offered"))


def kept(path: str) -> bool:
    """Whether a machine keeps a module, by its path below ``kernel/`` of its kernel's folder."""
    lists = read()["modules"]

    def listed(name: str) -> bool:
        return any(fnmatch.fnmatch(path, pattern) for pattern in lists[name])

    return not listed("leave") or (listed("keep") and not listed("leave_still"))


def dpkg_options() -> str:
    """The same choice for dpkg, and what else a machine does without: later lines win over earlier ones."""
    lists = read()["modules"]
    away = [f"/usr/share/{what}/*" for what in ("doc", "man", "info", "locale")] + ["/boot/System.map-*"]
    lines = [f"path-exclude={path}" for path in away]
    for option, name in (("exclude", "leave"), ("include", "keep"), ("exclude", "leave_still")):
        lines += [f"path-{option}=*/lib/modules/*/kernel/{pattern}" for pattern in lists[name]]
    return "\n".join([*lines, "force-unsafe-io", ""])
