# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From a look to a diagnosis, on the controller: what to look for, what to hold it against, what Ansible knows."""

from __future__ import annotations

import dataclasses as dc
import functools
import typing as t

from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.diagnose import (
    Knowledge,
    Options,
    diagnose,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.joints import read_documents
from ansible_collections.instinct.fleet.plugins.module_utils._core.diagnosis.unseen import SECTIONS
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.inherit import resolve
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.profile import Profile
from ansible_collections.instinct.fleet.plugins.module_utils._core.health.sample import Wanted
from ansible_collections.instinct.fleet.plugins.module_utils._core.knobs.catalogue import Knobs, names
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.catalogue import Preconditions
from ansible_collections.instinct.fleet.plugins.module_utils._core.preconditions.view import Known
from ansible_collections.instinct.fleet.plugins.plugin_utils import catalogue_files, diagnosis_files, inventory_settings

ASKED = (*SECTIONS, "files")  # the files tell how many GPUs the node recorded
PROFILE = "admission"  # judges counters as they are: a diagnosis has no baseline to hold them against
HOST_PROFILE = "bare_metal"


@dc.dataclass(frozen=True)
class Data:
    """What a look is held against, and what the module on the node has to look for."""

    knowledge: Knowledge
    log_patterns: tuple[dict[str, t.Any], ...]
    setting_names: tuple[dict[str, t.Any], ...]


@functools.cache
def data(directories: tuple[str, ...], profile: str) -> Data:
    """Our data and that of the site's directories. Read once per process: do not change the result.

    Raises:
        FleetError: a directory, a file or the profile is not right; the message names it.
    """
    read = diagnosis_files.read(directories)
    profiles = [(str(document["path"]), document["data"]) for document in read.profiles]
    chosen, knobs = Profile.from_document(resolve(profiles, profile, "profile")), Knobs.from_documents(read.knobs)
    host = Preconditions.from_documents(read.preconditions)
    return Data(
        Knowledge(read.faults, host, knobs, chosen, read_documents(read.joints)),
        tuple(read.faults.patterns()), tuple(names(knobs)),
    )


def module_arguments(known: Data, boots: str, timeout: int) -> dict[str, t.Any]:
    """What gpu_node_info is asked, in one go."""
    return {
        "sections": list(ASKED), "log_patterns": list(known.log_patterns), "log_boots": boots,
        "setting_names": list(known.setting_names), "timeout": timeout,
    }


def skew(look: Look, before: float, after: float) -> float | None:
    """Seconds that the node's clock is ahead of ours, which said two times around the look; None if it was not seen."""
    clock = look.host.clock if look.host else None
    if clock is None:
        return None
    return min(clock.epoch - before, 0.0) or max(clock.epoch - after, 0.0)


def judged(look: Look, known: Data, host_profiles: t.Sequence[str], variables: t.Mapping[str, t.Any],
           ahead: float | None = None) -> dict[str, t.Any]:
    """The diagnosis as plain data.

    Args:
        look: of the node, or of a bundle.
        known: what to hold it against.
        host_profiles: what the host is for.
        variables: of the host; none for a bundle.
        ahead: seconds that its clock is ahead of ours.

    Raises:
        FleetError: host profiles that do not exist, or want opposites.
    """
    catalogue = catalogue_files.catalogue((), "")  # no release, but all that releases are checked against
    options = Options(
        host_profiles=tuple(host_profiles), inventory=inventory_settings.found(variables, known.setting_names),
        known=Known(skew_seconds=ahead, products=catalogue.products, windows=catalogue.windows), wanted=Wanted(),
    )
    return diagnose(look, known.knowledge, options).to_dict()
