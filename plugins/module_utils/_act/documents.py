# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files of JSON that a role has written for a command of the node."""

from __future__ import annotations

import json
import typing as t

from .._core.errors import DataError, FleetError


def read_json(path: str, hint: str) -> t.Any:
    """What a file holds, whatever its form.

    Raises:
        FleetError: the file cannot be read, or is not JSON; with the hint.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except OSError as error:
        raise FleetError(path, f"cannot be read: {error.strerror}", hint) from error
    except (ValueError, RecursionError) as error:
        raise DataError(path, "is not JSON", hint) from error
