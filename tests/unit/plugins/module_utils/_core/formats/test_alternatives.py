# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of update-alternatives."""

from __future__ import annotations

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.formats.alternatives import Group, parse_group

TWO = "auto\n/opt/rocm\n\n/opt/rocm-7.0.2\n70002\n/opt/rocm-7.2.3\n70203\n\n"
FOLLOWED = "manual\n/usr/bin/vi\nvi.1.gz\n/usr/share/man/man1/vi.1.gz\n\n/usr/bin/vim\n50\n/m/vim.1.gz\n/usr/bin/nvi\n10\n\n\n"
FAMILIES = "manual\n/usr/bin/java\n\n@java-21@/usr/lib/jvm/21/bin/java\n2100\n/usr/lib/jvm/8/bin/java\n800 init\n"


@pytest.mark.parametrize(
    ("text", "group"),
    [
        pytest.param(TWO, Group("/opt/rocm", ("/opt/rocm-7.0.2", "/opt/rocm-7.2.3")), id="two choices"),
        pytest.param(
            FOLLOWED,
            Group("/usr/bin/vi", ("/usr/bin/vim", "/usr/bin/nvi")),
            id="with a follower, which one choice lacks",
        ),
        pytest.param(
            FAMILIES,
            Group("/usr/bin/java", ("/usr/lib/jvm/21/bin/java", "/usr/lib/jvm/8/bin/java")),
            id="families and an init script, as chkconfig writes them",
        ),
        pytest.param("auto\n/opt/rocm\n\n", Group("/opt/rocm", ()), id="no choice is left"),
        pytest.param("", None, id="empty"),
        pytest.param("auto\n", None, id="cut off"),
        pytest.param("status: ok\n/opt/rocm\n\n", None, id="another file"),
    ],
)
def test_parse_group(text: str, group: Group | None) -> None:
    assert parse_group(text) == group
