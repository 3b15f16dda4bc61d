# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node needs to partition its GPUs, as plain data: what products can be, a profile, an intent."""

from __future__ import annotations

import typing as t

from ..module_utils._core.partition.claims import read_claims
from ..module_utils._core.partition.profile import Profile
from ..module_utils._partition import data
from . import partition_files
from .node_data import product_ids, shortened

Plain = dict[str, t.Any]
Options = t.Mapping[str, t.Any]


def capabilities(directories: t.Sequence[str]) -> Plain:
    """What products can be, and the PCI ids by which they are known.

    Raises:
        FleetError: a file is not right.
    """
    documents = [shortened(document) for document in partition_files.capabilities(directories)]
    return {"documents": documents, "products": product_ids()}


def profile(directories: t.Sequence[str], name: str) -> Plain | None:
    """The document of a profile, which is of its form; None without a name.

    Raises:
        FleetError: there is no such profile, or its file is not right.
    """
    if not name:
        return None
    found = partition_files.profile(directories, name)
    Profile.from_document(found["data"], found["path"])
    return shortened(found)


def agent(directories: t.Sequence[str]) -> Plain:
    """The data file of the command. Errors as of ``capabilities``."""
    return data.plain_known(capabilities(directories))


def intent(options: Options) -> Plain:
    """The intent file of the command, from options as the module gpu_partition has them.

    Raises:
        FleetError: there is no such profile, or rules or reservations are not of their form.
    """
    document = profile(options["catalogue_dirs"], options["profile"])
    if options["gpus"]:
        Profile.inline(list(options["gpus"]), "gpus")
    read_claims(options["reservations"], "reservations")
    return data.plain_intent(document, options)
