# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of a fleet: which nodes, what is in them.

A fleet file is the small part of YAML that such a list needs, read without a YAML library; JSON of the same shape
will do too.
"""

from __future__ import annotations

import dataclasses as dc
import json
import re
import typing as t

from .errors import SimError

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
ITEM = re.compile(r"^(?P<indent> *)(?P<dash>- )?(?P<key>[a-z_]+):(?: +(?P<value>[^#\s][^#]*?))?\s*(?:#.*)?$")


@dc.dataclass(frozen=True)
class Node:
    """One node as it is wanted.

    Attributes:
        name: host name and name of the container.
        image: suite of its image: bookworm, trixie.
        product: what its GPUs are: mi300x.
        gpus: how many.
        release: ROCm release that it has installed already when the fleet starts; empty for a bare node.
    """

    name: str
    image: str = "bookworm"
    product: str = "mi300x"
    gpus: int = 8
    release: str = ""

    @classmethod
    def of(cls, raw: t.Mapping[str, t.Any]) -> Node:
        """Read one node strictly.

        Raises:
            SimError: a key is unknown, the name is missing or not a host name, the number of GPUs is none.
        """
        name = raw.get("name")
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise SimError(f"a node's name must be like mi300x-a, not {name!r}")
        unknown = set(raw) - {field.name for field in dc.fields(cls)}
        if unknown:
            known = ", ".join(field.name for field in dc.fields(cls))
            raise SimError(f"node {name}: unknown key {', '.join(sorted(unknown))}; there are {known}")
        gpus = str(raw.get("gpus", cls.gpus))
        if not gpus.isdigit() or not 0 <= int(gpus) <= 8:
            raise SimError(f"node {name}: gpus is {gpus}; it must be 0 to 8")
        texts = {key: str(value) for key, value in raw.items() if key != "gpus"}
        return cls(**texts, gpus=int(gpus))


def parse(text: str) -> tuple[Node, ...]:
    """The nodes of a fleet file.

    Raises:
        SimError: the text is not of that form, a node is wrong, or two have one name.
    """
    nodes = tuple(Node.of(raw) for raw in (from_json(text) if text.lstrip()[:1] in ("{", "[") else from_lines(text)))
    for node in nodes:
        if [other.name for other in nodes].count(node.name) > 1:
            raise SimError(f"node {node.name} is there twice")
    return nodes


def check(nodes: t.Iterable[Node], known: t.Mapping[str, t.Sequence[str]]) -> None:
    """Refuse what there is nothing for, before anything is made.

    Args:
        nodes: the nodes.
        known: the values that there are for image, product and release.

    Raises:
        SimError: a node asks for another.
    """
    for node in nodes:
        for what, values in known.items():
            asked = getattr(node, what)
            if asked not in ("", *values):
                raise SimError(f"node {node.name}: there is no {what} {asked!r}; there are {', '.join(values)}")


def from_json(text: str) -> list[dict[str, t.Any]]:
    """The list of nodes in JSON: a list, or an object with the key nodes. Their groups are left to the inventory."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise SimError(f"the fleet file is not JSON: {error}") from error
    found = data.get("nodes") if isinstance(data, dict) else data
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise SimError("the fleet file must hold a list of nodes")
    return [{key: value for key, value in item.items() if key != "groups"} for item in found]


def from_lines(text: str) -> list[dict[str, t.Any]]:
    """The list of nodes in YAML: ``nodes:``, then items of plain keys and values."""
    found: list[dict[str, t.Any]] = []
    begun = False
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#") or line.rstrip() == "---":
            continue
        match = ITEM.match(line)
        if match and match.group("indent", "dash", "key", "value") == ("", None, "nodes", None) and not begun:
            begun = True
            continue
        if not match or not begun or match["value"] is None or not match["indent"] or (not match["dash"] and not found):
            raise SimError(f"line {number} of the fleet file is not understood: {line.strip()!r}")
        if match["dash"]:
            found.append({})
        if match["key"] in found[-1]:
            raise SimError(f"line {number} of the fleet file says {match['key']} again")
        found[-1][match["key"]] = match["value"].strip("'\"")
    return found
