# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""tune.yml: both roles, and neither does a thing that the inventory does not ask for."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.instinct.fleet.tests.unit.plugins.run_playbook import HERE, end_of_playbook
from ansible_collections.instinct.fleet.tests.unit.support.project import data


def test_nothing_is_done_that_is_not_asked(tmp_path: Path) -> None:
    (play,) = data("playbooks/tune.yml")  # type: ignore[misc]
    done = end_of_playbook(tmp_path, {"a": HERE}, play["tasks"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("nothing to do, for neither") == 2
    assert "0 changed" in done.stdout or "changed=0" in done.stdout


def test_what_is_asked_is_refused_where_it_is_no_profile(tmp_path: Path) -> None:
    (play,) = data("playbooks/tune.yml")  # type: ignore[misc]
    done = end_of_playbook(tmp_path, {"a": {**HERE, "gpu_qos_profile": "servings"}}, play["tasks"])
    assert (done.returncode, "did you mean serving" in " ".join(done.stdout.split())) == (2, True), done.stdout
