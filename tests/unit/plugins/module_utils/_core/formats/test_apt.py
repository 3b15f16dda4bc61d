# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Package sources, preferences and configuration as people and tools write them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import apt
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Preference, Source

F = "/etc/apt/sources.list.d/x"
URI = "https://repo.radeon.com/rocm/apt/7.0.2"


def source(**changed: object) -> Source:
    """The source of the cases below, with some fields changed."""
    fields: dict[str, object] = {
        "file": F, "types": ("deb",), "uris": (URI,), "suites": ("noble",), "components": ("main",),
        "architectures": (), "signed_by": None, "trusted": False, "enabled": True,
    }
    return Source(**{**fields, **changed})  # type: ignore[arg-type]


# id, text, sources
ONE_LINE = [
    ("plain", f"deb {URI} noble main", (source(),)),
    ("options", f"deb [arch=amd64,i386 signed-by=/etc/apt/keyrings/rocm.gpg] {URI} noble main",
     (source(architectures=("amd64", "i386"), signed_by="/etc/apt/keyrings/rocm.gpg"),)),
    ("blanks inside the brackets", f"deb [ arch=amd64  trusted=yes ] {URI} noble main proprietary",
     (source(architectures=("amd64",), trusted=True, components=("main", "proprietary")),)),
    ("exact path instead of a suite", "deb file:/srv/kernel ./",
     (source(uris=("file:/srv/kernel",), suites=("./",), components=()),)),
    ("comments and empty lines", f"# deb {URI} jammy main\n\n  deb {URI} noble main  # ours\n", (source(),)),
    ("several lines", f"deb {URI} noble main\ndeb-src {URI} noble main\n", (source(), source(types=("deb-src",)))),
    ("architecture added", f"deb [arch+=i386] {URI} noble main", (source(architectures=()),)),
    ("nothing", "\n", ()),
]


@pytest.mark.parametrize(("text", "sources"), [c[1:] for c in ONE_LINE], ids=[c[0] for c in ONE_LINE])
def test_parse_one_line_reads_sources(text: str, sources: tuple[Source, ...]) -> None:
    assert apt.parse_one_line(text, F) == sources


BAD_ONE_LINE = [
    ("no suite", f"deb {URI}", f"{F}:1: not an apt source"),
    ("a suite without components", f"deb {URI} noble", f"{F}:1: not an apt source"),
    ("another word", f"\nrpm {URI} noble main", f"{F}:2: not an apt source"),
    ("bracket left open", f"deb [arch=amd64 {URI}", "not an apt source"),
    ("option without value", f"deb [trusted] {URI} noble main", "option 'trusted' has no value"),
    ("trust in doubt", f"deb [trusted=maybe] {URI} noble main", "'maybe' is neither yes nor no"),
]


@pytest.mark.parametrize(("text", "words"), [c[1:] for c in BAD_ONE_LINE], ids=[c[0] for c in BAD_ONE_LINE])
def test_parse_one_line_refuses_what_apt_refuses(text: str, words: str) -> None:
    with pytest.raises(DataError) as refused:
        apt.parse_one_line(text, F)
    assert words in refused.value.sentence


KEY = """Types: deb
URIs: https://repo.radeon.com/rocm/apt/7.0.2
Suites: noble
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 AAAA
 -----END PGP PUBLIC KEY BLOCK-----
"""

DEB822 = [
    ("all fields", f"Types: deb deb-src\nURIs: {URI}\nSuites: noble jammy\nComponents: main extra\nArchitectures: amd64\n"
     "Signed-By: /etc/apt/keyrings/a.gpg\n", (source(
         types=("deb", "deb-src"), suites=("noble", "jammy"), components=("main", "extra"), architectures=("amd64",),
         signed_by="/etc/apt/keyrings/a.gpg"),)),
    ("names in any case, folded value", f"types: deb\nuris: {URI}\n https://mirror.example/rocm\nSUITES: noble\n"
     "components: main\n", (source(uris=(URI, "https://mirror.example/rocm")),)),
    ("switched off", f"Enabled: no\nTypes: deb\nURIs: {URI}\nSuites: noble\nComponents: main\n", (source(enabled=False),)),
    ("two stanzas and comments", f"# one\nTypes: deb\nURIs: {URI}\n# inside\nSuites: noble\nComponents: main\n\n\n"
     f"Types: deb\nURIs: {URI}\nSuites: jammy\nComponents: main\nTrusted: yes\n",
     (source(), source(suites=("jammy",), trusted=True))),
    ("key in the file", KEY, (source(signed_by="embedded"),)),
    ("nothing", "# only a comment\n", ()),
]


