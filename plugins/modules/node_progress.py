#!/usr/bin/python
# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Module node_progress: see DOCUMENTATION."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_progress
short_description: Note on a node how far its upgrade is
description:
  - Writes C(/var/lib/instinct/upgrade.json), so that the node itself remembers what is done to it, whatever becomes of
    the control machine. The note is on the disk when the module ends, whole or as it was before.
  - When an upgrade begins after one that did not end well, the snapshot of that stays, for what the node is now may be
    half done. It does not where the node's record names a third release, neither that of the snapshot nor the one that
    the earlier upgrade went to. The node was brought there since, and a new snapshot keeps that.
  - Adds a line to the journal when an upgrade begins, when the way back is taken, and when it ends.
  - An event that cannot follow on what the note says is refused, such as an end of what was never begun. So is one of
    a run that lost the node to another, see O(run).
version_added: 0.1.0
author:
  - instinct.fleet authors (@instinct-fleet)
options:
  event:
    description:
      - V(begin) begins an upgrade with O(target), O(release) and O(step). One that was cut off goes on, one that ended
        begins again and is counted.
      - V(step) begins another O(step). V(restore) and V(regate) are those of the way back, which may also be taken
        after the upgrade ended.
      - V(end) ends it with O(state).
    type: str
    choices: [begin, step, end]
    required: true
  target:
    description: What the node is to become, as a text that is only ever compared. Required with O(event=begin).
    type: str
  release:
    description: Name of the release. Required with O(event=begin).
    type: str
  step:
    description: The step that begins. Required with O(event=begin) and O(event=step).
    type: str
    choices: [snapshot, trial, drain, apply, gate, undrain, restore, regate]
  state:
    description:
      - How it ended. V(done) and V(failed) end the way forth, V(rolled back) the way back, and V(stranded) both.
        Required with O(event=end).
    type: str
    choices: [done, failed, rolled back, stranded]
  reason:
    description: Why it failed or the way back is taken, in one sentence. What the note has stays if none is given.
    type: str
    default: ""
  snapshot:
    description: Id of the snapshot that the way back leads to, as M(instinct.fleet.node_snapshot) returns it.
    type: str
    default: ""
  run:
    description:
      - Name of the run that is at the node. It is noted, and an event of a run is refused where another one wrote the
        note since O(noted). A note that was not written since is of a run that was killed, and is taken over.
      - Without a name nothing is refused for that.
    type: str
    default: ""
  noted:
    description: C(updated) of the note that O(run) found before it began; empty if there was none.
    type: str
    default: ""
  who:
    description: Who acts, for the journal.
    type: str
    default: unknown
  lock_timeout:
    description: Seconds to wait for another run that acts on this node.
    type: int
    default: 30
attributes:
  check_mode:
    description: Can run in check mode and report what would change.
    support: full
  diff_mode:
    description: Shows the note before and after.
    support: full
  idempotent:
    description: What the note tells already changes nothing. An upgrade that ended and begins again is another one.
    support: partial
seealso:
  - module: instinct.fleet.node_snapshot
"""

EXAMPLES = r"""
- name: Note that the upgrade begins
  instinct.fleet.node_progress:
    event: begin
    target: "{{ target }}"
    release: rocm-7.2.3
    step: snapshot

- name: Note why it ended
  instinct.fleet.node_progress:
    event: end
    state: failed
    reason: the driver did not build
"""

RETURN = r"""
note:
  description: The note as it is now, with C(target), C(release), C(snapshot), C(step), C(state), C(reason),
    C(attempt), C(began), C(updated), C(seconds) and C(run).
  type: dict
  returned: success
actions:
  description: What was done, or would be done in check mode, in words.
  type: list
  elements: str
  returned: success
  sample: ["note a step of the upgrade to rocm-7.2.3: drain"]
failure:
  description: Parts of the refusal. C(where), C(what), C(hint), C(source).
  type: dict
  returned: failure
"""

import dataclasses as dc
import typing as t

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._act import progress
from ..module_utils._act.outcome import Outcome, finish
from ..module_utils._core.rollout.following import EVENTS, Event, after, told, words
from ..module_utils._core.rollout.shape import BACK, ENDS, STEPS

SPEC: dict[str, t.Any] = {
    "event": {"type": "str", "choices": list(EVENTS), "required": True},
    "target": {"type": "str"},
    "release": {"type": "str"},
    "step": {"type": "str", "choices": [*STEPS, *BACK]},
    "state": {"type": "str", "choices": list(ENDS)},
    "reason": {"type": "str", "default": ""},
    "snapshot": {"type": "str", "default": ""},
    "run": {"type": "str", "default": ""},
    "noted": {"type": "str", "default": ""},
    "who": {"type": "str", "default": "unknown"},
    "lock_timeout": {"type": "int", "default": 30},
}
NEEDS = [("event", "begin", ("target", "release", "step")), ("event", "step", ("step",)), ("event", "end", ("state",))]


def act(module: AnsibleModule) -> Outcome:
    """Read the note, let the event follow on it, write it."""
    given = module.params
    event = Event(*(given[field.name] or "" for field in dc.fields(Event)))
    with progress.held(module.check_mode, given["lock_timeout"]):
        before = progress.read()
        when = progress.later(before.updated if before else "")
        new = after(before, event, when, progress.seconds(before, when), progress.recorded())
        if new == before:
            return Outcome(values={"note": dc.asdict(new)})
        change = progress.change(new)
        if not module.check_mode:
            progress.write(change, told(before, new, event, given["who"]))
    return Outcome((words(new, event),), (change.diff(),), {"note": dc.asdict(new)})


def main() -> None:
    """Entry point."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True, required_if=NEEDS)
    finish(module, lambda: act(module))


if __name__ == "__main__":
    main()
