# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files of a diagnosis on the controller: for each node JSON and Markdown, and the same of the whole fleet."""

from __future__ import annotations

import dataclasses as dc
import hashlib
import os
import re
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis import fleet, page
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan import tally
from ansible_collections.instinct.fleet.plugins.plugin_utils import written

SUMMARY = "summary"
_UNFIT = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST = 200  # characters of a file's name that every file system takes, with an ending


def stem(node: str) -> str:
    """Name of the files of a node, without ending: its own, or one made of it where that cannot be a file's name."""
    plain = _UNFIT.sub("_", node)[:_LONGEST].lstrip(".") or "_"
    if plain == node and node != SUMMARY:
        return node
    return f"{plain}-{hashlib.sha256(node.encode()).hexdigest()[:8]}"


def write_node(directory: str, node: fleet.Node) -> None:
    """Write what is known of one node.

    Raises:
        AnsibleActionFail: a file cannot be written.
    """
    base = os.path.join(directory, stem(node.node))
    said = {key: value for key, value in node.to_dict().items() if key != "findings"}
    empty: dict[str, t.Any] = {"version": "v1", "kind": "diagnosis", "findings": [], "unknown": []}
    data = {**empty, **said, **node.diagnosis, "node": node.node}
    written.replace_json(f"{base}.json", data, "the diagnosis")
    written.replace(f"{base}.md", page.page(node), "the diagnosis")


def write_fleet(directory: str, nodes: t.Sequence[fleet.Node]) -> None:
    """Write the summary, and what is known of nodes that have no diagnosis: nobody else tells of them.

    Raises:
        AnsibleActionFail: a file cannot be written.
    """
    for node in nodes:
        if node.status != fleet.DIAGNOSED:
            write_node(directory, node)
    stems = {node.node: stem(node.node) for node in nodes}
    data = {
        "version": "v1", "kind": "diagnosis_summary", "counts": tally.counts(nodes),
        "groups": [dc.asdict(group) for group in fleet.grouped(nodes)],
        "nodes": {node.node: {**node.to_dict(), "file": f"{stems[node.node]}.json"} for node in nodes},
    }
    written.replace_json(os.path.join(directory, f"{SUMMARY}.json"), data, "the summary")
    written.replace(os.path.join(directory, f"{SUMMARY}.md"), page.fleet_page(nodes, stems), "the summary")
