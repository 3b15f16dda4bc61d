# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back from what a node kept, with every repository away; in the order of the story."""

from __future__ import annotations

import json
import os
from pathlib import Path

import checks
import pytest
from playbook import refusals, results, run

PLAYBOOKS = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "molecule/rollback/playbooks"
KEPT = "/var/lib/instinct/kept"
BACK = {"node_maintenance_rollback_release": "rocm-7.0.2"}
# All that a way back may touch.
STATE = ("sha256sum /etc/apt/sources.list.d/* /etc/apt/preferences.d/* /var/lib/instinct/release.json; "
         "sha256sum /boot/grub/grub.cfg; dpkg-query -W; apt-mark showhold; dkms status; "
         "cat /sys/module/amdgpu/srcversion")


@pytest.fixture
def away(host):
    """Every repository is gone: the vendor's, and the distribution's."""
    host.check_output("mkdir -p /mnt/away && mount --bind /mnt/away /srv/repo && rm -f /var/cache/apt/archives/*.deb")
    yield
    host.check_output("umount /srv/repo")


def play(host, name: str, variables: dict, *options: str):
    """Run a playbook of this scenario on the node."""
    return run(str(PLAYBOOKS / f"{name}.yml"), host.backend.get_hostname(), variables, *options)


def changed(done) -> list[str]:
    return [line["task"] for line in results(done) if line["result"].get("changed")]


def snapshots(host) -> list[dict]:
    """The newest first."""
    names = host.check_output(f"ls {KEPT}/snapshots").split()
    return sorted((json.loads(host.file(f"{KEPT}/snapshots/{name}").content_string) for name in names),
                  key=lambda snapshot: snapshot["when"], reverse=True)


def test_the_two_releases_are_kept_for_root_alone(host):
    assert [snapshot["release"] for snapshot in snapshots(host)] == ["rocm-7.2.3", "rocm-7.0.2"]
    must = {"amdgpu-dkms", "amdgpu-dkms-firmware", "rocm-core"}
    assert all(must <= {*snapshot["packages"]} for snapshot in snapshots(host))
    assert oct(host.file(KEPT).mode) == "0o700"
    assert sorted(host.check_output(f"ls -A {KEPT}/mirror").split()) == sorted(s["id"] for s in snapshots(host))


def test_what_is_kept_already_is_not_kept_again(host):
    before = host.check_output(f"find {KEPT} -type f -printf '%p %i %T@\\n' | sort")
    for options in (("--check",), ()):
        done = play(host, "snapshot", {}, *options)
        assert (done.returncode, changed(done)) == (0, []), done.stdout
    assert host.check_output(f"find {KEPT} -type f -printf '%p %i %T@\\n' | sort") == before


def test_the_last_known_good_is_what_the_node_is_and_nothing_is_done(host, away):
    done = play(host, "rollback", {})
    assert (done.returncode, changed(done)) == (0, []), done.stdout
    looks = [line for line in results(done) if "look" in line["result"]]
    assert len(looks) == 1


def test_a_release_that_is_not_kept_is_refused_with_those_that_are(host):
    done = play(host, "rollback", {"node_maintenance_rollback_release": "rocm-6.4.2"})
    (said,) = refusals(done)
    assert said.startswith("release rocm-6.4.2: is not kept on this node; choose one of ") and "(rocm-7.0.2)" in said


@pytest.mark.parametrize("harm", ["truncate -s 100 {}", "printf x | dd of={} bs=1 seek=500 conv=notrunc status=none"],
                         ids=["torn", "one byte is another"])
def test_a_damaged_archive_is_refused_before_the_first_change(host, away, harm):
    old = next(s for s in snapshots(host) if s["release"] == "rocm-7.0.2")
    path = host.check_output(f"find {KEPT}/mirror/{old['id']} -name 'amdgpu-dkms_*.deb'")
    before = host.check_output(STATE)
    host.check_output(f"cp -p {path} /root/kept.deb && {harm.format(path)}")
    try:
        (said,) = refusals(play(host, "rollback", BACK))
        assert said.startswith(f"snapshot {old['id']}: is damaged: ") and "so nothing was changed" in said
        assert host.check_output(STATE) == before
    finally:
        host.check_output(f"mv /root/kept.deb {path}")


def test_check_mode_says_what_the_way_back_is(host, away):
    before = host.check_output(STATE)
    done = play(host, "rollback", BACK, "--check")
    assert done.returncode == 0, done.stdout
    (plan,) = [line["result"] for line in results(done) if "plans" in line["result"]]
    assert any("install amdgpu-dkms 1:6.14.14." in step for step in plan["actions"])
    assert host.check_output(STATE) == before


def test_it_goes_back_by_name_with_every_repository_away(host, away):
    record = next(s["record"] for s in snapshots(host) if s["release"] == "rocm-7.0.2")
    done = play(host, "rollback", BACK)
    assert done.returncode == 0, done.stdout
    for check in (checks.driver_version, checks.rocm_version, checks.holds, checks.dkms, checks.loaded, checks.devices,
                  checks.boots, checks.recorded, checks.unattended):
        check(host, checks.FIRST)
    assert host.file("/var/lib/instinct/release.json").content_string == record
    assert host.run(f"grep -r {KEPT} /etc").rc == 1
    again = play(host, "rollback", BACK)
    assert (again.returncode, changed(again)) == (0, []), again.stdout


@pytest.mark.parametrize("check", checks.ALL, ids=lambda check: check.__name__)
def test_with_its_repositories_it_is_the_first_release_in_every_respect(host, check):
    host.check_output("apt-get update")
    check(host, checks.FIRST)
