# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planned for a fleet: as data, and as a table."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import overview
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.overview import Node, node
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.plan import Plan, Step

INSTALL = Step("install", "install amdgpu-dkms 2 (was 1), headers, firmware", "amdgpu-dkms 1", "amdgpu-dkms 2\nheaders\nfirmware 3")
HOLD = Step("hold", "hold amdgpu-dkms, headers and quite a few other packages", after="amdgpu-dkms\nheaders")
LOAD = Step("load", "reload amdgpu")
REPORT = {"gpus": "8 x MI300X", "found": "r1", "wanted": "r2"}


def result(*plans: Plan, **more: t.Any) -> dict[str, t.Any]:
    """What fleet_plan returned."""
    return {"plans": {plan.role: plan.to_dict() for plan in plans}, "report": REPORT, **more}


DRIVER = Plan("gpu_driver", (INSTALL, HOLD, LOAD), reload="it is another one", notes=("n", "m"), restarts=("slurmd",))
DUE = node("a", {}, result(DRIVER, Plan("rocm_userspace", notes=("n",))))
GOOD = node("b", {}, result(Plan("gpu_driver")))
WAITS = node("c", {}, result(Plan("gpu_driver", reboot="k must boot"), Plan("node_maintenance", reboot="k must boot")))
REBOOTS = node("d", {}, result(Plan("gpu_driver", reboot="k"), Plan("node_maintenance", (Step("reboot", "reboot: k"),), reboot="k")))
BROKEN = node("e", {}, result(Plan("gpu_driver", problems=("a GPU is gone",))))
REFUSAL = {"failed": True, "msg": "x: y", "failure": {"where": "x"}, "seen": {"gpus": "2 GPUs", "found": "ROCm 1"}}
REFUSED = node("f", {}, REFUSAL)
GONE = node("g", {"unreachable": True, "msg": "no route"}, {"skipped": True})
CRASHED = node("h", {"failed": True, "msg": "MODULE FAILURE"}, None)
ELSEWHERE = node("i", None, None, "a required variable is not set")
SILENT = node("j", None, None)
FLEET = [DUE, GOOD, WAITS, REBOOTS, BROKEN, REFUSED, GONE, CRASHED, ELSEWHERE, SILENT]

VERDICTS = [
    (DUE, True, True, "changes due"), (GOOD, False, True, "as wanted"), (WAITS, True, True, "reboot due"),
    (REBOOTS, True, True, "changes due"), (BROKEN, False, False, "problem: a GPU is gone"),
    (REFUSED, False, False, "refused: x: y"), (GONE, False, False, "unreachable: no route"),
    (CRASHED, False, False, "failed: MODULE FAILURE"), (ELSEWHERE, False, False, "failed: a required variable is not set"),
    (SILENT, False, False, "failed: it has no plan"),
]


@pytest.mark.parametrize(("seen", "due", "settled", "verdict"), VERDICTS)
def test_what_is_due_and_what_is_settled(seen: Node, due: bool, settled: bool, verdict: str) -> None:
    assert (seen.due, seen.settled, seen.verdict) == (due, settled, verdict)


def test_plain_data_of_a_plan() -> None:
    assert DUE.to_dict() == {
        "status": "planned", "verdict": "changes due", "due": True, "reason": None, "failure": None, "drift": None,
        "gpus": "8 x MI300X", "found": "r1", "wanted": "r2",
        "steps": [{"role": "gpu_driver", "action": s.action, "words": s.words, "before": s.before, "after": s.after}
                  for s in (INSTALL, HOLD, LOAD)],
        "reboot": {"needed": False, "why": ""}, "reload": {"needed": True, "why": "it is another one"},
        "restarts": ["slurmd"], "notes": ["n", "m"], "problems": [],
    }


def test_plain_data_of_a_refusal() -> None:
    said = REFUSED.to_dict()
    assert (said["status"], said["reason"], said["failure"], said["steps"]) == ("refused", "x: y", {"where": "x"}, [])
    assert (said["gpus"], said["found"]) == ("2 GPUs", "ROCm 1")


