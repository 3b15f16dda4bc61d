# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugin fleet_export: see plugins/modules/fleet_export.py for its documentation."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.plugin_utils import collected, exporting, planning, role_specs, written
from ansible_collections.instinct.fleet.plugins.plugin_utils.plain import from_plain

LOOK = "gpu_release_look"  # where the look of each host is registered


class ActionModule(ActionBase):
    """Write a release from the looks of all hosts of the play. Touches no host: it runs on the controller alone."""

    TRANSFERS_FILES = False
    _requires_connection = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the release, where it was written, and the variables that go with it."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _valid, args = self.validate_argument_spec({
            "name": {"type": "str", "required": True},
            "directory": {"type": "path", "required": True},
            "title": {"type": "str"},
            "hosts": {"type": "list", "elements": "str"},
            "replace": {"type": "bool", "default": False},
        })
        hosts = collected.hosts(args["hosts"], known)
        directory = os.path.abspath(args["directory"])
        path = os.path.join(directory, "releases", f"{args['name']}.yml")
        try:
            export = _export(known, hosts, args, directory)
            old = _old(path, export.document["release"], args["replace"])
        except FleetError as error:
            return result | {"failed": True, "msg": error.sentence, "failure": error.to_dict()}
        same = old is not None and exporting.described(old) == export.document["release"]
        if not same and not self._task.check_mode:
            written.replace(path, export.text, "the release")
        if not same and self._task.diff:
            result["diff"] = {"before": old or "", "after": export.text, "before_header": path, "after_header": path}
        Display().display(f"\n{path}\n\n{export.inventory()}")
        return {
            **result, "changed": not same, "path": path, "actions": [] if same else [f"write {path}"],
            "release": export.document, "variables": export.common(), "host_variables": export.own(),
            "adopting": {node: list(words) for node, words in export.adopting.items()},
            "notes": {node: list(words) for node, words in export.notes.items()},
        }


def _export(
    known: dict[str, t.Any], hosts: list[str], args: t.Mapping[str, t.Any], directory: str,
) -> exporting.Export:
    looks = {host: _look(known, host) for host in hosts}
    values = {host: _values(known["hostvars"], host, args["name"]) for host in hosts}
    source = f"read from {', '.join(hosts)} with instinct.fleet.gpu_node_info at {written.now()}"
    title = args["title"] or f"as {', '.join(hosts[:3])}{' and others' if len(hosts) > 3 else ''} ran it"
    return exporting.export(looks, values, args["name"], title, directory, source)


def _look(known: dict[str, t.Any], host: str) -> Look:
    found = collected.variables(known, host).get(LOOK) or {}
    if "look" not in found:
        raise FleetError(host, "was not looked at, so nothing can be said of what it runs", "leave it out (--limit)")
    return from_plain(Look, found["look"], "look")


def _values(hostvars: t.Any, host: str, name: str) -> dict[str, dict[str, t.Any]]:
    """The variables of all roles, as the host has them; the release's name may be missing yet."""
    of_host = hostvars[host]
    values = {}
    for role in planning.ROLES:
        role_specs.refuse_misspelt(role, list(of_host))
        given = {option: of_host[option] for option in role_specs.options(role) if option in of_host}
        values[role] = role_specs.validated(role, {"gpu_release_name": name, **given})
    return values


def _old(path: str, release: t.Any, replace: bool) -> str | None:
    """The file that is there already.

    Raises:
        FleetError: it says something else, and nobody allowed to replace it.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise FleetError(path, f"cannot be read: {error}", "choose another directory") from error
    if exporting.described(text) != release and not replace:
        raise FleetError(path, "is there and describes something else",
                         "choose another name, or replace it with fleet_export_replace=true")
    return text
