# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of an object by a patch.

Sources: RFC 7386 (merge); the page "Update API Objects in Place Using kubectl patch" of Kubernetes (strategic merge).
"""

from __future__ import annotations

import json
import typing as t

from .status import Body, Refused, bad_request

MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"


def patched(before: Body, content_type: str, text: bytes) -> Body:
    """The object after the patch.

    Raises:
        Refused: it is none, or of a type that is not understood.
    """
    kind = content_type.partition(";")[0]
    if kind not in (MERGE, STRATEGIC):
        # 415 with these words: apiserver/pkg/endpoints/handlers/negotiation/errors.go
        raise Refused(415, "UnsupportedMediaType", "the body of the request was in an unknown format - "
                      f"accepted media types include: {MERGE}, {STRATEGIC}")
    try:
        patch = json.loads(text)
    except ValueError as error:
        raise bad_request(f"error decoding patch: {error}") from error
    if not isinstance(patch, dict):
        raise bad_request("error decoding patch: json: cannot unmarshal into a map")
    if kind == STRATEGIC and _has_lists(patch):
        raise bad_request("the stand-in does not merge lists strategically")
    return _merged(before, patch)


def _has_lists(value: t.Any) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and any(map(_has_lists, value.values())))


def _merged(before: t.Any, patch: t.Any) -> t.Any:
    if not isinstance(patch, dict):
        return patch
    after = dict(before) if isinstance(before, dict) else {}
    for name, value in patch.items():
        if value is None:
            after.pop(name, None)
        else:
            after[name] = _merged(after.get(name), value)
    return after
