# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The repositories are asked once, for the packages of all roles, before the first change."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.offers import ask_first
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node, package

KEY = Step("key", "", data={"url": "https://x/key", "fingerprint": "AB", "path": "/usr/share/keyrings/x.gpg"})
SOURCES = Step("file", "", data={"path": "/etc/apt/sources.list.d/x.sources", "content": "x", "mode": "0644"})
OLD = Step("file", "", data={"path": "/etc/apt/sources.list.d/old.list", "state": "absent"})
DRIVER = Plan("gpu_driver", (KEY, SOURCES, Step("tools", "", data={"packages": ["dkms"]}),
                             Step("install", "", data={"packages": ["amdgpu-dkms=1", "linux-headers-1"], "names": []})))
ROCM = Plan("rocm_userspace", (OLD, Step("install", "", data={"packages": ["rocm=7", "dkms"], "names": []})))
QUIET = Plan("gpu_driver", (SOURCES,))


def test_one_question_holds_packages_files_and_keys_of_all_roles():
    plans = ask_first(bare_node(), {"gpu_driver": DRIVER, "rocm_userspace": ROCM})
    question, *rest = plans["gpu_driver"].steps
    assert (question.action, question.words) == ("available", "ask the repositories for 4 packages")
    assert question.data == {
        "packages": ["dkms", "amdgpu-dkms=1", "linux-headers-1", "rocm=7"], "removals": [],
        "files": [SOURCES.data, OLD.data],
        "keys": [KEY.data], "together": True,
    }
    assert (tuple(rest), plans["rocm_userspace"]) == (DRIVER.steps, ROCM)


FLASH = Plan("gpu_firmware", (Step("flash", "", data={"tasks": "/flash.yml", "devices": []}),))


@pytest.mark.parametrize(("first", "left"), [
    (FLASH, ["available", "flash"]), (QUIET, ["available", "file"]), (Plan("gpu_driver"), []),
], ids=["which flashes", "which writes a file", "which does nothing"])
def test_the_first_role_that_changes_the_node_asks(first, left):
    plans = ask_first(bare_node(), {first.role: first, "rocm_userspace": ROCM})
    assert [s.action for s in plans[first.role].steps] == left
    assert [s.action for s in plans["rocm_userspace"].steps] == [*([] if left else ["available"]), "file", "install"]
    asking = plans[first.role] if left else plans["rocm_userspace"]
    assert asking.steps[0].data["packages"] == ["rocm=7", "dkms"]


EVICT = Plan("gpu_driver", (Step("evict", "", data={"packages": ["amdgpu-site-dkms"]}), *DRIVER.steps))
REMOVE = Plan("rocm_userspace", (Step("remove", "", data={"packages": ["rocminfo", "rocm-smi-lib"]}),))


# id, plans, role that asks, what the question says, what will go
GOING = [
    ("besides what comes", {"gpu_driver": EVICT, "rocm_userspace": REMOVE}, "gpu_driver",
     "ask the repositories for 3 packages, ask apt what goes with 3 packages",
     ["amdgpu-site-dkms", "rocminfo", "rocm-smi-lib"]),
    ("alone", {"gpu_driver": QUIET, "rocm_userspace": REMOVE}, "gpu_driver", "ask apt what goes with 2 packages",
     ["rocminfo", "rocm-smi-lib"]),
]


@pytest.mark.parametrize(("plans", "role", "words", "going"), [c[1:] for c in GOING], ids=[c[0] for c in GOING])
def test_what_will_go_is_asked_before_the_first_change(plans, role, words, going):
    question = ask_first(bare_node(), plans)[role].steps[0]
    assert (question.action, question.words, question.data["removals"]) == ("available", words, going)


@pytest.mark.parametrize(
    ("plans", "manager"), [({"gpu_driver": QUIET}, "apt"), ({}, "apt"), ({"gpu_driver": DRIVER}, "dnf")],
    ids=["nothing is installed", "no role", "another package manager"],
)
def test_there_is_no_question(plans, manager):
    node = bare_node()
    node = dc.replace(node, packages=dc.replace(node.packages, manager=manager))
    assert ask_first(node, plans) == plans


@pytest.mark.parametrize("half", [{"broken": (package("x", "1", "half-configured"),)}, {"interrupted": True}])
def test_while_something_is_half_done_packages_are_asked_for_alone(half):
    node = bare_node()
    node = dc.replace(node, packages=dc.replace(node.packages, **half))
    assert ask_first(node, {"gpu_driver": DRIVER})["gpu_driver"].steps[0].data["together"] is False
