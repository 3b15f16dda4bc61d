# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What is known of RDMA: read on the controller, our directory first."""

from __future__ import annotations

import functools
import pathlib
import typing as t

from . import strict_yaml

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/rdma_stack/files/rdma"
FOLDERS = (".", "families")
VARIABLE = "rdma_stack_catalogue_dirs"


@functools.cache
def documents(directories: tuple[str, ...] = ()) -> tuple[dict[str, t.Any], ...]:
    """What our directory and ``directories`` hold, lowest layer first. Read once per process: do not change it.

    Raises:
        FleetError: a directory or file cannot be read.
    """
    return tuple(strict_yaml.documents(OWN, directories, VARIABLE, FOLDERS))
