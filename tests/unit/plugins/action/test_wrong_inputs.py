# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong inputs, and the one sentence that refuses each before the first change.

The tables in ``wrong_inputs`` are rows of

* ``says``: the whole sentence; in it {site} stands for the directory of the site's catalogue, {releases} for the names of all
  releases, {kinds} for all kinds of files, and "(source: ...)" for the source of the rule in the catalogue.
* ``file``: a file of the site's catalogue; a copy of ours of that name with ``set`` (dotted path to value) and ``drop``
  (dotted path) applied, or ``text`` as it stands.
* ``node``: what a look at the node says otherwise than that at a bare Debian 12 with eight MI300X (dotted path to value).
* every other key: a variable of the inventory. ``gpu_release_name`` is rocm-7.2.3 unless a row says otherwise.

All rows are hosts of one run of ansible-playbook, so what is compared is what people see.
"""

from __future__ import annotations

import dataclasses as dc
import fcntl
import json
import os
import typing as t
from pathlib import Path

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.catalogue import KINDS
from ansible_collections.instinct.fleet.plugins.module_utils._core.release.repositories import filled
from ansible_collections.instinct.fleet.plugins.plugin_utils.catalogue_files import read
from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, run_playbook
from ansible_collections.instinct.fleet.tests.unit.support.catalogue import CATALOGUE
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

TABLES = sorted((Path(__file__).parent / "wrong_inputs").glob("*.yml"))
OURS = {"says", "file", "set", "drop", "text", "node"}
RESULTS = {
    "ANSIBLE_STDOUT_CALLBACK": "results",
    "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests/tools/callback_plugins"),
}
RELEASES = ", ".join(sorted(path.stem for path in CATALOGUE.glob("releases/*.yml")))
SOURCED = "(source: ...)"
Row = dict[str, t.Any]


def rows() -> t.Iterator[tuple[str, Row]]:
    """Every row and its name: table and number."""
    for path in TABLES:
        for number, row in enumerate(yaml.safe_load(path.read_text(encoding="utf-8")), 1):
            yield f"{path.stem}-{number:02d}", row


ROWS = dict(rows())


def place(data: t.Any, path: str) -> tuple[t.Any, t.Any]:
    """The container that holds the last part of a dotted path, and that part."""
    *parents, last = (int(part) if part.isdigit() else part for part in path.split("."))
    for part in parents:
        data = data[part]
    return data, last


def site_file(row: Row, site: Path) -> None:
    """Write the site's file of a row."""
    path = site / row["file"]
    path.parent.mkdir(parents=True)
    if "text" in row:
        path.write_bytes(row["text"].encode() if isinstance(row["text"], str) else row["text"])
        return
    data = yaml.safe_load((CATALOGUE / row["file"]).read_text(encoding="utf-8"))
    for where, value in row.get("set", {}).items():
        container, key = place(data, where)
        container[key] = value
    for where in [row["drop"]] if "drop" in row else []:
        container, key = place(data, where)
        del container[key]
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")


def host(row: Row, site: Path) -> dict[str, t.Any]:
    """The variables of a row's host."""
    look = json.loads(json.dumps(dc.asdict(bare_node())))
    for where, value in row.get("node", {}).items():
        container, key = place(look, where)
        container[key] = value
    variables = {"gpu_release_name": "rocm-7.2.3", **{k: v for k, v in row.items() if k not in OURS}}
    if "file" in row:
        site_file(row, site)
        variables["gpu_release_catalogue_dirs"] = [str(site)]
    return {**HERE, **variables, "seen": look}


def results(home: Path, hosts: dict[str, dict[str, t.Any]], task: dict[str, t.Any]) -> dict[str, dict[str, t.Any]]:
    """What failed on each host."""
    output = run_playbook(home, hosts, [{"name": "Plan", **task}], "--forks=8", **RESULTS)
    lines = [json.loads(line) for line in output.splitlines()]
    return {line["host"]: line["result"] for line in lines if line["status"] == "failed"}


@pytest.fixture(name="shared", scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of pytest-xdist have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wrong_inputs"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(name="sites", scope="module")
def _sites(shared: Path) -> Path:
    return shared / "sites"


@pytest.fixture(name="run", scope="module")
def _run(shared: Path, sites: Path) -> dict[str, dict[str, t.Any]]:
    """The ``hosts`` and what ``said`` no to each. One worker runs ansible-playbook, the others wait for it."""
    done = shared / "run.json"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            hosts = {name: host(row, sites / name) for name, row in ROWS.items()}
            said = results(shared, hosts, {"instinct.fleet.fleet_plan": {"look": "{{ seen }}"}})
            done.write_text(json.dumps({"hosts": hosts, "said": said}), encoding="utf-8")
    return t.cast("dict[str, dict[str, t.Any]]", json.loads(done.read_text(encoding="utf-8")))


def sentence(name: str, sites: Path, source: str) -> str:
    """The sentence of a row as it is for this run."""
    says: str = ROWS[name]["says"]
    if says.endswith(SOURCED):
        assert source
        says = says.removesuffix(SOURCED) + f"(source: {source})"
    words = {"site": str(sites / name), "releases": RELEASES, "kinds": ", ".join(("release", *KINDS))}
    return filled(says, words)


@pytest.mark.parametrize("name", ROWS)
def test_it_is_refused_in_one_sentence(name: str, run: dict[str, dict[str, t.Any]], sites: Path) -> None:
    said = run["said"]
    assert name in said, "was not refused"
    message, failure = said[name]["msg"], said[name]["failure"]
    assert message == sentence(name, sites, failure["source"])
    assert message.startswith(f"{failure['where']}: ")
    assert failure["hint"]
    assert "\n" not in message
    assert not message.endswith(".")


# What the look needs before there is a plan must not be refused by the look, which has other names for it.
LOOKED = [name for name, row in ROWS.items() if row.keys() & {"gpu_release_look_timeout", "rocm_userspace_components"}]


def test_the_role_says_the_same(run: dict[str, dict[str, t.Any]], tmp_path: Path) -> None:
    hosts, said = run["hosts"], run["said"]
    assert len(LOOKED) > 5
    role = {"name": "instinct.fleet.gpu_release", "rolespec_validate": False}
    found = results(tmp_path, {name: hosts[name] for name in LOOKED}, {"ansible.builtin.include_role": role})
    assert {name: result["msg"] for name, result in found.items()} == {name: said[name]["msg"] for name in LOOKED}


# Of each kind of file one.
FILES = {row["file"]: name for name, row in ROWS.items() if row["says"].startswith("{site}")}


@pytest.mark.parametrize("name", FILES.values())
def test_the_lookup_refuses_the_same_file(name: str, run: dict[str, dict[str, t.Any]], sites: Path) -> None:
    assert name in run["said"]
    with pytest.raises(FleetError) as refusal:
        read((str(sites / name),), "rocm-7.2.3", schema=True)
    assert refusal.value.where.startswith(f"{sites / name}/{ROWS[name]['file']}")
