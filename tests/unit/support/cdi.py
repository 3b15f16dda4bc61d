# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a CDI specification is of the published form.

The schema is written from the specification, cncf-tags/container-device-interface SPEC.md, and is stricter than the
published one in what its text says and its schema does not. Where the published one is on the machine, it judges too:
Debian has it in golang-github-container-orchestrated-devices-container-device-interface-dev, and CDI_SCHEMA may name
the folder that has it.
"""

from __future__ import annotations

import collections
import json
import os
import pathlib
import typing as t

import jsonschema

SCHEMA = json.loads(pathlib.Path(__file__).with_name("cdi.schema.json").read_text(encoding="utf-8"))
_PUBLISHED = pathlib.Path(os.environ.get(
    "CDI_SCHEMA", "/usr/share/gocode/src/github.com/container-orchestrated-devices/container-device-interface/schema"))


def published() -> dict[str, t.Any] | None:
    """The published schema with its definitions; None: the machine has none."""
    if not (_PUBLISHED / "schema.json").exists():
        return None
    texts = ((_PUBLISHED / name).read_text(encoding="utf-8").replace("defs.json#", "#") for name in ("schema.json", "defs.json"))
    schema, definitions = map(json.loads, texts)
    return {**schema, "definitions": definitions["definitions"]}


def faults(spec: dict[str, t.Any]) -> list[str]:
    """What is wrong, each with its path; nothing where it is right."""
    checked = jsonschema.Draft202012Validator(SCHEMA)
    found = [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in checked.iter_errors(spec)]
    names = collections.Counter(device.get("name") for device in spec["devices"])
    other = published()
    if other and not found:  # ours is stricter, and has said it then
        found += [f"published: {error.json_path}: {error.message}" for error in jsonschema.Draft7Validator(other).iter_errors(spec)]
    return found + [f"devices: {name} is there {count} times" for name, count in names.items() if count > 1]
