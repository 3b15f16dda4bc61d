# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The part of a look that is about firmware. Read through shape.py, which has the whole."""

from __future__ import annotations

import dataclasses as dc

from .gpus import Unknown

# What no reading inside the node tells. source: AMD's MI355X cluster guide for SGLang, which asks the BMC of the GPU
# board for /redfish/v1/UpdateService/FirmwareInventory/bundle_active
NO_BKC = "nothing inside the node tells it; the Redfish service of the BMC does"
NO_BMC = "no IPMI driver tells it; the Redfish service of the BMC does"
# PCI vendor and driver -> family of NICs. source: pci.ids; linux:drivers/net/ethernet/{mellanox/mlx5,broadcom/bnxt,
# pensando/ionic,intel/ice}
FAMILIES = {
    ("0x15b3", "mlx5_core"): "mlx5", ("0x14e4", "bnxt_en"): "bnxt", ("0x1dd8", "ionic"): "ionic",
    ("0x8086", "ice"): "ice",
}


@dc.dataclass(frozen=True)
class GpuFirmware:
    """Firmware of one GPU: block name -> version as printed by the source."""

    bdf: str
    blocks: dict[str, str]
    source: str  # amdsmi, sysfs: the two name blocks differently
    vbios: str | None = None  # 022.040.003.043.000001
    vbios_part: str | None = None  # 113-M3000100-102
    bundle: str | None = None  # PLDM bundle, where the library tells


@dc.dataclass(frozen=True)
class Baseboard:
    """Who made the board, and its firmware, from DMI and the IPMI driver."""

    vendor: str | None = None
    product: str | None = None
    board: str | None = None
    bios_vendor: str | None = None
    bios_version: str | None = None
    bios_date: str | None = None
    bmc: str | None = None  # major and minor revision of the BMC's firmware
    bkc: str | None = None  # best known configuration


@dc.dataclass(frozen=True)
class NicFirmware:
    """Firmware of one PCI function of an RDMA device or a NIC of a known family. Virtual functions are left out."""

    bdf: str
    device: str  # mlx5_0, or the name of the interface where no RDMA device is there
    driver: str | None = None
    family: str | None = None  # mlx5, bnxt, ionic, ice
    board: str | None = None  # board_id: MT_0000000838
    version: str | None = None  # 28.46.3048
    source: str | None = None  # sysfs, ethtool


@dc.dataclass(frozen=True)
class Firmware:
    """Firmware of GPUs, baseboard and NICs, and where that of the GPUs was read."""

    gpus: tuple[GpuFirmware, ...] = ()
    source: str | None = None  # amdsmi, sysfs
    baseboard: Baseboard = Baseboard()
    nics: tuple[NicFirmware, ...] = ()
    unknown: Unknown = dc.field(default_factory=dict)
