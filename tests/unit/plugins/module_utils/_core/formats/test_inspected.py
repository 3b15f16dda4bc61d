# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What engines tell of containers and images."""

from __future__ import annotations

import json

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats import inspected


@pytest.mark.parametrize(("state", "pid"), [({"Pid": 4711, "Status": "running"}, 4711), ({"Pid": 0, "Status": "exited"}, 0), ({}, 0)])
def test_the_first_process(state: dict[str, object], pid: int) -> None:
    assert inspected.first_process(json.dumps([{"Id": "1", "State": state}])) == pid


# As podman 4.3 and 5.4, and Docker 20.10 and 27.3 print the state of a container, among much else.
STATES = {
    "podman 4": '{"OciVersion": "1.0.2-dev", "Status": "running", "Running": true, "Paused": false, "OOMKilled": false, "Dead": false, "Pid": 4711, '
                '"ConmonPid": 4709, "ExitCode": 0, "Error": "", "Health": {"Status": "", "FailingStreak": 0, "Log": null}, "CheckpointedAt": '
                '"0001-01-01T00:00:00Z"}',
    "podman 5": '{"OciVersion": "1.2.0", "Status": "running", "Running": true, "Restarting": false, "Pid": 4711, "ConmonPid": 4709, '
                '"CgroupPath": "/machine.slice/libpod-1.scope", "StoppedByUser": false}',
    "docker 20": '{"Status": "running", "Running": true, "Paused": false, "Restarting": false, "OOMKilled": false, "Dead": false, "Pid": 4711, '
                 '"ExitCode": 0, "Error": "", "StartedAt": "2026-01-01T00:00:00Z", "FinishedAt": "0001-01-01T00:00:00Z"}',
    "docker 27": '{"Status": "paused", "Running": true, "Paused": true, "Restarting": false, "Dead": false, "Pid": 4711, "Health": {"Log": []}}',
}


@pytest.mark.parametrize("engine", STATES)
def test_the_first_process_of_each_engine(engine: str) -> None:
    text = f'[\n  {{"Id": "1", "Name": "/web", "State": {STATES[engine]}, "HostConfig": {{"Privileged": true, "Devices": null}}}}\n]\n'
    assert inspected.first_process(text) == 4711


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[1]", '[{"Id": "1"}]', '[{"State": 1}]', "not JSON"])
def test_what_no_engine_prints_is_refused(text: str) -> None:
    with pytest.raises(DataError):
        inspected.first_process(text)


@pytest.mark.parametrize(("config", "labels"), [({"Labels": {"a": "b"}}, {"a": "b"}), ({"Labels": None}, {}), ({}, {})])
def test_labels(config: dict[str, object], labels: dict[str, str]) -> None:
    assert inspected.labels(json.dumps({"config": config}), "a.tar") == labels


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"config": 1}'])
def test_what_is_no_configuration_is_refused(text: str) -> None:
    with pytest.raises(DataError) as error:
        inspected.labels(text, "a.tar")
    assert error.value.where.startswith("a.tar")


@pytest.mark.parametrize("labels", ["true", "[]", "[1]", '"a=b"', "7"])
def test_labels_that_are_no_mapping_are_refused(labels: str) -> None:
    with pytest.raises(DataError) as error:
        inspected.labels(f'{{"config": {{"Labels": {labels}}}}}', "a.tar")
    assert (error.value.where, error.value.what) == ("a.tar: config.Labels", "is no mapping")
