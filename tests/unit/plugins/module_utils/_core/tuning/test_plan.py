# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done so that a node has its settings, and so that it has them no more."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning import texts
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.overrides import Line
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.plan import Edit, plan, refuse
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.record import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.seen import Register
from ansible_collections.instinct.fleet.tests.unit.support.tuning import (
    ACS,
    ALL,
    IOMMU,
    KERNEL,
    REALLOC,
    SERVICES,
    SYSCTL,
    USERS,
    files,
    node,
    tuned,
)

WORDS = ("root=/dev/sda1", "ro", "quiet")


def test_a_node_is_tuned() -> None:
    found = plan(ALL, node())
    assert found.actions == (
        *(f"write {path}" for path in texts.PATHS), "have systemd read its files anew", f"set {SYSCTL.name} to 20",
        "enable and start instinct-acs.service", "write the GRUB menu")
    record = next(change.wanted.content for change in found.files if change.wanted.path == texts.RECORD)
    assert Record.read((record or b"").decode(), "f") == Record({SYSCTL.name: "0"}, {"0000:00:01.1": "001d"}, ("iommu=pt",))


def test_a_tuned_node_is_left_alone() -> None:
    assert plan(ALL, tuned()).actions == ()


def test_all_is_given_back_and_the_record_goes_last() -> None:
    found = plan((), tuned())
    assert found.actions == (
        "stop and disable instinct-acs.service", *(f"remove {path}" for path in texts.PATHS if path != texts.RECORD),
        "have systemd read its files anew", f"set {SYSCTL.name} to 0", "set access control of 0000:00:01.1 to 001d",
        "write the GRUB menu", f"remove {texts.RECORD}")
    assert plan((), node()).actions == ()


def test_who_was_cut_off_goes_on() -> None:
    half = tuned(files={**files(()), texts.RECORD: tuned().files[texts.RECORD]})
    assert plan((), half).actions == (f"set {SYSCTL.name} to 0", "set access control of 0000:00:01.1 to 001d", "write the GRUB menu",
                                      f"remove {texts.RECORD}")


def test_a_setting_that_is_wanted_no_more_is_given_back_alone() -> None:
    found = plan([one for one in ALL if one is not SYSCTL], tuned())
    assert found.actions == (f"remove {texts.SYSCTLS}", f"set {SYSCTL.name} to 0", f"write {texts.RECORD}")
    kept = found.closing[0].wanted.content or b""
    assert Record.read(kept.decode(), "f") == Record({}, {"0000:00:01.1": "001d"}, ("iommu=pt",))


def test_what_was_before_is_what_was_before_the_first_change() -> None:
    found = plan([SYSCTL.valued("30")], tuned())
    assert found.sysctls == {SYSCTL.name: "30"}
    assert Record.read((found.closing[0].wanted.content or b"").decode(), "f").sysctls == {SYSCTL.name: "0"}


@pytest.mark.parametrize(("changes", "actions"), [
    ({"enabled": False}, ("enable and start instinct-acs.service",)),
    ({"registers": (Register("0000:00:01.1", 0x5F, 1),)}, ("enable and start instinct-acs.service",)),
    ({"registers": None}, ()),
    ({"manager": {"MEMLOCK": "8388608"}}, ("have systemd read its files anew",)),
    ({"manager": {}}, ()),
    ({"sysctls": {SYSCTL.name: "7"}}, (f"set {SYSCTL.name} to 20",)),
    ({"entries": {KERNEL: WORDS}}, ("write the GRUB menu",)),
])
def test_what_drifted_is_set_again(changes: dict[str, t.Any], actions: tuple[str, ...]) -> None:
    assert plan(ALL, tuned(**changes)).actions == actions


def test_an_argument_that_others_brought_is_not_given_twice() -> None:
    there = node(entries={KERNEL: (*WORDS, "iommu=pt")})
    assert plan([IOMMU], there).actions == ()


def test_who_lost_the_record_keeps_the_arguments() -> None:
    lost = tuned(record=Record(), files={**tuned().files, texts.RECORD: files(())[texts.RECORD]})
    assert f"write {texts.RECORD}" in plan([IOMMU, ACS], lost).actions
    assert (plan([IOMMU], lost).menu, texts.GRUB in [change.wanted.path for change in plan([IOMMU], lost).files]) == (False, False)


def test_entries_are_edited_where_a_program_does_so() -> None:
    seen = node(loader="entries", entries={KERNEL: WORDS, "5.14": (*WORDS, "iommu=pt", "pci=bfsort")},
                record=Record(arguments=("pci=bfsort",)))
    found = plan([IOMMU, REALLOC], seen)
    assert found.edits == (Edit(KERNEL, "--args", ("iommu=pt", "pci=realloc=off")), Edit("5.14", "--remove-args", ("pci=bfsort",)),
                           Edit("5.14", "--args", ("pci=realloc=off",)))
    assert found.actions == (
        f"write {texts.RECORD}", f"give iommu=pt pci=realloc=off to the boot entry of {KERNEL}",
        "take pci=bfsort from the boot entry of 5.14", "give pci=realloc=off to the boot entry of 5.14", f"write {texts.RECORD}")
    assert Record.read((found.closing[0].wanted.content or b"").decode(), "f").arguments == ("iommu=pt", "pci=realloc=off")
    assert (found.menu, texts.GRUB in [change.wanted.path for change in found.files]) == (False, False)


@pytest.mark.parametrize(("setting", "changes", "sentence"), [
    (IOMMU, {"entries": {KERNEL: ("iommu=off",)}},
     f"kernel argument iommu=pt: is wanted by the setting iommu-pt, and the boot entry of {KERNEL} has iommu=off; "),
    (IOMMU, {"entries": {}, "boot_unknown": "another boot loader decides"},
     "setting iommu-pt: what the next boot gives to its kernel is not known: another boot loader decides; append iommu=pt by hand, and "
     "name iommu-pt in host_tuning_skip"),
    (IOMMU, {"next_boot": None}, "setting iommu-pt: what the next boot gives to its kernel is not known; append"),
    (IOMMU, {"loader": ""}, "setting iommu-pt: neither update-grub nor grubby is installed, so nothing appends it to boot entries; "),
    (IOMMU, {"loader": "", "entries": {KERNEL: ("iommu=pt",)}}, ""),
    (ACS, {"setpci": False}, "setting acs-off: setpci is not installed; install pciutils, or name acs-off in host_tuning_skip"),
    (ACS, {}, ""),
    (SYSCTL, {"sysctls": {}}, f"setting compaction: the running kernel has no {SYSCTL.name}; name compaction in host_tuning_skip"),
    (SYSCTL, {"later": (Line("/etc/sysctl.conf", "sysctl", SYSCTL.name, "0"),)}, f"/etc/sysctl.conf: sets {SYSCTL.name} to 0 after "),
    (USERS, {"later": (Line("/etc/x.conf", "user_limit", "memlock", "64"),)}, "/etc/x.conf: sets memlock to 64 after "),
    (SERVICES, {}, ""),
])
def test_what_a_node_cannot_have_is_one_sentence(setting: t.Any, changes: dict[str, t.Any], sentence: str) -> None:
    if not sentence:
        refuse([setting], node(**changes))
        return
    with pytest.raises(FleetError) as refusal:
        refuse([setting], node(**changes))
    assert refusal.value.sentence.startswith(sentence)


def test_a_value_that_cannot_be_recorded_is_not() -> None:
    found = plan([SYSCTL], node(sysctls={}))
    assert texts.RECORD not in [change.wanted.path for change in found.files]
