# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels on offer to machines: Debian's packages without modules that no machine keeps, quick to unpack."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from simhost import repository

from . import recipe
from .disk import run


def slim(deb: Path, target: Path) -> None:
    """Pack a package again: without what machines do without, and so that an emulated processor can unpack it."""
    with tempfile.TemporaryDirectory(dir=target) as folder:
        tree = Path(folder) / "tree"
        run("dpkg-deb", "--raw-extract", deb, tree)
        for kernel in tree.glob("lib/modules/*/kernel"):
            for path in [path for path in kernel.rglob("*.ko*") if not recipe.kept(str(path.relative_to(kernel)))]:
                path.unlink()
        (tree / "DEBIAN" / "md5sums").unlink(missing_ok=True)
        for folder_name in ("doc", "lintian"):
            shutil.rmtree(tree / "usr" / "share" / folder_name, ignore_errors=True)
        run("dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", tree, target / deb.name)


def build(downloads: Path, root: Path) -> None:
    """Make the repository below ``root`` from the packages that were downloaded for node images.

    Raises:
        SimError: a package cannot be packed, or the repository not be signed.
    """
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    for deb in downloads.glob("*.deb"):
        slim(deb, root)
    signer = repository.Signer("distro", repository.DISTRIBUTION)
    try:
        packages = repository.ftparchive("packages", ".", cwd=root)
        repository.index(root, packages, signer, Origin="Debian", Label="Debian")
    finally:
        signer.close()
    (root / "complete").touch()
