# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""RDMA of a node or of an image: devices with the ABI of their kernel driver, user space with the range it speaks."""

from __future__ import annotations

import dataclasses as dc


@dc.dataclass(frozen=True)
class VerbsDevice:
    """An RDMA device that the kernel offers to user space.

    Attributes:
        name: as the kernel names it: mlx5_0, rdma0, rxe0.
        verbs: its file in /dev/infiniband: uverbs0.
        driver: kernel module: mlx5_core, bnxt_re, ionic_rdma, rdma_rxe; None if that is not known.
        abi: of the driver, which a provider has to speak; None if that is not known.
            source: linux:Documentation/ABI/stable/sysfs-class-infiniband, abi_version
    """

    name: str
    verbs: str
    driver: str | None = None
    abi: int | None = None


@dc.dataclass(frozen=True)
class Provider:
    """A provider library of libibverbs, as its file says without being loaded.

    Attributes:
        name: what messages of libibverbs call it: mlx5, bnxt_re, ionic, rxe.
        path: in the tree, with a leading slash.
        abi_min, abi_max: the range of kernel ABIs that it speaks; None if the file does not tell.
        private: the interface of libibverbs that it was built for: 34 of IBVERBS_PRIVATE_34; None: unknown.
        missing: libraries and symbols that it needs and the tree does not have.
    """

    name: str
    path: str
    abi_min: int | None = None
    abi_max: int | None = None
    private: int | None = None
    missing: tuple[str, ...] = ()


@dc.dataclass(frozen=True)
class UserSpace:
    """User space of RDMA in a tree.

    Attributes:
        libibverbs, librdmacm: path of the library; None: there is none.
        private: private interface that libibverbs offers; None: unknown.
        providers: in the order of their names.
    """

    libibverbs: str | None = None
    librdmacm: str | None = None
    private: int | None = None
    providers: tuple[Provider, ...] = ()
