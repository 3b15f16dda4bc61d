# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of JSON: read, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._act.documents import read_json
from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError


def test_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"name": "\u00fc"}', encoding="utf-8")
    assert read_json(str(tmp_path / "x"), "") == {"name": "\u00fc"}


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[" * 100_000], ids=["empty", "cut off", "no text", "deep"])
def test_what_is_not_json(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x").write_bytes(raw)
    with pytest.raises(FleetError) as error:
        read_json(str(tmp_path / "x"), "write it anew")
    assert error.value.sentence == f"{tmp_path / 'x'}: is not JSON; write it anew"


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FleetError) as error:
        read_json(str(tmp_path / "x"), "write it anew")
    assert error.value.sentence == f"{tmp_path / 'x'}: cannot be read: No such file or directory; write it anew"
