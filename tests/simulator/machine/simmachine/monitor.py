# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Talking to a QEMU that runs, by its socket (QMP)."""

from __future__ import annotations

import json
import socket
import time
import typing as t
from pathlib import Path

from simhost.errors import SimError

PATIENCE = 120  # seconds until it must have answered, and until memory must be written or read


def ask(path: Path, *commands: str, **arguments: t.Any) -> t.Any:
    """Give commands, the last one with these arguments. Returns what the last one answers.

    Raises:
        SimError: QEMU refuses one, or does not answer.
    """
    answer: dict[str, t.Any] = {}
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(str(path))
            with connection.makefile("rw", encoding="utf-8") as stream:
                stream.readline()  # its greeting
                for number, command in enumerate(("qmp_capabilities", *commands)):
                    last = {"arguments": arguments} if arguments and number == len(commands) else {}
                    stream.write(json.dumps({"execute": command, **last}) + "\n")
                    stream.flush()
                    answer = _answer(stream)
                    if "error" in answer:
                        raise SimError(f"QEMU refuses {command}: {answer['error'].get('desc', '')}")
    except (OSError, ValueError) as error:
        raise SimError(f"QEMU does not answer at {path}: {error}") from error
    return answer["return"]


def _answer(stream: t.TextIO) -> dict[str, t.Any]:
    while True:  # events come in between
        answer: dict[str, t.Any] = json.loads(stream.readline())
        if "event" not in answer:
            return answer


def moved(path: Path) -> None:
    """Wait until the memory has gone where it was sent.

    Raises:
        SimError: it has not.
    """
    end = time.monotonic() + PATIENCE
    while (state := ask(path, "query-migrate").get("status", "")) != "completed":
        if state == "failed" or time.monotonic() > end:
            raise SimError(f"the memory of a machine cannot be kept or taken: {state}")
        time.sleep(0.2)
