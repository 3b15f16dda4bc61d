# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of images and containers for tests, and a node that they are made on."""

from __future__ import annotations

import functools
import typing as t

import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.image.checks import Checks
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.host import Host
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.shape import Contents
from ansible_collections.instinct.fleet.plugins.module_utils._core.rdma.shape import Provider, UserSpace, VerbsDevice
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/container_runtime/files/checks"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
NIC = VerbsDevice("ionic_0", "uverbs0", "ionic", 4)
IONIC = Provider("ionic", f"{LIBRARIES}/libibverbs/libionic-rdmav34.so", 1, 4, 34)
RDMA = UserSpace(f"{LIBRARIES}/libibverbs.so.1", f"{LIBRARIES}/librdmacm.so.1", 34, (IONIC,))
GPUS = {"0000:05:00.0": ("/dev/dri/renderD128",), "0000:26:00.0": ("/dev/dri/renderD129",)}


@functools.cache
def documents() -> tuple[dict[str, t.Any], ...]:
    """Our file, as the control machine reads it."""
    return ({"path": "checks.yml", "data": yaml.safe_load((DATA / "checks.yml").read_text(encoding="utf-8")), "layer": 0},)


@functools.cache
def checks() -> Checks:
    """Our checks."""
    return Checks.from_documents(documents())


def host(**changes: t.Any) -> Host:
    """A node with two GPUs and a NIC."""
    given: dict[str, t.Any] = {
        "machine": "x86_64", "driver": "30.10.2", "rocm": ("6.4.x", "7.0.x"), "window_source": "the matrix", "gfx": ("gfx942",),
        "render_gid": 109, "gpus": GPUS, "providers": {"ionic": "ionic"}, "verbs": (NIC,)}
    return Host(**{**given, **changes})


def contents(**changes: t.Any) -> Contents:
    """A tree that fits it."""
    given: dict[str, t.Any] = {
        "os": "debian", "os_version": "12", "machine": "x86_64", "packages": {"libibverbs1": "44.0-2"}, "rdma": RDMA,
        "groups": {"render": 109}, "rocm": "7.0.2", "gfx": ("gfx90a", "gfx942"), "size_bytes": 1 << 20}
    return Contents(**{**given, **changes})
