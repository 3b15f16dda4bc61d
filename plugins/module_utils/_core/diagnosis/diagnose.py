# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Why is this node not right? Everything that is known of faults, hosts, settings and health, held against one look."""

from __future__ import annotations

import dataclasses as dc

from ..faults.catalogue import FaultCatalogue
from ..faults.find import find
from ..findings import Check, Finding
from ..health.judge import findings as of_health
from ..health.judge import judge
from ..health.profile import Profile
from ..health.sample import Wanted
from ..knobs.catalogue import Documents as Knobs
from ..knobs.judge import check as check_settings
from ..look import shape as lk
from ..preconditions.catalogue import Documents as Preconditions
from ..preconditions.judge import check as check_host
from ..preconditions.judge import findings as of_host
from ..preconditions.view import Known
from ..release.named import named
from .conclusion import Diagnosis, conclude
from .glimpse import glimpse
from .joints import Joint, joined, merged
from .rank import rank
from .unseen import unseen

# Checks of a profile that only say again what the faults of logs say, which are findings of their own here.
_OF_LOGS = ("log-fail", "log-warn")
_NOTHING, _NOBODY = Known(), Wanted()


@dc.dataclass(frozen=True)
class Knowledge:
    """What a look is held against: data, of the collection and of the site."""

    faults: FaultCatalogue
    preconditions: Preconditions
    knobs: Knobs
    profile: Profile
    joints: tuple[Joint, ...] = ()


@dc.dataclass(frozen=True)
class Options:
    """What is known of the node from elsewhere.

    Attributes:
        host_profiles: what the host is for, by names of the preconditions' files.
        inventory: settings that variables of the inventory name.
        known: its clock against ours; products and windows of the catalogue.
        wanted: GPUs and partitions that were declared.
    """

    host_profiles: tuple[str, ...] = ()
    inventory: tuple[lk.Setting, ...] = ()
    known: Known = _NOTHING
    wanted: Wanted = _NOBODY


def diagnose(look: lk.Look, data: Knowledge, options: Options) -> Diagnosis:
    """What is the matter with the node, from one look.

    Raises:
        FleetError: two host profiles want opposites.
        DataError: a document is not of its form, or there is no such host profile.
    """
    look = named(look, options.known.products)
    host = check_host(look, data.preconditions, options.host_profiles, options.known)
    rules = tuple(rule for rule in data.profile.rules if rule.id not in _OF_LOGS)
    profile = dc.replace(data.profile, rules=rules)
    health = judge(look, profile, wanted=options.wanted)
    found: tuple[Finding, ...] = (
        *find(look, data.faults, options.known.products), *of_host(host, data.preconditions),
        *of_health(health, profile), *check_settings(_settings(look, options.inventory), look, data.knobs),
    )
    checks: tuple[Check, ...] = (*host, *health.checks)
    ranked = rank(joined(merged(found), data.joints))
    return conclude(ranked, checks, bool(health.blocking), unseen(look), look, glimpse(look))


def _settings(look: lk.Look, inventory: tuple[lk.Setting, ...]) -> lk.Settings:
    """Settings of the node's files and of the inventory together."""
    seen = look.settings or lk.Settings()
    return dc.replace(seen, settings=(*seen.settings, *inventory))
