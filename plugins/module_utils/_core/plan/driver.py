# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""From (release wanted, node seen) to the steps of gpu_driver.

An empty plan without reboot and problems is the proof that the driver is right: package, DKMS state, module on disk,
loaded module, pins and holds were each compared.
"""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..look.whole import WholeLook
from . import packaging
from .driver_adopt import Foreign, adopt_notes, refuse_foreign, refuse_untried
from .driver_boot import boot_notes, boot_problems, boot_steps
from .driver_holds import lifting_notes, refuse_lifting
from .driver_load import loading_problems, plan_loading, vanished
from .driver_packages import (
    CHANGES,
    TRANSACTIONS,
    aside_steps,
    half_done,
    held_before,
    hold_steps,
    lift_holds,
    package_steps,
    trial_first,
    want_held,
)
from .driver_seen import Seen
from .driver_trust import refuse_untrusted, trust_notes, trust_problems
from .plan import Plan, Step
from .steps import WantedFile, file_steps, key_steps, repair_step, source_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "gpu_driver"


@dc.dataclass(frozen=True)
class DriverPolicy:
    """What the site allows: see the argument specification of gpu_driver."""

    reload_allowed: bool = False
    hold: bool = True
    restrict_unattended: bool = True
    adopt: bool = False
    blacklist: str = "report"
    secure_boot: str = "require_enrolled"

    @classmethod
    def from_values(cls, values: t.Mapping[str, t.Any]) -> DriverPolicy:
        """The policy in the role's variables."""
        return cls(**{field.name: values[f"gpu_driver_{field.name}"] for field in dc.fields(cls)})


def plan_driver(look: WholeLook, wanted: Resolved, policy: DriverPolicy) -> Plan:
    """The plan of gpu_driver.

    Raises:
        FleetError: the node runs a driver of unknown origin, the kernel would not load the new one, or another hand
            holds what must change.
    """
    packaging.refuse_unserved(wanted)
    foreign, seen = Foreign.of(look), Seen.of(look, wanted)
    if policy.adopt:
        refuse_untried(foreign, seen, wanted.os.manager)
    else:
        refuse_foreign(foreign)
    refuse_untrusted(look, seen, policy.secure_boot)
    packages = packaging.with_hold_tools(look, package_steps(look, wanted, seen, foreign), policy.hold)
    held = want_held(look, wanted, seen) if policy.hold else held_before(look, packages)
    # To forget other versions leaves the wanted one alone, where that is installed.
    changes = any(s.action in CHANGES or (s.action == "forget" and not seen.built) for s in packages)
    repair = repair_step(look, [s for s in packages if s.action in TRANSACTIONS])
    files = [
        *_key_steps(look, wanted, seen),
        *source_steps(look, wanted, "amdgpu"),
        *file_steps(look, _package_files(wanted, seen, policy)),
    ]
    first, packages = trial_first(packages, files)
    packages = lift_holds(look, packages)
    refuse_lifting(look, packages)
    steps = [
        *(repair if any(s.action == "tools" for s in first) else ()),
        *first,
        *(aside_steps(look, seen, packages) if first else ()),
        *files,
        *(repair if all(s.action != "tools" for s in first) else ()),
        *packages,
        *hold_steps(look, held, packages),
        *boot_steps(look, wanted, seen, changes, policy.blacklist),
    ]
    loading = plan_loading(look, seen, changes, policy.reload_allowed)
    return Plan(ROLE, (*steps, *loading.steps), reboot=loading.reboot, reload=loading.reload,
                notes=(*_notes(look, wanted, seen, policy, foreign), *lifting_notes(look, packages)),
                problems=(*vanished(look), *loading_problems(look, seen), *half_done(look, packages),
                          *boot_problems(look, wanted, seen, policy.blacklist),
                          *trust_problems(look, seen, policy.secure_boot)),
                held=tuple(sorted(held)) if policy.hold else ())


def _key_steps(look: WholeLook, wanted: Resolved, seen: Seen) -> tuple[Step, ...]:
    if seen.source != "dkms":
        return ()
    return key_steps(look, [wanted.keys[r.key] for r in wanted.repositories if r.name == "amdgpu"])


def _package_files(wanted: Resolved, seen: Seen, policy: DriverPolicy) -> list[WantedFile]:
    files = packaging.unattended_files(wanted.os.manager, policy.restrict_unattended)
    if seen.source != "dkms":
        return files + packaging.no_source_files("amdgpu")
    return files + packaging.source_files(wanted, "amdgpu", wanted.driver.packages)


def _notes(
    look: WholeLook, wanted: Resolved, seen: Seen, policy: DriverPolicy, foreign: Foreign,
) -> tuple[str, ...]:
    notes = [*wanted.notes, *packaging.unattended_notes(look, policy.restrict_unattended, policy.hold)]
    if seen.source == "dkms" and not seen.built and not packaging.tries_builds(wanted.os.manager):
        notes.append(f"the driver is not built on trial before it is installed: {wanted.os.manager} cannot do that yet")
    return (*notes, *adopt_notes(foreign), *boot_notes(look, seen, policy.blacklist),
            *trust_notes(look, seen, policy.secure_boot))
