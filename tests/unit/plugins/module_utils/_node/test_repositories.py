# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repositories section over files as apt has them."""

from __future__ import annotations

import base64

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Key, Preference, Repositories
from ansible_collections.instinct.fleet.plugins.module_utils._node import repositories
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

# Public key of RFC 9580's sample certificate, and its fingerprint.
KEY = bytes.fromhex("c62a0663877fe31b00000020f94da7bb48d60a61e567706a6587d0331999bb9d891a08242ead84543df895a3")
PRINT = "CB186C4F0609A697E4D52DFA6C722B0C1F1E27C18A56708F6525EC27BAD9ACC9"
ARMOUR = (f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{base64.b64encode(KEY).decode()}\n"
          "-----END PGP PUBLIC KEY BLOCK-----\n")
LINE = "deb [arch=amd64 signed-by=/usr/share/keyrings/rocm.gpg] https://repo.radeon.com/rocm/apt/7.0.2 noble main\n"
STANZA = "Types: deb\nURIs: https://deb.debian.org/debian\nSuites: trixie\nComponents: main\n"
EMBEDDED = STANZA + "Signed-By:\n" + "".join(f" {line or '.'}\n" for line in ARMOUR.splitlines())
ON = 'APT::Periodic::Unattended-Upgrade "1";\nUnattended-Upgrade::Package-Blacklist:: "linux-";\n'


def test_sources_of_both_forms_in_the_order_of_apt(tree: Tree) -> None:
    tree.fill({"/etc/apt/sources.list": "# empty\n", "/etc/apt/sources.list.d/b.list": LINE,
               "/etc/apt/sources.list.d/a.sources": STANZA, "/etc/apt/sources.list.d/b.list.save": "rubbish"})
    seen = repositories.read(tree.machine())
    assert [(s.file, s.suites, s.signed_by) for s in seen.sources] == [
        ("/etc/apt/sources.list.d/a.sources", ("trixie",), None),
        ("/etc/apt/sources.list.d/b.list", ("noble",), "/usr/share/keyrings/rocm.gpg")]


def test_keys_that_sources_name_and_keys_in_their_folders(tree: Tree) -> None:
    tree.fill({"/etc/apt/sources.list.d/b.list": LINE, "/etc/apt/sources.list.d/e.sources": EMBEDDED,
               "/etc/apt/keyrings/rocm.asc": ARMOUR, "/etc/apt/keyrings/README": "text"})
    tree.write("/usr/share/keyrings/rocm.gpg", KEY)
    tree.write("/etc/apt/trusted.gpg.d/old.gpg", KEY)
    assert repositories.read(tree.machine()).keyrings == tuple(Key(path, (PRINT,)) for path in (
        "/etc/apt/keyrings/rocm.asc", "/etc/apt/trusted.gpg.d/old.gpg", "/usr/share/keyrings/rocm.gpg",
        "/etc/apt/sources.list.d/e.sources"))


def test_a_key_that_a_source_names_may_be_missing(tree: Tree) -> None:
    tree.write("/etc/apt/sources.list.d/b.list", LINE)
    seen = repositories.read(tree.machine())
    assert (seen.keyrings, seen.unknown) == ((), {})


def test_damaged_files_do_not_hide_the_others(tree: Tree) -> None:
    tree.fill({"/etc/apt/sources.list": "rpm x\n", "/etc/apt/sources.list.d/b.list": LINE, "/etc/apt/keyrings/x.gpg": "text",
               "/etc/apt/preferences": "Package: a\n", "/etc/apt/preferences.d/good": "Package: b\nPin: version 1\nPin-Priority: 5\n"})
    seen = repositories.read(tree.machine())
    assert [s.file for s in seen.sources] == ["/etc/apt/sources.list.d/b.list"]
    assert seen.preferences == (Preference("/etc/apt/preferences.d/good", "b", "version 1", 5),)
    assert seen.keyrings == (Key("/etc/apt/keyrings/x.gpg", ()),)
    assert seen.unknown == {
        "sources": "/etc/apt/sources.list:1: not an apt source: 'rpm x'",
        "preferences": "/etc/apt/preferences: a stanza has no field pin",
        "keyrings": "/etc/apt/keyrings/x.gpg: is not an OpenPGP keyring"}


def test_unattended_upgrades_are_asked_for_only_if_a_file_speaks_of_them(tree: Tree) -> None:
    tree.write("/etc/apt/apt.conf.d/01autoremove", "APT {};\n")
    seen = repositories.read(tree.machine())
    assert (seen.unattended_upgrades, seen.unattended_blacklist, tree.asked) == (False, (), [])


def test_unattended_upgrades_that_are_on(tree: Tree) -> None:
    tree.fill({"/etc/apt/apt.conf.d/20auto-upgrades": ON, "/usr/bin/unattended-upgrade": ""})
    tree.commands["apt-config dump"] = Ran(0, ON, "")
    seen = repositories.read(tree.machine())
    assert (seen.unattended_upgrades, seen.unattended_blacklist) == (True, ("linux-",))


def test_unattended_upgrades_configured_but_not_installed(tree: Tree) -> None:
    tree.write("/etc/apt/apt.conf.d/20auto-upgrades", ON)
    tree.commands["apt-config dump"] = Ran(0, ON, "")
    seen = repositories.read(tree.machine())
    assert (seen.unattended_upgrades, seen.unattended_blacklist) == (False, ("linux-",))


def test_configuration_that_apt_refuses(tree: Tree) -> None:
    tree.write("/etc/apt/apt.conf.d/20auto-upgrades", ON)
    tree.commands["apt-config dump"] = Ran(100, "", "E: Syntax error\n")
    reason = "apt-config failed: E: Syntax error"
    assert repositories.read(tree.machine()).unknown == {"unattended_upgrades": reason, "unattended_blacklist": reason}


def test_no_apt_is_unknown(tree: Tree) -> None:
    reason = "neither apt, dnf nor zypper was found"
    assert repositories.read(tree.machine()) == Repositories(
        unknown=dict.fromkeys(("sources", "preferences", "keyrings", "unattended_upgrades"), reason))
