# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Fetching one small file."""

from __future__ import annotations

import os
import urllib.parse

from ansible.module_utils.urls import open_url

from .._core.errors import FleetError

_LIMIT = 1 << 20


def fetch(url: str, timeout: float) -> bytes:
    """The bytes behind an https, http or file URL, as far as they fit into 1 MiB.

    Raises:
        FleetError: another scheme, not reachable, not there, or too large.
    """
    parts = urllib.parse.urlsplit(url)
    try:
        if parts.scheme == "file":
            if parts.netloc not in ("", "localhost"):
                raise FleetError(url, f"names the host {parts.netloc!r}, and a file is on the node itself",
                                 "write it as file:///path")
            with open(urllib.parse.unquote(parts.path), "rb") as stream:
                data = stream.read(_LIMIT + 1)
        elif parts.scheme in ("http", "https"):
            with open_url(url, timeout=timeout, http_agent="instinct.fleet") as answer:
                data = answer.read(_LIMIT + 1)
        else:
            raise FleetError(url, f"scheme {parts.scheme!r} is not fetched", "use https, http or file")
    except (OSError, ValueError) as error:  # URLError, HTTPError and timeouts are OSErrors
        why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise FleetError(url, f"cannot be fetched: {why}", "check the mirror, the proxy and the network") from error
    if len(data) > _LIMIT:
        raise FleetError(url, f"is larger than {_LIMIT} bytes", "check that the address is that of a key")
    return data
