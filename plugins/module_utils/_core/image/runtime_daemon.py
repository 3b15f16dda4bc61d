# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Docker's daemon.json: what is ours in it beside what is the site's, and what was there before."""

from __future__ import annotations

import dataclasses as dc
import json
import typing as t

from ..errors import DataError
from ..records import VERSION
from ..strict import from_json

KIND = "containers"
Members = t.Mapping[str, t.Mapping[str, t.Any]]  # section -> name -> value; None: it is not there
_HINT = "remove the file: what was before is not known then, and stays as it is at a removal"


@dc.dataclass(frozen=True)
class Record:
    """What was before in daemon.json where ours is now: /var/lib/instinct/containers.json."""

    docker: Members = dc.field(default_factory=dict)

    @classmethod
    def read(cls, content: bytes, where: str) -> Record:
        """From the file; an empty one is none.

        Raises:
            DataError: it is not of the form.
        """
        if not content:
            return cls()
        reader = from_json(content.decode("utf-8", "replace"), where, _HINT)
        reader.choice("version", (VERSION,))
        reader.choice("kind", (KIND,))
        docker = reader.anything("docker")
        reader.done()
        return cls(_sections(docker, f"{where} docker", _HINT))

    @property
    def text(self) -> str:
        """The text of the file; empty where there is nothing to give back."""
        if not self.docker:
            return ""
        return json.dumps({"version": VERSION, "kind": KIND, "docker": self.docker}, indent=1, sort_keys=True) + "\n"


def merged(content: bytes, where: str, members: Members, record: Record) -> tuple[str, Record]:
    """The text of the file with ``members``, without others of ours, and what was before them.

    Raises:
        DataError: the file is not of its form.
    """
    there = _object(content, where)
    touched = {section: t.cast("object", there.get(section, {})) for section in (*record.docker, *members)}
    found = {section: dict(values) for section, values in _sections(touched, where, "mend it").items()}
    before: dict[str, dict[str, t.Any]] = {}
    for section, values in record.docker.items():
        for name, value in values.items():
            if name not in members.get(section, {}):
                _put(found[section], name, value)
    for section, values in members.items():
        for name, value in values.items():
            old = record.docker.get(section, {})
            before.setdefault(section, {})[name] = old[name] if name in old else found[section].get(name)
            _put(found[section], name, value)
    result = {**there, **found}
    result = {key: value for key, value in result.items() if value or key not in found}
    if result == there:
        return content.decode("utf-8", "replace"), Record(before)
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n" if result else "", Record(before)


def _object(content: bytes, where: str) -> dict[str, t.Any]:
    """What Docker's file says. A name that is there twice would be lost at the first change."""
    text = content.strip() or b"{}"
    try:
        there = json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except ValueError as error:
        raise DataError(where, f"is no JSON: {error}", "mend it: Docker reads it in the same way") from error
    if not isinstance(there, dict):
        raise DataError(where, "is no JSON object", "mend it: Docker does not start with it either")
    return there


def _once(pairs: list[tuple[str, t.Any]]) -> dict[str, t.Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)} is there twice")
    return found


def _no_number(text: str) -> t.Any:
    raise ValueError(f"{text} is no number")


def _put(section: dict[str, t.Any], name: str, value: t.Any) -> None:
    if value is None:
        section.pop(name, None)
    else:
        section[name] = value


def _sections(raw: object, where: str, hint: str) -> Members:
    if not isinstance(raw, dict):
        raise DataError(where, "is no JSON object", hint)
    for section, values in raw.items():
        if not isinstance(values, dict):
            raise DataError(where, f"has something in {section} that is no JSON object", hint)
    return raw
