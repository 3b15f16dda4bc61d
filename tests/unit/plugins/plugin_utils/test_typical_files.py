# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of what upgrades take as a rule: ours, and those of a site over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.plugin_utils.typical_files import typical

SITE = """\
version: v1
kind: rollout_typical
durations:
  - {what: reboot, product: MI300X, seconds: 1234, confidence: documented, sources: [S1]}
sources: {S1: us}
"""


def test_a_file_of_the_site_comes_over_ours(tmp_path: Path) -> None:
    (tmp_path / "ours.yml").write_text(SITE)
    found = typical((str(tmp_path),))
    assert (found.takes("reboot", "MI300X"), found.takes("reboot")) == (1234, typical().takes("reboot"))


@pytest.mark.parametrize(("text", "message"), [
    ("kind: other\nversion: v1\n", "a.yml: kind: is 'other'; choose one of rollout_typical"),
    ("[]\n", "a.yml: is a list, not a mapping"), ("{\n", "a.yml: cannot be read: ")])
def test_what_is_wrong_names_the_file(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.yml").write_text(text)
    with pytest.raises(FleetError) as error:
        typical((str(tmp_path),))
    assert message in error.value.sentence
