# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to the collection: may change at any time.
"""What the gate keeps on the node: read strictly, replaced as a whole. A torn file is never taken for health."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import typing as t

from .._act import lock
from .._core.errors import DataError, FleetError
from .._core.health import baseline, history, quarantine

DIRECTORY = "/var/lib/instinct"
_LARGEST = 8 * 1024 * 1024  # bytes of a file that is read
_ROTATE = 1024 * 1024  # bytes of transitions before a new file is begun
_NEEDS_ROOT = "run as root"
T = t.TypeVar("T")


class State:
    """The files of one node."""

    def __init__(self, directory: str = DIRECTORY, baseline_path: str | None = None) -> None:
        self._directory = directory
        self.health = f"{directory}/health.json"
        self.transitions = f"{directory}/health.jsonl"
        self.baseline = baseline_path or f"{directory}/baseline.json"
        self.quarantine = f"{directory}/quarantine.json"

    def read_history(self) -> history.History:
        """The last verdicts; empty if there are none.

        Raises:
            FleetError: the file cannot be read, or is not of its form.
        """
        return _read(self.health, history.read, "remove it, then run the gate again") or history.History()

    def read_baseline(self) -> baseline.Baseline | None:
        """The baseline; None if there is none. Errors as of ``read_history``."""
        return _read(self.baseline, baseline.read, "remove it, then take a new baseline")

    def read_quarantine(self) -> quarantine.Quarantine | None:
        """The quarantine; None if there is none. Errors as of ``read_history``: one that cannot be read still holds."""
        return _read(self.quarantine, quarantine.read, "find out whether the node was set aside, then remove the file")

    def write_baseline(self, value: baseline.Baseline) -> None:
        """Replace the baseline."""
        _write(self.baseline, value.to_dict())

    def write_quarantine(self, value: quarantine.Quarantine | None) -> None:
        """Set the quarantine, or lift it."""
        if value is not None:
            _write(self.quarantine, value.to_dict())
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.quarantine)

    def write_history(self, value: history.History, lines: t.Sequence[str]) -> None:
        """Replace the last verdicts and append what changed."""
        if lines:
            self._append("".join(lines))
        _write(self.health, value.to_dict())

    def _append(self, text: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            if os.lstat(self.transitions).st_size > _ROTATE:
                os.replace(self.transitions, f"{self.transitions}.1")
        os.makedirs(self._directory, mode=0o755, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(self.transitions, flags, 0o644)
        try:
            os.write(handle, text.encode())
            os.fsync(handle)
        finally:
            os.close(handle)

    @contextlib.contextmanager
    def locked(self, timeout: float) -> t.Iterator[None]:
        """Hold the lock of these files: a gate by hand and one by the timer do not mix.

        Raises:
            FleetError: another gate holds it for longer, or it cannot be opened.
        """
        path = f"{self._directory}/.gate.lock"
        try:
            os.makedirs(self._directory, mode=0o755, exist_ok=True)
            handle = lock.opened(path)
        except OSError as error:
            raise FleetError(path, f"cannot be opened: {error.strerror}", _NEEDS_ROOT) from error
        try:
            if not lock.taken(handle, timeout):
                raise FleetError(path, f"another gate runs on this node (waited {timeout:.0f} s)", "run it again later")
            yield
        finally:
            os.close(handle)


def _read(path: str, parse: t.Callable[[object, str], T], hint: str) -> T | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise FleetError(path, f"cannot be read: {error.strerror}", _NEEDS_ROOT) from error
    with os.fdopen(handle, "rb") as stream:
        data = stream.read(_LARGEST + 1)
    try:
        if len(data) > _LARGEST:
            raise DataError(path, f"is larger than {_LARGEST} bytes")
        return parse(json.loads(data.decode("utf-8"), parse_constant=_no_number), path)
    except (ValueError, RecursionError) as error:
        raise DataError(path, "is not JSON: it was torn or written by another hand", hint) from error
    except DataError as error:
        raise DataError(error.where, error.what, hint) from error


def _no_number(word: str) -> t.NoReturn:
    raise ValueError(word)  # NaN and Infinity are not JSON, and compare with nothing


def _write(path: str, data: t.Mapping[str, t.Any]) -> None:
    directory = os.path.dirname(path)
    os.makedirs(directory, mode=0o755, exist_ok=True)
    handle, fresh = tempfile.mkstemp(dir=directory, prefix=".instinct-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(data, stream, indent=1, sort_keys=True)
            stream.write("\n")
            stream.flush()
            os.fchmod(stream.fileno(), 0o644)
            os.fsync(stream.fileno())
        os.replace(fresh, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(fresh)
        raise