def test_table() -> None:
    assert overview.table(FLEET, "inventory", 140) == """\
node  GPUs        found   wanted  would change                        interrupts                          verdict
----  ----------  ------  ------  ----------------------------------  ----------------------------------  ----------------------------------
a     8 x MI300X  r1      r2      3 steps: reload amdgpu; install     driver reload: it is another one;   changes due
                                  amdgpu-dkms, headers and 1 more     restart of slurmd
                                  ...
b     8 x MI300X  r1      r2      nothing                             nothing                             as wanted
c     8 x MI300X  r1      r2      nothing                             reboot (not allowed): k must boot   reboot due
d     8 x MI300X  r1      r2      1 step: reboot: k                   reboot: k                           changes due
e     8 x MI300X  r1      r2      nothing                             nothing                             problem: a GPU is gone
f     2 GPUs      ROCm 1  -       -                                   -                                   refused: x: y
g     -           -       -       -                                   -                                   unreachable: no route
h     -           -       -       -                                   -                                   failed: MODULE FAILURE
i     -           -       -       -                                   -                                   failed: a required variable is not
                                                                                                          set
j     -           -       -       -                                   -                                   failed: it has no plan

steps on a:
  install amdgpu-dkms 2 (was 1), headers, firmware
  hold amdgpu-dkms, headers and quite a few other packages
  reload amdgpu

steps on d:
  reboot: k

notes on a:
  n
  m

10 nodes: 2 changes due, 1 as wanted, 1 reboot due, 1 problem, 1 refused, 1 unreachable, 3 failed"""


def test_of_many_steps_the_weighty_come_first_and_long_words_are_cut() -> None:
    step = node("a", {}, result(Plan("gpu_driver", (HOLD, Step("remove", "remove a", "a 1\nb 2"))))).steps
    assert overview._change(Node("a", steps=step)) == "2 steps: remove a, b; hold amdgpu-dkms, headers and quite a few oth..."


DRIFT = {"release": "r1", "differences": ["amdgpu-dkms is not on hold"], "moved": ["the inventory has x 2, and had 1"],
         "when": "2026-01-01", "who": "ci", "before": None, "after": "r1", "notes": []}


def test_nothing_is_due_where_nothing_differs_from_the_record() -> None:
    refresh = Plan("rocm_userspace", (Step("refresh", "refresh the package lists"),))
    drift = {**DRIFT, "differences": []}
    seen = node("a", {}, result(refresh, drift=drift))
    assert (seen.due, seen.verdict) == (False, "as recorded")


def test_drift() -> None:
    same = {**DRIFT, "differences": [], "moved": [], "when": None, "who": None, "after": None}
    fleet = [
        node("a", {}, result(Plan("gpu_driver", (HOLD,)), drift=DRIFT)),
        node("b", {}, result(Plan("gpu_driver"), drift=same)),
        node("c", {}, {"plans": {}, "report": {}, "drift": {"unrecorded": "no release was recorded on this node"}}),
    ]
    assert [n.settled for n in fleet] == [True, True, False]
    assert overview.table(fleet, "recorded", 160) == """\
node  GPUs        recorded  by the run of                 differs  inventory        verdict
----  ----------  --------  ----------------------------  -------  ---------------  ------------------------------------------------
a     8 x MI300X  r1        2026-01-01 ci: nothing -> r1  1 point  1 changed since  drifted
b     8 x MI300X  r1        -                             nothing  as recorded      as recorded
c     -           -         -                             -        -                unrecorded: no release was recorded on this node

differences on a:
  amdgpu-dkms is not on hold
  the inventory has x 2, and had 1

3 nodes: 1 drifted, 1 as recorded, 1 unrecorded"""


def test_no_nodes() -> None:
    assert overview.table([], "inventory", 80) == "no nodes"
    assert overview.summary([GOOD]) == "1 node: 1 as wanted"
