# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What engines tell of one container or of the configuration of one image."""

from __future__ import annotations

from ..errors import DataError
from ..strict import Reader, from_json

_HINT = "see which version of the engine the node has"


def first_process(text: str) -> int:
    """Number of a container's first process as ``podman container inspect`` and Docker print it; 0: it does not run.

    Raises:
        DataError: it is not what they print.
    """
    raw = from_json(f'{{"list": {text.strip() or "null"}}}', "container inspect", _HINT).anything("list")
    first = raw[0] if isinstance(raw, list) and raw else None
    state = Reader(Reader(first, "container inspect[0]").anything("State"), "container inspect[0].State")
    return state.count("Pid") or 0


def labels(text: str, where: str) -> dict[str, str]:
    """Labels of an image, of its configuration. source: https://github.com/opencontainers/image-spec, config.md

    Raises:
        DataError: it is no configuration of an image.
    """
    config = Reader(from_json(text, where, "export the image anew").anything("config"), f"{where}: config")
    return texts(config.anything("Labels") if config.has("Labels") else None, f"{where}: config.Labels")


def texts(raw: object, where: str) -> dict[str, str]:
    """A mapping of texts, which may be empty, and which engines print as null where there is none.

    Raises:
        DataError: it is something else.
    """
    if raw is not None and not isinstance(raw, dict):
        raise DataError(where, "is no mapping", _HINT)
    return {str(name): "" if value is None else str(value) for name, value in (raw or {}).items()}
