# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a node: by options, or by the files that it has."""

from __future__ import annotations

import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.act.fileset import Seen
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation import record, text_set
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_service import Boot
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_set import Settings
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slices import Bounds
from ansible_collections.instinct.fleet.plugins.module_utils._core.reservation.text_slurm import Slurm
from ansible_collections.instinct.fleet.plugins.module_utils._reservation import request
from ansible_collections.instinct.fleet.tests.unit.support.granted import RECORD

OPTIONS: dict[str, t.Any] = {
    "state": "present", "record": record.plain(RECORD), "render_gid": 110, "intent_dir": "/etc/site", "cdi": False,
    "devices_besides": ["/dev/fuse"], "bind": False, "gres": "/etc/gres.conf", "cgroup": "/etc/cgroup.conf",
    "slurm_parameters": {"ConstrainCores": "yes"}, "slurm_cores": {0: "0-3"}, "before": ["slurmd.service"], "boot_wait": 60, "lock_timeout": 7}
SITE = Settings("/etc/site", False, Bounds(("/dev/fuse",), False),
                Slurm("/etc/gres.conf", "/etc/cgroup.conf", {"ConstrainCores": "yes"}, {0: "0-3"}), Boot(("slurmd.service",), 60),
                ("/etc/a",), ("gpu-a",), ("dave",), {"dave": 1004})


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    settings = Settings(files=("/etc/a",), groups=("gpu-a",), users=("dave",), uids={"dave": 1004})
    there = {text_set.PATH: text_set.written(settings), record.PATH: record.text(RECORD)}
    monkeypatch.setattr(request, "see", lambda path: Seen("file", there[path].encode()) if path in there else Seen())
    return there


@pytest.mark.usefixtures("files")
def test_options_reach_the_settings_and_the_last_set_is_kept() -> None:
    found = request.of_options(OPTIONS, check=True)
    assert (found.record, found.settings) == (RECORD, SITE)
    assert (found.render_gid, found.check, found.lock_timeout, found.wait) == (110, True, 7, None)


@pytest.mark.usefixtures("files")
def test_absent_needs_what_the_last_set_brought_alone() -> None:
    found = request.of_options({"state": "absent", "lock_timeout": 7}, check=False)
    assert (found.record, found.settings.files, found.settings.groups) == (None, ("/etc/a",), ("gpu-a",))


def test_the_first_time_there_was_no_set(files: dict[str, str]) -> None:
    files.clear()
    assert request.of_options(OPTIONS, check=False).settings.files == ()


@pytest.mark.parametrize(("changes", "sentence"), [
    ({"record": {"tenants": []}}, r"^gpu_reservation record: grants: is missing; "),
    ({"intent_dir": "etc"}, r"^gpu_reservation\.intent_dir: is 'etc', which does not match "),
    ({"gres": "/home/slurm/gres.conf"},
     r"^/home/slurm/gres\.conf: is where the service instinct-reservation sees nothing; choose a place as below /etc$"),
    ({"slurm_parameters": {"A": "b c"}}, r"^gpu_reservation\.slurm\.parameters\.A: 'b c' is no word; write it as one word$"),
    ({"slurm_cores": {"a": "0-3"}}, r"^cores of NUMA node 'a': are of no number; "),
])
@pytest.mark.usefixtures("files")
def test_what_is_not_of_its_form_is_refused(changes: dict, sentence: str) -> None:
    with pytest.raises(FleetError, match=sentence):
        request.of_options({**OPTIONS, **changes}, check=False)


def test_the_command_asks_for_what_the_node_was_told(files: dict[str, str]) -> None:
    found = request.of_files(check=True, wait=3.0)
    assert (found.record, found.settings.groups, found.check, found.wait, found.reload) == (RECORD, ("gpu-a",), True, 3.0, False)
    assert request.of_files(check=False, wait=3.0).reload is True
    del files[record.PATH]
    with pytest.raises(FleetError, match=r"^/var/lib/instinct/reservation\.json: is not there: nothing is reserved on this node; "):
        request.of_files(check=True, wait=0)
