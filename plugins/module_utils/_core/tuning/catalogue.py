# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The catalogue of settings and profiles: those of sites over ours."""

from __future__ import annotations

import dataclasses as dc
import typing as t

from ..errors import DataError, FleetError
from ..near import hint
from ..records import ID, Document, Layers, begun
from ..strict import Contradiction, Reader
from .setting import Setting

SETTINGS, PROFILE = "tuning_settings", "tuning_profile"
KINDS = (SETTINGS, PROFILE)
_NAME = r"[a-z0-9]+(?:_[a-z0-9]+)*"
T = t.TypeVar("T")


@dc.dataclass(frozen=True)
class Profile:
    """Ids of settings under a name."""

    name: str
    settings: tuple[str, ...]
    where: str

    @property
    def id(self) -> str:
        """Unique over all profiles."""
        return self.name

    @classmethod
    def read(cls, reader: Reader) -> Profile:
        """What is in a file of this kind."""
        reader.text("description", "")
        profile = cls(reader.text("name", pattern=_NAME), reader.texts("settings", pattern=ID), reader.path)
        if not profile.settings:
            raise DataError(f"{reader.path} settings", "is empty", "name settings")
        return profile


@dc.dataclass(frozen=True)
class Catalogue:
    """All settings by id and profiles by name."""

    settings: t.Mapping[str, Setting]
    profiles: t.Mapping[str, Profile]

    @classmethod
    def from_documents(cls, documents: t.Iterable[Document]) -> Catalogue:
        """From ``{path, data, layer}`` of each file, lowest layer first.

        Raises:
            DataError: a file is not right; the message names file and path.
        """
        settings: Layers[Setting] = Layers()
        profiles: Layers[Profile] = Layers()
        for document in documents:
            reader, kind = begun(document["data"], document["path"], KINDS)
            if kind == SETTINGS:
                settings.add(document, reader.records("settings", Setting.read))
            else:
                profiles.add(document, [(reader.path.rstrip(":"), Profile.read(reader))])
            reader.done()
        found = cls(settings.by_id, profiles.by_id)
        for profile in found.profiles.values():
            for ident in profile.settings:
                if ident not in found.settings:
                    raise Contradiction(f"{profile.where} settings", f"there is no setting {ident!r}", "correct the id")
        return found

    def profile(self, name: str) -> Profile:
        """The profile of that name.

        Raises:
            FleetError: there is none.
        """
        return _named(self.profiles, name, "host_tuning_profile", "profile")

    def setting(self, ident: str, variable: str) -> Setting:
        """The setting of that id. ``variable``: that names it, for the message.

        Raises:
            FleetError: there is none.
        """
        return _named(self.settings, ident, variable, "setting")


def _named(there: t.Mapping[str, T], name: str, variable: str, what: str) -> T:
    if name in there:
        return there[name]
    raise FleetError(variable, f"there is no {what} {name!r}", hint(name, there))
