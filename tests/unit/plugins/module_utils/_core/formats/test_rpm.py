# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages as rpm prints, names and orders them."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.rpm import (
    Database,
    compare,
    evr,
    parse_database,
    parse_keys,
    parse_nevra,
    version_key,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Package

PATTERNS = ("amdgpu*", "rocm*", "kernel*")
NEW = Package("amdgpu-dkms", "1:6.16.13.30300300-2327507.el9", "noarch", "installed")
OLD = Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.el9", "noarch", "installed")
FIRST = Package("kernel-core", "5.14.0-570.12.1.el9_6", "x86_64", "installed")
SECOND = Package("kernel-core", "5.14.0-570.58.1.el9_6", "x86_64", "installed")
BASH = Package("bash", "5.1.8-9.el9", "x86_64", "installed")


def line(package: Package, time: int = 1) -> str:
    """What rpm prints of a package."""
    epoch, _colon, rest = package.version.rpartition(":")
    return "\t".join([package.name, epoch or "(none)", *rest.split("-"), package.architecture, str(time)]) + "\n"


KEY = "gpg-pubkey\t(none)\tabb61efa\t6b0c7dd4\t(none)\t1795980773\n"
BOTH = (Package("rocm-core", "1-1", "i686", "installed"), Package("rocm-core", "1-1", "x86_64", "installed"))
DUPLICATE = Package(NEW.name, NEW.version, "noarch", "duplicate")

# id, what rpm prints, database
PRINTED = [
    ("a package without epoch, and one that does not match", line(SECOND) + line(BASH) + KEY,
     Database((SECOND,), (), (BASH, SECOND))),
    ("two kernels stand beside each other", line(SECOND) + line(FIRST), Database((FIRST, SECOND), (), (FIRST, SECOND))),
    ("an upgrade was cut off before the old version went", line(OLD, 5) + line(NEW, 4),
     Database((OLD, DUPLICATE), (DUPLICATE,), (OLD, DUPLICATE))),
    ("one name in two architectures is no duplicate", line(BOTH[1]) + line(BOTH[0]),
     Database(BOTH, (), BOTH)),
    ("nothing", "", Database()),
]


@pytest.mark.parametrize(("text", "database"), [c[1:] for c in PRINTED], ids=[c[0] for c in PRINTED])
def test_parse_database(text: str, database: Database) -> None:
    assert parse_database(text, PATTERNS) == database


def test_parse_database_without_patterns_lists_no_package() -> None:
    assert parse_database(line(NEW), ()) == Database((), (), (NEW,))


@pytest.mark.parametrize("text", ["error: rpmdb damaged\n", "a\t(none)\t1\t1\tnoarch\tyesterday\n"])
def test_parse_database_refuses_another_form(text: str) -> None:
    with pytest.raises(DataError, match="line not understood"):
        parse_database(text, PATTERNS)


@pytest.mark.parametrize(("text", "package"), [
    ("kernel-core-5.14.0-570.12.1.el9_6.x86_64", FIRST),
    ("amdgpu-dkms-1:6.16.13.30300300-2327507.el9.noarch", NEW),
    ("kernel-default-devel-6.4.0-150700.53.3", Package("kernel-default-devel", "6.4.0-150700.53.3", "", "installed")),
])
def test_parse_nevra(text: str, package: Package) -> None:
    assert parse_nevra(text) == package


@pytest.mark.parametrize("text", ["kernel-core", "kernel-core-5.14.0.x86_64", "linux-firmware", ""])
def test_parse_nevra_refuses_another_form(text: str) -> None:
    with pytest.raises(DataError, match="is not name-version-release"):
        parse_nevra(text)


# older, newer: rpm's own cases for numbers, letters, tilde and caret (rpm-version(7))
ORDERED = [
    ("1.0", "2.0"), ("2.0", "2.0.1"), ("2.0.1", "2.0.1a"), ("5.5p1", "5.5p10"), ("10xyz", "10.1xyz"), ("xyz10", "10"),
    ("5.5p10", "5.6p1"), ("6.5.0", "6.10"), ("1.0~rc1", "1.0"), ("1.0~rc1", "1.0~rc2"), ("1.0~rc1~git123", "1.0~rc1"),
    ("1.0", "1.0^"), ("1.0^git1", "1.0^git2"), ("1.0^", "1.0.1"), ("1.0^git1~pre", "1.0^git1"), ("1.0~rc1^git1", "1.0"),
    ("570.12.1.el9_6", "570.58.1.el9_6"), ("2226257.el9", "2327507.el9"), ("a", "b"), ("1a", "1.1"),
]


@pytest.mark.parametrize(("older", "newer"), ORDERED)
def test_compare(older: str, newer: str) -> None:
    assert (compare(older, newer), compare(newer, older), compare(older, older)) == (-1, 1, 0)


def test_compare_leading_zeros_and_separators_do_not_count() -> None:
    assert compare("1.05", "1_5") == 0


def test_versions_are_ordered_by_epoch_first() -> None:
    versions = ["1:1.0-1", "9.9.0-2", "9.9.0-10", "9.10-1"]
    assert sorted(versions, key=version_key) == ["9.9.0-2", "9.9.0-10", "9.10-1", "1:1.0-1"]


def test_evr() -> None:
    assert (evr("(none)", "1", "2"), evr("1", "1", "2"), evr("", "1", "2")) == ("1-2", "1:1-2", "1-2")


def test_parse_keys() -> None:
    assert parse_keys("AQID\nBAUG\n\nBwgJ\n\n", "rpm") == (b"\1\2\3\4\5\6", b"\7\10\11")
    with pytest.raises(DataError, match="not base64"):
        parse_keys("error: no\n", "rpm")
