# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is asked of a node: by the options of the module, or by the files that it left for the command."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from .._act.files import see
from .._core.errors import FleetError
from .._core.reservation import record, text_set
from .._core.reservation.text_set import Settings
from .._core.strict import Reader
from .apply import Request

Options = t.Mapping[str, t.Any]
_WHERE = "gpu_reservation"


def of_options(options: Options, check: bool) -> Request:
    """What a module is asked.

    Raises:
        FleetError: an option is not of its form.
    """
    before = _settings(text_set.brought)
    common = {"check": check, "lock_timeout": options["lock_timeout"]}
    if options["state"] == "absent":
        return Request(None, before, **common)
    text = json.dumps({"version": record.VERSION, "kind": record.KIND, **(options["record"] or {})})
    cores = {str(node): str(cpus) for node, cpus in options["slurm_cores"].items()}
    parameters = {str(key): str(value) for key, value in options["slurm_parameters"].items()}
    site = text_set.settings(Reader({
        "intent_dir": options["intent_dir"], "cdi": options["cdi"],
        "bounds": {"besides": options["devices_besides"], "bind": options["bind"]},
        "slurm": {"gres": options["gres"], "cgroup": options["cgroup"], "parameters": parameters, "cores": cores},
        "boot": {"before": options["before"], "wait": options["boot_wait"]},
    }, _WHERE))
    kept = dc.replace(site, files=before.files, groups=before.groups, users=before.users, uids=before.uids)
    return Request(record.read(text, f"{_WHERE} record"), kept, options["render_gid"], **common)


def of_files(check: bool, wait: float) -> Request:
    """What the node was told last.

    Raises:
        FleetError: it was told nothing, or a file is not of its form.
    """
    told = see(record.PATH)
    if told.kind != "file":
        raise FleetError(record.PATH, "is not there: nothing is reserved on this node", "run the role gpu_reservation")
    return Request(record.read(_text(told.content)), _settings(text_set.read), check=check, wait=wait, reload=not check)


def _settings(read: t.Callable[[str], Settings]) -> Settings:
    found = see(text_set.PATH)
    return read(_text(found.content)) if found.kind == "file" else Settings()


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
