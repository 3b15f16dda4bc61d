# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which kernel of an archive an image gets."""

from __future__ import annotations

import itertools

import pytest
from simhost.errors import SimError
from simhost.kernels import choose

RELEASES = ("6.1.0-9-amd64", "6.1.0-10-amd64", "6.1.0-10-rt-amd64", "6.12.9+deb12-amd64", "6.12.111+deb12-amd64")
NAMES = list(itertools.chain.from_iterable((f"linux-image-{r}", f"linux-headers-{r}") for r in RELEASES))
OLD, NEW = r"^linux-image-(6\.1\.0-\d+-amd64)$", r"^linux-image-(6\.12\.\d+\+deb12-amd64)$"
CASES = [
    ("numbers count as numbers", NAMES, OLD, 1, "6.1.0-10-amd64"),
    ("the second newest", NAMES, OLD, 2, "6.1.0-9-amd64"),
    ("a release with a plus sign", NAMES, NEW, 1, "6.12.111+deb12-amd64"),
    ("an image without headers does not count", [*NAMES, "linux-image-6.1.0-11-amd64"], OLD, 1, "6.1.0-10-amd64"),
]


@pytest.mark.parametrize(("names", "pattern", "newest", "release"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_choose_takes_the_nth_newest(names, pattern, newest, release):
    assert choose(names, pattern, newest) == release


def test_choose_refuses_when_the_archive_has_too_few():
    with pytest.raises(SimError, match=r"offers 2 kernels like .*, not 3; adapt tests/simulator/images/recipe.json$"):
        choose(NAMES, OLD, 3)
