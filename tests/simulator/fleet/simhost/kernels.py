# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the Debian kernels on offer go into an image, and which into the repository beside it."""

from __future__ import annotations

import os
import re
import subprocess
import typing as t
from pathlib import Path

from .errors import SimError


def order(release: str) -> tuple[tuple[int, int | str], ...]:
    """Sort key: digits count as numbers, so that 6.1.0-10 comes after 6.1.0-9."""
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|\D+", release))


def choose(names: t.Iterable[str], pattern: str, newest: int) -> str:
    """The kernel release that is the n-th newest (1: the newest) among package names.

    Args:
        names: names of packages.
        pattern: matches the whole name; its first group is the release. Its headers must be on offer too.
        newest: 1 for the newest, 2 for the second newest.

    Raises:
        SimError: there are not as many.
    """
    names = set(names)
    releases = {match[1] for match in (re.match(pattern, name) for name in names) if match}
    offered = sorted((r for r in releases if f"linux-headers-{r}" in names), key=order, reverse=True)
    if len(offered) < newest:
        raise SimError(f"the archive offers {len(offered)} kernels like {pattern}, not {newest}; "
                       "adapt tests/simulator/images/recipe.json")
    return offered[newest - 1]


def packages(release: str) -> list[str]:
    """Image and headers of a kernel."""
    return [f"linux-image-{release}", f"linux-headers-{release}"]


def install(recipe: dict[str, t.Any], tree: str, downloads: Path) -> None:
    """Run as mmdebstrap's hook: install the image's kernel in the new tree, and download the others beside it.

    This machine's apt only downloads, with the settings that mmdebstrap names in MMDEBSTRAP_APT_CONFIG, since it is
    the one that reaches the archive. Whatever changes packages runs inside the tree, so that it cannot change this
    machine's own.

    Raises:
        SimError: a kernel is not on offer.
        subprocess.CalledProcessError: apt failed; it has said why.
    """
    environment = {**os.environ, "APT_CONFIG": os.environ["MMDEBSTRAP_APT_CONFIG"], "DEBIAN_FRONTEND": "noninteractive"}
    quiet = ["-qq", "--yes", "--no-install-recommends"]

    def apt(*arguments: str) -> str:
        return subprocess.run(arguments, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout

    names = apt("apt-cache", "pkgnames", "linux-").split()
    own = packages(choose(names, **recipe["image"]))
    apt("apt-get", *quiet, "--download-only", "install", *own)
    inside = {**environment, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    del inside["APT_CONFIG"]
    subprocess.run(["chroot", tree, "apt-get", *quiet, "--no-download", "install", *own], check=True, env=inside)
    others = [name for wanted in recipe["repository"] for name in packages(choose(names, **wanted))]
    if others:
        (downloads / "partial").mkdir(parents=True, exist_ok=True)
        settings = {"Dir::Cache::Archives": downloads, "APT::Sandbox::User": "root",
                    "APT::Keep-Downloaded-Packages": "true"}
        options = [f"-o{name}={value}" for name, value in settings.items()]
        apt("apt-get", *quiet, "--download-only", *options, "install", *others)
