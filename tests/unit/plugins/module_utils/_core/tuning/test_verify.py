# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How each setting is."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning import texts
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.overrides import Line
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.seen import Register
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.verify import (
    Verdict,
    as_wanted,
    failure,
    reboot_required,
    verdicts,
)
from ansible_collections.instinct.fleet.tests.unit.support.tuning import (
    ACS,
    ALL,
    COPIES,
    IOMMU,
    KERNEL,
    SERVICES,
    STAYS,
    SYSCTL,
    USERS,
    node,
    tuned,
)


def judged(setting: Setting, stale: t.Container[str] = (), **changes: t.Any) -> Verdict:
    return verdicts([setting], tuned(**changes), stale)[0]


def test_a_tuned_node_is_as_wanted() -> None:
    found = verdicts(ALL, tuned(), ())
    assert [(one.id, one.state, one.found, one.why) for one in found] == [(s.id, "ok", s.value, "") for s in ALL]
    assert {one.id for one in found if one.mark == "cooperative"} == {COPIES.id}
    assert {one.mark for one in found} == {"enforcing", "cooperative"}
    assert (as_wanted(found), failure(found), reboot_required(ALL, tuned(), found)) == (True, None, False)


REFUSED = "/etc/sysctl.conf: sets vm.compaction_proactiveness to 0 after setting compaction, which wants 20; take it out there, or "
CASES: list[tuple[Setting, tuple[str, ...], dict[str, t.Any], tuple[t.Any, str, str]]] = [
    (IOMMU, (), {"next_boot": None}, (None, "differs", "setting iommu-pt: what the next boot gives to its kernel is not known; append ")),
    (IOMMU, (), {"entries": {KERNEL: ("quiet",)}}, (None, "differs", f"the boot entry of {KERNEL} does not have it")),
    (IOMMU, (), {"running": None}, (None, "unknown", "the command line of the running kernel is not known")),
    (IOMMU, (), {"running": ("quiet",)}, (None, "reboot", "the running kernel was booted without it")),
    (SYSCTL, (), {"sysctls": {SYSCTL.name: "7"}}, ("7", "differs", "the running kernel has 7")),
    (SYSCTL, (texts.SYSCTLS,), {}, ("20", "differs", f"{texts.SYSCTLS} is not as it should be")),
    (SYSCTL, (), {"later": (Line("/etc/sysctl.conf", "sysctl", SYSCTL.name, "0"),)}, ("20", "differs", REFUSED)),
    (USERS, (texts.LIMITS,), {}, (None, "differs", f"{texts.LIMITS} is not as it should be")),
    (SERVICES, (), {"manager": {}}, (None, "unknown", "systemd does not tell its default of MEMLOCK")),
    (SERVICES, (), {"manager": {"MEMLOCK": "64"}}, ("64", "differs", "systemd gives its units 64")),
    (ACS, (), {"registers": None}, (None, "unknown", "configuration space of PCI cannot be read")),
    (ACS, (), {"registers": ()}, (None, "none", "no PCI function has access control services")),
    (ACS, (), {"registers": (), "setpci": False}, (None, "none", "no PCI function has access control services")),
    (ACS, (), {"registers": (Register("0000:00:01.1", 0x5F, 1),)}, ("mixed", "differs", "it is not off at 0000:00:01.1")),
    (ACS, (), {"enabled": False}, ("off", "differs", "nothing sets it at the next boot")),
    (ACS, (texts.UNIT,), {}, ("off", "differs", f"{texts.UNIT} is not as it should be")),
    (STAYS, (), {"apt": False}, (None, "none", "the node has no apt, and installs nothing by itself")),
    (STAYS, (), {"apt": False, "by_itself": True}, (None, "unknown", "the node has no apt, and installs updates by itself: keep kernel and driver "
                                                                     "out of that there")),
    (STAYS, (), {"apt": False, "by_itself": None}, (None, "unknown", "the node has no apt, and may install updates by itself: keep kernel and "
                                                                     "driver out of that there")),
    (COPIES, (texts.ENVIRON,), {}, (None, "differs", f"{texts.ENVIRON} is not as it should be")),
]


@pytest.mark.parametrize(("setting", "stale", "changes", "said"), CASES)
def test_what_is_not_so_is_said(setting: Setting, stale: tuple[str, ...], changes: dict[str, t.Any], said: tuple[t.Any, str, str]) -> None:
    found = judged(setting, stale, **changes)
    assert (found.found, found.state) == said[:2]
    assert found.why.startswith(said[2]) if said[2].endswith(" ") else found.why == said[2]
    assert as_wanted([found]) is (said[1] == "none")
    wrong = failure([found])
    assert (wrong.sentence if wrong else "") == (f"host_tuning: what was set is not there: {found.sentence}; find out what sets it otherwise"
                                                 if said[1] == "differs" else "")


def test_arguments_need_a_reboot_to_come_and_to_go() -> None:
    waiting = tuned(running=("quiet",))
    assert reboot_required([IOMMU], waiting, verdicts([IOMMU], waiting, ()))
    assert reboot_required([], tuned(), ())
    assert not reboot_required([], tuned(running=None), ())
    assert not reboot_required([], node(), ())
