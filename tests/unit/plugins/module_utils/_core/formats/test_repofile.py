# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repositories and settings of dnf and zypper."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.repofile import (
    flag,
    parse_excludes,
    parse_repositories,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Preference, Source

FILE = "/etc/yum.repos.d/x.repo"
# source: ROCm/amdgpu-docs:docs/install/detailed-install/package-manager/package-manager-rhel.rst
AMD = """[amdgpu]
name=amdgpu
baseurl=https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/
enabled=1
priority=50
gpgcheck=1
gpgkey=https://repo.radeon.com/rocm/rocm.gpg.key
"""


def source(**fields: object) -> Source:
    """A repository of AMD with other fields."""
    base: dict[str, object] = {
        "file": FILE, "types": ("rpm",), "uris": ("https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/",), "suites": (),
        "components": (), "architectures": (), "signed_by": "https://repo.radeon.com/rocm/rocm.gpg.key", "trusted": False,
        "enabled": True}
    return Source(**(base | fields))  # type: ignore[arg-type]


# id, text, checked by default, sources
FILES = [
    ("as AMD writes it", AMD, False, (source(),)),
    ("switched off", AMD.replace("enabled=1", "enabled=0"), False, (source(enabled=False),)),
    ("unsigned", AMD.replace("gpgcheck=1", "gpgcheck=no"), True, (source(trusted=True),)),
    ("signatures as the main settings say", AMD.replace("gpgcheck=1\n", ""), True, (source(),)),
    ("no word about signatures anywhere", AMD.replace("gpgcheck=1\n", ""), False, (source(trusted=True),)),
    ("a list of mirrors and a variable", "[b]\nmirrorlist=https://m/?r=$releasever%20\n  https://n/\n", True,
     (source(uris=("https://m/?r=$releasever%20", "https://n/"), signed_by=None),)),
    ("settings are no repository", "[main]\ngpgcheck=1\n", False, ()),
]


@pytest.mark.parametrize(("text", "checked", "wanted"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_parse_repositories(text: str, checked: bool, wanted: tuple[Source, ...]) -> None:
    assert parse_repositories(text, FILE, checked) == wanted


@pytest.mark.parametrize(("text", "what"), [
    ("baseurl=x\n", "cannot be read"), ("[a]\nenabled=perhaps\n", "'perhaps' is neither yes nor no"),
])
def test_parse_repositories_refuses_what_dnf_would(text: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        parse_repositories(text, FILE)


def test_flag() -> None:
    assert [flag(word, False, FILE) for word in ("1", "Yes", "TRUE", "0", "no", "", None)] == [True] * 3 + [False] * 4


def test_parse_excludes() -> None:
    text = "[main]\ngpgcheck=1\nexcludepkgs=kernel*, amdgpu-dkms\nexclude=rocm* kernel*\n"
    assert parse_excludes(text, "/etc/dnf/dnf.conf") == tuple(
        Preference("/etc/dnf/dnf.conf", pattern, "exclude", -1) for pattern in ("kernel*", "amdgpu-dkms", "rocm*"))
    assert parse_excludes("[fedora]\nexclude=a\n", "/etc/dnf/dnf.conf") == ()
