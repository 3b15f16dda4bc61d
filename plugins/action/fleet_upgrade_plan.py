# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_upgrade_plan: see plugins/modules/fleet_upgrade_plan.py for its documentation."""

from __future__ import annotations

import dataclasses as dc
import time
import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout import (
    candidate,
    forecast,
    reading,
    schedule,
    table,
    twins,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.rollout.shape import WANTED, Candidate
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, endings, rollout_log, written

# Where the tasks of the playbook keep what was seen of a host, and how a trial build went.
SEEN, TRIAL = "fleet_upgrade_seen", "fleet_upgrade_trial"
POLICY = ("max_unavailable", "failures", "per_domain", "pause", "windows")
FLAGS = ("rollback", "detailed_exitcode")
ROLLBACK = f"{reading.PREFIX}rollback"  # each host may have its own
Given = dict[str, t.Any]


class ActionModule(ActionBase):
    """Schedule the hosts of the play. Touches none of them: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: Given | None = None) -> Given:
        """Show the schedule, write the files that are asked for, and return it."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec({
            **collected.OPTIONS, "log": {"type": "path"}, "show": {"type": "bool", "default": False},
            "max_unavailable": {"type": "raw", "default": 1}, "failures": {"type": "raw", "default": 0},
            "per_domain": {"type": "raw", "default": 0}, "pause": {"type": "raw", "default": 0},
            "windows": {"type": "raw", "default": []}, "canary": {"type": "raw", "default": []},
            "retry": {"type": "raw", "default": False}, "domain": {"type": "str", "default": ""},
            "kind": {"type": "str", "choices": ["upgrade", "rollback"], "default": "upgrade"},
            "waits": {"type": "raw", "default": False}, "rollback": {"type": "raw", "default": True},
            "detailed_exitcode": {"type": "raw", "default": False},
        })
        try:
            said = self._schedule(args, known)
        except FleetError as error:
            return {**result, "failed": True, "msg": error.sentence, "failure": error.to_dict()}
        if args["path"]:
            plain = {key: value for key, value in said.items() if key not in ("table", "summary", "log", "warnings")}
            written.replace_json(args["path"], {"version": "v1", "kind": "upgrade_plan", **plain}, "the schedule")
        return {**result, "changed": False, **said}

    def _schedule(self, args: Given, known: Given) -> Given:
        hosts = collected.hosts(args["hosts"], known)
        reading.refuse_tags(known.get("ansible_run_tags", ["all"]), known.get("ansible_skip_tags", []))
        for name in FLAGS:
            reading.flag(args[name], reading.PREFIX + name)
        waits = reading.flag(args["waits"], f"{reading.BACK}waits") or args["kind"] == "upgrade"
        policy = reading.policy({name: args[name] for name in POLICY}, len(hosts))
        nodes = self._candidates(args, known, hosts)
        if waits:
            nodes = schedule.with_canary(nodes)
        else:
            policy, nodes = reading.at_once(policy), [dc.replace(node, canary=False) for node in nodes]
        now, forks = time.time(), int(known.get("ansible_forks") or 1)
        zone = time.localtime(now).tm_gmtoff // 60
        course = schedule.course(nodes, policy)
        refusal = schedule.refusal(nodes, policy, zone)
        when = forecast.forecast(course, now, zone, forks)
        due = [place.node for place in course.places]
        said = {
            "complete": all(node.status == WANTED for node in nodes), "refusal": refusal, "due": due,
            "canaries": [place.node for place in course.places if place.canary],
            "seconds": None if when.seconds is None else round(when.seconds), "opens": round(when.opens),
            "counts": table.counts(nodes), "nodes": table.to_dict(nodes, when),
            "table": table.table(nodes, policy, when, endings.width(Display().columns)),
            "summary": table.summary(nodes), "log": "",
        }
        if args["show"]:
            begins = bool(due) and not refusal and not self._task.check_mode
            if begins:
                rollout_log.refuse_others(due)
            Display().display("\n" + said["table"])
            if begins:
                run = rollout_log.this_run()
                said["log"] = rollout_log.begin(args["log"] or rollout_log.place(run), dc.replace(course, run=run))
            if min(len(due), policy.max_unavailable) > forks:
                many = policy.max_unavailable
                said["warnings"] = [f"{many} nodes may be under way, and Ansible works on {forks}; use --forks {many}"]
        return said

    @staticmethod
    def _candidates(args: Given, known: Given, hosts: list[str]) -> list[Candidate]:
        canaries = reading.canaries(args["canary"], hosts, known.get("groups", {}))
        retried = reading.retried(args["retry"], hosts)
        found, names, ends = [], {}, rollout_log.Ends()
        for host in hosts:
            variables = collected.variables(known, host)
            reading.refuse_misspelt(variables)
            said = _said(known, host, variables, (args["domain"], ROLLBACK, *twins.VARIABLES))
            reading.flag(said.get(ROLLBACK, True), ROLLBACK)
            names[host] = twins.name(host, said)
            trial = variables.get(TRIAL)
            found.append(candidate.candidate(
                host, collected.said(variables.get(SEEN)), retry=host in retried, canary=host in canaries,
                domain=str(said.get(args["domain"]) or ""),
                checks=[trial] if trial else [], ends=ends,
                error=collected.why(host, variables)))
        return twins.refused(found, names)


def _said(known: Given, host: str, variables: t.Mapping[str, t.Any], names: t.Sequence[str]) -> Given:
    """What the inventory says of a host under these names. It may reckon it from the host's name."""
    found = {name: variables[name] for name in names if name in variables}
    meant = known["hostvars"][host] if any(isinstance(one, str) and "{" in one for one in found.values()) else found
    return {name: meant[name] for name in found}
