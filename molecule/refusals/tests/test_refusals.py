# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be refused is refused in one sentence, and the node is as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml
from playbook import plans, refusals, run_site

TITLE = "a release that no window allows"
# What the operator asks for -> what the refusal says.
CASES = {
    "a driver outside the ROCm window": (
        {"gpu_release_name": "rocm-5.7.1-on-30.30.3", "gpu_release_catalogue_dirs": ["{site}"]},
        ["30.30.3", "5.7.1", "source:"]),
    "a release that does not exist": (
        {"gpu_release_name": "rocm-7.0.22"}, ["rocm-7.0.22", "rocm-7.0.2"]),
    "a kernel of a series that AMD does not list": (
        {"gpu_release_name": "rocm-7.2.3", "gpu_release_kernel": "6.8.0-44-generic"},
        ["gpu_release_kernel 6.8.0-44-generic", "6.1.0", "source:"]),
    "a misspelt variable": (
        {"gpu_driver_sorce": "in_tree"}, ["variable gpu_driver_sorce", "did you mean gpu_driver_source?"]),
    "a value that is none of the choices": (
        {"gpu_driver_source": "kernel"}, ["gpu_driver_source", "dkms, in_tree", "kernel"]),
    "a key with another fingerprint": (
        {"gpu_release_keys": {"radeon": {"fingerprint": "0000000000000000000000000000000000000000"}}},
        ["0000000000000000000000000000000000000000", "nothing was installed"]),
    "a release that was never documented for this system": (
        {"gpu_release_name": "rocm-6.2.0"}, ["rocm-6.2.0", "Debian 12", "source:"]),
}
# Everything that a run might touch, in one digest.
STATE = (
    "{ find /etc /boot /opt /lib/modules /var/lib/dkms /var/lib/dpkg /var/lib/instinct /usr/src -xdev -type f "
    "-not -name '*lock*' -print0 2>/dev/null | sort -z | xargs -0 sha256sum; "
    "cat /sys/module/amdgpu/srcversion 2>/dev/null; } | sha256sum"
)
CATALOGUE = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "roles/gpu_release/files/catalogue"


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory):
    """A site's own catalogue with a release that no window allows."""
    releases = tmp_path_factory.mktemp("site") / "releases"
    releases.mkdir()
    record = yaml.safe_load((CATALOGUE / "releases/rocm-7.2.3.yml").read_text(encoding="utf-8"))
    record["release"] |= {"name": "rocm-5.7.1-on-30.30.3", "title": TITLE, "rocm": "5.7.1"}
    (releases / "rocm-5.7.1-on-30.30.3.yml").write_text(yaml.safe_dump(record, sort_keys=False), encoding="utf-8")
    return str(releases.parent)


@pytest.mark.parametrize("case", CASES)
def test_refused_in_one_sentence_and_nothing_changed(host, site, case):
    variables, words = CASES[case]
    variables = json.loads(json.dumps(variables).replace("{site}", site))
    before = host.check_output(STATE)
    run = run_site(host.backend.get_hostname(), variables)
    assert run.returncode == 2, run.stdout + run.stderr
    (message,) = refusals(run)
    assert all(word in message for word in words), message
    assert "\n" not in message
    assert host.check_output(STATE) == before


def test_check_mode_says_what_would_change_and_changes_nothing(host):
    before = host.check_output(STATE)
    run = run_site(host.backend.get_hostname(), {}, "--check", "--diff")
    assert run.returncode == 0, run.stdout + run.stderr
    (plan,) = plans(run)
    assert plan["changed"] is True
    assert any(words.startswith("install amdgpu-dkms 1:6.16.13.30300300-2327507") for words in plan["actions"])
    assert host.check_output(STATE) == before


@pytest.mark.parametrize(
    ("options", "roles"),
    [
        (["--tags", "rocm_userspace"], ["rocm_userspace"]),
        (["--skip-tags", "gpu_driver,node_maintenance"], ["gpu_firmware", "rocm_userspace", "gpu_release"]),
    ],
)
def test_tags_plan_what_they_would_do(host, options, roles):
    run = run_site(host.backend.get_hostname(), {}, "--check", *options)
    (plan,) = plans(run)
    assert list(plan["plans"]) == roles
