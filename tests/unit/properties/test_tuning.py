# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever settings a host had and gets: one run is enough, and all of it can be given back."""

from __future__ import annotations

import dataclasses as dc

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning import texts
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.plan import ADD, Plan, plan
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.record import Record
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.seen import Register, Seen, access
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.verify import DIFFERS, verdicts
from ansible_collections.instinct.fleet.tests.unit.support.tuning import ACS, ALL, KERNEL, REALLOC, file, node

POOL = (*ALL, REALLOC, Setting("bfsort", "kernel_argument", "pci", "bfsort", accumulates=True), Setting("other", "sysctl", "vm.other", "7"))
WISHES = st.lists(st.sampled_from(POOL), unique_by=lambda setting: setting.id).map(
    lambda found: [ACS.valued("on") if setting is ACS and len(found) % 2 else setting for setting in found])
NODES = st.builds(
    lambda words, loader, control, value: node(
        loader=loader, entries={KERNEL: words, "5.14": words}, running=words, sysctls={"vm.compaction_proactiveness": value, "vm.other": "1"},
        registers=(Register("0000:00:01.1", 0x5F, control), Register("0000:00:02.1", 0x01, 0))),
    st.sampled_from([("quiet",), ("quiet", "iommu=pt"), ("pci=noaer,realloc=off",)]), st.sampled_from(["menu", "entries"]),
    st.sampled_from([0, 0x1D, 0x5F]), st.sampled_from(["0", "20"]))


def done(todo: Plan, seen: Seen, wish: list[Setting]) -> Seen:
    """The node after the plan was carried out."""
    there = dict(seen.files)
    for change in (*todo.files, *todo.closing):
        there[change.wanted.path] = file(change.wanted.content, change.wanted.mode)
    appended = texts.appended_by(there[texts.GRUB].content.decode())
    entries = {kernel: (*(w for w in words if w not in seen.own), *appended) if todo.menu else words for kernel, words in seen.entries.items()}
    for edit in todo.edits:
        words = tuple(word for word in entries[edit.kernel] if word not in edit.words)
        entries[edit.kernel] = (*words, *edit.words) if edit.option == ADD else words
    registers = seen.registers or ()
    if todo.start:
        registers = tuple(dc.replace(r, control=0 if access(wish) == "off" else r.control | r.able & 0x1D) for r in registers)
    registers = tuple(dc.replace(r, control=int(todo.registers.get(r.bdf, f"{r.control:x}"), 16)) for r in registers)
    record = there[texts.RECORD].content.decode()
    limit = "infinity" if there[texts.MANAGER].content else "8388608"
    return dc.replace(
        seen, files=there, entries=entries, registers=registers, record=Record.read(record, "f") if record else Record(),
        sysctls={**seen.sysctls, **todo.sysctls}, manager={"MEMLOCK": limit} if todo.reload else seen.manager,
        enabled=(seen.enabled or todo.start) and not todo.stop)


@given(NODES, WISHES, WISHES)
@settings(max_examples=80, deadline=None)
def test_one_run_is_enough_and_all_is_given_back(before: Seen, first: list[Setting], second: list[Setting]) -> None:
    seen = before
    for wish in (first, second):
        seen = done(plan(wish, seen), seen, wish)
        assert plan(wish, seen).actions == ()
        assert [verdict for verdict in verdicts(wish, seen, ()) if verdict.state == DIFFERS] == []
    back = done(plan((), seen), seen, [])
    assert back == before
