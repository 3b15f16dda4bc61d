# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make what images of the scenario are built of, and print the folder, which is kept by its contents.

In it: base.tar, repository.tar (signed), key.asc, fingerprint.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"])
sys.path.insert(0, str(ROOT / "tests" / "simulator" / "fleet"))

from simhost import aptsources, paths, repository  # noqa: E402 (its place is known only now)

SUITE = "bookworm"
# Of the distribution itself: a user space of RDMA, and of ROCm what it has.
PACKAGES = ("rdma-core", "libibverbs1", "ibverbs-providers", "ibverbs-utils", "librdmacm1", "rocminfo",
            "libhsa-runtime64-1")
OWNER = "Packages of images (a test's key) <none@invalid>"
MADE = ("apt/sources.list", "apt/apt.conf.d/99mmdebstrap", "dpkg/dpkg.cfg.d/99mmdebstrap")  # by mmdebstrap, for itself
LEAN = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/var/lib/apt/lists/*")


def base(tar: Path) -> None:
    """A Debian with apt, as small as it comes."""
    sources, settings = aptsources.of_this_machine(SUITE)
    subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--mode=root", *(f"--aptopt={one}" for one in settings),
                    *(f"--dpkgopt=path-exclude={one}" for one in LEAN[:3]),
                    *(f'--customize-hook=rm -rf "$1"/etc/{one}' for one in MADE),
                    SUITE, str(tar), *(source.line() for source in sources)], check=True, stdout=sys.stderr)


def archive(folder: Path, tar: Path) -> None:
    """The packages, in a signed repository."""
    script = ROOT / "molecule" / "shared" / "packages"
    found = subprocess.run([script, "images", SUITE, tar, *PACKAGES],
                           check=True, stdout=subprocess.PIPE, text=True).stdout
    (folder / "repository").mkdir()
    subprocess.run(["tar", "--extract", "--file", found.split()[-1], "--directory", folder / "repository"], check=True)
    signer = repository.Signer("images", OWNER)
    try:
        packages = repository.ftparchive("packages", ".", cwd=folder / "repository")
        repository.index(folder / "repository", packages, signer, Origin="Debian", Label="Debian")
        (folder / "key.asc").write_text(signer.gpg("--armor", "--export"), encoding="utf-8")
        subprocess.run(["tar", "--create", "--file", folder / "repository.tar", "--directory", folder, "repository"],
                       check=True)
        (folder / "fingerprint").write_text(signer.fingerprint + "\n", encoding="utf-8")
    finally:
        signer.close()


def main() -> None:
    """Make what is not there."""
    folder = paths.cache() / "image-parts" / paths.digest(Path(__file__))
    with paths.lock("image-parts"):
        if not (folder / "fingerprint").exists():
            shutil.rmtree(folder.parent, ignore_errors=True)
            folder.mkdir(parents=True)
            base(folder / "base.tar")
            archive(folder, folder / "base.tar")
    print(folder)


if __name__ == "__main__":
    main()
