# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages, locks, repositories and keys of nodes with dnf and with zypper."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import (
    Key,
    Package,
    Packages,
    Preference,
    Repositories,
)
from ansible_collections.instinct.fleet.plugins.module_utils._node import packages, repositories
from ansible_collections.instinct.fleet.plugins.module_utils._node.command import Ran
from ansible_collections.instinct.fleet.plugins.module_utils._node.rpm import KEYS, QUERY
from ansible_collections.instinct.fleet.tests.unit.plugins.fabricated import Tree

PRINTED = ("amdgpu-dkms\t1\t6.14.14.30100200\t2226257.el9\tnoarch\t5\n"
           "kernel-core\t(none)\t5.14.0\t570.12.1.el9_6\tx86_64\t4\nbash\t(none)\t5.1.8\t9.el9\tx86_64\t3\n")
DKMS = Package("amdgpu-dkms", "1:6.14.14.30100200-2226257.el9", "noarch", "installed")
CORE = Package("kernel-core", "5.14.0-570.12.1.el9_6", "x86_64", "installed")
CONF = "/etc/dnf/plugins/versionlock.conf"
LIST = "/etc/dnf/plugins/versionlock.list"
LOCKS = {CONF: f"[main]\nenabled = 1\nlocklist = {LIST}\n",
         LIST: "# Added lock\namdgpu-dkms-1:6.14.14.30100200-2226257.el9.*\nkernel-core-0:5.14.0-570.58.1.el9_6.*\n"}
# Public key of RFC 9580's sample certificate, and its fingerprint.
KEY = bytes.fromhex("c62a0663877fe31b00000020f94da7bb48d60a61e567706a6587d0331999bb9d891a08242ead84543df895a3")
PRINT = "CB186C4F0609A697E4D52DFA6C722B0C1F1E27C18A56708F6525EC27BAD9ACC9"
ARMOUR = (f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{base64.b64encode(KEY).decode()}\n"
          "-----END PGP PUBLIC KEY BLOCK-----\n")
NO_KEY = Ran(1, "package gpg-pubkey is not installed\n", "")
REPO = "[amdgpu]\nbaseurl=https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/\n"


@pytest.fixture
def el(tree: Tree) -> Tree:
    """A node of the RHEL family."""
    tree.fill({"/usr/bin/dnf": "", "/usr/bin/rpm": ""})
    tree.commands.update({" ".join(QUERY): Ran(0, PRINTED, ""), " ".join(KEYS): NO_KEY})
    return tree


@pytest.fixture
def sles(tree: Tree) -> Tree:
    """A node of SUSE."""
    tree.fill({"/usr/bin/zypper": "", "/usr/bin/rpm": ""})
    tree.commands.update({" ".join(QUERY): Ran(0, PRINTED, ""), " ".join(KEYS): NO_KEY})
    return tree


def test_packages_and_locks_of_dnf(el: Tree) -> None:
    assert packages.read(el.fill(LOCKS).machine()) == Packages(
        "dnf", (DKMS, CORE), ("amdgpu-dkms", "kernel-core"), misheld=("kernel-core",), obeys_holds=True)
    assert el.asked == [" ".join(QUERY)]


def test_packages_asked_for_by_name(el: Tree) -> None:
    assert [p.name for p in packages.read(el.machine(), ["ba*"]).installed] == ["amdgpu-dkms", "bash", "kernel-core"]


@pytest.mark.parametrize("files", [
    {}, {**LOCKS, CONF: f"[main]\nenabled = 0\nlocklist = {LIST}\n"}, {**LOCKS, "/etc/dnf/dnf.conf": "[main]\nplugins=0\n"},
], ids=["not installed", "switched off", "no plugins at all"])
def test_without_its_plugin_dnf_holds_nothing(el: Tree, files: dict[str, str]) -> None:
    seen = packages.read(el.fill(files).machine())
    assert (seen.holds, seen.obeys_holds, seen.unknown) == ((), False, {})


def test_locks_that_cannot_be_read_are_unknown(el: Tree) -> None:
    seen = packages.read(el.fill({CONF: LOCKS[CONF]}).machine())
    assert (seen.obeys_holds, seen.unknown) == (None, {"holds": f"{LIST}: does not exist, so that dnf refuses to work; make it, empty"})


def test_locks_of_dnf_5_are_unknown(tree: Tree) -> None:
    tree.write("/usr/bin/dnf5")
    tree.link("/usr/bin/dnf", "dnf5")
    tree.commands[" ".join(QUERY)] = Ran(0, PRINTED, "")
    seen = packages.read(tree.fill(LOCKS).machine())
    assert (seen.holds, seen.unknown) == ((), {"holds": "dnf 5 keeps its locks in /etc/dnf/versionlock.toml, which is not read yet"})


def test_a_version_that_rpm_was_kept_from_erasing_is_broken(el: Tree) -> None:
    el.commands[" ".join(QUERY)] = Ran(0, PRINTED + "amdgpu-dkms\t1\t6.12.12\t2187269.el9\tnoarch\t2\n", "")
    assert packages.read(el.machine()).broken == (Package("amdgpu-dkms", "1:6.12.12-2187269.el9", "noarch", "duplicate"),)


