# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What checks look at: a look of which sections may be missing, and what they answer."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import FleetError
from ..look import shape as lk
from ..look.host import Host, PciDevice
from ..look.readings import VIRTUAL_IDS
from ..release.products import Product, identify
from ..release.windows import DriverWindow

T = t.TypeVar("T")
HOSTS = ("none", "container")  # kinds of virtualization under which the PCI tree is the platform's own
IN_TREE = "Linux version"  # some tools give /proc/version where the driver has no version of its own


class UnseenError(Exception):
    """What a check needs was not seen; the text says why."""


@dc.dataclass(frozen=True)
class Result:
    """What one check answers. ``good`` None: there was nothing to see, and ``seen`` says why."""

    good: bool | None
    wanted: str
    seen: str


@dc.dataclass(frozen=True)
class Known:
    """What else checks are given.

    Attributes:
        skew_seconds: how far the node's clock is ahead of the control machine's; None: nobody compared them.
        products: PCI device ids, for nodes whose library tells no product.
        windows: which ROCm each line of drivers supports.
    """

    skew_seconds: float | None = None
    products: tuple[Product, ...] = ()
    windows: tuple[DriverWindow, ...] = ()


@dc.dataclass(frozen=True)
class View:
    """A look as checks ask it. What was not seen raises UnseenError with the reason."""

    look: lk.Look
    given: Known = Known()

    def _section(self, name: str) -> t.Any:
        section = getattr(self.look, name)
        if section is None:
            raise UnseenError(f"section {name} was not looked at")
        return section

    @property
    def kernel(self) -> lk.Kernel:
        """Section kernel."""
        return t.cast("lk.Kernel", self._section("kernel"))

    @property
    def driver(self) -> lk.Driver:
        """Section driver."""
        return t.cast("lk.Driver", self._section("driver"))

    @property
    def host(self) -> Host:
        """Section host."""
        return t.cast("Host", self._section("host"))

    @property
    def packages(self) -> lk.Packages:
        """Section packages."""
        return t.cast("lk.Packages", self._section("packages"))

    @property
    def devices(self) -> lk.Devices:
        """Section devices."""
        return t.cast("lk.Devices", self._section("devices"))

    @property
    def boot(self) -> lk.Boot:
        """Section boot."""
        return t.cast("lk.Boot", self._section("boot"))

    @property
    def repositories(self) -> lk.Repositories:
        """Section repositories."""
        return t.cast("lk.Repositories", self._section("repositories"))

    @property
    def gpus(self) -> tuple[lk.Gpu, ...]:
        """GPUs on the bus."""
        return self.known(t.cast("lk.Gpus", self._section("gpus")).gpus, "gpus.gpus")

    def known(self, value: T | None, path: str, reason: str = "") -> T:
        """The value, if it was seen.

        Args:
            value: of the look.
            path: section and field it is in; the section's ``unknown`` may say why it is empty.
            reason: why it may be None besides.

        Raises:
            UnseenError: it was not.
        """
        name, _dot, field = path.partition(".")
        why = self.why(name, field)
        if value is None or (why and value in ((), {})):
            raise UnseenError(why or reason or f"{path} is not told")
        return value

    def why(self, name: str, field: str) -> str:
        """Why a field, or what is below it, is unknown; empty if nothing says so."""
        section = getattr(self.look, name)
        unknown = {} if section is None else section.unknown
        return next((f"{name}.{path}: {why}" for path, why in sorted(unknown.items())
                     if path == field or path.startswith((f"{field}.", f"{field}["))), "")

    @property
    def guest(self) -> bool:
        """Whether the node is a virtual machine, whose platform is not the one that the GPUs are plugged into."""
        return self.look.os is not None and self.look.os.virtualization not in (None, *HOSTS)

    @property
    def next_kernel(self) -> str:
        """The kernel that boots next; the running one where the boot loader was not read."""
        kernel = self.kernel
        return self.known(kernel.next_boot or kernel.running, "kernel.running")

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments of the running kernel."""
        return tuple(self.known(self.kernel.cmdline, "kernel.cmdline").split())

    @staticmethod
    def virtual(gpu: lk.Gpu) -> bool:
        """Whether a GPU is a virtual function."""
        return bool(gpu.virtual_function) or gpu.device_id in VIRTUAL_IDS

    def names(self, gpu: lk.Gpu) -> tuple[str, ...]:
        """The products that a GPU can be; none if nothing tells."""
        if gpu.product:
            return (gpu.product,)
        try:
            return identify(self.given.products, gpu.bdf, gpu.device_id, gpu.market_name).names
        except FleetError:
            return ()

    @property
    def all_names(self) -> tuple[str, ...]:
        """The products of all GPUs; none if there is no GPU or nothing tells."""
        gpus = self.look.gpus.gpus if self.look.gpus else ()
        return tuple(sorted({name for gpu in gpus for name in self.names(gpu)}))

    def path(self, gpu: lk.Gpu) -> tuple[PciDevice, ...]:
        """The GPU and the bridges above it up to the root port.

        Raises:
            UnseenError: the GPU's place in the PCI tree was not seen.
        """
        devices = {d.bdf: d for d in self.known(self.host.devices, "host.devices")}
        found: list[PciDevice] = []
        here: str | None = gpu.bdf
        while here in devices and devices[here] not in found:
            found.append(devices[here])
            here = found[-1].above
        if not found:
            raise UnseenError(f"{gpu.bdf} was not seen in the PCI tree")
        return tuple(found)
