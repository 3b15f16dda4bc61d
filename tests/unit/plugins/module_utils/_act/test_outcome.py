# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the system refuses is a sentence, not a traceback."""

from __future__ import annotations

import errno
import os
import typing as t
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.outcome import finish


class Failed(Exception):
    """fail_json was called."""


def said(error: OSError) -> str:
    """The message of a module that meets this error."""
    module = mock.Mock()
    module.fail_json.side_effect = Failed

    def act() -> t.NoReturn:
        raise error

    with pytest.raises(Failed):
        finish(module, act)
    message: str = module.fail_json.call_args.kwargs["msg"]
    assert message.startswith(module.fail_json.call_args.kwargs["failure"]["where"])
    return message


def of(number: int, *names: str | None) -> OSError:
    return OSError(number, os.strerror(number), *names)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (of(errno.ENOSPC, "/etc/x"), "/etc/x: No space left on device; make room there, then run again"),
        (of(errno.EROFS, "/etc/x"), "/etc/x: Read-only file system; find out why it is mounted read-only"),
        (of(errno.EACCES, "/etc/x"), "/etc/x: Permission denied; run as root (become: true)"),
        (of(errno.EIO, "/etc/x.new", None, "/etc/x"), "/etc/x: Input/output error; mend that on the node, then run again"),
        (OSError("odd"), "this node: odd; mend that on the node, then run again"),
    ],
)
def test_it_names_the_place_and_what_to_do(error: OSError, sentence: str) -> None:
    assert said(error) == sentence
