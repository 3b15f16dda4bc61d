# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""A registry: what it has, and how it gets an image with the digest that its archive has."""

from __future__ import annotations

import hashlib

from .._core.errors import FleetError
from .._core.image import complaints
from .tools import Tools


def there(destination: str, authfile: str, tools: Tools) -> str:
    """Digest that a registry has by that name; empty: nothing that it shows us.

    Some registries deny a repository that is not there yet, and an account may be one that only pushes: the push itself
    tells whether it may. source: containers/image#1265

    Raises:
        FleetError: it does not answer.
    """
    argv = ("skopeo", "inspect", "--raw", *option("--authfile", authfile), f"docker://{destination}")
    try:
        text = tools.run(destination, *argv)
    except FleetError as error:
        if error.what in (complaints.ABSENT, complaints.DENIED):
            return ""
        raise
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def copy(archive: str, destination: str, authfile: str, sign_by: str, tools: Tools) -> None:
    """Copy the image of an archive, with its digest; what the registry has is not sent again, a signature is.

    Raises:
        FleetError: the registry does not take it, or it cannot be signed.
    """
    options = (*option("--sign-by", sign_by), *option("--dest-authfile", authfile))
    there = (f"oci-archive:{archive}", f"docker://{destination}")
    tools.run(destination, "skopeo", "copy", "--quiet", "--preserve-digests", *options, *there)


def repository(destination: str) -> str:
    """A reference without its tag. A colon before the last slash is that of a port."""
    head, slash, name = destination.rpartition("/")
    return f"{head}{slash}{name.partition(':')[0]}"


def option(name: str, value: str) -> tuple[str, ...]:
    """An option of a program; nothing where it has no value."""
    return (name, value) if value else ()
