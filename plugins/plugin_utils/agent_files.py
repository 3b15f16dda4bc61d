# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files that a role brings to a node as one set: the node is looked at first, and only what differs is sent to it.

A file is what node_files takes: ``{path, mode, owner, group, validate}`` with ``content`` or ``base64``, or
``{path, state: absent}``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import typing as t

from .agent_archive import Agent, build

File = dict[str, t.Any]
Execute = t.Callable[[str, dict[str, t.Any]], dict[str, t.Any]]  # runs a module on the node, and returns its result


def program(path: str, agent: Agent, python: str) -> File:
    """The command itself. It says itself whether that Python can run it."""
    raw = base64.b64encode(build(agent, python)).decode("ascii")
    return file(path, mode="0755", base64=raw, validate=f"{python} -I %s --help")


def file(path: str, mode: str = "0644", **content: str) -> File:
    """A file of root."""
    return {"path": path, "mode": mode, "owner": "root", "group": "root", **content}


def data(path: str, content: t.Mapping[str, t.Any]) -> File:
    """A file of JSON, in which a difference can be read."""
    return file(path, content=_text(content))


def catalogue(path: str, content: t.Mapping[str, t.Any]) -> File:
    """A file of JSON that nobody reads line by line: it is long, and its difference is that of its digest."""
    return file(path, base64=base64.b64encode(_text(content).encode()).decode("ascii"))


def _text(content: t.Mapping[str, t.Any]) -> str:
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def absent(path: str) -> File:
    """A file that is not wanted."""
    return {"path": path, "state": "absent"}


def settle(
    execute: Execute, files: t.Sequence[File], lock_timeout: int, others: t.Mapping[str, str] | None = None,
) -> dict[str, t.Any]:
    """What node_files returns of the files that differ; nothing to do is one look. Files go there once.

    ``others``: path of a file -> program that writes it where it is installed. Those are in ``left`` then.
    """
    asked = [*(wanted["path"] for wanted in files), *(others or {}).values()]
    seen = execute("instinct.fleet.gpu_node_info", {"sections": ["files"], "files": asked})
    if "look" not in seen:
        return seen
    there = {found["path"]: found for found in seen["look"]["files"]["files"]}
    left = [path for path, writer in (others or {}).items() if there[writer]["mode"] is not None]
    stale = [wanted for wanted in files if wanted["path"] not in left and _differs(wanted, there[wanted["path"]])]
    said = {"changed": False, "actions": [], "files": []}
    if stale:
        said = execute("instinct.fleet.node_files", {"files": stale, "lock_timeout": lock_timeout})
    said.pop("invocation", None)  # it repeats the program
    return said | {"left": left} if others else said


def _differs(wanted: File, there: t.Mapping[str, t.Any]) -> bool:
    if wanted.get("state") == "absent":
        return there["sha256"] is not None or there["link"] is not None
    raw = base64.b64decode(wanted["base64"]) if "base64" in wanted else wanted["content"].encode()
    found = (there["sha256"], there["mode"], there["owner"], there["group"], there["link"])
    return found != (hashlib.sha256(raw).hexdigest(), wanted["mode"], wanted["owner"], wanted["group"], None)
