# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repository that simulated nodes install from: signed, laid out like the vendor's, made when it has changed."""

from __future__ import annotations

import concurrent.futures
import gzip
import os
import shutil
import subprocess
import typing as t
from pathlib import Path

from . import debs, images, smilib
from .errors import SimError
from .paths import LOCAL, SIMULATOR, cache, digest, hand_over, lock

VENDOR = "Simulated ROCm repository (no AMD key) <none@invalid>"
THEROCK = "Simulated ROCm repository, newer stream (no AMD key) <none@invalid>"
DISTRIBUTION = "Simulated Debian archive (no Debian key) <none@invalid>"


class Signer:
    """A throw-away ed25519 key that lives in the cache.

    Raises:
        SimError: gpg is missing or fails.
    """

    def __init__(self, name: str, owner: str) -> None:
        self.home = cache() / "keys" / name
        if not self.home.is_dir():
            self.home.mkdir(parents=True, mode=0o700)
            self.gpg("--passphrase", "", "--quick-gen-key", owner, "ed25519", "sign", "0")
        listing = self.gpg("--with-colons", "--fingerprint", "--list-keys")
        self.fingerprint = next(line.split(":")[9] for line in listing.splitlines() if line.startswith("fpr:"))

    def gpg(self, *arguments: str) -> str:
        """Run gpg on this key alone and return what it prints."""
        try:
            return subprocess.run(["gpg", "--batch", "--yes", "--quiet", "--homedir", str(self.home), *arguments],
                                  check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise SimError(f"gpg failed: {(getattr(error, 'stderr', '') or str(error)).strip()}") from error

    def sign(self, release: Path) -> None:
        """Put InRelease and Release.gpg beside a Release file."""
        self.gpg("--clearsign", "--output", str(release.with_name("InRelease")), str(release))
        self.gpg("--armor", "--detach-sign", "--output", str(release.with_name("Release.gpg")), str(release))

    def close(self) -> None:
        """End the agent that gpg started for this key."""
        subprocess.run(["gpgconf", "--homedir", self.home, "--kill", "gpg-agent"], check=False, capture_output=True)


def fingerprint() -> str:
    """Fingerprint of the key that the vendor's repositories are signed with.

    Raises:
        SimError: the repository was never built.
    """
    try:
        return (LOCAL / "repo" / "fingerprint").read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SimError("there is no repository yet; tests/simulator/packages/build makes it") from error


def ftparchive(*arguments: str, cwd: Path) -> str:
    """Run apt-ftparchive and return what it prints.

    Raises:
        SimError: it is missing or failed.
    """
    try:
        command = ["apt-ftparchive", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=cwd).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        words = getattr(error, "stderr", "") or str(error)
        raise SimError(f"apt-ftparchive failed: {words.strip()}; it is in the package apt-utils") from error


def of_suite(packages: str, names: t.Container[str]) -> str:
    """The stanzas of a Packages file whose file is one of these, so that all suites can share a pool."""
    def name(stanza: str) -> str:
        return next((line.rsplit("/", 1)[-1] for line in stanza.splitlines() if line.startswith("Filename:")), "")
    return "".join(f"{stanza.strip()}\n\n" for stanza in packages.split("\n\n") if name(stanza) in names)


def index(folder: Path, packages: str, signer: Signer, **fields: str) -> None:
    """Write Packages, Release and its signatures; below ``dists`` if the fields name a suite, else flat."""
    suite = fields.get("Suite")
    dist = folder / "dists" / suite if suite else folder
    binary = dist / "main" / "binary-amd64" if suite else dist
    binary.mkdir(parents=True, exist_ok=True)
    (binary / "Packages").write_text(packages, encoding="utf-8")
    (binary / "Packages.gz").write_bytes(gzip.compress(packages.encode(), mtime=0))
    if suite:
        fields = {**fields, "Codename": suite, "Components": "main"}
    fields["Architectures"] = "amd64"
    options = [f"-oAPT::FTPArchive::Release::{key}={value}" for key, value in fields.items()]
    release = ftparchive(*options, "release", ".", cwd=dist)
    (dist / "Release").write_text(release, encoding="utf-8")
    signer.sign(dist / "Release")


def fill(root: Path, wanted: list[debs.Deb], kernels: Path) -> str:
    """Make the whole repository below ``root`` and return the fingerprint of the vendor's key."""
    vendor, archive = Signer("vendor", VENDOR), Signer("distro", DISTRIBUTION)
    therock = Signer("therock", THEROCK)
    # folder -> what its Release file says its origin is, and who signs it
    who = {"distro": ("Debian", archive), "repo.amd.com": ("simulated", therock)}
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda deb: debs.write(deb, root), wanted))
        for name in sorted({deb.repository for deb in wanted}):
            packages = ftparchive("packages", "pool", cwd=root / name)
            for suite in sorted({deb.suite for deb in wanted if deb.repository == name}):
                files = {deb.filename() for deb in wanted if (deb.repository, deb.suite) == (name, suite)}
                origin, signer = who.get(name.split("/", maxsplit=1)[0], ("repo.radeon.com", vendor))
                index(root / name, of_suite(packages, files), signer, Suite=suite, Origin=origin, Label=origin)
        (root / "kernel").mkdir()
        for deb in kernels.glob("*.deb"):
            os.link(deb, root / "kernel" / deb.name)
        packages = ftparchive("packages", ".", cwd=root / "kernel")
        index(root / "kernel", packages, archive, Origin="Debian", Label="Debian")
        (root / "rocm" / "rocm.gpg.key").write_text(vendor.gpg("--armor", "--export"), encoding="utf-8")
        (root / "distro" / "archive-key.asc").write_text(archive.gpg("--armor", "--export"), encoding="utf-8")
        newer = root / "repo.amd.com" / "rocm" / "packages-multi-arch" / "gpg" / "rocm.gpg"
        newer.parent.mkdir()
        newer.write_text(therock.gpg("--armor", "--export"), encoding="utf-8")
        (root / "fingerprint-therock").write_text(therock.fingerprint + "\n", encoding="utf-8")
        (root / "fingerprint").write_text(vendor.fingerprint + "\n", encoding="utf-8")
        return vendor.fingerprint
    finally:
        vendor.close()
        archive.close()
        therock.close()


def build(say: t.Callable[[str], None] = lambda text: None) -> Path:
    """Make the repository if its contents have changed, point .cache/sim/repo to it, and return its folder.

    Raises:
        SimError: something of it cannot be made.
    """
    image = images.build("bookworm", say)
    here = SIMULATOR / "fleet" / "simhost"
    code = (here / name for name in ("debs.py", "repository.py", "smilib.py"))
    root = cache() / "packages" / digest(debs.HERE, *code, image.base, *smilib.sources())
    with lock("packages"):
        if not (root / "fingerprint").exists():
            say("packages: building")
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(parents=True, mode=0o755)
            data = debs.table()
            fill(root, debs.every(data, smilib.build([*data["rocm"], *data["therock"]], image)), image.kernels)
    LOCAL.mkdir(parents=True, exist_ok=True)
    link = LOCAL / "repo"
    if not link.is_symlink() or link.resolve() != root:
        link.unlink(missing_ok=True)
        link.symlink_to(root)
    hand_over(LOCAL)
    return root
