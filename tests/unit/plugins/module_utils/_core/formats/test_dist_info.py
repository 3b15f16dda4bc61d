# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a package of Python says of itself."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.dist_info import parse

TEXT = "Metadata-Version: 2.1\nName: Tiny.Grad\nVersion: 0.12.0+a\nClassifier: License :: OSI\n        continued: a\n\nName: of the text\n"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.replace("Name", "NAME", 1), TEXT.partition("\n\n")[0]])
def test_name_and_version_are_in_the_head(text: str) -> None:
    assert parse(text) == ("Tiny.Grad", "0.12.0+a")


@pytest.mark.parametrize(("text", "what"), [
    ("", "name"), ("Name: a\n", "version"), ("Name: \nVersion: 1\n", "name"), ("Name: a\nName: b\nVersion: 1\n", "name"), ("a\n\nName: a\nVersion: 1", "name"),
])
def test_what_does_not_tell_is_refused(text: str, what: str) -> None:
    with pytest.raises(DataError, match=f"METADATA: has not one {what}; "):
        parse(text)