@pytest.mark.parametrize(("text", "sources"), [c[1:] for c in DEB822], ids=[c[0] for c in DEB822])
def test_parse_deb822_reads_sources(text: str, sources: tuple[Source, ...]) -> None:
    assert apt.parse_deb822(text, F) == sources


BAD_DEB822 = [
    ("no suite", f"Types: deb\nURIs: {URI}\n", "has no field suites"),
    ("no field", f"Types: deb\ndeb {URI} noble main\n", f"{F}:2: not a deb822 line"),
    ("continuation of nothing", " noble\n", f"{F}:1: not a deb822 line"),
    ("enabled in doubt", f"Types: deb\nURIs: {URI}\nSuites: noble\nEnabled: perhaps\n", "'perhaps' is neither yes nor no"),
]


@pytest.mark.parametrize(("text", "words"), [c[1:] for c in BAD_DEB822], ids=[c[0] for c in BAD_DEB822])
def test_parse_deb822_refuses_what_apt_refuses(text: str, words: str) -> None:
    with pytest.raises(DataError) as refused:
        apt.parse_deb822(text, F)
    assert words in refused.value.sentence


def test_embedded_keys_are_unfolded() -> None:
    armour = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n"
    without = "Types: deb\nURIs: x\nSuites: y\nSigned-By: /a.gpg\n\n"
    assert apt.embedded_keys(without + KEY, F) == (armour,)


P = "/etc/apt/preferences.d/y"
PREFERENCES = [
    ("by origin", "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n",
     (Preference(P, "*", "release o=repo.radeon.com", 600),)),
    ("forbidden version, with explanation", "Explanation: broken\nPackage: rocminfo\nPin: version 5.7.1*\nPin-Priority: -1\n",
     (Preference(P, "rocminfo", "version 5.7.1*", -1),)),
    ("several names folded", "Package: a\n b\nPin: origin repo.radeon.com\nPin-Priority: 1001\n",
     (Preference(P, "a b", "origin repo.radeon.com", 1001),)),
    ("explanation alone", "Explanation: nothing here\n", ()),
    ("nothing", "", ()),
]


@pytest.mark.parametrize(("text", "preferences"), [c[1:] for c in PREFERENCES], ids=[c[0] for c in PREFERENCES])
def test_parse_preferences_reads_stanzas(text: str, preferences: tuple[Preference, ...]) -> None:
    assert apt.parse_preferences(text, P) == preferences


@pytest.mark.parametrize(("text", "words"), [
    ("Package: a\nPin: version 1\n", "has no field pin-priority"),
    ("Package: a\nPin: version 1\nPin-Priority: high\n", "Pin-Priority 'high' is no number"),
])
def test_parse_preferences_refuses_half_a_pin(text: str, words: str) -> None:
    with pytest.raises(DataError) as refused:
        apt.parse_preferences(text, P)
    assert words in refused.value.sentence


DUMPS = [
    ("on, with a list", 'APT::Periodic::Unattended-Upgrade "1";\nUnattended-Upgrade::Package-Blacklist "";\n'
     'Unattended-Upgrade::Package-Blacklist:: "amdgpu-dkms";\nUnattended-Upgrade::Package-Blacklist:: "linux-";\n',
     (True, ("amdgpu-dkms", "linux-"))),
    ("the last value counts", 'APT::Periodic::Unattended-Upgrade "1";\nAPT::Periodic::Unattended-Upgrade "0";\n', (False, ())),
    ("any interval is on", 'apt::periodic::unattended-upgrade "3";\n', (True, ())),
    ("not mentioned", 'APT "";\nAPT::Architecture "amd64";\n', (False, ())),
]


@pytest.mark.parametrize(("text", "result"), [c[1:] for c in DUMPS], ids=[c[0] for c in DUMPS])
def test_unattended_reads_the_merged_configuration(text: str, result: tuple[bool, tuple[str, ...]]) -> None:
    assert apt.unattended(apt.parse_dump(text)) == result


def test_parse_dump_refuses_another_form() -> None:
    with pytest.raises(DataError, match="line not understood: 'APT 1'"):
        apt.parse_dump("APT 1\n")


@pytest.mark.parametrize(("name", "read"), [
    ("rocm.list", True), ("rocm.sources", True), ("rocm.list.save", False), ("rocm list.list", False), ("rocm", False)])
def test_is_source_file_knows_which_names_apt_reads(name: str, read: bool) -> None:
    assert apt.is_source_file(name) is read


@pytest.mark.parametrize(("name", "read"), [
    ("rocm-pin-600", True), ("rocm.pref", True), ("rocm.bak", False), ("a~", False)])
def test_is_preference_file_knows_which_names_apt_reads(name: str, read: bool) -> None:
    assert apt.is_preference_file(name) is read
