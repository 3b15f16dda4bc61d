# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Fingerprints of signing keys, as people write them."""

from __future__ import annotations

import re

from ..errors import DataError

_FINGERPRINT = re.compile(r"^(?:[0-9A-F]{40}|[0-9A-F]{64})$")


def normal(fingerprint: str, where: str = "fingerprint") -> str:
    """The fingerprint in upper case without blanks.

    Raises:
        DataError: not a whole fingerprint; a key id is too short to pin a key.
    """
    text = re.sub(r"\s", "", fingerprint).upper()
    if not _FINGERPRINT.match(text):
        hint = "give all 40 digits (64 for a version 6 key); a key id can be forged"
        raise DataError(where, f"{fingerprint!r} is not a whole fingerprint", hint)
    return text
