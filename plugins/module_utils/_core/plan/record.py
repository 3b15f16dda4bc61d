# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What a node records about itself: its release, and what else it takes to plan for that release again.

v1 named release, kernel, driver and ROCm. v2 has the same keys, and besides them ``held``, the packages that our
holds are on, ``variables``, what the inventory said of each role, and ``gpus``, how many there are, which the first of
its records lack.
"""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..errors import DataError
from ..look.whole import WholeLook
from ..strict import Reader, from_json
from . import managed
from .plan import Plan, Step
from .steps import WantedFile, file_steps

if t.TYPE_CHECKING:
    from ..release.resolved import Resolved

ROLE = "gpu_release"
VERSION = "v2"
VERSIONS = ("v1", VERSION)
WRITE_ANEW = "run site.yml to write it anew"
Variables = t.Mapping[str, t.Mapping[str, t.Any]]


@dc.dataclass(frozen=True)
class Record:
    """What a node recorded.

    Attributes:
        release: its name.
        kernel: the kernel that was wanted; None if none was.
        source: where the driver came from, dkms or in_tree.
        rocm: version of ROCm.
        held: packages that our holds are on; empty in v1, which did not tell.
        variables: role -> variable -> value, as the inventory had them; None in v1, which did not tell.
        gpus: most GPUs that were on the bus; None where the record does not tell.
        packages: packages of the driver, with their versions.
    """

    release: str
    kernel: str | None
    source: str
    rocm: str
    held: tuple[str, ...] = ()
    variables: Variables | None = None
    gpus: int | None = None
    packages: t.Mapping[str, str] = dc.field(default_factory=dict)


def recorded(look: WholeLook) -> Record | None:
    """The node's record; None if there is none.

    Raises:
        DataError: the record is not of its form, or was made by a later version of the collection.
    """
    file = next((f for f in look.files.files if f.path == managed.RELEASE_RECORD), None)
    if file is None or file.sha256 is None:
        return None
    return parse(file.text or "", managed.RELEASE_RECORD)


def parse(text: str, where: str) -> Record:
    """A record from its text.

    Raises:
        DataError: as ``recorded``.
    """
    return _read(from_json(text, where, WRITE_ANEW))


def readable(look: WholeLook) -> Record | None:
    """The node's record; None also where it cannot be read: it says nothing then."""
    try:
        return recorded(look)
    except DataError:
        return None


def _read(reader: Reader) -> Record:
    version = reader.choice("version", VERSIONS)
    source, packages = reader.record("driver", _driver)
    record = Record(reader.text("release"), reader.optional("kernel"), source, reader.text("rocm"), packages=packages)
    if version == VERSION:
        record = dc.replace(record, held=reader.texts("held"), variables=_variables(reader),
                            gpus=reader.count("gpus"))
    reader.done()
    return record


def _driver(reader: Reader) -> tuple[str, dict[str, str]]:
    reader.optional("release")
    return reader.text("source"), reader.texts_by_name("packages")


def _variables(reader: Reader) -> Variables:
    """Values of the roles' variables, whatever they are: the specifications are held against them later."""
    raw = reader.anything("variables")
    for role, values in raw.items() if isinstance(raw, dict) else [("", raw)]:
        if not isinstance(values, dict):
            raise DataError(f"{reader.path} variables.{role}".rstrip("."), "is not a mapping", WRITE_ANEW)
    return t.cast("Variables", raw)


def plan_record(
    look: WholeLook, wanted: Resolved, variables: Variables | None = None, held: t.Sequence[str] = (), kept: str = "",
) -> Plan:
    """The plan of gpu_release: two small files that say what the node is. ``kept``: the record that it had then.

    GPUs that are gone stay in it, or nobody would miss them after one run.
    """
    before = readable(look)
    record = {
        "version": VERSION,
        "release": wanted.name,
        "kernel": wanted.kernel.wanted,
        "driver": {"source": wanted.driver.source, "release": wanted.driver.release,
                   "packages": dict(wanted.driver.packages)},
        "rocm": wanted.rocm.version,
        "held": sorted(held),
        "variables": variables or {},
        "gpus": max(len(look.gpus.gpus), (before.gpus if before else None) or 0),
    }
    facts = {"release": wanted.name, "driver": wanted.driver.release, "rocm": wanted.rocm.version}
    files = [WantedFile(managed.RELEASE_RECORD, kept or _text(record)), WantedFile(managed.LOCAL_FACTS, _text(facts))]
    return Plan(ROLE, tuple(file_steps(look, files)))


def _text(data: t.Mapping[str, t.Any]) -> str:
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def plan_reboot(reason: str, allowed: bool) -> Plan:
    """The plan of node_maintenance: a reboot, if one is needed and allowed."""
    if not (reason and allowed):
        return Plan("node_maintenance", reboot=reason)
    return Plan("node_maintenance", (Step("reboot", f"reboot: {reason}", after="rebooted"),), reboot=reason)
