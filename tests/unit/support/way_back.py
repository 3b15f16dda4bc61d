# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that were at a release, and what they kept of it, for tests of the way back."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.partial_mirror import canonical
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.managed import RELEASE_RECORD
from ansible_collections.instinct.fleet.plugins.plugin_utils import planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out

OLD, NEW = "rocm-7.0.2", "rocm-7.2.3"
ROOT = "copy:///var/lib/instinct/kept/mirror/s1"


def values(**given: t.Any) -> dict[str, dict[str, t.Any]]:
    return {role: role_specs.validated(role, {"gpu_release_name": NEW, **given}) for role in planning.ROLES}


def settled(name: str, node: lk.Look | None = None, **given: t.Any) -> lk.Look:
    """A node that was brought to a release and recorded it."""
    node = node or bare_node()
    for part in planning.plan_node(node, values(gpu_release_name=name, **given), planning.ROLES).plans.values():
        node = carry_out(node, part)
    return node


def kept(node: lk.Look, **change: t.Any) -> dict[str, t.Any]:
    """What node_snapshot says of it."""
    record = next(f.text for f in node.files.files if f.path == RELEASE_RECORD)
    name = json.loads(record)["release"]
    uris = {r.uri for r in planning.plan_node(node, values(gpu_release_name=name), planning.ROLES).wanted.repositories}
    return {"id": "s1", "release": name, "kernel": KERNEL, "kernels": [KERNEL], "holds": list(node.packages.holds),
            "record": record, "mirrors": {canonical(uri): f"{ROOT}/{n}" for n, uri in enumerate(sorted(uris))}, "keys": {}, **change}
