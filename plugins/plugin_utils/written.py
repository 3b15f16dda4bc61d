# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""Files on the controller that a run was asked to write."""

from __future__ import annotations

import datetime
import json
import os
import tempfile
import typing as t

from ansible.errors import AnsibleActionFail


def now() -> str:
    """The time, as files of ours say it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def replace(path: str, text: str, what: str) -> None:
    """Replace a file by the text, whole or not at all. Folders on the way are made.

    Raises:
        AnsibleActionFail: it cannot be written; ``what`` is what it would be.
    """
    directory = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(directory, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=directory)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            os.fchmod(stream.fileno(), 0o644)
        os.replace(fresh, path)
    except OSError as error:
        raise AnsibleActionFail(f"{path}: {what} cannot be written: {error.strerror}") from error


def replace_json(path: str, data: dict[str, t.Any], what: str) -> None:
    """Replace a file by data and the time, as JSON."""
    replace(path, json.dumps({"when": now(), **data}, indent=2, sort_keys=True) + "\n", what)
