# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Labels of an image: what it is made of and for. Read before a pull, they tell whether it can work on a node.

source: https://github.com/opencontainers/image-spec, annotations.md
"""

from __future__ import annotations

import dataclasses as dc
import re
import typing as t

from .shape import Image, Wants

PREFIX = "io.github.instinct-fleet."
KEY = PREFIX + "layer.key"
_NUMBER = re.compile(r"[0-9]{1,10}")  # of a group, or of an ABI: the kernel has both in 32 bits
_OCI = "org.opencontainers.image."
_FORMS = {"release": "release", "rocm": "rocm", "gfx": "gfx", "render_gid": "render-gid", "verbs": "verbs-abi",
          "machine": "machine"}


@dc.dataclass(frozen=True)
class Told:
    """What an image of ours says of itself. ``below``: keys of the layers under this one, the lowest first."""

    name: str
    layer: str
    key: str
    below: tuple[str, ...]
    wants: Wants


def of(image: Image, index: int, keys: t.Sequence[str]) -> dict[str, str]:
    """The labels of a layer."""
    wants = image.wants
    given = {"release": wants.release, "rocm": wants.rocm, "gfx": " ".join(wants.gfx),
             "render_gid": "" if wants.render_gid is None else str(wants.render_gid),
             "verbs": " ".join(f"{name}={abi}" for name, abi in sorted(wants.verbs.items())), "machine": wants.machine}
    # A layer inherits labels of the same names: what is not known is empty, and not left out.
    return {
        PREFIX + "image": image.name, PREFIX + "layer": image.layers[index].name, KEY: keys[index],
        PREFIX + "layers.below": " ".join(keys[:index]),
        **{PREFIX + _FORMS[name]: value for name, value in given.items()},
        _OCI + "title": image.name, _OCI + "version": version(image, keys[index]),
        _OCI + "base.name": image.parent.image, _OCI + "base.digest": image.parent.digest,
        _OCI + "source": image.source,
    }


def version(image: Image, key: str) -> str:
    """What tells this build from others of the layer: the release, or the operating system, and the key."""
    return f"{image.wants.release or f'{image.os}-{image.os_version}'}-{key[:12]}"


def told(labels: t.Mapping[str, str]) -> Told | None:
    """What an image says of itself; None: it is not of ours."""
    if not labels.get(KEY):
        return None
    said = {name: labels.get(PREFIX + form, "") for name, form in _FORMS.items()}
    pairs = (pair.partition("=") for pair in said["verbs"].split())
    wants = Wants(
        said["release"], said["rocm"], tuple(said["gfx"].split()),
        int(said["render_gid"]) if _NUMBER.fullmatch(said["render_gid"]) else None,
        {name: int(abi) for name, _sign, abi in pairs if _NUMBER.fullmatch(abi)}, said["machine"])
    return Told(labels.get(PREFIX + "image", ""), labels.get(PREFIX + "layer", ""), labels[KEY],
                tuple(labels.get(PREFIX + "layers.below", "").split()), wants)