def test_a_damaged_database_is_unknown(el: Tree) -> None:
    el.commands[" ".join(QUERY)] = Ran(1, "", "error: cannot open Packages database in /var/lib/rpm\n")
    why = "rpm failed: error: cannot open Packages database in /var/lib/rpm"
    assert packages.read(el.machine()) == Packages("dnf", unknown=dict.fromkeys(("installed", "holds", "misheld", "broken"), why))


def test_packages_and_locks_of_zypper(sles: Tree) -> None:
    sles.write("/etc/zypp/locks", "\ntype: package\nmatch_type: glob\ncase_sensitive: on\nsolvable_name: amdgpu*\n\n")
    assert packages.read(sles.machine()) == Packages("zypper", (DKMS, CORE), ("amdgpu-dkms",), obeys_holds=True)


def test_repositories_of_dnf(el: Tree) -> None:
    el.fill({"/etc/yum.repos.d/amdgpu.repo": REPO, "/etc/yum.repos.d/amdgpu.repo.rpmsave": "x", "/etc/pki/rpm-gpg/RPM-GPG-KEY-x": ARMOUR,
             "/etc/dnf/dnf.conf": "[main]\ngpgcheck=1\nexcludepkgs=kernel*\n"})
    el.commands[" ".join(KEYS)] = Ran(0, base64.encodebytes(KEY).decode() + "\n", "")
    seen = repositories.read(el.machine())
    assert [(s.file, s.uris, s.trusted) for s in seen.sources] == [
        ("/etc/yum.repos.d/amdgpu.repo", ("https://repo.radeon.com/amdgpu/30.30.3/el/9.6/main/x86_64/",), False)]
    assert seen.preferences == (Preference("/etc/dnf/dnf.conf", "kernel*", "exclude", -1),)
    assert seen.keyrings == (Key("/etc/pki/rpm-gpg/RPM-GPG-KEY-x", (PRINT,)), Key("rpm", (PRINT,)))
    assert (seen.unattended_upgrades, seen.unknown) == (False, {})


def test_repositories_of_zypper_are_checked_unless_they_say_no(sles: Tree) -> None:
    sles.fill({"/etc/zypp/repos.d/a.repo": REPO, "/etc/zypp/repos.d/b.repo": REPO + "gpgcheck=0\n"})
    seen = repositories.read(sles.machine())
    assert [(s.file[-6], s.trusted) for s in seen.sources] == [("a", False), ("b", True)]
    assert (seen.keyrings, seen.unattended_upgrades) == ((Key("rpm", ()),), False)


def test_damaged_files_do_not_hide_the_others(el: Tree) -> None:
    el.fill({"/etc/yum.repos.d/a.repo": "baseurl=x\n", "/etc/yum.repos.d/b.repo": REPO, "/etc/pki/rpm-gpg/x": "text",
             "/etc/dnf/automatic.conf": "[commands]\napply_updates = perhaps\n"})
    seen = repositories.read(el.machine())
    assert [s.file for s in seen.sources] == ["/etc/yum.repos.d/b.repo"]
    assert seen.keyrings == (Key("/etc/pki/rpm-gpg/x", ()), Key("rpm", ()))
    assert seen.unknown == {
        "sources": "/etc/yum.repos.d/a.repo: cannot be read: File contains no section headers.",
        "keyrings": "/etc/pki/rpm-gpg/x: is not an OpenPGP keyring",
        "unattended_upgrades": "/etc/dnf/automatic.conf: 'perhaps' is neither yes nor no"}


TIMERS = "/etc/systemd/system/timers.target.wants"


@pytest.mark.parametrize(("files", "wanted"), [
    ({f"{TIMERS}/dnf-automatic-install.timer": ""}, True),
    ({f"{TIMERS}/dnf-automatic.timer": "", "/etc/dnf/automatic.conf": "[commands]\napply_updates = yes\n"}, True),
    ({f"{TIMERS}/dnf-automatic.timer": "", "/etc/dnf/automatic.conf": "[commands]\napply_updates = no\n"}, False),
    ({"/etc/dnf/automatic.conf": "[commands]\napply_updates = yes\n"}, False),
], ids=["always installs", "installs as it is told", "only downloads", "never runs"])
def test_dnf_automatic(el: Tree, files: dict[str, str], wanted: bool) -> None:
    assert repositories.read(el.fill(files).machine()).unattended_upgrades is wanted


def test_online_update_of_yast(sles: Tree) -> None:
    sles.write("/etc/sysconfig/automatic_online_update", 'AOU_ENABLE_CRONJOB="true"\n')
    assert repositories.read(sles.machine()).unattended_upgrades is True


def test_no_package_manager_is_unknown(tree: Tree) -> None:
    seen = repositories.read(tree.machine())
    assert isinstance(seen, Repositories) and set(seen.unknown) == {"sources", "preferences", "keyrings", "unattended_upgrades"}
