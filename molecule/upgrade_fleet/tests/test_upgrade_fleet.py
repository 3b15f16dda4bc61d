# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of a roll-out: predicted, stopped by its canary, stopped by its budget, gone on with, killed five times.

Twelve nodes: the window of three moves on over nodes that fail, and the budget leaves some for the killed runs.
"""

from __future__ import annotations

import os
import random
import re
import time
import typing as t
from pathlib import Path

from evidence import OURS, Fleet, gated, most_out_of_work, out_since, works
from rollouts import Rollout, nodes

FLEET = Fleet("uf-control")
NAMES = FLEET.names
MOVES = NAMES[-3:]  # those of the last rack get another kernel, too, and so a reboot
CANARIES = [MOVES[0], NAMES[0]]
AT_ONCE, KILLS = 3, 5
SHARE = "10%"
MAY_FAIL = len(NAMES) // 10
Seen = t.Mapping[str, t.Mapping[str, t.Any]]
BEFORE, AFTER = "rocm-7.0.2", "rocm-7.2.3"
# What goes wrong with the new release alone: a GPU is too hot under it, its packages cannot be installed.
HOOK = "/etc/apt/apt.conf.d/99-test"
HOT = "if [ -e /opt/rocm-7.2.3/.info ]; then instinct-sim fault hot; else instinct-sim heal; fi || :"
FAULTS = {
    "gate": f"echo 'DPkg::Post-Invoke {{\"{HOT}\";}};' > {HOOK}",
    "step": f"echo 'DPkg::Pre-Install-Pkgs {{\"! grep 70203\";}};' > {HOOK}",
}
MEND = f"rm -f {HOOK}; instinct-sim heal"


def given(**more: t.Any) -> dict[str, t.Any]:
    """Variables of every run: what is wanted, and how the roll-out goes on."""
    old, new = sorted(FLEET.ssh(NAMES[0], "ls /boot/vmlinuz-* | sed s,/boot/vmlinuz-,,").split())
    last = MOVES[0]
    kernel = "{{ '" + new + "' if inventory_hostname >= '" + last + "' else '" + old + "' }}"
    return {"gpu_release_name": AFTER, "gpu_release_kernel": kernel, "fleet_upgrade_max_unavailable": AT_ONCE,
            "fleet_upgrade_failures": SHARE, "fleet_upgrade_canary": CANARIES, "fleet_upgrade_domain": "rack",
            "fleet_upgrade_per_domain": 2, **more}


def a_dry_run_predicts_and_changes_nothing(folder: Path) -> tuple[dict[str, t.Any], float]:
    """Returns the plan, and how long it takes here to look at all nodes."""
    before = FLEET.slurm(), FLEET.digests()
    began = time.time()
    code, plan = Rollout(folder / "predicted", given(fleet_upgrade_detailed_exitcode=True), "--check", "--diff").end()
    looked = time.time() - began
    assert (code, plan["refusal"]) == (2, "")
    assert (FLEET.slurm(), FLEET.digests()) == before
    assert {name: node["reboot"] for name, node in plan["nodes"].items()} == {name: name in MOVES for name in NAMES}
    return plan, looked


def order(plan: t.Mapping[str, t.Any]) -> list[str]:
    """Nodes that are due, as they are to begin."""
    turns = {name: node["turn"] for name, node in plan["nodes"].items() if node["turn"]}
    return sorted(turns, key=turns.__getitem__)


def a_canary_that_fails_stops_all(folder: Path, first: str) -> None:
    FLEET.ssh(first, FAULTS["gate"])
    some = NAMES[:4]
    run = Rollout(folder / "canary", given(fleet_upgrade_canary=[first]), "--limit", ",".join(some))
    code, report = run.end()
    assert (code, report["nodes"][first]["status"]) == (2, "rolled back"), run.said()
    assert nodes(run.events(), "begin") == [first]
    assert {report["nodes"][name]["status"] for name in some if name != first} == {"due"}
    it_is_as_before_and_out_of_work([first], {first: "hot"})
    assert {name for name, state in FLEET.slurm().items() if works(state)} == {*NAMES} - {first}
    FLEET.ssh(first, MEND)


def it_is_as_before_and_out_of_work(names: t.Iterable[str], why: t.Mapping[str, str]) -> None:
    """Nodes that were rolled back: at the old release, gated since they were drained, and drained with the reason."""
    slurm, seen, drained = FLEET.slurm(), FLEET.seen(names), out_since(FLEET.drains())
    for name, one in seen.items():
        now = one["is"]
        assert (one["note"]["state"], now["record"]["release"]) == ("rolled back", BEFORE)
        assert now["rocm"] == "/opt/rocm-7.0.2" and ".70002-" in now["packages"] and ".70203-" not in now["packages"]
        assert gated(one, drained[name])
        assert not works(slurm[name]) and slurm[name]["Reason"].startswith(f"{OURS}: rolled back: ")
        assert why[name] in one["note"]["reason"]


def a_budget_that_is_used_up_stops_the_rest(folder: Path, predicted: list[str], retry: list[str]) -> list[str]:
    """One node more fails than may, the first of them out of reach in the middle. Returns those."""
    since = time.time()
    rest = [name for name in predicted if name not in CANARIES]
    broken = dict(zip(rest, ["unreachable", "step"], strict=False))
    for name, how in broken.items():
        if how in FAULTS:
            FLEET.ssh(name, FAULTS[how])
    lost = next(iter(broken))
    run = Rollout(folder / "budget", given(fleet_upgrade_retry=retry))
    assert run.until(lambda events: any((one["node"], one["word"]) == (lost, "apply") for one in events)), run.said()
    FLEET.cut_off(lost)
    code, report = run.end()
    events = run.events()
    bad = [one for one in events if one["event"] == "end" and one["word"] != "done"]
    assert (code, {one["node"] for one in bad}) == (2, {*broken}), run.said()
    # The next begins as long as the budget holds, and none after it; those under way are finished.
    last = events.index(bad[MAY_FAIL])
    assert nodes(events[last:], "begin") == [] and sorted(nodes(events, "begin")) == sorted(nodes(events, "end"))
    begun = nodes(events, "begin")
    # As predicted, but for those whose places were free at the same time.
    assert all(predicted.index(name) < place + AT_ONCE for place, name in enumerate(begun))
    left = len(predicted) - len(begun)
    assert left > 0 and report["stopped"].startswith(f"{left} node")
    assert most_out_of_work(FLEET.drains(), since, broken) <= AT_ONCE
    there = [name for name in broken if name != lost]
    it_is_as_before_and_out_of_work(there, dict.fromkeys(there, ""))
    assert report["nodes"][lost]["status"] == "unreachable" and not works(FLEET.slurm()[lost])
    return list(broken)


def points(dice: random.Random, looked: float) -> list[tuple[int, float]]:
    """Where runs are killed: after how many steps of nodes, and how much later. Before the first, all are looked at."""
    some = [(0, dice.uniform(0, looked)) for _kill in range(KILLS * 4 // 10)]
    some += [(dice.randrange(1, 8), dice.uniform(0, 3)) for _kill in range(KILLS - len(some))]
    dice.shuffle(some)
    return some


def killed_on_its_way_it_ends_as_if_it_had_not_been(folder: Path, bad: list[str], looked: float) -> None:
    """One node cannot be reached all the while: it stays out of work, is told of, and comes with the last run.

    Runs that are killed have a part of the fleet: nodes that failed, those that are left but for one, and canaries.
    """
    lost, *others = bad
    FLEET.each(others, MEND)
    left = [name for name, one in FLEET.seen({*NAMES} - {lost}).items() if one["is"]["record"]["release"] == BEFORE]
    left.sort(key=lambda name: (name not in bad, name not in MOVES))  # reboots are among what is broken off
    part = [lost, *CANARIES, *left[:-1]]
    assert len(left) > AT_ONCE, left
    seed = int(os.environ.get("UPGRADE_FLEET_SEED") or random.SystemRandom().randrange(10**6))
    print(f"UPGRADE_FLEET_SEED={seed}")
    since, variables = time.time(), given(fleet_upgrade_retry=others, fleet_upgrade_failures=3)
    for number, (steps, more) in enumerate(points(random.Random(seed), looked * len(part) / len(NAMES)), 1):
        print(f"kill {number}: {steps} steps and {more:.1f} s")
        run = Rollout(folder / f"killed-{number}", variables, "--limit", ",".join(part))
        assert run.until(lambda events, steps=steps: len(nodes(events, "step")) >= steps), run.said()
        time.sleep(more)
        run.kill()
        events = run.events()
        print(f"kill {number}: {time.time() - run.began:.0f} s, {len(events)} lines, {events[-1:]}")
        nobody_works_ungated({*nodes(events, "begin")})
        assert steps == 0 or run.report()["nodes"][lost]["status"] == "unreachable"
        assert lost not in nodes(events, "begin") and not works(FLEET.slurm()[lost])
    FLEET.reach_again(lost)
    run = Rollout(folder / "rest", {**variables, "fleet_upgrade_retry": bad})
    code, report = run.end()
    assert (code, report["complete"]) == (0, True), run.said()
    assert {node["status"] for node in report["nodes"].values()} == {"done", "as wanted"}, run.said()
    assert most_out_of_work(FLEET.drains(), since, {lost}) <= AT_ONCE
    nobody_works_ungated(NAMES)
    all_are_alike()


def nobody_works_ungated(names: t.Iterable[str]) -> None:
    """Of the nodes that Slurm gives jobs, each has a verdict that is newer than its last drain.

    Drains are asked first: what a killed run had sent to a node goes on there, and may drain it in between.
    """
    drained = out_since(FLEET.drains())
    slurm = FLEET.slurm()
    for name, one in FLEET.seen(names).items():
        state = slurm[name]
        if works(state):
            assert name not in drained or gated(one, drained[name]), (name, one["note"], one["health"])
        else:
            assert state["Reason"].startswith(OURS) and one["note"], (name, state, one["note"])


def all_are_alike() -> None:
    """Every node ended as the canary did that no run was killed over."""
    seen, slurm = FLEET.seen(NAMES), FLEET.slurm()
    for name in NAMES:
        like = CANARIES[0] if name in MOVES else CANARIES[1]
        assert plain(name, seen, slurm) == plain(like, seen, slurm), name


def plain(name: str, seen: Seen, slurm: Seen) -> dict[str, t.Any]:
    """What a node is and how it stands, without times, attempts and its own name."""
    note = {key: seen[name]["note"][key] for key in ("release", "target", "state", "step", "reason")}
    state = {key: value for key, value in slurm[name].items() if not re.fullmatch("Node(Name|Addr|HostName)", key)}
    return {"note": note, "slurm": state, **seen[name]["is"]}


def what_was_predicted_came(plan: t.Mapping[str, t.Any], before: Seen, after: Seen) -> None:
    """The nodes that were to reboot did, and the files that were to be written are those that changed."""
    for name, node in plan["nodes"].items():
        was, now = before[name], after[name]
        assert (was["boot"] != now["boot"], node["reboot"]) == (name in MOVES, name in MOVES)
        files = {path for path in {*was["is"]["files"], *now["is"]["files"]}
                 if was["is"]["files"].get(path) != now["is"]["files"].get(path)}
        assert files == {step.removeprefix("write ") for step in node["steps"] if step.startswith("write /etc/")}


# One test, for several would run side by side on the one fleet.
def test_a_fleet_is_upgraded(tmp_path: Path) -> None:
    before = FLEET.seen(NAMES)
    plan, looked = a_dry_run_predicts_and_changes_nothing(tmp_path)
    predicted = order(plan)
    a_canary_that_fails_stops_all(tmp_path, CANARIES[1])
    bad = a_budget_that_is_used_up_stops_the_rest(tmp_path, predicted, [CANARIES[1]])
    killed_on_its_way_it_ends_as_if_it_had_not_been(tmp_path, bad, looked)
    what_was_predicted_came(plan, before, FLEET.seen(NAMES))
