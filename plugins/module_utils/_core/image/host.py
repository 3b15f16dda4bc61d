# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A node as images and containers meet it: its GPUs, its driver with the ROCm that it supports, its RDMA devices."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError
from ..look.shape import Look
from ..rdma.shape import VerbsDevice
from ..release.products import Product, candidates
from ..release.versions import DriverRelease, parse_driver_package
from ..release.windows import DriverWindow
from ..strict import Reader

_PACKAGE = "amdgpu-dkms"
SECTIONS = ("os", "packages", "driver", "gpus", "devices")  # of a look, that tell


@dc.dataclass(frozen=True)
class Host:
    """What a node is.

    Attributes:
        machine: x86_64; None: unknown.
        driver: release of the driver, in words.
        rocm: lines of versions that the driver supports: 7.0.x.
        window_source: who says so.
        gfx: instruction sets of its GPUs.
        render_gid: number of the group that owns /dev/kfd; None: unknown.
        gpus: PCI address of a GPU to its render nodes.
        providers: kernel driver to the name of its RDMA provider.
        verbs: its RDMA devices, which the node itself adds.
        unknown: what is not known, to the reason: rocm, gfx, render_gid, gpus, verbs, machine,
            environment, what rocm_run_args would give; and PCI
            addresses of GPUs whose render nodes are not all known.
    """

    machine: str | None = None
    driver: str = ""
    rocm: tuple[str, ...] = ()
    window_source: str = ""
    gfx: tuple[str, ...] = ()
    render_gid: int | None = None
    gpus: t.Mapping[str, tuple[str, ...]] = dc.field(default_factory=dict)
    providers: t.Mapping[str, str] = dc.field(default_factory=dict)
    verbs: tuple[VerbsDevice, ...] = ()
    unknown: t.Mapping[str, str] = dc.field(default_factory=dict)

    @classmethod
    def given(cls, raw: object) -> Host:
        """What ``dataclasses.asdict`` made, without its RDMA devices.

        Raises:
            DataError: it is not of that form.
        """
        reader = Reader(raw, "node:")
        gid = reader.count("render_gid") if reader.anything("render_gid") is not None else None
        gpus = t.cast("dict[str, list[str]]", reader.anything("gpus"))
        reader.anything("verbs")
        found = cls(
            reader.optional("machine"), reader.text("driver", ""), tuple(_list(reader, "rocm")),
            reader.text("window_source", ""), tuple(_list(reader, "gfx")), gid,
            {bdf: tuple(nodes) for bdf, nodes in gpus.items()}, reader.texts_by_name("providers"), (),
            reader.texts_by_name("unknown"))
        reader.done()
        return found

    @property
    def plain(self) -> dict[str, t.Any]:
        """What is judged against, as JSON can hold it: what images for this node have to be."""
        unknown, verbs = dict(self.unknown), {}
        for device in self.verbs:
            provider = self.providers.get(device.driver or "")
            if provider and device.abi is not None:
                verbs[provider] = device.abi
            else:
                unknown["verbs"] = f"provider and ABI of {device.name} ({device.driver or 'no driver'}) are not known"
        return {"machine": self.machine, "rocm": list(self.rocm), "gfx": list(self.gfx), "render_gid": self.render_gid,
                "verbs": verbs, "unknown": unknown}


def _list(reader: Reader, key: str) -> t.Sequence[str]:
    return t.cast("t.Sequence[str]", reader.anything(key))


def of(look: Look, products: t.Sequence[Product], windows: t.Sequence[DriverWindow],
       providers: t.Mapping[str, str]) -> Host:
    """What a node is, from a look with ``SECTIONS``."""
    unknown: dict[str, str] = {}
    driver, about = _window(look, windows, unknown)
    machine = look.os.architecture if look.os else None
    if not machine:
        unknown["machine"] = "the node does not tell its architecture"
    gpus = look.gpus.gpus if look.gpus else ()
    unknown |= {gpu.bdf: "not all render nodes of this GPU are known" for gpu in gpus
                if not gpu.partitions or not all(part.render_node for part in gpu.partitions)}
    return Host(
        machine, str(driver or ""),
        tuple(pattern.text for window in about for pattern in window.rocm),
        about[0].provenance.first if about else "", _gfx(look, products, unknown), _gid(look, unknown),
        {gpu.bdf: tuple(part.render_node for part in gpu.partitions if part.render_node)
         for gpu in gpus}, dict(providers), (), unknown)


def _window(look: Look, windows: t.Sequence[DriverWindow], unknown: dict[str, str],
            ) -> tuple[DriverRelease | None, list[DriverWindow]]:
    installed = look.packages.installed if look.packages else ()
    version = next((package.version for package in installed if package.name == _PACKAGE), None)
    driver = None
    try:
        driver = parse_driver_package(version).release if version else None
    except DataError as error:
        unknown["rocm"] = error.sentence
    about = [window for window in windows if driver is not None and window.driver.covers(driver)]
    running = look.driver
    if version and running and running.loaded and running.on_disk and running.loaded_is_on_disk is False:
        unknown.setdefault("rocm", f"the amdgpu that runs is another than that of {_PACKAGE} {version} on disk")
    elif not about:
        said = f"no compatibility window is known for {_PACKAGE} {version}" if version else (
            f"{_PACKAGE} is not installed, and for the kernel's own driver AMD names no window")
        unknown.setdefault("rocm", said)
    return driver, about


def _gfx(look: Look, products: t.Sequence[Product], unknown: dict[str, str]) -> tuple[str, ...]:
    if look.gpus is None or not look.gpus.gpus:
        unknown["gpus"] = (look.gpus.unknown.get("gpus", "") if look.gpus else "") or "no GPU is seen"
        return ()
    found: set[str] = set()
    for gpu in look.gpus.gpus:
        known = candidates(products, gpu.device_id, gpu.market_name)
        found |= {product.llvm_target for product in known}
        if not known:
            unknown["gfx"] = f"GPU {gpu.bdf} has the PCI device id {gpu.device_id}, which no product has"
    return tuple(sorted(found))


def _gid(look: Look, unknown: dict[str, str]) -> int | None:
    nodes = look.devices.nodes if look.devices else ()
    found = next((node.gid for node in nodes if node.kind == "kfd"), None)
    if found is None:
        unknown["render_gid"] = "there is no /dev/kfd, whose group would tell"
    return found
