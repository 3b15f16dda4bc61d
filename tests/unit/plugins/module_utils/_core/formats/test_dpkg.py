# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dpkg database: what is installed, held, half done."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dpkg import Database, parse_database
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Package

PATTERNS = ("amdgpu*", "rocm*", "linux-image-*")


def stanza(name: str, status: str, version: str = "1:6.14.14.30100200-2226257.24.04", architecture: str = "all") -> str:
    """A stanza in the order and with the continuation lines that dpkg writes."""
    return (f"Package: {name}\nStatus: {status}\nPriority: optional\nArchitecture: {architecture}\nVersion: {version}\n"
            f"Conffiles:\n /etc/{name} 0123\nDescription: text\n Version: not a field\n")


AMDGPU = Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.24.04", "all", "installed")


def state(word: str) -> Package:
    """The same package in another state."""
    return Package(AMDGPU.name, AMDGPU.version, AMDGPU.architecture, word)


# id, status line, database
STATES = [
    ("installed", "install ok installed", Database((AMDGPU,))),
    ("held", "hold ok installed", Database((AMDGPU,), ("amdgpu-dkms",))),
    ("half configured after a failed build", "install ok half-configured",
     Database((state("half-configured"),), (), (state("half-configured"),))),
    ("unpacked", "install ok unpacked", Database((state("unpacked"),), (), (state("unpacked"),))),
    ("half installed and to be reinstalled", "install reinstreq half-installed",
     Database((state("half-installed"),), (), (state("half-installed"),))),
    ("installed but to be reinstalled", "install reinstreq installed", Database((AMDGPU,), (), (AMDGPU,))),
    ("removed, configuration left", "deinstall ok config-files", Database()),
    ("removed while held", "hold ok config-files", Database((), ("amdgpu-dkms",))),
    ("triggers are only late", "install ok triggers-pending", Database((state("triggers-pending"),))),
    ("waits for the triggers of another", "install ok triggers-awaited",
     Database((state("triggers-awaited"),), (), (state("triggers-awaited"),))),
    ("never installed", "unknown ok not-installed", Database()),
]


@pytest.mark.parametrize(("status", "database"), [c[1:] for c in STATES], ids=[c[0] for c in STATES])
def test_parse_database_tells_states_apart(status: str, database: Database) -> None:
    assert parse_database(stanza("amdgpu-dkms", status), PATTERNS) == database


def test_parse_database_picks_by_pattern_but_reports_everything_broken() -> None:
    text = "\n".join([
        stanza("rocm-core", "install ok installed", "7.0.2.70002-56~24.04", "amd64"),
        stanza("libc6", "hold ok installed", "2.36-9", "i386"), stanza("libdw1", "install ok unpacked", "0.188", "amd64"),
        stanza("amdgpu-dkms", "install ok installed"), stanza("xamdgpu", "install ok installed"),
    ])
    assert parse_database(text, PATTERNS) == Database(
        installed=(AMDGPU, Package("rocm-core", "7.0.2.70002-56~24.04", "amd64", "installed")),
        holds=("libc6",), broken=(Package("libdw1", "0.188", "amd64", "unpacked"),))


def test_parse_database_passes_over_empty_stanzas() -> None:
    assert parse_database("\n\n\n" + stanza("amdgpu-dkms", "install ok installed") + "\n\n \n", PATTERNS) == Database((AMDGPU,))


def test_parse_database_without_patterns_lists_no_package() -> None:
    assert parse_database(stanza("amdgpu-dkms", "hold ok installed"), ()) == Database((), ("amdgpu-dkms",))


@pytest.mark.parametrize("text", ["Package: a\nVersion: 1\n", "Package: a\nStatus: install ok\n", "Status: a b c\n"])
def test_parse_database_refuses_a_stanza_without_its_fields(text: str) -> None:
    with pytest.raises(DataError, match="no Package or Status field"):
        parse_database(text, PATTERNS)
