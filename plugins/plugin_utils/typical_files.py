# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Reads what upgrades take as a rule, on the control machine: our file, then those of the site."""

from __future__ import annotations

import functools
import pathlib
import typing as t

from ..module_utils._core.rollout.typical import KIND, Typical, read_typical
from .strict_yaml import files_of, load

OWN = pathlib.Path(__file__).resolve().parents[2] / "roles/node_maintenance/files/rollout"
VARIABLE = "fleet_upgrade_typical_dirs"


@functools.cache
def typical(directories: tuple[str, ...] = ()) -> Typical:
    """All that the files say.

    Raises:
        FleetError: a directory or file cannot be read, or is not of its form; the message names the file.
    """
    documents: list[dict[str, t.Any]] = []
    for directory in (OWN, *map(pathlib.Path, directories)):
        for path in files_of(directory, (".",), VARIABLE):
            data = load(path, VARIABLE)
            if directory != OWN or data.get("kind") == KIND:  # ours also has files of other kinds
                documents.append({"path": str(path), "data": data})
    return read_typical(documents)
