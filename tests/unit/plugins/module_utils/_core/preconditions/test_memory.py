# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Huge pages, NUMA, sysctls, and what daemons may lock."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.host import Limits
from ansible_collections.instinct.fleet.tests.unit.support.preconditions import GIB, GOOD, but, gpu, judged

RDMA, HPC, VMS = ("bare_metal", "rdma"), ("hpc",), ("passthrough",)
APU = but(gpus=gpu(product="MI300A"))

CASES = [
    ("numa-balancing", "nobody asks", but(host={"numa_balancing": 1}), (), []),
    ("numa-balancing", "on for RDMA", but(host={"numa_balancing": 1}), RDMA, [("warn", "kernel.numa_balancing is 1")]),
    ("numa-balancing", "on for an APU", but(APU, host={"numa_balancing": 1}), (), [("warn", "kernel.numa_balancing is 1")]),
    ("numa-balancing", "off for an APU", APU, (), [("pass", "kernel.numa_balancing is 0")]),
    ("numa-balancing", "a kernel without", but(host={"numa_balancing": None}), HPC, [("unknown", "host.numa_balancing is not told")]),
    ("transparent-hugepages", "nobody asks", GOOD, (), []),
    ("transparent-hugepages", "on request for an APU", APU, (), [("warn", "transparent huge pages: madvise")]),
    ("transparent-hugepages", "always for an APU", but(APU, host={"transparent_hugepages": "always"}), (), [
        ("pass", "transparent huge pages: always")]),
    ("transparent-hugepages", "unknown for an APU", but(APU, host={"transparent_hugepages": None}), (), [
        ("unknown", "host.transparent_hugepages is not told")]),
    ("reserved-hugepages", "half", but(host={"hugepages_bytes": 512 * GIB}), (), [("pass", "50 % of memory is reserved as huge pages")]),
    ("reserved-hugepages", "more", but(host={"hugepages_bytes": 530 * GIB}), (), [("warn", "51 % of memory is reserved as huge pages")]),
    ("reserved-hugepages", "more, for virtual machines", but(host={"hugepages_bytes": 900 * GIB}), VMS, [
        ("pass", "87 % of memory is reserved as huge pages")]),
    ("reserved-hugepages", "of no memory", but(host={"memory_bytes": 0}), (), [("warn", "100 % of memory is reserved as huge pages")]),
    ("reserved-hugepages", "unknown", but(host={"hugepages_bytes": None}), (), [("unknown", "host.hugepages_bytes is not told")]),
    ("compaction", "nobody asks", but(host={"sysctls": {}}), (), []),
    ("compaction", "off for an APU", but(APU, host={"sysctls": {"vm.compaction_proactiveness": 0}}), (), [
        ("warn", "vm.compaction_proactiveness is 0")]),
    ("compaction", "more than enough for an APU", but(APU, host={"sysctls": {"vm.compaction_proactiveness": 50}}), (), [
        ("pass", "vm.compaction_proactiveness is 50")]),
    ("compaction", "a kernel without", but(APU, host={"sysctls": {"vm.swappiness": 1}}), (), [
        ("unknown", "vm.compaction_proactiveness is not told: this kernel may not have it")]),
    ("compaction", "not read", but(APU, host={"sysctls": {"vm.swappiness": 1}, "unknown": {
        "sysctls.vm.compaction_proactiveness": "no root"}}), (), [
        ("unknown", "host.sysctls.vm.compaction_proactiveness: no root")]),
    ("compaction-unevictable", "off for an APU", but(APU, host={"sysctls": {"vm.compact_unevictable_allowed": 0}}), (), [
        ("warn", "vm.compact_unevictable_allowed is 0")]),
    ("memlock", "nobody asks", but(host={"limits": (Limits("slurmd", 9, 0),)}), (), []),
    ("memlock", "a small limit", but(host={"limits": (Limits("slurmd", 9, 8388608), Limits("dockerd", 7, -1))}), RDMA, [
        ("warn", "memlock: slurmd (pid 9) 8388608 bytes")]),
    ("memlock", "no limit", GOOD, HPC, [("pass", "memlock is unlimited for slurmd")]),
    ("memlock", "no daemon", but(host={"limits": (Limits("systemd", 1, 65536),)}), RDMA, []),
    ("memlock", "a limit that is not told", but(host={"limits": (Limits("slurmd", 9), Limits("dockerd", 7, -1))}), RDMA, [
        ("unknown", "the limits of slurmd are not told")]),
    ("memlock", "one not told, one small", but(host={"limits": (Limits("slurmd", 9), Limits("dockerd", 7, 0))}), RDMA, [
        ("warn", "memlock: dockerd (pid 7) 0 bytes")]),
    ("memlock", "not read", but(host={"limits": (), "unknown": {"limits": "no root"}}), RDMA, [("unknown", "host.limits: no root")]),
]


@pytest.mark.parametrize(("ident", "look", "profiles", "expected"), [(c[0], *c[2:]) for c in CASES],
                         ids=[f"{c[0]}: {c[1]}" for c in CASES])
def test_verdict(ident, look, profiles, expected):
    assert judged(ident, look, profiles or ("bare_metal",)) == expected
