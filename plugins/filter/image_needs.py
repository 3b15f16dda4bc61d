# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter image_needs: documented in image_needs.yml."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleFilterError
from ansible.utils.display import Display

from ..module_utils._core.errors import FleetError
from ..module_utils._core.image.needs import NOT_ASKED, Node, needs, open_ends
from ..plugin_utils import collected

SEEN = "fleet_image_seen"  # where images.yml registers what rocm_container_check returned


def image_needs(hosts: t.Sequence[str], hostvars: t.Mapping[str, t.Any], render_gid: int = NOT_ASKED,
                gfx: t.Sequence[str] = (), verbs: t.Mapping[str, int] | None = None) -> dict[str, t.Any]:
    """What one image must be to all of these hosts.

    Raises:
        AnsibleFilterError: they differ in what an image has once.
    """
    nodes = [node for node in (_node(host, hostvars) for host in hosts) if node]
    said = (int(render_gid), tuple(gfx), dict(verbs or {}))
    try:
        found = needs(nodes, *said)
    except FleetError as error:
        raise AnsibleFilterError(error.sentence) from error
    may_change = open_ends(tuple(map(str, hosts)), nodes, *said)
    if may_change:
        Display().warning(may_change)
    return {"render_gid": found.render_gid, "gfx": list(found.gfx), "verbs": dict(found.verbs)}


def _node(host: str, hostvars: t.Mapping[str, t.Any]) -> Node | None:
    said = (collected.said(collected.variables({"hostvars": hostvars}, host).get(SEEN)) or {}).get("node")
    return Node(str(host), said["render_gid"], tuple(said["gfx"]), dict(said["verbs"])) if said else None


class FilterModule:
    """The filter."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name -> function."""
        return {"image_needs": image_needs}
