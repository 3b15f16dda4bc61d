# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vendor's repositories as a node sees them whose clock is years off.

Containers share the clock of the machine, so the dates of the repositories are moved instead: apt compares the two.
They are signed anew with a key of their own, which the variables name as the site's.
"""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / ".cache/sim/repo"
PLACES = ("amdgpu/30.30.3/ubuntu", "rocm/apt/7.2.3")
YEARS = datetime.timedelta(days=3653)
RFC = "%a, %d %b %Y %H:%M:%S +0000"


def _gpg(home: Path, *arguments: str) -> str:
    command = ["gpg", "--homedir", str(home), "--batch", "--yes", "--quiet", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def moved(folder: Path, years_ahead: bool) -> str:
    """Write copies below ``folder`` whose dates fit a clock that is ten years off; return the key's fingerprint."""
    home = folder / "gnupg"
    home.mkdir(mode=0o700, parents=True)
    _gpg(home, "--passphrase", "", "--quick-generate-key", "clock test <none@invalid>", "ed25519", "sign", "never")
    fingerprint = re.search(r"^fpr:+(\w+):", _gpg(home, "--with-colons", "--list-keys"), re.MULTILINE)
    assert fingerprint
    for place in PLACES:
        shutil.copytree(REPOSITORY / place, folder / "repo" / place)
    now = datetime.datetime.now(datetime.UTC)
    made = now - YEARS if years_ahead else now + YEARS
    dates = f"Date: {made:{RFC}}\nValid-Until: {made + datetime.timedelta(days=7):{RFC}}\n"
    for release in (folder / "repo").rglob("dists/*/Release"):
        release.write_text(dates + re.sub(r"(?m)^(Date|Valid-Until): .*\n", "", release.read_text()))
        (release.parent / "Release.gpg").unlink()
        _gpg(home, "--clearsign", "--output", str(release.parent / "InRelease"), str(release))
    _gpg(home, "--export", "--armor", "--output", str(folder / "repo" / "key.asc"))
    shutil.rmtree(home)
    return fingerprint[1]
