# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A profile: what a node and its GPUs should be while something runs on them, by a name."""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from ..errors import DataError
from ..records import begun, sources
from ..release.products import NAME as PRODUCT
from ..strict import Contradiction, Reader
from .shape import (
    CAP,
    CLOCKS,
    DETERMINISM,
    IRQ,
    ISOLATION,
    LEVEL,
    LEVELS,
    LINKS,
    MANUAL,
    NUMA,
    OF_NODE,
    OFF,
    ON,
    SETTINGS,
    SOC,
    Value,
)

KIND = "qos_profile"
NAME = r"[a-z0-9]+(?:_[a-z0-9]+)*"
DEFAULT, NEAR = "default", "near"
# What a text may be, by setting. Policies are called as amdgpu lists them, without their prefix.
# source: linux:drivers/gpu/drm/amd/pm/amdgpu_pm.c (pm_policy: soc_pstate_0, plpd_disallow)
FORMS = {
    CAP: r"[1-9][0-9]{0,3} W|[1-9][0-9]?%|100%|default",
    SOC: r"default|[0-9]", LINKS: r"disallow|default|optimized", ISOLATION: f"{ON}|{OFF}", NUMA: f"{ON}|{OFF}",
    IRQ: NEAR,
    LEVEL: "|".join((*LEVELS, rf"{DETERMINISM} [1-9][0-9]{{2,3}}")),
}


@dc.dataclass(frozen=True)
class Profile:
    """What is wanted.

    Attributes:
        name: night_training.
        settings: setting -> value as it is written: "275 W", "92%", "default".
        products: product -> settings that count there instead.
        optional: settings that are said and left out where they cannot be had.
        sources: of all of it.
    """

    name: str
    description: str
    settings: t.Mapping[str, Value]
    products: t.Mapping[str, t.Mapping[str, Value]]
    optional: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def of(self, product: str | None) -> dict[str, Value]:
        """The settings for a product. Clocks have limits while the level is manual, so that it is."""
        found = {**self.settings, **self.products.get(product or "", {})}
        if any(clock in found for clock in CLOCKS):
            found[LEVEL] = MANUAL
        return found

    @classmethod
    def from_document(cls, data: object, where: str) -> Profile:
        """The profile in a file.

        Raises:
            DataError: it is not of the form; the message names file and path.
            Contradiction: it asks for clocks and for a level that frees them.
        """
        reader, _kind = begun(data, where, (KIND,))
        reader.records("measured", _measured, [])
        settings = reader.record("settings", _settings)
        profile = cls(
            reader.text("name", pattern=NAME), reader.text("description"), settings,
            reader.named("products", _settings), reader.texts("optional", (), "|".join(SETTINGS)), sources(reader))
        reader.done()
        for product in ("", *profile.products):
            profile._refuse_contradictions(f"{where}: products.{product}" if product else f"{where}: settings", product)
        return profile

    def _refuse_contradictions(self, where: str, product: str) -> None:
        if product and not re.fullmatch(PRODUCT, product):
            raise DataError(where, "is no product", "write it as MI210")
        found = {**self.settings, **self.products.get(product, {})}
        clock = next((clock for clock in CLOCKS if clock in found), None)
        level = found.get(LEVEL, MANUAL)
        if clock and level != MANUAL:
            what = f"{LEVEL} is {level}, and {clock} is set, which needs {MANUAL}"
            raise Contradiction(where, what, "leave one of them out")
        node = next((name for name in self.products.get(product, {}) if name in OF_NODE), None)
        if node:
            raise DataError(where, f"{node} is of the node and not of a product", "write it under settings")


def _measured(reader: Reader) -> None:
    """What people measured: documentation, which nothing reads; only its form is checked."""
    reader.text("product", pattern=PRODUCT)
    reader.text("what")
    reader.text("figures")
    reader.text("source")


def _settings(reader: Reader) -> dict[str, Value]:
    found: dict[str, Value] = {
        name: reader.text(name, pattern=form) for name, form in FORMS.items() if reader.has(name)}
    for name in CLOCKS:
        number = reader.count(name)
        if number is not None:
            found[name] = number
    return found
