# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of images.yml, from real runs: a builder that built nothing is one sentence, and carried archives do not pile up."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

TASKS = ROOT / "playbooks/tasks"
KEYS = [f"{number:012x}" for number in range(5)]


def test_a_builder_that_built_nothing_is_told_once(tmp_path: Path) -> None:
    hosts = {name: {**HERE, "__fleet_image": {}, "__fleet_builder": "builder"} for name in ("a", "b")}
    done = end_of_playbook(tmp_path, hosts, [{"ansible.builtin.import_tasks": str(TASKS / "image_node.yml")}])
    said = "builder built no image in this run, so that there is none to bring; let it take part (with --limit name it, too), then run again"
    assert done.returncode != 0 and re.sub(r"\s+", " ", done.stdout).count(said) >= 1, done.stdout
    assert "Would it work here?" not in done.stdout


def carried(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def with_notes(*names: str) -> list[str]:
    return sorted(name + end for name in names for end in ("", ".json"))


def test_of_carried_archives_few_stay(tmp_path: Path) -> None:
    folder = tmp_path / "carried"
    folder.mkdir()
    ours = [f"serving-top-rocm-7.0.2-{key}.tar" for key in KEYS]
    others = ["serving-top-notes.tar", f"other-top-rocm-7.0.2-{KEYS[0]}.tar", f"serving-top-base-rocm-7.0.2-{KEYS[0]}.tar"]
    tags = ["localhost/serving/top:rocm-7.0.2"] * len(ours) + ["", "localhost/other/top:rocm-7.0.2", "localhost/serving-top/base:rocm-7.0.2"]
    for age, (name, tag) in enumerate(zip([*ours, *others], tags, strict=True)):
        (folder / name).touch()
        (folder / f"{name}.json").write_text(json.dumps({"kind": "image", "tag": tag}, indent=2))
        os.utime(folder / f"{name}.json", (1000 - age, 1000 - age))
    image = {"tag": f"localhost/serving/top:rocm-7.0.2-{KEYS[4]}", "archive": f"/var/lib/instinct/images/archives/{ours[4]}"}
    host = {**HERE, "fleet_image": image, "rocm_image_carried": str(folder), "rocm_image_keep": 3}
    task = {"ansible.builtin.include_tasks": str(TASKS / "image_carried.yml")}
    assert end_of_playbook(tmp_path, {"a": host}, [task], "--check").returncode == 0 and len(carried(folder)) == 16
    done = end_of_playbook(tmp_path, {"a": host}, [task])
    assert done.returncode == 0 and carried(folder) == with_notes(*ours[:2], ours[4], *others), done.stdout
