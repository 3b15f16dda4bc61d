# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a look says of files: nothing that was not there."""

from __future__ import annotations

from ansible_collections.instinct.fleet.plugins.module_utils._core.look.files import Files, JournalEntry, ManagedFile


def test_what_is_not_there_is_none_or_empty() -> None:
    assert (Files().recorded_release, Files().files, Files().journal, Files().unknown) == (None, (), (), {})
    assert (ManagedFile("/x").sha256, ManagedFile("/x").text) == (None, None)
    assert JournalEntry("1", "ci", "x").result is None
