# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real rdma-core on a node: pinned, held, and what libibverbs itself says of NICs whose drivers speak another ABI."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from partitioned import changed, result, role
from playbook import refusals

testinfra_hosts = ["ansible://img-b"]
NODE = "img-b"
PACKAGES = ("rdma-core", "libibverbs1", "ibverbs-providers", "librdmacm1", "ibverbs-utils", "perftest")
SOURCES = ("rdma-core", "perftest")
PROVIDER = "/usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav34.so"
ENV, LOADED = "/etc/instinct/rdma.env", "/etc/modules-load.d/90-instinct-rdma.conf"
LOOK, GIVE = "Does RDMA of the node work?", "Write files and load modules, and look again"
SOURCE = "/etc/apt/sources.list.d/rdma.list"
BRING = f"""
set -eu; cd /root/rdma
tar --extract --file rdma.tar; dpkg-scanpackages --multiversion . > Packages 2>/dev/null
echo 'deb [trusted=yes] file:/root/rdma ./' > {SOURCE}
apt-get -q update -o Dir::Etc::SourceList={SOURCE} -o Dir::Etc::SourceParts=- -o APT::Get::List-Cleanup=false
"""


@pytest.fixture(scope="module")
def versions(host) -> dict[str, str]:
    """Packages of the distribution are on offer; the versions of their sources."""
    bring = Path(os.environ["MOLECULE_PROJECT_DIRECTORY"]) / "molecule/shared/packages"
    brought = subprocess.run([bring, "rdma", "bookworm", NODE, *PACKAGES], check=True, capture_output=True, text=True)
    host.check_output("mkdir -p /root/rdma")
    subprocess.run(["podman", "cp", brought.stdout.split()[-1], f"{NODE}:/root/rdma/rdma.tar"], check=True)
    host.check_output(BRING)
    yield {name: host.check_output(f"apt-cache madison {name}").split("|")[1].strip() for name in SOURCES}
    host.check_output(f"instinct-sim heal; rm -f {SOURCE}")


def stack(versions: dict[str, str], entry: str = "main") -> subprocess.CompletedProcess:
    return role(NODE, role="rdma_stack", entry=entry, rdma_stack_versions=versions)


def verdicts(said: dict) -> dict[tuple[str, str], tuple[str, str]]:
    return {(one["id"], one["subject"]): (one["verdict"], one["seen"]) for one in said["checks"]}


def test_a_node_without_a_nic_is_left_alone(host, versions) -> None:
    ran = stack(versions)
    assert (changed(ran), result(ran, GIVE)["fabric"], host.file(ENV).exists) == (False, "none", False)
    assert "no version of perftest" in refusals(stack({"rdma-core": versions["rdma-core"]}))[0]


def test_pins_are_installed_and_held_and_the_abi_is_judged_by_libibverbs(host, versions) -> None:
    host.check_output("instinct-sim fault nic family=mlx5 abi=1; instinct-sim fault nic family=bnxt_re abi=6")
    sentence = refusals(stack(versions))[0]
    # Nothing answers behind either, so libibverbs opens none; the one whose ABI it does not speak it does not even try.
    assert "bnxt_re0 should have a provider that speaks ABI 6: bnxt_re speaks 1 to 1, and the driver 6" in sentence
    assert "mlx5_0 should have a provider" not in sentence
    assert "does not support the kernel ABI of 6 (supports 1 to 1)" in host.run("ibv_devices").stderr
    assert set(PACKAGES) <= set(host.check_output("apt-mark showhold").split())
    assert host.package("perftest").version == versions["perftest"]
    ran = stack(versions, "verify")
    assert not changed(ran)
    said = result(ran, LOOK)
    found = verdicts(said)
    assert (said["install"], said["fabric"]) == ([], "hardware")
    assert {found["rdma-package", name] for name in PACKAGES} == {("pass", version) for version in versions.values()}
    assert (found["rdma-abi", "mlx5_0"], found["rdma-abi", "bnxt_re0"][0]) == (("pass", "mlx5 does"), "fail")
    assert host.file(ENV).content_string.splitlines()[1:] == ["NCCL_IB_GID_INDEX=3", "NCCL_IB_HCA==bnxt_re0:1,mlx5_0:1"]
    assert host.file(LOADED).content_string.split()[-5:] == ["mlx5_core", "mlx5_ib", "ib_uverbs", "bnxt_en", "bnxt_re"]


def test_a_provider_that_was_cut_away_is_told(host, versions) -> None:
    host.check_output(f"mv {PROVIDER} /root/rdma")
    found = verdicts(result(stack(versions, "verify"), LOOK))
    assert found["rdma-abi", "mlx5_0"] == ("fail", "the library of mlx5 does not load")
    host.check_output(f"mv /root/rdma/libmlx5-rdmav34.so {PROVIDER}")


def test_a_mixture_is_refused_before_the_first_change(host, versions) -> None:
    host.check_output("mkdir -p /usr/local/lib; touch /usr/local/lib/libbnxt_re-rdmav34.so; rm -f " + ENV)
    sentence = refusals(stack(versions))[0]
    assert sentence.startswith("RDMA stack: /usr/local/lib/libbnxt_re-rdmav34.so beside /usr/lib/x86_64-linux-gnu/")
    assert not host.file(ENV).exists
    host.check_output("rm /usr/local/lib/libbnxt_re-rdmav34.so")


def test_nothing_of_ours_is_left(host, versions) -> None:
    assert changed(stack(versions, "remove"))
    assert host.check_output("apt-mark showhold") == ""
    assert not host.file(LOADED).exists
