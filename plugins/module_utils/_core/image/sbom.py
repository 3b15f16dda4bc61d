# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""The bill of materials of a layer, in the form of CycloneDX 1.6.

source: https://cyclonedx.org/docs/1.6/json/, https://github.com/package-url/purl-spec
"""

from __future__ import annotations

import hashlib
import re
import typing as t

from . import containerfile
from .labels import KEY, PREFIX
from .shape import Contents, Image

Plain = dict[str, t.Any]
_SAFE = re.compile(r"[^A-Za-z0-9.~_-]", re.ASCII)


def document(
    image: Image, index: int, key: str, image_id: str, contents: Contents, created: str, version: str,
) -> Plain:
    """The bill of what ``contents`` holds.

    Args:
        image_id: digest of the configuration of the image, without sha256: before it or with it.
        created: the time, as RFC 3339 has it.
        version: of this collection.
    """
    digest = image_id.rpartition(":")[2]
    name = f"{image.name}/{image.layers[index].name}"
    system = f"{image.os}-{contents.os_version or image.os_version}"
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "serialNumber": f"urn:uuid:{_uuid(digest)}",
        "metadata": {
            "timestamp": created,
            "tools": {"components": [{"type": "application", "name": "instinct.fleet", "version": version}]},
            "component": {
                "type": "container", "bom-ref": f"sha256:{digest}", "name": name, "version": f"sha256:{digest}",
                "properties": [{"name": KEY, "value": key},
                               {"name": PREFIX + "base.digest", "value": image.parent.digest}],
            },
        },
        "components": [
            {"type": "operating-system", "bom-ref": system, "name": contents.os or image.os,
             "version": contents.os_version or image.os_version},
            *(_component("library", package, found, _purl(image, system, package, found))
              for package, found in sorted(contents.packages.items())),
            *(_component("library", name, found, f"pkg:pypi/{_quoted(_pypi(name))}@{_quoted(found)}")
              for name, found in _distributions(contents)),
            *(_component("container", name, digest, _oci(name, digest)) for name, digest in _images(image, index)),
        ],
    }


def _component(kind: str, name: str, version: str, purl: str) -> Plain:
    return {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}


def _distributions(contents: Contents) -> list[tuple[str, str]]:
    """Packages of Python, each once however often it is there."""
    found = {(_pypi(one.name), one.version): one.name for one in contents.python}
    return sorted((name, version) for (_same, version), name in found.items())


def _pypi(name: str) -> str:
    """Form of a name. source: package-url/purl-spec:types-doc/pypi-definition.md"""
    return name.lower().replace("_", "-")


def _images(image: Image, index: int) -> list[tuple[str, str]]:
    """What layers took something from: whatever that is, no package has it."""
    found = {copy.image for layer in image.layers[:index + 1] for copy in layer.copies}
    return [(name, digest) for name, _at, digest in sorted(one.partition("@") for one in found)]


def _oci(name: str, digest: str) -> str:
    """source: package-url/purl-spec:types-doc/oci-definition.md"""
    return f"pkg:oci/{_quoted(name.rpartition('/')[2])}@{_quoted(digest)}?repository_url={_quoted(name)}"


def _purl(image: Image, system: str, name: str, version: str) -> str:
    """Where a package is from. The epoch of an rpm stands apart, that of a deb does not."""
    if containerfile.is_apt(image.os):
        return f"pkg:deb/{image.os}/{_quoted(name)}@{_quoted(version)}?distro={system}"
    epoch, sign, rest = version.rpartition(":")
    return f"pkg:rpm/{image.os}/{_quoted(name)}@{_quoted(rest)}?distro={system}" + (f"&epoch={epoch}" if sign else "")


def _quoted(text: str) -> str:
    return _SAFE.sub(lambda sign: "".join(f"%{byte:02X}" for byte in sign.group().encode()), text)


def _uuid(digest: str) -> str:
    """A number that the same image always has. source: RFC 9562, version 8"""
    digits = hashlib.sha256(digest.encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"
