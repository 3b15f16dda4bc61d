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
from playbook import plans, refusals, run, run_site

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


LOCK = (
    "import fcntl, os, time; handle = os.open('/var/lib/dpkg/lock-frontend', os.O_RDWR); "
    "fcntl.lockf(handle, fcntl.LOCK_EX); open('/run/locked', 'w').close(); time.sleep(600)"
)
LOCKED = "timeout 60 sh -c 'until [ -e /run/locked ]; do sleep 0.1; done'"
HALF = "/^Package: bsdutils$/,/^$/s/^Status: .*/Status: install reinstreq half-installed/"
STATUS = "/var/lib/dpkg/status"
# What is done to the node, how it is undone, variables, and what the pre-flight of an upgrade says of it.
SPOILT = {
    "a blacklist": (
        "echo blacklist amdgpu > /etc/modprobe.d/site.conf", "rm /etc/modprobe.d/site.conf", {},
        "amdgpu does not load at boot, for /etc/modprobe.d/site.conf"),
    "a package of somebody else that is half installed": (
        f"cp -a {STATUS} /root/; sed -i '{HALF}' {STATUS}", f"mv /root/status {STATUS}", {},
        "bsdutils: half installed, and not of this release"),
    "another process that works on packages": (
        f"systemd-run --quiet --unit locker python3 -c \"{LOCK}\"; {LOCKED}",
        "systemctl stop locker", {"gpu_release_lock_timeout": 1},
        "(python3) works on packages (waited 1 s)"),
    "a repository without the packages": (
        "mkdir /srv/empty", "rmdir /srv/empty",
        {"gpu_release_mirrors": {"https://repo.radeon.com": "file:///srv/empty"}},
        "no repository of this node has"),
    "a full /boot": (
        "cp -a /boot /root/; mount -t tmpfs -o size=20m tmpfs /boot; cp -a /root/boot/. /boot/; rm -r /root/boot",
        "umount /boot", {}, "/boot: has "),
    "a scheduler that is not there": (
        "true", "true", {"node_maintenance_scheduler": "slurm"}, "scontrol: is not installed"),
    "no record of what it is": (
        "true", "true", {}, "/var/lib/instinct/release.json: is not there, so what this node is cannot be kept"),
}


def test_an_upgrade_says_at_once_all_that_it_would_fail_of_and_touches_nothing(host):
    variables: dict = {}
    try:
        for spoil, _mend, more, _words in SPOILT.values():
            host.check_output("sh -c %s", spoil)
            variables |= more
        before = host.check_output(STATE)
        ended = run("upgrade", host.backend.get_hostname(), variables)
        assert host.check_output(STATE) == before
    finally:
        for _spoil, mend, _more, _words in SPOILT.values():
            host.run("sh -c %s", mend)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    (sentence,) = {message for message in refusals(ended) if message.startswith("no node was touched")}
    assert [words for *_rest, words in SPOILT.values() if words not in sentence] == [], sentence


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
