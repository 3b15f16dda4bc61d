# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is ours in daemon.json goes as it came, and the rest stays."""

from __future__ import annotations

import json
import typing as t

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.runtime_daemon import Record, merged

OURS = {"features": {"cdi": True}, "default-ulimits": {"memlock": {"Name": "memlock", "Hard": -1, "Soft": -1}}}
SITES: list[dict[str, t.Any]] = [
    {}, {"features": {"cdi": False}}, {"features": {"cdi": True}}, {"default-ulimits": {"memlock": {"Hard": 1}, "nofile": {"Hard": 2}}},
    {"log-driver": "journald", "features": {}}]


@pytest.mark.parametrize("site", SITES)
def test_what_was_before_comes_back(site: dict[str, t.Any]) -> None:
    text, record = merged(json.dumps(site).encode(), "daemon.json", OURS, Record())
    there = json.loads(text)
    assert there["features"]["cdi"] is True and there["default-ulimits"]["memlock"]["Hard"] == -1
    assert merged(text.encode(), "daemon.json", OURS, record) == (text, record)
    assert Record.read(record.text.encode(), "record") == record
    less, fewer = merged(text.encode(), "daemon.json", {"features": OURS["features"]}, record)
    assert json.loads(less).get("default-ulimits", {}) == site.get("default-ulimits", {}) and list(fewer.docker) == ["features"]
    back, nothing = merged(text.encode(), "daemon.json", {}, record)
    assert (json.loads(back or "{}"), nothing.text) == ({key: value for key, value in site.items() if value}, "")


def test_what_is_the_sites_stays_as_it_is_and_where_it_is() -> None:
    site = '{\n  "z": "\u00fc",\n  "features": {\n    "buildkit": true\n  },\n  "a": [\n    1.5,\n    null\n  ]\n}\n'
    text, record = merged(site.encode(), "daemon.json", OURS, Record())
    assert list(json.loads(text)) == ["z", "features", "a", "default-ulimits"] and '"\u00fc"' in text
    assert merged(text.encode(), "daemon.json", {}, record) == (site, Record())


def test_what_a_site_changes_meanwhile_stays() -> None:
    text, record = merged(b"", "daemon.json", OURS, Record())
    changed = json.dumps({**json.loads(text), "debug": True})
    assert json.loads(merged(changed.encode(), "daemon.json", {}, record)[0]) == {"debug": True}


@pytest.mark.parametrize(("content", "what"), [
    (b"{", "is no JSON: "), (b"[]", "is no JSON object; "), (b'{"features": []}', "has something in features that is no JSON object; mend it"),
    (b'{"a": {"b": 1, "b": 2}}', "is no JSON: b is there twice; mend it: Docker reads it in the same way"),
    (b'{"a": NaN}', "is no JSON: NaN is no number; "), (b'{"a": "\xff"}', "is no JSON: 'utf-8' codec can't decode")])
def test_a_file_that_is_none_is_refused(content: bytes, what: str) -> None:
    with pytest.raises(DataError) as caught:
        merged(content, "daemon.json", OURS, Record())
    assert str(caught.value).startswith(f"daemon.json: {what}")


@pytest.mark.parametrize("data", [{"version": "v2", "kind": "containers", "docker": {}}, {"version": "v1", "kind": "tuning", "docker": {}},
                                  {"version": "v1", "kind": "containers", "docker": []}, {"version": "v1", "kind": "containers"}])
def test_a_record_that_is_none_is_refused(data: dict[str, t.Any]) -> None:
    with pytest.raises(DataError, match="record"):
        Record.read(json.dumps(data).encode(), "record")
